//! The C example, compiled by the system's C compiler against the library.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The folder of the library: that of this test.
fn libraries() -> PathBuf {
    let test = std::env::current_exe().expect("a path");
    test.parent().expect("target/release/deps").to_path_buf()
}

fn compile(folder: &Path) -> Option<PathBuf> {
    if Command::new("cc").arg("--version").output().is_err() {
        eprintln!("skipped: there is no C compiler");
        return None;
    }
    let program = folder.join("play");
    let output = Command::new("cc")
        .args(["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic"])
        .arg("-I")
        .arg(root().join("agents/capi/include"))
        .arg(root().join("agents/capi/examples/play.c"))
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
    let Some(program) = compile(folder.path()) else { return };
    let run = |bot: &str, request: &str| -> Output {
        Command::new(&program).current_dir(root()).args([bot, request]).output().expect("runs")
    };
    let text = |output: &Output| String::from_utf8_lossy(&output.stdout).to_string();
    let act = r#"{"id":2,"cmd":"act","record":{"rules":"luxembourg","dealer":"E","deal":"N:- - K6.A62.A42.AT953 -"},"seat":"S"}"#;
    let answer = run("checkpoints/luxembourg-v1", act);
    assert!(answer.status.success() && text(&answer).contains(r#""action":"keep""#), "{answer:?}");
    assert!(text(&run("checkpoints/luxembourg-v1", "nope")).contains("bad-json"));
    let missing = run("checkpoints/nobody", act);
    assert_eq!(missing.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&missing.stderr).contains("bot.toml"), "{missing:?}");
}
