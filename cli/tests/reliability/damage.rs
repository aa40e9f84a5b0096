//! Folders of runs that are damaged, removed, or used by another process.

use std::path::Path;
use std::process::Command;

use super::{Run, wait_for};
use crate::support::{run, stderr_of, stdout_of};

#[test]
fn one_run_has_one_process() {
    let run = Run::new(400, 512);
    let mut child = run.start();
    wait_for(&mut child, &run.path("checkpoint/00000001"));
    let holder = format!("pid {} on ", child.id());
    for (more, reason) in [([].as_slice(), "with --resume"), (&["--resume"], &holder)] {
        let refused = run.train(more, None);
        assert_eq!(refused.status.code(), Some(2));
        assert!(stderr_of(&refused).contains(reason), "{}", stderr_of(&refused));
    }
    assert!(child.try_wait().expect("a child").is_none(), "the first is not disturbed");
    child.kill().expect("killed");
    child.wait().expect("ended");
    // The lock of a killed process does not block others.
    let resumed = run.train(&["--resume", "--iterations", "0"], None);
    assert!(!stderr_of(&resumed).contains("another process"), "{}", stderr_of(&resumed));
}

#[test]
fn damage_is_noticed_and_named() {
    let run_folder = Run::new(1, 16);
    run_folder.finish();
    let bot = run_folder.path("bot").display().to_string();
    let all = run_folder.path("").display().to_string();
    let whole = run(&["verify", &all]);
    assert_eq!(whole.status.code(), Some(0));
    assert_eq!(stdout_of(&whole).lines().count(), 2, "{}", stdout_of(&whole));
    let file = run_folder.path("bot/model.safetensors");
    let mut bytes = std::fs::read(&file).expect("weights");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&file, &bytes).expect("written");
    let verified = run(&["verify", &all]);
    assert_eq!(verified.status.code(), Some(1));
    let told = stdout_of(&verified);
    assert!(told.contains("DAMAGED") && told.contains("bot/model.safetensors"), "{told}");
    let eval = run(&["eval", &bot, "rules", "--rules", "wiezen", "--deals", "2"]);
    assert_eq!(eval.status.code(), Some(2));
    assert!(stderr_of(&eval).contains("model.safetensors: does not match its checksum"));
    // A bot that does not load is not accepted; a deliberate change is.
    std::fs::write(&file, &bytes[..middle]).expect("written");
    let refused = run(&["verify", "--accept", &bot]);
    assert_eq!(refused.status.code(), Some(1), "{}", stdout_of(&refused));
    std::fs::write(&file, &bytes).expect("written");
    let still = run(&["verify", &bot]);
    assert_eq!(still.status.code(), Some(1), "the checksums are those of before");
    assert_eq!(run(&["verify", "--accept", &bot]).status.code(), Some(0));
    let eval = run(&["eval", &bot, "rules", "--rules", "wiezen", "--deals", "2"]);
    assert_eq!(eval.status.code(), Some(0), "{}", stderr_of(&eval));
    // Files that do not belong to it are named, a bot of an earlier version is loaded with a
    // warning.
    std::fs::write(run_folder.path("bot/notes.txt"), "mine").expect("written");
    let told = stdout_of(&run(&["verify", &bot]));
    assert!(told.contains("bot/notes.txt has no checksum"), "{told}");
    let info = run_folder.path("bot/bot.toml");
    let sealed = std::fs::read_to_string(&info).expect("text");
    let plain = troel_nn::checksums::strip(&sealed).replace("format = 2", "format = 1");
    let other = plain.replace("observation_version = ", "observation_version = 9");
    std::fs::write(&info, other).expect("written");
    let told = run(&["verify", &bot]);
    assert_eq!(told.status.code(), Some(1), "another version");
    assert!(stdout_of(&told).starts_with("UNUSABLE "), "{}", stdout_of(&told));
    std::fs::write(&info, plain).expect("written");
    assert!(stdout_of(&run(&["verify", &bot])).starts_with("no sums"));
    // Files that a kill leaves behind are no damage; a bot without its description is.
    std::fs::create_dir(run_folder.path("best.old")).expect("made");
    std::fs::write(run_folder.path("best.old/model.safetensors"), "half").expect("written");
    let told = run(&["verify", &all]);
    assert_eq!(told.status.code(), Some(0), "{}", stdout_of(&told));
    assert!(stdout_of(&told).contains("left over"), "{}", stdout_of(&told));
    let described = run_folder.path("checkpoint/00000001/bot.toml");
    std::fs::rename(&described, run_folder.path("elsewhere")).expect("there");
    assert_eq!(run(&["verify", &all]).status.code(), Some(1));
    let eval = run(&["eval", &bot, "rules", "--rules", "wiezen", "--deals", "2"]);
    assert_eq!(eval.status.code(), Some(0), "{}", stderr_of(&eval));
    assert!(stderr_of(&eval).contains("has no checksums"), "{}", stderr_of(&eval));
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
    let told = stderr_of(&output);
    assert_eq!(output.status.code(), Some(2), "{told}");
    assert!(told.contains("/run was removed or replaced"), "{told}");
    assert!(away.join("checkpoint/00000001").exists(), "{told}");
    assert!(!folder.exists(), "{told}");
    let saved = run.folder.path().join("run.saved-1");
    assert!(told.contains(&saved.display().to_string()), "{told}");
    // Follows the message.
    std::fs::rename(&saved, &folder).expect("moved");
    let resumed = run.train(&["--resume"], None);
    assert_eq!(resumed.status.code(), Some(0), "{}", stderr_of(&resumed));
    assert_eq!(run.weights(), whole.weights());
    // Nothing is written into the folder if another run has it by then.
    let other = Run::new(4000, 512);
    let mut child = other.start();
    wait_for(&mut child, &other.path("checkpoint/00000001"));
    std::fs::rename(other.path(""), other.folder.path().join("away")).expect("moved");
    std::fs::create_dir(other.path("")).expect("made");
    std::fs::write(other.path("notes.txt"), "mine").expect("written");
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(2), "{}", stderr_of(&output));
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
        let told = stderr_of(&refused);
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
    assert!(stderr_of(&run.train(&[], None)).contains("is not a regular file"));
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
        let told = stderr_of(&resumed);
        assert_eq!(resumed.status.code(), Some(0), "{told}");
        assert!(told.contains("metrics.jsonl, line 1: the line is damaged"), "{told}");
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
