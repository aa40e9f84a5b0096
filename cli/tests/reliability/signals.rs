//! Trainings that receive signals.

use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Stdio};
use std::time::Duration;

use super::{Run, signal, wait_for};
use crate::support::{self, stderr_of, troel};

#[test]
fn a_signal_saves_a_checkpoint_and_says_how_to_go_on() {
    let whole = Run::new(60, 512);
    whole.finish();
    for (name, number) in [("-INT", 2), ("-TERM", 15), ("-HUP", 1)] {
        let run = Run::new(60, 512);
        let mut child = run.start();
        wait_for(&mut child, &run.path("checkpoint/00000001"));
        signal(&child, name);
        let _deadline = support::deadline(&child, "a training to save and end");
        let output = child.wait_with_output().expect("it ends");
        let told = stderr_of(&output);
        assert_eq!(output.status.signal(), Some(number), "{told}");
        let command = told.lines().last().expect("a command").trim();
        assert!(command.starts_with("troel train ") && command.ends_with("--resume"), "{told}");
        // Runs the printed command.
        let program = troel().get_program().to_os_string();
        let resumed = Command::new("sh")
            .args([
                "-c",
                &format!("{} {}", program.display(), command.trim_start_matches("troel ")),
            ])
            .output()
            .expect("sh is there");
        assert_eq!(resumed.status.code(), Some(0), "{}", stderr_of(&resumed));
        assert_eq!(run.weights(), whole.weights());
        assert_eq!(run.iterations(), (1..=60).collect::<Vec<_>>());
    }
}

/// The checkpoint is saved even if the reader of standard error has ended, as after Ctrl-C in a
/// pipe.
#[test]
fn a_signal_saves_where_nobody_reads() {
    let run = Run::new(60, 512);
    let mut command = run.command(&["--set", "checkpoint_every=1000"]);
    let mut child = command.env("TROEL_PROGRESS_SECONDS", "0").spawn().expect("starts");
    wait_for(&mut child, &run.path("metrics.jsonl"));
    drop(child.stderr.take());
    drop(child.stdout.take());
    std::thread::sleep(Duration::from_millis(200));
    signal(&child, "-INT");
    let _deadline = support::deadline(&child, "a training to save and end");
    assert_eq!(child.wait().expect("it ends").signal(), Some(2));
    let saved = std::fs::read_dir(run.path("checkpoint")).expect("saved").count();
    assert_eq!(saved, 1);
}

/// A signal that the parent process ignores (`nohup`) does not interrupt a training.
#[test]
fn an_ignored_signal_stays_ignored() {
    let run = Run::new(60, 512);
    let program = troel().get_program().to_os_string();
    let recipe = run.folder.path().join("recipe.toml");
    let script = format!("trap '' HUP; exec {} train {}", program.display(), recipe.display());
    let mut child = Command::new("sh")
        .args(["-c", &script])
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("sh is there");
    wait_for(&mut child, &run.path("checkpoint/00000001"));
    signal(&child, "-HUP");
    let _deadline = support::deadline(&child, "a training to end");
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(0), "{}", stderr_of(&output));
}

/// `timeout` and process managers send a signal to a process and to its group. Both count as one
/// signal, and the checkpoint is saved.
#[test]
fn signals_that_come_together_are_one() {
    let run = Run::new(60, 512);
    let mut child = run.start();
    wait_for(&mut child, &run.path("checkpoint/00000001"));
    let before = run.iterations().len();
    for _ in 0..2 {
        signal(&child, "-INT");
    }
    let _deadline = support::deadline(&child, "a training to save and end");
    let output = child.wait_with_output().expect("it ends");
    let told = stderr_of(&output);
    assert_eq!(output.status.signal(), Some(2), "{told}");
    assert!(told.lines().last().is_some_and(|line| line.ends_with("--resume")), "{told}");
    assert!(run.iterations().len() >= before, "{told}");
}

#[test]
fn a_second_signal_leaves_at_once() {
    // An evaluation against a program that does not answer: the first signal has to wait for it.
    let run = Run::new(4, 16);
    let (marker, program) = (run.folder.path().join("asked"), run.folder.path().join("bot.sh"));
    let hello = r#"{"id":1,"protocol":1,"rules":["wiezen"]}"#;
    let script = format!(
        "while read x; do case \"$x\" in *hello*) echo '{hello}';; *) touch {}; sleep 300;; esac; done",
        marker.display()
    );
    std::fs::write(&program, script).expect("written");
    let baseline = format!("eval.baselines=['bot:limit=300:sh {}']", program.display());
    let mut child = run.command(&["--set", &baseline]).spawn().expect("starts");
    wait_for(&mut child, &marker);
    signal(&child, "-INT");
    // Long enough not to be taken for the same signal on a busy machine.
    std::thread::sleep(Duration::from_secs(1));
    assert!(child.try_wait().expect("a child").is_none(), "it waits for the evaluation");
    signal(&child, "-INT");
    let _deadline = support::deadline(&child, "a training to leave at the second signal");
    let output = child.wait_with_output().expect("it ends");
    let told = stderr_of(&output);
    assert_eq!(output.status.signal(), Some(2), "{told}");
    assert!(told.contains("the recipe runs a program: \"limit=300:sh "), "{told}");
    assert!(!told.contains("continue with"), "{told}");
}
