//! Processes that are killed at any operation on the disk, or whose disk fails.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Output, Stdio};
use std::time::{Duration, Instant};

use troel_env::rng::{Purpose, Stream};

use super::Run;
use crate::support::{stderr_of, troel};

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
        assert_eq!(first.status.code(), None, "{}", stderr_of(&first));
        kills += 1;
        let checkpoints = |run: &Run| {
            let entries = std::fs::read_dir(run.path("checkpoint")).into_iter().flatten().flatten();
            let names = entries.map(|entry| entry.file_name().to_string_lossy().to_string());
            names.filter(|name| !name.contains('.')).collect::<Vec<_>>()
        };
        let before = checkpoints(&killed);
        // A second kill of the resumed run, at different operations.
        let second = killed.train(&["--resume"], Some(format!("kill:{}", 1 + at * 7 % 40)));
        assert_ne!(second.status.code(), Some(101), "{}", stderr_of(&second));
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
            let told = stderr_of(&output);
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
            code => assert_eq!(code, Some(2), "{at}: {}", stderr_of(&first)),
        }
        let told = stderr_of(&first);
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
            let told = stderr_of(&output);
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
            assert_eq!(again.status.code(), Some(0), "{}", stderr_of(&again));
            assert!(contents(&path) == whole, "{fault}:{at}");
        }
        assert!(ended >= 6, "{fault}: {ended}");
    }
}
