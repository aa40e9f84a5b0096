//! Nothing is lost: real processes are killed at every operation on the disk, run out of space, are
//! interrupted, or read damaged files.
#![cfg(unix)]

use std::collections::BTreeMap;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

mod support;

use support::troel;
use troel_env::rng::{Purpose, Stream};

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).to_string()
}

fn run(args: &[&str]) -> Output {
    troel().args(args).stdin(Stdio::null()).output().expect("the program starts")
}

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
        // The parent of the tests may ignore signals, as a shell does for background jobs. Troel
        // would inherit that.
        let mut command = Command::new("env");
        command.arg("--default-signal").arg(troel().get_program());
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
            assert!(text(&plain.stderr).contains("--resume"), "{}", text(&plain.stderr));
            let resumed = self.train(&["--resume"], None);
            assert_eq!(resumed.status.code(), Some(0), "{}", text(&resumed.stderr));
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

/// Killed before or in the middle of any write, sync, rename or removal, and once more after that,
/// a run loses nothing.
#[test]
fn a_kill_at_any_operation_loses_nothing() {
    let whole = Run::new(4, 16);
    whole.finish();
    let mut kills = 0;
    for at in 1.. {
        let killed = Run::new(4, 16);
        let first = killed.train(&[], Some(format!("kill:{at}")));
        if first.status.code() == Some(0) {
            break;
        }
        assert_eq!(first.status.code(), None, "{}", text(&first.stderr));
        kills += 1;
        let checkpoints = |run: &Run| {
            let entries = std::fs::read_dir(run.path("checkpoint")).into_iter().flatten().flatten();
            let names = entries.map(|entry| entry.file_name().to_string_lossy().to_string());
            names.filter(|name| !name.contains('.')).collect::<Vec<_>>()
        };
        let before = checkpoints(&killed);
        // A second kill of the resumed run, at different operations.
        let second = killed.train(&["--resume"], Some(format!("kill:{}", 1 + at * 7 % 40)));
        assert_ne!(second.status.code(), Some(101), "{}", text(&second.stderr));
        let after = checkpoints(&killed);
        assert!(after.iter().max() >= before.iter().max(), "kill {at}: {before:?}, then {after:?}");
        killed.finish();
        assert_eq!(killed.weights(), whole.weights(), "kill {at}");
        assert_eq!(killed.iterations(), [1, 2, 3, 4], "kill {at}");
    }
    assert!(kills > 60, "{kills}");
}

/// Runs that are killed repeatedly at random moments end in the same bot. `TROEL_KILLS` is the
/// number of kills (default 20).
#[test]
fn kills_at_random_moments_lose_nothing() {
    let wanted: u32 = std::env::var("TROEL_KILLS").map_or(20, |n| n.parse().expect("a number"));
    let whole = Run::new(12, 256);
    whole.finish();
    let mut stream = Stream::new(wanted.into(), Purpose::Action, 0);
    let mut kills = 0;
    while kills < wanted {
        let killed = Run::new(12, 256);
        // As a person would, it resumes or starts depending on what the last run left.
        let mut more: &[&str] = &[];
        loop {
            let mut child = killed.command(more).spawn().expect("the program starts");
            let until = Instant::now() + Duration::from_millis(u64::from(20 + stream.below(400)));
            while Instant::now() < until && child.try_wait().expect("a child").is_none() {
                std::thread::sleep(Duration::from_millis(1));
            }
            let ended = child.try_wait().expect("a child");
            let _ = child.kill();
            let output = child.wait_with_output().expect("it ends");
            let told = text(&output.stderr);
            match ended.and_then(|status| status.code()) {
                Some(0) => break,
                None => kills += 1,
                Some(2) if told.contains("start without --resume") => more = &[],
                Some(2) if told.contains("with --resume") => more = &["--resume"],
                code => panic!("{code:?}: {told}"),
            }
        }
        assert_eq!(killed.weights(), whole.weights());
        assert_eq!(killed.iterations(), (1..=12).collect::<Vec<_>>());
    }
}

/// Checks runs whose disk fails from some operation on. A run ends with a message or does without
/// its metrics, and can be resumed once the disk can be written again.
fn check_that_a_failing_disk_loses_nothing(fault: &str, sentence: &str) {
    let whole = Run::new(4, 16);
    whole.finish();
    let (mut ended, mut latest) = (0, None);
    for at in (1..).step_by(3) {
        let run = Run::new(4, 16);
        let first = run.train(&[], Some(format!("{fault}:{at}")));
        // The later the fault, the later the checkpoint to resume from.
        let there =
            (1..=4).rev().find(|n| run.path(&format!("checkpoint/{n:08}/bot.toml")).exists());
        assert!(there >= latest, "{fault} from {at}: {there:?} after {latest:?}");
        latest = there;
        match first.status.code() {
            Some(0) => break,
            code => assert_eq!(code, Some(2), "{at}: {}", text(&first.stderr)),
        }
        let told = text(&first.stderr);
        assert!(told.contains(sentence) && !told.contains("panicked"), "{told}");
        ended += 1;
        run.finish();
        assert_eq!(run.weights(), whole.weights(), "{fault} from {at}");
        assert!(run.iterations().is_sorted_by(|a, b| a < b), "{fault} from {at}");
    }
    assert!(ended > 15 && latest == Some(4), "{ended} {latest:?}");
}

#[test]
fn a_full_disk_at_any_operation_loses_nothing() {
    check_that_a_failing_disk_loses_nothing("full", "no space left");
}

#[test]
fn a_disk_that_becomes_read_only_loses_nothing() {
    check_that_a_failing_disk_loses_nothing("read-only", "read-only file system");
}

/// Makes a corpus of two shards in a folder, with a fault of the disk.
fn make_corpus(folder: &Path, fault: Option<String>) -> Output {
    let mut command = troel();
    command.args(["corpus", "make"]).arg(folder).args(["--deals", "62..66", "--player", "rules"]);
    command.args(["--worlds", "1", "--per-deal", "1", "--threads", "1"]).stdin(Stdio::null());
    if let Some(fault) = fault {
        command.env("TROEL_FAULT", fault);
    }
    command.output().expect("the program starts")
}

/// Names and contents of the files in a folder.
fn contents(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let name = |path: &Path| path.file_name().expect("a name").to_string_lossy().to_string();
    paths.map(|path| (name(&path), std::fs::read(&path).expect("a file"))).collect()
}

/// The making of a corpus is killed, or its disk becomes full or read-only, at any operation. Then
/// the corpus has only whole shards, and the missing ones are made afterwards.
#[test]
fn a_corpus_survives_kills_and_failing_disks() {
    let folder = tempfile::tempdir().expect("a folder");
    let whole = folder.path().join("whole");
    assert_eq!(make_corpus(&whole, None).status.code(), Some(0));
    let whole = contents(&whole);
    assert_eq!(whole.len(), 2);
    let faults = [("kill", ""), ("full", "no space left"), ("read-only", "read-only file system")];
    for (fault, sentence) in faults {
        let mut ended = 0;
        for at in 1.. {
            let path = folder.path().join(format!("{fault}-{at}"));
            let output = make_corpus(&path, Some(format!("{fault}:{at}")));
            let told = text(&output.stderr);
            if output.status.code() == Some(0) {
                break;
            }
            ended += 1;
            let expected = if fault == "kill" { None } else { Some(2) };
            assert_eq!(output.status.code(), expected, "{fault}:{at}: {told}");
            assert!(told.contains(sentence) && !told.contains("panicked"), "{told}");
            for (name, bytes) in contents(&path) {
                let is_shard = name.ends_with(".safetensors");
                assert!(!is_shard || whole[&name] == bytes, "{fault}:{at}: {name} is not whole");
            }
            let again = make_corpus(&path, None);
            assert_eq!(again.status.code(), Some(0), "{}", text(&again.stderr));
            assert!(contents(&path) == whole, "{fault}:{at}");
        }
        assert!(ended >= 6, "{fault}: {ended}");
    }
}

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
        let told = text(&output.stderr);
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
        assert_eq!(resumed.status.code(), Some(0), "{}", text(&resumed.stderr));
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
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
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
    let told = text(&output.stderr);
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
    let told = text(&output.stderr);
    assert_eq!(output.status.signal(), Some(2), "{told}");
    assert!(told.contains("the recipe runs a program: \"limit=300:sh "), "{told}");
    assert!(!told.contains("go on with"), "{told}");
}

#[test]
fn one_run_has_one_process() {
    let run = Run::new(400, 512);
    let mut child = run.start();
    wait_for(&mut child, &run.path("checkpoint/00000001"));
    let holder = format!("pid {} on ", child.id());
    for (more, reason) in [([].as_slice(), "with --resume"), (&["--resume"], &holder)] {
        let refused = run.train(more, None);
        assert_eq!(refused.status.code(), Some(2));
        assert!(text(&refused.stderr).contains(reason), "{}", text(&refused.stderr));
    }
    assert!(child.try_wait().expect("a child").is_none(), "the first is not disturbed");
    child.kill().expect("killed");
    child.wait().expect("ended");
    // The lock of a killed process does not block others.
    let resumed = run.train(&["--resume", "--iterations", "0"], None);
    assert!(!text(&resumed.stderr).contains("another process"), "{}", text(&resumed.stderr));
}

#[test]
fn damage_is_noticed_and_named() {
    let run_folder = Run::new(1, 16);
    run_folder.finish();
    let bot = run_folder.path("bot").display().to_string();
    let all = run_folder.path("").display().to_string();
    let whole = run(&["verify", &all]);
    assert_eq!(whole.status.code(), Some(0));
    assert_eq!(text(&whole.stdout).lines().count(), 2, "{}", text(&whole.stdout));
    let file = run_folder.path("bot/model.safetensors");
    let mut bytes = std::fs::read(&file).expect("weights");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&file, &bytes).expect("written");
    let verified = run(&["verify", &all]);
    assert_eq!(verified.status.code(), Some(1));
    let told = text(&verified.stdout);
    assert!(told.contains("DAMAGED") && told.contains("bot/model.safetensors"), "{told}");
    let eval = run(&["eval", &bot, "rules", "--rules", "wiezen", "--deals", "2"]);
    assert_eq!(eval.status.code(), Some(2));
    assert!(text(&eval.stderr).contains("model.safetensors: is not as it was written"));
    // A bot that does not load is not accepted; a deliberate change is.
    std::fs::write(&file, &bytes[..middle]).expect("written");
    let refused = run(&["verify", "--accept", &bot]);
    assert_eq!(refused.status.code(), Some(1), "{}", text(&refused.stdout));
    std::fs::write(&file, &bytes).expect("written");
    let still = run(&["verify", &bot]);
    assert_eq!(still.status.code(), Some(1), "the checksums are those of before");
    assert_eq!(run(&["verify", "--accept", &bot]).status.code(), Some(0));
    let eval = run(&["eval", &bot, "rules", "--rules", "wiezen", "--deals", "2"]);
    assert_eq!(eval.status.code(), Some(0), "{}", text(&eval.stderr));
    // Files that do not belong to it are named, a bot of an earlier version is loaded with a
    // warning.
    std::fs::write(run_folder.path("bot/notes.txt"), "mine").expect("written");
    let told = text(&run(&["verify", &bot]).stdout);
    assert!(told.contains("bot/notes.txt has no checksum"), "{told}");
    let info = run_folder.path("bot/bot.toml");
    let sealed = std::fs::read_to_string(&info).expect("text");
    let plain = troel_nn::checksums::strip(&sealed).replace("format = 2", "format = 1");
    std::fs::write(&info, plain).expect("written");
    assert!(text(&run(&["verify", &bot]).stdout).starts_with("no sums"));
    // Files that a kill leaves behind are no damage; a bot without its description is.
    std::fs::create_dir(run_folder.path("best.old")).expect("made");
    std::fs::write(run_folder.path("best.old/model.safetensors"), "half").expect("written");
    let told = run(&["verify", &all]);
    assert_eq!(told.status.code(), Some(0), "{}", text(&told.stdout));
    assert!(text(&told.stdout).contains("left over"), "{}", text(&told.stdout));
    let described = run_folder.path("checkpoint/00000001/bot.toml");
    std::fs::rename(&described, run_folder.path("elsewhere")).expect("there");
    assert_eq!(run(&["verify", &all]).status.code(), Some(1));
    let eval = run(&["eval", &bot, "rules", "--rules", "wiezen", "--deals", "2"]);
    assert_eq!(eval.status.code(), Some(0), "{}", text(&eval.stderr));
    assert!(text(&eval.stderr).contains("has no checksums"), "{}", text(&eval.stderr));
}

/// The folder of a run is removed during training: the training ends with a message, its state is
/// kept beside the folder, and no part of the folder is made again.
#[test]
fn a_run_whose_folder_is_removed_stops_and_keeps_its_state() {
    let whole = Run::new(4, 16);
    whole.finish();
    let run = Run::new(4, 16);
    // The first evaluation's baseline moves the folder away, so that the folder is gone when that
    // evaluation ends, however busy the machine is.
    let (folder, away) = (run.folder.path().join("run"), run.folder.path().join("away"));
    let baseline = format!(
        "bot:read request; test -e {0} || test ! -e {1}/checkpoint/00000001 || mv {1} {0}; \
         echo '{{\"id\":1,\"protocol\":1,\"rules\":[\"wiezen\"]}}'",
        away.display(),
        folder.display()
    );
    let recipe = run.folder.path().join("recipe.toml");
    let text_of = std::fs::read_to_string(&recipe).expect("a recipe");
    let with_baseline = text_of.replace("[eval]", &format!("[eval]\nbaselines = [{baseline:?}]"));
    std::fs::write(&recipe, with_baseline).expect("written");
    let output = run.train(&[], None);
    let told = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{told}");
    assert!(told.contains("/run was removed or replaced"), "{told}");
    assert!(away.join("checkpoint/00000001").exists(), "{told}");
    assert!(!folder.exists(), "{told}");
    let saved = run.folder.path().join("run.saved-1");
    assert!(told.contains(&saved.display().to_string()), "{told}");
    // Follows the message.
    std::fs::rename(&saved, &folder).expect("moved");
    let resumed = run.train(&["--resume"], None);
    assert_eq!(resumed.status.code(), Some(0), "{}", text(&resumed.stderr));
    assert_eq!(run.weights(), whole.weights());
    // Nothing is written into the folder if another run has it by then.
    let other = Run::new(4000, 512);
    let mut child = other.start();
    wait_for(&mut child, &other.path("checkpoint/00000001"));
    std::fs::rename(other.path(""), other.folder.path().join("away")).expect("moved");
    std::fs::create_dir(other.path("")).expect("made");
    std::fs::write(other.path("notes.txt"), "mine").expect("written");
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
    assert_eq!(std::fs::read_dir(other.path("")).expect("there").count(), 1);
}

/// A file at the lock's path that is not a lock is not overwritten.
#[test]
fn nothing_but_a_lock_is_overwritten() {
    let run = Run::new(1, 16);
    std::fs::create_dir(run.path("")).expect("made");
    let precious = run.folder.path().join("precious");
    std::fs::write(&precious, "precious\n").expect("written");
    let lock = run.path("lock");
    let links: [fn(&Path, &Path) -> std::io::Result<()>; 2] =
        [|to, at| std::os::unix::fs::symlink(to, at), |to, at| std::fs::hard_link(to, at)];
    for link in links {
        link(&precious, &lock).expect("linked");
        let refused = run.train(&[], None);
        let told = text(&refused.stderr);
        assert_eq!(refused.status.code(), Some(2), "{told}");
        assert!(told.contains("run/lock is not a") && told.contains("remove it"), "{told}");
        assert_eq!(std::fs::read_to_string(&precious).expect("there"), "precious\n");
        std::fs::remove_file(&lock).expect("removed");
    }
    let nothing = run.folder.path().join("nothing");
    std::os::unix::fs::symlink(&nothing, &lock).expect("linked");
    assert_eq!(run.train(&[], None).status.code(), Some(2));
    assert!(!nothing.exists());
    let made = Command::new("sh").args(["-c", "rm \"$0\"; mkfifo \"$0\""]).arg(&lock).status();
    assert!(made.expect("sh is there").success());
    assert!(text(&run.train(&[], None).stderr).contains("is not a regular file"));
    std::fs::remove_file(&lock).expect("removed");
    run.finish();
}

/// A byte in the metrics that is not UTF-8 costs only its line, and no line is duplicated.
#[test]
fn damaged_metrics_are_not_doubled() {
    let run = Run::new(4, 16);
    run.finish();
    for later in [3, 4] {
        for folder in
            ["bot".to_string()].into_iter().chain((later..=4).map(|n| format!("checkpoint/{n:08}")))
        {
            std::fs::remove_dir_all(run.path(&folder)).expect("removed");
        }
        let path = run.path("metrics.jsonl");
        let mut bytes = std::fs::read(&path).expect("metrics");
        bytes[5] = 0xff;
        std::fs::write(&path, &bytes).expect("written");
        let first: Vec<u8> =
            bytes.split_inclusive(|&b| b == b'\n').next().expect("a line").to_vec();
        let resumed = run.train(&["--resume"], None);
        let told = text(&resumed.stderr);
        assert_eq!(resumed.status.code(), Some(0), "{told}");
        assert!(told.contains("metrics.jsonl, line 1: it is damaged"), "{told}");
        let now = std::fs::read(&path).expect("metrics");
        let lines: Vec<&[u8]> = now.split_inclusive(|&b| b == b'\n').collect();
        assert_eq!(lines[0], first);
        let number = |line: &&[u8]| {
            let value: serde_json::Value = serde_json::from_slice(line).expect("JSON");
            value["iteration"].as_u64()
        };
        let numbers: Vec<_> = lines[1..].iter().map(number).collect();
        assert_eq!(numbers, [Some(2), Some(3), Some(4)]);
    }
}
