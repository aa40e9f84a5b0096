//! Runs that are resumed: with the same weights, from an earlier version, with other settings.

use std::path::Path;

use troel_nn::checksums;
use troel_train::config::CriticConfig;
use troel_train::{DealReward, Event, TrainConfig, TrainError, Trainer};

use super::{all_weights, latest, recipe, resume, start, weights};

#[test]
fn a_resumed_run_ends_with_the_same_weights() {
    let folder = tempfile::tempdir().expect("a folder");
    // The gathered deck is the hard case: deals depend on the ones before.
    let whole = weights(&folder.path().join("whole"), "iwwa", 2);
    for stop in [1, 3, 5] {
        let run = folder.path().join(stop.to_string());
        let mut first = start(recipe(&run, "iwwa")).expect("starts");
        first.train(stop, |_| {}).expect("trains");
        drop(first);
        let mut second = resume(recipe(&run, "iwwa")).expect("resumes");
        assert_eq!(second.iteration(), stop);
        second.train(u64::MAX, |_| {}).expect("trains");
        assert_eq!(all_weights(&second), whole, "stopped after {stop}");
    }
}

#[test]
fn a_run_is_neither_overwritten_nor_resumed_under_another_recipe() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = folder.path().join("run");
    let error = |result: Result<Trainer, TrainError>| match result {
        Ok(_) => panic!("refused"),
        Err(e) => e.to_string(),
    };
    let nothing = error(resume(recipe(&run, "wiezen")));
    assert!(nothing.contains("holds no checkpoint"), "{nothing}");
    let mut trainer = start(recipe(&run, "wiezen")).expect("starts");
    trainer.train(1, |_| {}).expect("trains");
    let again = error(start(recipe(&run, "wiezen")));
    assert!(again.contains("--resume"), "{again}");
    drop(trainer);
    let mut other = recipe(&run, "wiezen");
    other.ppo.learning_rate *= 2.0;
    let changed = error(resume(other));
    assert!(changed.contains("ppo.learning_rate (was"), "{changed}");
    // What the checkpoint has no file for is named as a key, too.
    let mut other = recipe(&run, "wiezen");
    other.critic = Some(CriticConfig { hidden: 17, ..CriticConfig::default() });
    let changed = error(resume(other));
    assert!(changed.contains("critic.hidden (was 2, is 17)"), "{changed}");
    for file in ["average.safetensors", "critic.safetensors", "optimizer.safetensors"] {
        std::fs::write(latest(&run).join(file), b"garbage").expect("written");
        let damaged = error(resume(recipe(&run, "wiezen")));
        assert!(damaged.contains(file), "{damaged}");
    }
}

/// A run of an earlier version, whose recipe lacks keys that came later, resumes with their
/// defaults.
#[test]
fn keys_that_came_later_have_their_defaults() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = folder.path().join("run");
    let old = |run: &Path| {
        let mut config = recipe(run, "wiezen");
        config.critic = None;
        config.anchor = None;
        config.imitation.as_mut().expect("it imitates").minibatch_size = None;
        config.ppo.policy_share = 1.0;
        config.ppo.ema_decay = 0.0;
        config
    };
    let mut trainer = start(old(&run)).expect("starts");
    trainer.train(2, |_| {}).expect("trains");
    drop(trainer);
    // One checkpoint, without checksums, in the folder that holds several now.
    let old_run = folder.path().join("old run");
    std::fs::create_dir(&old_run).expect("made");
    std::fs::rename(latest(&run), old_run.join("checkpoint")).expect("moved");
    let run = old_run;
    let file = run.join("checkpoint/bot.toml");
    let text = std::fs::read_to_string(&file).expect("written");
    let text = checksums::strip(&text).replace("format = 2", "format = 1");
    let later = [
        "baseline_iterations",
        "policy_share",
        "ema_decay",
        "call_ent_factor",
        "norm_adv_by_contract",
    ];
    let is_earlier = |line: &&str| !later.iter().any(|key| line.starts_with(key));
    let earlier: Vec<&str> = text.lines().filter(is_earlier).collect();
    assert_eq!(earlier.len() + later.len(), text.lines().count());
    std::fs::write(&file, earlier.join("\n")).expect("written");
    assert_eq!(resume(old(&run)).expect("resumes").iteration(), 2);
    let mut other = old(&run);
    other.ppo.policy_share = 0.5;
    let error = resume(other).err().expect("refused").to_string();
    assert!(error.contains("ppo.policy_share"), "{error}");
}

/// A run of an earlier version, whose recipe has `match` for `match-gain`, resumes.
#[test]
fn the_old_name_of_a_reward_is_no_change() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = folder.path().join("run");
    let new = || TrainConfig { reward: DealReward::MatchGain, ..recipe(&run, "luxembourg") };
    let mut trainer = start(new()).expect("starts");
    trainer.train(2, |_| {}).expect("trains");
    drop(trainer);
    let file = latest(&run).join("bot.toml");
    let text = std::fs::read_to_string(&file).expect("written");
    let old = checksums::strip(&text).replace("reward = \"match-gain\"", "reward = \"match\"");
    assert!(old.contains("reward = \"match\""), "{old}");
    std::fs::write(&file, old).expect("written");
    troel_nn::bundle::seal(&latest(&run)).expect("sealed");
    assert_eq!(resume(new()).expect("resumes").iteration(), 2);
    let error = resume(recipe(&run, "luxembourg")).err().expect("refused").to_string();
    assert!(error.contains("reward (was \"match-gain\", is \"points\")"), "{error}");
}

/// A run of 0.2 from before there were several checkpoints and checksums (`old/`), cut to two units
/// and few deals.
#[test]
fn a_run_of_before_goes_on() {
    let old = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/runs/old");
    let folder = tempfile::tempdir().expect("a folder");
    let run = folder.path().join("run");
    // The folder beside it is the checkpoint before, left by a kill between two renames.
    for name in ["checkpoint", "checkpoint.old"] {
        std::fs::create_dir_all(run.join(name)).expect("made");
        for entry in std::fs::read_dir(old.join("checkpoint")).expect("files") {
            let entry = entry.expect("an entry");
            std::fs::copy(entry.path(), run.join(name).join(entry.file_name())).expect("copied");
        }
    }
    let earlier = run.join("checkpoint.old/trainer.toml");
    let text = std::fs::read_to_string(&earlier).expect("text");
    std::fs::write(&earlier, text.replace("iteration = 150", "iteration = 125")).expect("written");
    std::fs::copy(old.join("metrics.jsonl"), run.join("metrics.jsonl")).expect("copied");
    let text = std::fs::read_to_string(run.join("checkpoint/bot.toml")).expect("text");
    let info: toml::Table = text.parse().expect("TOML");
    let recipe = toml::to_string(&info["training"]).expect("a recipe");
    let recipe = TrainConfig::parse(&recipe).expect("a recipe of today");
    let mut trainer = resume(TrainConfig {
        run: run.display().to_string(),
        iterations: 152,
        checkpoint_every: 1,
        ..recipe
    })
    .expect("goes on");
    assert_eq!(trainer.iteration(), 150);
    let bot = troel_nn::Bundle::load(&run.join("checkpoint")).expect("a bot");
    assert_eq!(trainer.weights().values, bot.weights.values);
    trainer.train(u64::MAX, |_| {}).expect("trains");
    assert_eq!(trainer.iteration(), 152);
    assert!(run.join("checkpoint/00000152/bot.toml").exists());
    let lines = std::fs::read_to_string(run.join("metrics.jsonl")).expect("metrics");
    assert_eq!(lines.lines().count(), 3, "what was there stays");
}

/// A run from before minibatches were equally long goes on with those that it began with, a new one
/// has equal ones.
#[test]
fn a_run_keeps_the_minibatches_that_it_began_with() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = folder.path().join("run");
    let progress = || {
        let file = latest(&run).join("trainer.toml");
        (std::fs::read_to_string(&file).expect("written"), file)
    };
    let mut trainer = start(recipe(&run, "wiezen")).expect("starts");
    trainer.train(2, |_| {}).expect("trains");
    drop(trainer);
    let (text, file) = progress();
    let without = text.replace("even_minibatches = true\n", "");
    assert_ne!(without, text);
    std::fs::write(&file, without).expect("written");
    troel_nn::bundle::seal(&latest(&run)).expect("sealed");
    let mut old = resume(recipe(&run, "wiezen")).expect("resumes");
    old.train(u64::MAX, |_| {}).expect("trains");
    assert!(progress().0.contains("even_minibatches = false"), "and so does its next checkpoint");
    let new = weights(&folder.path().join("new"), "wiezen", 2);
    assert_ne!(all_weights(&old), new, "the same recipe with equal minibatches");
}

/// Iterations, evaluation, logging, checkpoint intervals and the folder may change on resuming;
/// bots are kept during training.
#[test]
fn a_run_goes_on_under_another_horizon_and_elsewhere() {
    let folder = tempfile::tempdir().expect("a folder");
    let (here, there) = (folder.path().join("here"), folder.path().join("there"));
    let mut config = recipe(&here, "wiezen");
    config.checkpoint_keep_every = 2;
    let mut trainer = start(config).expect("starts");
    let mut evaluations = 0;
    trainer
        .train(4, |event| evaluations += u32::from(matches!(event, Event::Evaluation(_))))
        .expect("trains");
    assert_eq!(evaluations, 1, "after three iterations");
    let kept: Vec<_> = ["000002", "000004"].map(|name| here.join("checkpoints").join(name)).into();
    for path in kept.iter().chain([&here.join("best")]) {
        troel_nn::Bundle::load(path).expect("a bot of its own");
    }
    assert_eq!(std::fs::read_dir(here.join("checkpoints")).expect("there").count(), 2);
    std::fs::rename(&here, &there).expect("moved");
    // The best so far is better than any can be: of another evaluation it counts no more.
    drop(trainer);
    let file = latest(&there).join("trainer.toml");
    let text = std::fs::read_to_string(&file).expect("written");
    let points = text.lines().find(|line| line.starts_with("points = ")).expect("an evaluation");
    std::fs::write(&file, text.replace(points, "points = 1000.0")).expect("written");
    troel_nn::bundle::seal(&latest(&there)).expect("sealed");
    let best = || std::fs::read(there.join("best/model.safetensors")).expect("a bot");
    let before = best();
    let mut config = recipe(&there, "wiezen");
    config.iterations = 7;
    config.eval.every = 5;
    config.eval.deals = 12;
    config.checkpoint_every = 1;
    let mut trainer = resume(config).expect("resumes");
    assert_eq!((trainer.iteration(), trainer.total_iterations()), (4, 8));
    trainer.train(u64::MAX, |_| {}).expect("trains");
    assert_eq!(trainer.iteration(), 8);
    drop(trainer);
    assert_ne!(best(), before, "with other deals the best is sought anew");
    let mut config = recipe(&there, "wiezen");
    config.iterations = 5;
    let error = resume(config).err().expect("refused").to_string();
    assert!(error.contains("8 iterations are done") && error.contains("has only 6"), "{error}");
}
