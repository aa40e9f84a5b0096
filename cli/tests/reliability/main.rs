//! Nothing is lost: real processes are killed at every operation on the disk, run out of space, are
//! interrupted, or read damaged files.
#![cfg(unix)]

mod damage;
mod disk;
mod signals;
#[path = "../support/mod.rs"]
mod support;

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use support::{stderr_of, troel_with_default_signals};

/// A recipe of four short iterations, a checkpoint after each.
struct Run {
    folder: tempfile::TempDir,
}

impl Run {
    fn new(iterations: u64, deals: u64) -> Run {
        let folder = tempfile::tempdir().expect("a folder");
        let text = format!(
            "rules = \"wiezen\"\nrun = {:?}\niterations = {iterations}\ndeals = {deals}\ncheckpoint_every = 1\n\
             network = {{ hidden = 8, blocks = 0 }}\n\
             [pool]\nevery = 2\nsize = 1\n[eval]\nevery = 2\ndeals = 2\nfinal_deals = 0\nproblems_per_suite = 4\n",
            folder.path().join("run")
        );
        std::fs::write(folder.path().join("recipe.toml"), text).expect("written");
        Run { folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join("run").join(name)
    }

    fn command(&self, more: &[&str]) -> Command {
        let mut command = troel_with_default_signals();
        command.arg("train").arg(self.folder.path().join("recipe.toml")).args(more);
        command.args(["--threads", "1"]);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    fn train(&self, more: &[&str], fault: Option<String>) -> Output {
        let mut command = self.command(more);
        if let Some(fault) = fault {
            command.env("TROEL_FAULT", fault);
        }
        command.output().expect("the program starts")
    }

    fn start(&self) -> Child {
        self.command(&[]).spawn().expect("the program starts")
    }

    /// Trains to the end, resuming from the checkpoint if there is one.
    fn finish(&self) {
        let plain = self.train(&[], None);
        if plain.status.code() != Some(0) {
            assert!(stderr_of(&plain).contains("--resume"), "{}", stderr_of(&plain));
            let resumed = self.train(&["--resume"], None);
            assert_eq!(resumed.status.code(), Some(0), "{}", stderr_of(&resumed));
        }
    }

    fn weights(&self) -> Vec<u8> {
        std::fs::read(self.path("bot/model.safetensors")).expect("a bot")
    }

    /// Iterations in the metrics.
    fn iterations(&self) -> Vec<u64> {
        let lines = std::fs::read_to_string(self.path("metrics.jsonl")).expect("metrics");
        let number = |line: &str| {
            let value: serde_json::Value = serde_json::from_str(line).expect("JSON");
            value["iteration"].as_u64().expect("a number")
        };
        lines.lines().map(number).collect()
    }
}

/// Waits until a path exists.
fn wait_for(child: &mut Child, path: &Path) {
    support::wait_for(&format!("{}, or the end of the program", path.display()), || {
        (path.exists() || child.try_wait().expect("a child").is_some()).then_some(())
    });
}

fn signal(child: &Child, name: &str) {
    let sent = Command::new("kill").args([name, &child.id().to_string()]).status();
    assert!(sent.expect("kill is there").success());
}
