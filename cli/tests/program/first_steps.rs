//! The first minutes with the program: without arguments, `doctor`, completion, the next steps.

use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::support::{expect_success, lines, run, stderr_of, stdout_of, troel};

#[test]
fn without_arguments_it_names_first_commands() {
    let output = run(&[]);
    let told = stderr_of(&output);
    assert_eq!(output.status.code(), Some(2), "{told}");
    assert!(stdout_of(&output).is_empty());
    for command in ["play", "train", "eval", "export"] {
        let line = told.lines().find(|line| line.contains(&format!(" troel {command} ")));
        assert!(line.is_some(), "{command}: {told}");
    }
    assert!(told.contains("troel --help lists all commands"), "{told}");
    assert!(!told.contains("clone"), "a wheel comes without one: {told}");
}

#[test]
fn doctor_tells_what_is_there() {
    let rows = lines(&run(&["doctor", "--json"]));
    let row = |name: &str| {
        let found = rows.iter().find(|row| row["name"] == name);
        found.unwrap_or_else(|| panic!("no row {name} in {rows:?}"))
    };
    assert_eq!(row("released bots")["status"], "ok");
    assert!(row("cores")["found"].as_str().expect("text").parse::<u32>().expect("a number") > 0);
    assert!(rows.iter().filter(|row| row["group"] == "Tools").all(|row| row["purpose"] != ""));
    let text = expect_success(&run(&["doctor"]));
    assert!(text.contains("\nTools\n") && text.contains("Node.js"), "{text}");
}

/// A missing tool is no error; a damaged bot is one.
#[test]
fn doctor_fails_only_if_the_program_is_broken() {
    let folder = tempfile::tempdir().expect("a folder");
    let doctor = || {
        let mut command = troel();
        command.args(["doctor", "--json"]).current_dir(folder.path()).env("PATH", folder.path());
        command.env("TROEL_CHECKPOINTS", folder.path()).output().expect("the program starts")
    };
    let output = doctor();
    assert_eq!(output.status.code(), Some(0), "{}", stdout_of(&output));
    let is_missing = |row: &Value| row["name"] == "Node.js" && row["status"] == "missing";
    assert!(lines(&output).iter().any(is_missing), "{}", stdout_of(&output));
    let bot = folder.path().join("wiezen-v5");
    std::fs::create_dir(&bot).expect("a folder");
    std::fs::write(bot.join("bot.toml"), "nonsense").expect("written");
    let output = doctor();
    assert_eq!(output.status.code(), Some(1), "{}", stdout_of(&output));
    let is_broken = |row: &Value| row["name"] == "released bots" && row["status"] == "broken";
    assert!(lines(&output).iter().any(is_broken), "{}", stdout_of(&output));
}

/// Tools and folders that are there, but cannot be used.
#[cfg(unix)]
#[test]
fn doctor_names_an_old_python_and_a_missing_folder() {
    use std::os::unix::fs::PermissionsExt;

    let folder = tempfile::tempdir().expect("a folder");
    let python = folder.path().join("python3");
    let missing = folder.path().join("none");
    let row = |script: &str, name: &str| {
        std::fs::write(&python, format!("#!/bin/sh\n{script}\n")).expect("written");
        std::fs::set_permissions(&python, PermissionsExt::from_mode(0o755)).expect("allowed");
        let mut command = troel();
        command.args(["doctor", "--json"]).env("PATH", folder.path()).env("TMPDIR", &missing);
        let rows = lines(&command.output().expect("the program starts"));
        let found = rows.into_iter().find(|row| row["name"] == name);
        found.unwrap_or_else(|| panic!("no row {name}"))
    };
    let old = row("echo 3.9.18", "Python");
    assert_eq!(old["status"], "missing", "{old}");
    assert_eq!(old["found"], "3.9.18, but 3.10 or later is needed");
    assert_eq!(row("echo 3.10.2", "Python")["status"], "ok");
    assert_eq!(row("exit 1", "Python")["status"], "missing");
    let temporary = row("exit 1", "temporary files");
    assert_eq!(temporary["status"], "missing", "{temporary}");
    assert!(temporary["remedy"].as_str().expect("text").contains("TMPDIR"), "{temporary}");
}

/// Completes the last word of a line in bash, which has split it into `words`.
#[cfg(target_os = "linux")]
fn completed(folder: &Path, words: &[&str]) -> Vec<String> {
    let program = env!("CARGO_BIN_EXE_troel");
    let script = "source <(\"$0\" completions bash) || exit 1
        COMP_WORDS=(\"$0\" \"$@\"); COMP_CWORD=$#
        _troel \"$0\" \"${COMP_WORDS[COMP_CWORD]}\" \"${COMP_WORDS[COMP_CWORD-1]}\"
        printf '%s\\n' \"${COMPREPLY[@]}\"";
    let mut bash = Command::new("bash");
    bash.args(["--norc", "-c", script, program]).args(words).current_dir(folder);
    let output = bash.env_remove("TROEL_CHECKPOINTS").stdin(Stdio::null()).output();
    let told = expect_success(&output.expect("bash starts"));
    told.lines().map(String::from).collect()
}

// The bash of macOS is of 2007, and reads nothing from `source <(…)`.
#[cfg(target_os = "linux")]
#[test]
fn bash_completes_names() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::create_dir_all(folder.path().join("runs/mine")).expect("a folder");
    std::fs::write(folder.path().join("club.toml"), "").expect("written");
    let completed = |words: &[&str]| completed(folder.path(), words);
    for (words, wanted) in [
        (&["eval", "wie"][..], &["wiezen-v5"][..]),
        (&["eval", "rules", "--deals", "4", "exp"], &["expert"]),
        (&["eval", "pi"], &["pimc:worlds="]),
        (&["eval", "search", ":", "iw"], &["iwwa-v5"]),
        (&["eval", "runs/"], &["runs/mine/"]),
        (&["play", "--rules", "iw"], &["iwwa"]),
        (&["bid", "--rules", "iw"], &["iwwa"]),
        (&["bid", "--bot", "wie"], &["wiezen-v5"]),
        (&["play", "--rules", "=", "iw"], &["iwwa"]),
        (&["train", "ch"], &["champion"]),
        (&["train", "cl"], &["club.toml"]),
        (&["problems", "sure-m"], &["sure-miseres"]),
    ] {
        assert_eq!(completed(words), wanted, "{words:?}");
    }
    let bots = completed(&["play", "--bot", ""]);
    for bot in ["rules", "expert", "luxembourg-v5", "search:", "runs/"] {
        assert!(bots.iter().any(|own| own == bot), "{bot}: {bots:?}");
    }
    // Commands and options are those of clap.
    assert_eq!(completed(&["calib"]), ["calibration"]);
    assert!(completed(&["eval", "--sc"]).contains(&"--scope".to_string()));
}

/// Citations name the commit, so a build from a clone prints it.
#[test]
fn the_version_names_the_commit_of_a_clone() {
    let number = env!("CARGO_PKG_VERSION");
    let wanted = match env!("TROEL_COMMIT") {
        "" => format!("troel {number}\n"),
        commit => format!("troel {number} ({commit})\n"),
    };
    assert_eq!(expect_success(&run(&["--version"])), wanted);
}
