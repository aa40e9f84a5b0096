//! Runs that meet damage, another process, an interruption or a divergence.

use std::path::PathBuf;

use troel_env::rng::{Purpose, Stream};
use troel_train::{Event, TrainConfig, TrainError, Trainer};

use super::{all_weights, latest, recipe, resume, start, weights};

#[test]
fn a_damaged_checkpoint_is_passed_over() {
    let folder = tempfile::tempdir().expect("a folder");
    let config = |name: &str| TrainConfig {
        checkpoint_every: 1,
        ..recipe(&folder.path().join(name), "wiezen")
    };
    let mut whole = start(config("whole")).expect("starts");
    whole.train(u64::MAX, |_| {}).expect("trains");
    let run = folder.path().join("run");
    let mut first = start(config("run")).expect("starts");
    first.train(5, |_| {}).expect("trains");
    drop(first);
    let count = || std::fs::read_dir(run.join("checkpoint")).expect("checkpoints").count();
    assert_eq!(count(), 3, "the oldest are removed");
    let file = latest(&run).join("optimizer.safetensors");
    let mut bytes = std::fs::read(&file).expect("written");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&file, bytes).expect("written");
    std::fs::remove_file(latest(&run).with_file_name("00000004").join("bot.toml")).expect("there");
    let mut second = resume(config("run")).expect("resumes");
    assert_eq!(second.iteration(), 3, "two are damaged");
    second.train(u64::MAX, |_| {}).expect("trains");
    assert_eq!(all_weights(&second), all_weights(&whole));
    drop(second);
    assert_eq!(resume(config("run")).expect("resumes").iteration(), 6, "they were replaced");
}

#[test]
fn every_flipped_bit_of_a_checkpoint_is_noticed() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = folder.path().join("run");
    let config = || recipe(&run, "wiezen");
    let mut trainer = start(config()).expect("starts");
    trainer.train(1, |_| {}).expect("trains");
    drop(trainer);
    assert!(resume(config()).is_ok());
    let entries = std::fs::read_dir(latest(&run)).expect("files");
    let files: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    assert_eq!(files.len(), 7, "{files:?}");
    let mut stream = Stream::new(1, Purpose::Action, 0);
    for file in &files {
        let whole = std::fs::read(file).expect("a file");
        for _ in 0..40 {
            let mut bytes = whole.clone();
            bytes[stream.below(whole.len() as u32) as usize] ^= 1 << stream.below(8);
            std::fs::write(file, bytes).expect("written");
            let error = resume(config()).err().expect("refused").to_string();
            let name = file.file_name().expect("a name").to_string_lossy();
            // A file of checksums that is damaged speaks for none.
            assert!(error.contains(&*name), "{name}: {error}");
        }
        std::fs::write(file, whole).expect("written");
    }
    assert!(resume(config()).is_ok());
}

#[test]
fn a_run_that_cannot_go_on_says_how_to() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = folder.path().join("run");
    let error = |result: Result<Trainer, TrainError>| result.err().expect("refused").to_string();
    let mut trainer = start(recipe(&run, "wiezen")).expect("starts");
    trainer.train(1, |_| {}).expect("trains");
    let bot = trainer.save_bot().expect("saved");
    drop(trainer);
    let inside = error(start(recipe(&bot, "wiezen")));
    assert!(inside.contains("is the folder of a bot"), "{inside}");
    std::fs::write(latest(&run).join("trainer.toml"), "x").expect("written");
    let damaged = error(resume(recipe(&run, "wiezen")));
    assert!(damaged.contains("trainer.toml") && damaged.contains("--set init="), "{damaged}");
    std::fs::remove_dir_all(run.join("checkpoint")).expect("there");
    let lost = error(resume(recipe(&run, "wiezen")));
    assert!(lost.contains("holds a bot but no checkpoint"), "{lost}");
    let unnamed = TrainConfig { run: " ".to_string(), ..recipe(&run, "wiezen") };
    assert!(error(start(unnamed)).contains("run is empty"));
}

#[test]
fn two_processes_cannot_train_one_run() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = folder.path().join("run");
    let mut first = start(recipe(&run, "wiezen")).expect("starts");
    let error = |result: Result<Trainer, TrainError>| result.err().expect("refused").to_string();
    let second = error(start(recipe(&run, "wiezen")));
    let holder = format!("pid {} on ", std::process::id());
    assert!(second.contains("another process") && second.contains(&holder), "{second}");
    first.train(1, |_| {}).expect("trains");
    let third = error(resume(recipe(&run, "wiezen")));
    assert!(third.contains(&holder), "{third}");
    drop(first);
    assert!(resume(recipe(&run, "wiezen")).is_ok(), "whoever held it is gone");
}

#[test]
fn an_interrupted_run_goes_on_exactly() {
    let folder = tempfile::tempdir().expect("a folder");
    let whole = weights(&folder.path().join("whole"), "wiezen", 2);
    let run = folder.path().join("run");
    let mut first = start(recipe(&run, "wiezen")).expect("starts");
    let stop = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
    first.stop_with(stop.clone());
    // Between two checkpoints, which are two iterations apart.
    let interrupt = |event: &Event| {
        if let Event::Iteration(report) = event {
            stop.store(report.iteration == 3, std::sync::atomic::Ordering::Relaxed);
        }
    };
    first.train(u64::MAX, interrupt).expect("trains");
    assert_eq!(first.iteration(), 3, "the next iteration is dropped");
    drop(first);
    let mut second = resume(recipe(&run, "wiezen")).expect("resumes");
    assert_eq!(second.iteration(), 3);
    second.train(u64::MAX, |_| {}).expect("trains");
    assert_eq!(all_weights(&second), whole);
    let lines = std::fs::read_to_string(run.join("metrics.jsonl")).expect("written");
    assert_eq!(lines.lines().count(), 6, "no line is lost, none is there twice");
}

#[test]
fn a_training_that_diverges_keeps_its_last_checkpoint() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = folder.path().join("run");
    let config = |rate: f32| {
        let mut config = recipe(&run, "wiezen");
        config.ppo.learning_rate = rate;
        config.ppo.learning_rate_end = rate;
        config.ppo.max_grad_norm = 1e6;
        config.ppo.ema_decay = 0.0;
        config.checkpoint_every = 1;
        config.iterations = 60;
        config
    };
    let mut trainer = start(config(1.0)).expect("starts");
    // The range of the learning rate ends where this network does not overflow yet: values are made
    // to.
    trainer.train(2, |_| {}).expect("trains");
    drop(trainer);
    let folder = latest(&run);
    let mut bundle = troel_nn::Bundle::load(&folder).expect("loads");
    let tensors = bundle.weights.config.tensors();
    // The bias as well: after such steps all hidden units may be zero.
    for spec in tensors.iter().filter(|spec| spec.name.starts_with("value.")) {
        bundle.weights.values[spec.offset..spec.offset + spec.len()].fill(1e25);
    }
    bundle.write_files(&folder).expect("written");
    troel_nn::bundle::seal(&folder).expect("sealed");
    let mut trainer = resume(config(1.0)).expect("resumes");
    let error = trainer.train(u64::MAX, |_| {}).expect_err("diverges").to_string();
    assert!(error.contains("iteration 3: ") && error.contains("finite"), "{error}");
    drop(trainer);
    assert_eq!(resume(config(1.0)).expect("resumes").iteration(), 2);
}
