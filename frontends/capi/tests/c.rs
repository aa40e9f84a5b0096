//! The C examples, compiled by the system's C compiler against the library.

#[path = "../../../cli/tests/support/tools.rs"]
mod tools;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Returns the folder of the library, which is the one of this test.
fn libraries() -> PathBuf {
    let test = std::env::current_exe().expect("a path");
    test.parent().expect("target/release/deps").to_path_buf()
}

fn compile(folder: &Path, example: &str) -> Option<PathBuf> {
    if Command::new("cc").arg("--version").output().is_err() {
        tools::missing("cc", "install a C compiler");
        return None;
    }
    let program = folder.join(example);
    let output = Command::new("cc")
        .args(["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic"])
        .arg("-I")
        .arg(root().join("frontends/capi/include"))
        .arg(root().join("frontends/capi/examples").join(example).with_extension("c"))
        .arg(libraries().join("libtroel_capi.a"))
        .args(["-lpthread", "-ldl", "-lm", "-o"])
        .arg(&program)
        .output()
        .expect("cc runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(program)
}

#[test]
fn the_example_asks_a_bot() {
    let folder = tempfile::tempdir().expect("a folder");
    let Some(program) = compile(folder.path(), "play") else { return };
    let run = |bot: &str, request: &str| -> Output {
        Command::new(&program).current_dir(root()).args([bot, request]).output().expect("runs")
    };
    let text = |output: &Output| String::from_utf8_lossy(&output.stdout).to_string();
    let act = r#"{"id":2,"cmd":"act","record":{"rules":"luxembourg","dealer":"E","deal":"N:- - K6.A62.A42.AT953 -"},"seat":"S"}"#;
    let answer = run("checkpoints/luxembourg-v5", act);
    assert!(answer.status.success() && text(&answer).contains(r#""action":"keep""#), "{answer:?}");
    assert!(text(&run("checkpoints/luxembourg-v5", "nope")).contains("bad-json"));
    let missing = run("checkpoints/nobody", act);
    assert_eq!(missing.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&missing.stderr).contains("bot.toml"), "{missing:?}");
}

#[test]
fn the_example_plays_a_deal() {
    let folder = tempfile::tempdir().expect("a folder");
    let Some(program) = compile(folder.path(), "table") else { return };
    let run = |bot: &str, rules: &str| -> (Option<i32>, String) {
        let files = ["bot.toml", "model.safetensors"].map(|name| root().join(bot).join(name));
        let output = Command::new(&program).args(files).arg(rules).output().expect("runs");
        let text =
            String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
        (output.status.code(), text.to_string())
    };
    let (code, text) = run("checkpoints/wiezen-v5", "wiezen");
    assert!(code == Some(0) && text.contains("\"scores\":{\"N\":"), "{text}");
    assert_eq!(
        run("checkpoints/wiezen-v5", "wiezen"),
        (code, text),
        "the same cards, the same deal"
    );
    let (code, text) = run("checkpoints/wiezen-v5", "iwwa");
    assert!(code == Some(1) && text.contains("does not play this rule set"), "{text}");
    assert_eq!(run("nowhere", "iwwa"), (Some(1), "cannot read the files\n".to_string()));
}

/// Both examples run under Memcheck without invalid accesses and without leaks.
#[test]
fn the_examples_use_memory_correctly() {
    let valgrind = |args: &[&str]| -> Output {
        let checks = [
            "--quiet",
            "--error-exitcode=9",
            "--leak-check=full",
            "--errors-for-leak-kinds=definite",
        ];
        let mut command = Command::new("valgrind");
        command.current_dir(root()).args(checks).args(args).output().expect("runs")
    };
    if Command::new("valgrind").arg("--version").output().is_err() {
        return tools::missing("valgrind", ".ci/run installs it");
    }
    let folder = tempfile::tempdir().expect("a folder");
    let (Some(play), Some(table)) =
        (compile(folder.path(), "play"), compile(folder.path(), "table"))
    else {
        return;
    };
    let (play, table) = (play.to_string_lossy(), table.to_string_lossy());
    let act = r#"{"id":2,"cmd":"act","record":{"rules":"luxembourg","dealer":"E","deal":"N:- - K6.A62.A42.AT953 -"},"seat":"S"}"#;
    let files = ["checkpoints/wiezen-v5/bot.toml", "checkpoints/wiezen-v5/model.safetensors"];
    for (args, status) in [
        ([&play, "checkpoints/luxembourg-v5", act].to_vec(), 0),
        ([&play, "checkpoints/luxembourg-v5", "nope"].to_vec(), 0),
        ([&play, "checkpoints/nobody", act].to_vec(), 1),
        ([&table, files[0], files[1], "wiezen"].to_vec(), 0),
        // The two files are swapped.
        ([&table, files[1], files[0], "wiezen"].to_vec(), 1),
    ] {
        let output = valgrind(&args);
        assert_eq!(output.status.code(), Some(status), "{args:?}: {output:?}");
    }
}
