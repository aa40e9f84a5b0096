//! `troel train --seeds`, as real processes: one run per seed, killed, interrupted, failing,
//! resumed.
#![cfg(unix)]

use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

mod support;

use support::{stderr_of, stdout_of, troel, troel_with_default_signals, wait_for};

/// A recipe of a few short iterations, and a folder for the runs of its seeds.
struct Runs {
    folder: tempfile::TempDir,
}

impl Runs {
    fn new(deals: u64) -> Runs {
        let folder = tempfile::tempdir().expect("a folder");
        let recipe = format!(
            "rules = \"wiezen\"\nrun = \"unused\"\niterations = 6\ndeals = {deals}\ncheckpoint_every = 1\n\
             tensorboard = false\nnetwork = {{ hidden = 8, blocks = 0 }}\n[eval]\nevery = 0\nfinal_deals = 16\n"
        );
        std::fs::write(folder.path().join("recipe.toml"), recipe).expect("written");
        Runs { folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join("it's run").join(name)
    }

    fn command(&self, more: &[&str]) -> Command {
        let mut command = troel_with_default_signals();
        command.arg("train").arg(self.folder.path().join("recipe.toml")).args(more);
        command.arg("--run").arg(self.path("")).args(["--threads", "1"]);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    fn train(&self, more: &[&str]) -> (Option<i32>, String, String) {
        ended(&self.command(more).output().expect("the program starts"))
    }

    fn weights(&self, seed: u64) -> Vec<u8> {
        std::fs::read(self.path(&format!("{seed}/bot/model.safetensors"))).expect("a bot")
    }
}

fn ended(output: &Output) -> (Option<i32>, String, String) {
    (output.status.code(), stdout_of(output), stderr_of(output))
}

/// Starts a training, and sends it a signal once a file exists.
fn signalled(mut command: Command, name: &str, file: &Path) -> Output {
    let mut child = command.spawn().expect("the program starts");
    wait_for(&format!("{}, or the end of the program", file.display()), || {
        (file.exists() || child.try_wait().expect("a child").is_some()).then_some(())
    });
    let sent = Command::new("kill").args([name, &child.id().to_string()]).status();
    assert!(sent.expect("kill is there").success());
    child.wait_with_output().expect("it ends")
}

#[test]
fn seeds_that_are_killed_and_interrupted_end_as_if_they_were_not() {
    let whole = Runs::new(64);
    let (code, out, told) = whole.train(&["--seeds", "1..3"]);
    assert_eq!(code, Some(0), "{told}");
    assert!(out.contains("seed 3 ") && out.contains("95 % over 3 seeds"), "{out}");
    assert_eq!(told.matches("What to do next").count(), 1, "once for all seeds: {told}");
    assert!(told.contains("What to do next, with the bot of seed 1:\n"), "{told}");
    // Seed 2 gives the bot of a run with this seed alone.
    let single = Runs::new(64);
    let run = single.path("2").display().to_string();
    let mut alone = troel();
    alone.arg("train").arg(single.folder.path().join("recipe.toml"));
    let alone = alone.args(["--seed", "2", "--run", &run]).output().expect("the program starts");
    assert_eq!(alone.status.code(), Some(0), "{}", stderr_of(&alone));
    assert!(single.weights(2) == whole.weights(2) && whole.weights(1) != whole.weights(2));
    let info = std::fs::read_to_string(whole.path("2/bot/bot.toml")).expect("a bot");
    assert!(info.contains("--seed 2"), "the command of one bot is for its seed: {info}");

    // Killed in the second seed, interrupted in the third; the printed command resumes.
    let runs = Runs::new(64);
    let checkpoint = |seed: u64| runs.path(&format!("{seed}/checkpoint/00000002"));
    let killed = signalled(runs.command(&["--seeds", "1..3"]), "-KILL", &checkpoint(2));
    assert_eq!(killed.status.signal(), Some(9));
    let (code, _, told) = runs.train(&["--seeds", "1..3"]);
    assert_eq!(code, Some(2));
    assert!(told.contains("--resume"), "{told}");
    let resumed = runs.command(&["--seeds", "1..3", "--resume"]);
    let resumed = signalled(resumed, "-INT", &checkpoint(3));
    let told = stderr_of(&resumed);
    assert_eq!(resumed.status.signal(), Some(2), "{told}");
    assert!(told.contains("seed 1 (1 of 3)") && told.contains("is finished, skipped"), "{told}");
    assert!(!runs.path("3/bot").exists());
    let command = told.lines().last().expect("a line").trim();
    let command = command.strip_prefix("troel ").expect("a command");
    let script = format!("{} {command}", troel().get_program().to_string_lossy());
    let last = Command::new("sh").args(["-c", &script]).output().expect("a shell");
    let (code, out, told) = ended(&last);
    assert_eq!(code, Some(0), "{told}");
    assert_eq!(told.matches("is finished, skipped").count(), 2, "{told}");
    assert!(out.contains("95 % over 3 seeds"), "{out}");
    for seed in 1..=3 {
        assert!(runs.weights(seed) == whole.weights(seed), "seed {seed}");
    }

    // The folders are groups of bots for a comparison.
    let [a, b] = [1, 2].map(|seed| whole.path(&seed.to_string()).display().to_string());
    let [c, d] = [3, 2].map(|seed| whole.path(&seed.to_string()).display().to_string());
    let compared = troel().args(["compare", "--deals", "16", &a, &b, "--", &c, &d]).output();
    let (code, out, told) = ended(&compared.expect("the program starts"));
    assert_eq!(code, Some(0), "{told}");
    assert!(out.contains("2 training seeds against 2 training seeds"), "{out}");
    // Each pair is printed before the end, so that an interrupted run shows it.
    assert_eq!(told.matches(" points per deal in 16 deals").count(), 4, "{told}");

    // In pairs only the bots of a pair meet.
    let paired = |before: &[&str], after: &[&str]| {
        let options = ["compare", "--paired", "--deals", "16"];
        let output = troel().args(options).args(before).arg("--").args(after).output();
        ended(&output.expect("the program starts"))
    };
    let (code, out, told) = paired(&[&a, &b], &[&c, &a]);
    assert_eq!(code, Some(0), "{told}");
    assert!(out.contains("2 pairs") && out.contains("standard errors: "), "{out}");
    assert!(out.contains(&format!("over {c}")) && !out.contains("columns"), "{out}");
    assert_eq!(told.matches(" points per deal in 16 deals").count(), 2, "{told}");
    let (code, out, _) = paired(&[&a], &[&c]);
    assert!(code == Some(0) && out.contains("a single pair; train more seeds"), "{out}");
    for (before, after, why) in [
        (vec![&a, &b], vec![c.as_str()], "2 before `--` and 1 after it"),
        (vec![&a], vec!["rules"], "rules has no training seed; leave --paired out"),
    ] {
        let before: Vec<&str> = before.into_iter().map(String::as_str).collect();
        let (code, _, told) = paired(&before, &after);
        assert!(code == Some(2) && told.contains(why), "{told}");
    }

    // Two bots of one recipe and one seed are one sample of the recipe.
    let earlier = whole.path("1/checkpoint/00000004").display().to_string();
    let refused = troel().args(["compare", "--deals", "16", &a, &earlier, "--", &c, &d]).output();
    let (code, _, told) = ended(&refused.expect("the program starts"));
    assert_eq!(code, Some(2), "{told}");
    assert!(told.contains("the same recipe and training seed"), "{told}");
    let reversed = troel().args(["compare", "--deals", "16", &c, &d, "--", &a, &earlier]).output();
    let (code, _, told) = ended(&reversed.expect("the program starts"));
    assert!(code == Some(2) && told.contains("the same recipe and training seed"), "{told}");
}

#[test]
fn a_seed_that_fails_does_not_cost_the_others() {
    let runs = Runs::new(16);
    std::fs::create_dir_all(runs.path("")).expect("a folder");
    // A file in the place of a folder.
    std::fs::write(runs.path("2"), "").expect("written");
    let (code, out, told) = runs.train(&["--seeds", "1..3"]);
    assert_eq!(code, Some(2), "{told}");
    assert!(told.contains("seed 2 (2 of 3) failed") && !told.contains("panicked"), "{told}");
    assert!(told.contains("1 of 3 seeds failed: 2") && told.contains("--resume"), "{told}");
    assert!(out.contains("95 % over 2 seeds"), "{out}");
    std::fs::remove_file(runs.path("2")).expect("there");
    let (code, out, told) = runs.train(&["--seeds", "1..3", "--resume"]);
    assert_eq!(code, Some(0), "{told}");
    assert!(out.contains("95 % over 3 seeds"), "{out}");

    for (args, why) in [
        (["--seeds", "1..3", "--seed", "1"].as_slice(), "cannot be used with"),
        (&["--seeds", "1..3", "--distributed"], "cannot be used with"),
        (&["--seeds", "3..1"], "write 1..3"),
        (&["--seeds", "1,x"], "not a seed"),
        (&["--seeds", "1..3", "--resume", "--set", "ppo.kl_coef=0.1"], "ppo.kl_coef (was 0"),
    ] {
        let (code, _, told) = runs.train(args);
        assert!(code == Some(2) && told.contains(why), "{args:?}: {told}");
    }
}

#[test]
fn the_end_of_standard_input_stops_a_supervised_training() {
    let runs = Runs::new(64);
    let mut command = runs.command(&["--seeds", "1..2", "--supervised"]);
    let mut child = command.stdin(Stdio::piped()).spawn().expect("the program starts");
    let checkpoint = runs.path("1/checkpoint/00000001");
    wait_for("a checkpoint, or the end of the program", || {
        (checkpoint.exists() || child.try_wait().expect("a child").is_some()).then_some(())
    });
    drop(child.stdin.take());
    let (code, out, told) = ended(&child.wait_with_output().expect("it ends"));
    assert_eq!(code, Some(130), "{told}");
    let first = format!("run: {}\n", runs.path("1").display());
    assert!(out.starts_with(&first) && told.contains("--resume"), "{out}{told}");
    // Without the option the end of standard input, which is empty here, stops nothing.
    let (code, out, told) = runs.train(&["--seeds", "1..2", "--resume"]);
    assert_eq!(code, Some(0), "{told}");
    assert!(!out.contains("run: "), "{out}");
}
