//! Whole runs: the same weights for any number of threads, and after an interruption; and errors
//! for bad input.

mod damage;
mod house_rules;
mod problems;
mod processes;
mod ranks;
mod recipes;
mod resuming;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use troel_agents::Registry;
use troel_train::config::{AnchorBot, HouseRulesConfig};
use troel_train::{Provenance, SingleProcess, TrainConfig, TrainError, Trainer};

fn start(config: TrainConfig) -> Result<Trainer, TrainError> {
    Trainer::start(config, Provenance::default(), Registry::default(), Arc::new(SingleProcess))
}

fn resume(config: TrainConfig) -> Result<Trainer, TrainError> {
    Trainer::resume(config, Provenance::default(), Registry::default(), Arc::new(SingleProcess))
}

/// Returns a tiny recipe with every part of a run: imitation, past selves, bots, scenarios, a
/// critic, averaged weights, bid lessons, vines.
fn recipe(run: &Path, rules: &str) -> TrainConfig {
    let text = format!(
        r#"
        rules = "{rules}"
        run = {run:?}
        iterations = 5
        deals = 160
        series = 4
        checkpoint_every = 2
        tensorboard = false
        network = {{ hidden = 16, blocks = 1 }}
        [imitation]
        bot = "rules"
        iterations = 1
        label_smoothing = 0.1
        minibatch_size = 128
        [ppo]
        minibatch_size = 512
        shards = 3
        value_warmup = 1
        policy_share = 0.7
        ema_decay = 0.9
        # Narrower than the network.
        [critic]
        hidden = 2
        blocks = 1
        [anchor]
        bot = "rules"
        [defence]
        nodes = 500
        [bid_lessons]
        worlds = 4
        [vine]
        share = 0.1
        [[tables]]
        opponent = "self"
        weight = 1.0
        [[tables]]
        opponent = "past"
        weight = 1.0
        learners = 2
        [[tables]]
        opponent = "random"
        weight = 0.5
        from = 2
        until = 4
        [pool]
        every = 1
        size = 2
        [[scenarios]]
        scenario = "misere"
        share = 0.2
        [[scenarios]]
        scenario = "abondance"
        share = 0.1
        [eval]
        every = 3
        deals = 8
        problems_per_suite = 4
        "#
    );
    TrainConfig::parse(&text).expect("a valid recipe")
}

/// The weights that learn, and their averages.
fn all_weights(trainer: &Trainer) -> Vec<f32> {
    let average = trainer.bot_weights().values;
    assert_ne!(average, trainer.weights().values, "an average lags behind");
    [trainer.weights().values.clone(), average].concat()
}

/// The tiny recipe under two rule sets and variants of both.
fn recipe_for_all(run: &Path) -> TrainConfig {
    let mut config = recipe(run, "luxembourg");
    config.network.rule_features = true;
    config.critic = None;
    let others = vec!["iwwa".to_string()];
    config.house_rules = Some(HouseRulesConfig { others, drawn: 3, share: 0.5 });
    config
}

fn weights(run: &Path, rules: &str, threads: usize) -> Vec<f32> {
    trained(recipe(run, rules), threads)
}

fn trained(config: TrainConfig, threads: usize) -> Vec<f32> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
    pool.install(|| {
        let mut trainer = start(config).expect("starts");
        trainer.train(u64::MAX, |_| {}).expect("trains");
        assert_eq!(trainer.iteration(), 6);
        all_weights(&trainer)
    })
}

#[test]
fn weights_do_not_depend_on_the_number_of_workers() {
    let folder = tempfile::tempdir().expect("a folder");
    let one = weights(&folder.path().join("1"), "luxembourg", 1);
    assert_eq!(one, weights(&folder.path().join("2"), "luxembourg", 2));
    assert_eq!(one, weights(&folder.path().join("4"), "luxembourg", 4));
    assert!(one.iter().all(|w| w.is_finite()));
}

/// `init` as the anchor is the same as the name of the bot that the run starts from.
#[test]
fn the_anchor_can_be_the_bot_that_the_run_starts_from() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name);
    let mut trainer = start(recipe(&path("first"), "wiezen")).expect("starts");
    trainer.train(u64::MAX, |_| {}).expect("trains");
    let first = trainer.save_bot().expect("saved").display().to_string();
    let after = |name: &str, anchor: &str| {
        let mut config = recipe(&path(name), "wiezen");
        config.init = Some(first.clone());
        config.anchor.as_mut().expect("in the recipe").bot = AnchorBot::from(anchor);
        trained(config, 2)
    };
    let by_name = after("by-name", &first);
    assert_eq!(after("by-key", "init"), by_name);
    assert_ne!(after("to-rules", "rules"), by_name);
    let mut config = recipe(&path("from-nothing"), "wiezen");
    config.anchor.as_mut().expect("in the recipe").bot = AnchorBot::Init;
    let error = start(config).err().expect("refused").to_string();
    assert!(error.contains("anchor.bot") && error.contains("--set anchor="), "{error}");
}

/// The folder of the latest checkpoint of a run.
fn latest(run: &Path) -> PathBuf {
    let entries = std::fs::read_dir(run.join("checkpoint")).expect("checkpoints");
    entries.map(|entry| entry.expect("an entry").path()).max().expect("a checkpoint")
}

#[test]
fn metrics_say_when_and_of_what() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = folder.path().join("run");
    let mut trainer = start(recipe(&run, "luxembourg")).expect("starts");
    trainer.train(u64::MAX, |_| {}).expect("trains");
    let text = std::fs::read_to_string(run.join("metrics.jsonl")).expect("written");
    let lines: Vec<serde_json::Value> =
        text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(lines.len(), 6);
    let number = |line: &serde_json::Value, tag: &str| line[tag].as_f64();
    let times: Vec<f64> = lines.iter().map(|line| number(line, "time").expect("a time")).collect();
    assert!(times.is_sorted() && times[0] > 1.7e9);
    // The first iteration imitates, the others learn by PPO; the third is evaluated.
    // Only at tables with past selves or bots is there a seat that does not learn.
    assert_eq!(number(&lines[0], "charts/others_return"), None);
    assert!(number(&lines[5], "charts/others_return").is_some());
    assert!(number(&lines[0], "imitation/cross_entropy").is_some_and(|loss| loss > 0.0));
    assert_eq!(number(&lines[0], "losses/policy_loss"), None);
    assert_eq!(number(&lines[1], "imitation/cross_entropy"), None);
    assert!(number(&lines[1], "losses/policy_loss").is_some());
    assert_eq!(number(&lines[0], "losses/anchor_loss"), None);
    assert!(number(&lines[1], "losses/anchor_loss").is_some_and(|loss| loss > 0.0));
    assert_eq!(number(&lines[0], "losses/taught"), None);
    assert!(number(&lines[1], "losses/taught").is_some());
    let [low, mean, high] = ["eval/rules/low", "eval/rules", "eval/rules/high"]
        .map(|tag| number(&lines[2], tag).expect("an evaluation"));
    assert!(low < mean && mean < high);
    // A fifth of the tables play a scenario; the shares of contracts leave them out.
    assert!(number(&lines[1], "scenarios/deals").is_some_and(|deals| deals > 0.0));
    assert!(number(&lines[1], "bids/misere").is_some());
    assert!(number(&lines[1], "scenarios/bids/misere").is_some());
}

#[test]
fn the_learning_rate_of_the_imitation_falls_towards_its_end() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = folder.path().join("run");
    let mut config = recipe(&run, "wiezen");
    config.iterations = 1;
    let imitation = config.imitation.as_mut().expect("it imitates");
    (imitation.iterations, imitation.learning_rate) = (4, 1e-3);
    imitation.learning_rate_end = Some(2e-4);
    start(config).expect("starts").train(4, |_| {}).expect("trains");
    let text = std::fs::read_to_string(run.join("metrics.jsonl")).expect("written");
    let rate = |line: &str| {
        let line: serde_json::Value = serde_json::from_str(line).expect("JSON");
        line["charts/learning_rate"].as_f64().expect("a rate")
    };
    let rates: Vec<f64> = text.lines().map(rate).collect();
    assert_eq!(rates.len(), 4);
    for (rate, wanted) in rates.into_iter().zip([1e-3, 8e-4, 6e-4, 4e-4]) {
        assert!((rate - wanted).abs() < 1e-9, "{rate} instead of {wanted}");
    }
}
