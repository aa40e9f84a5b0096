//! Whole runs: the same weights for any number of threads, and after an interruption; and errors
//! for bad input.

mod damage;
mod problems;
mod processes;
mod ranks;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use troel_agents::Registry;
use troel_env::RuleSet;
use troel_nn::checksums;
use troel_train::config::{CriticConfig, EvalConfig, HouseRulesConfig, Opponent};
use troel_train::{Event, Provenance, SingleProcess, TrainConfig, TrainError, Trainer};

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

#[test]
fn a_run_under_drawn_rules_repeats_and_resumes() {
    let folder = tempfile::tempdir().expect("a folder");
    let config = |name: &str| recipe_for_all(&folder.path().join(name));
    let whole = trained(config("1"), 1);
    assert_eq!(whole, trained(config("2"), 2));
    let mut first = start(config("stopped")).expect("starts");
    first.train(2, |_| {}).expect("trains");
    drop(first);
    let mut second = resume(config("stopped")).expect("resumes");
    second.train(u64::MAX, |_| {}).expect("trains");
    assert_eq!(all_weights(&second), whole);
    // Its bot plays under rules that it has not met.
    let bundle = second.bundle().expect("a bundle");
    let unmet = RuleSet::built_in("wiezen").expect("built in").variant(99, 1);
    assert!(bundle.info.check_rules(folder.path(), unmet).is_ok());
}

/// A rule file that was edited since the run began is another training.
#[test]
fn edited_rules_are_noticed_on_resume() {
    let folder = tempfile::tempdir().expect("a folder");
    let club = folder.path().join("club.toml");
    let text = include_str!("../../../examples/rules/club-wiezen.toml");
    std::fs::write(&club, text).expect("written");
    for others in [vec![club.display().to_string()], vec![]] {
        let mut config = recipe_for_all(&folder.path().join(format!("run-{}", others.len())));
        if others.is_empty() {
            config.rules = club.display().to_string();
        }
        config.house_rules = Some(HouseRulesConfig { others, drawn: 1, share: 0.5 });
        std::fs::write(&club, text).expect("written");
        let mut trainer = start(config.clone()).expect("starts");
        trainer.train(1, |_| {}).expect("trains");
        drop(trainer);
        std::fs::write(&club, text.replace("made = [10]", "made = [11]")).expect("written");
        let error = resume(config).err().expect("refused").to_string();
        assert!(error.contains("a rule file has other rules"), "{error}");
    }
}

#[test]
fn bots_for_one_rule_set_are_refused_at_tables_of_others() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut config = recipe_for_all(&folder.path().join("run"));
    config.tables[2].opponent = Opponent::from("luxembourg-v5");
    let error = start(config.clone()).err().expect("refused").to_string();
    assert!(error.contains("luxembourg-v5") && error.contains("one rule set"), "{error}");
    let program = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/example_bot.py");
    config.tables[2].opponent = Opponent::Bot(format!("bot:python3 {program}"));
    let error = start(config.clone()).err().expect("refused").to_string();
    assert!(error.contains("did not name"), "{error}");
    let mut alone = config.clone();
    alone.house_rules = Some(HouseRulesConfig { drawn: 0, ..HouseRulesConfig::default() });
    let error = start(alone).err().expect("refused").to_string();
    assert!(error.contains("name others"), "{error}");
    config.tables[2].opponent = Opponent::from("rules");
    config.eval.baselines = vec!["luxembourg-v5".to_string()];
    start(config).expect("evaluations are under `rules`");
}

/// `init` as the anchor is the same as the name of the checkpoint that the run starts from.
#[test]
fn the_anchor_can_be_the_bot_that_the_run_starts_from() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name);
    let mut trainer = start(recipe(&path("first"), "wiezen")).expect("starts");
    trainer.train(u64::MAX, |_| {}).expect("trains");
    let first = trainer.save_bot().expect("saved").display().to_string();
    let after = |name: &str, anchor: &str| {
        let mut config = recipe(&path(name), "wiezen");
        config.init = first.clone();
        config.anchor.as_mut().expect("in the recipe").bot = anchor.to_string();
        trained(config, 2)
    };
    let by_name = after("by-name", &first);
    assert_eq!(after("by-key", "init"), by_name);
    assert_ne!(after("to-rules", "rules"), by_name);
    let mut config = recipe(&path("from-nothing"), "wiezen");
    config.anchor.as_mut().expect("in the recipe").bot = "init".to_string();
    let error = start(config).err().expect("refused").to_string();
    assert!(error.contains("anchor.bot") && error.contains("--set anchor="), "{error}");
}

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

/// The folder of the latest checkpoint of a run.
fn latest(run: &Path) -> PathBuf {
    let entries = std::fs::read_dir(run.join("checkpoint")).expect("checkpoints");
    entries.map(|entry| entry.expect("an entry").path()).max().expect("a checkpoint")
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
    assert!(error.contains("8 iterations are done") && error.contains("6 in all"), "{error}");
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

#[test]
fn a_match_needs_a_target() {
    let recipe = |rules: &str| {
        let text =
            format!("rules = \"{rules}\"\nrun = \"r\"\niterations = 1\nreward = \"match\"\n");
        TrainConfig::parse(&text).expect("a recipe")
    };
    let error =
        Trainer::check_start(&recipe("wiezen"), &Registry::default()).expect_err("no target");
    assert!(error.to_string().contains("wiezen has no target"), "{error}");
    assert!(Trainer::check_start(&recipe("horesca"), &Registry::default()).is_ok());
}

#[test]
fn bad_recipes_are_refused_with_the_key() {
    let good = "rules = \"wiezen\"\nrun = \"r\"\niterations = 1\n";
    assert!(TrainConfig::parse(good).is_ok());
    let cases = [
        ("iteration = 3", "iteration"),
        ("[ppo]\nclip_coef = -1.0", "ppo.clip_coef"),
        ("[ppo]\nminibatch_size = 0", "ppo.minibatch_size"),
        ("[ppo]\nlearning_rat = 1.0", "learning_rat"),
        ("network = { hidden = 0, blocks = 1 }", "network.hidden"),
        ("reward = \"matches\"", "use points, centred, match"),
        ("tables = []", "tables"),
        ("[[tables]]\nopponent = \"self\"\nweight = 0.0", "weight"),
        ("[[scenarios]]\nscenario = \"bridge\"\nshare = 0.1", "bridge"),
        ("random_totals = 2.0", "random_totals"),
        ("[eval]\nproblems = [\"sure-things\"]", "eval.problems: \"sure-things\""),
        ("[eval]\nproblems_per_suite = 0", "eval.problems_per_suite"),
        ("[ppo]\nkl_coef = -0.1", "ppo.kl_coef"),
        (
            "[imitation]\nbot = \"rules\"\niterations = 1\nupdate_epochs = 0",
            "imitation.update_epochs",
        ),
        (
            "[imitation]\nbot = \"rules\"\niterations = 1\nlearning_rate = 1e30",
            "imitation.learning_rate",
        ),
        (
            "[imitation]\nbot = \"rules\"\niterations = 1\nlearning_rate_end = -1.0",
            "imitation.learning_rate_end",
        ),
        (
            "[imitation]\nbot = \"rules\"\niterations = 1\nminibatch_size = 0",
            "imitation.minibatch_size",
        ),
        ("[[suites]]\nsuite = \"misere\"\nshare = 1.5", "share"),
        ("deals = \"many\"", "line 4"),
        ("[ppo]\npolicy_share = 0.0", "ppo.policy_share"),
        ("[ppo]\nnorm_adv = false\nnorm_adv_by_contract = true", "ppo.norm_adv_by_contract"),
        ("[ppo]\ncritic_lambda = 0.5", "need ppo.baseline_bot"),
        ("[[tables]]\nopponent = \"self\"\nweight = 1.0\nfrom = 3\nuntil = 2", "until before from"),
        ("[[tables]]\nopponent = \"self\"\nweight = 1.0\nfrom = 1", "iteration 0"),
        ("[ppo]\nema_decay = 1.0", "ppo.ema_decay"),
        ("[critic]\nhidden = 0", "critic.hidden"),
        ("[anchor]\nbot = \"rules\"\ncoef = -1.0", "anchor.coef"),
        ("[anchor]\ncoef = 0.1", "bot"),
        ("[defence]\nnodes = 0", "defence.nodes"),
        ("[defence]\ncoef = -1.0", "defence.coef"),
        ("[critic]\n[ppo]\ncritic = \"rules\"", "exclude each other"),
        ("[house_rules]", "network.rule_features"),
        ("network.rule_features = true\n[critic]\n[house_rules]", "exclude each other"),
        ("network.rule_features = true\n[house_rules]\nshare = 1.5", "house_rules.share"),
        ("network.rule_features = true\nreward = \"match\"\n[house_rules]", "exclude each other"),
    ];
    for (line, key) in cases {
        let error = TrainConfig::parse(&format!("{good}{line}")).expect_err(line).to_string();
        assert!(error.contains(key), "{line}: {error}");
        assert!(!error.contains('\n'), "one line: {error}");
    }
    let folder = tempfile::tempdir().expect("a folder");
    let mut config = recipe(folder.path(), "wiezen");
    config.device = "abacus".to_string();
    let error = start(config).err().expect("refused").to_string();
    assert!(error.contains("abacus"), "{error}");
    let mut config = recipe(folder.path(), "wiezen");
    config.init = "nothing-here".to_string();
    let error = format!("{}", start(config).err().expect("refused"));
    assert!(error.contains("nothing-here"), "{error}");
    let mut config = recipe(folder.path(), "wiezen");
    config.tables[2].opponent = Opponent::from("nobody");
    let error = format!("{}", start(config).err().expect("refused"));
    assert!(error.contains("nobody"), "{error}");
    let mut config = recipe(folder.path(), "wiezen");
    config.anchor.as_mut().expect("an anchor").bot = "nobody".to_string();
    let error = format!("{}", start(config).err().expect("refused"));
    assert!(error.contains("anchor.bot") && error.contains("nobody"), "{error}");
}

#[test]
fn keys_are_set_from_outside() {
    let set = |settings: &[&str]| {
        let settings: Vec<String> = settings.iter().map(|s| s.to_string()).collect();
        TrainConfig::load_with(Path::new("quickstart"), &settings)
    };
    let plain = TrainConfig::load(Path::new("quickstart")).expect("built in");
    assert_eq!(set(&[]).expect("valid"), plain);
    let mut wanted = plain.clone();
    wanted.iterations = 7;
    wanted.ppo.clip_coef = 0.25;
    wanted.ppo.baseline_bot = String::new();
    wanted.critic = Some(CriticConfig { hidden: 64, ..CriticConfig::default() });
    wanted.scenarios.clear();
    wanted.init = "luxembourg-v5".to_string();
    let settings =
        ["iterations=7", "ppo.clip_coef = 0.25", "ppo.baseline_bot=''", "critic.hidden=64"];
    let more = ["scenarios=[]", "init = luxembourg-v5"];
    assert_eq!(set(&[settings.as_slice(), &more].concat()).expect("valid"), wanted);
    wanted = plain;
    wanted.imitation = None;
    wanted.ppo.baseline_bot.clear();
    let settings = ["imitation=", "ppo.baseline_bot="];
    assert_eq!(set(&settings).expect("valid"), wanted, "without a value a key is removed");
    // Names of earlier versions.
    assert_eq!(set(&["imitation=", "ppo.critic="]).expect("valid"), wanted);
    for (old, new) in [
        ("ppo.critic=expert", "ppo.baseline_bot=expert"),
        ("ppo.critic_iterations=3", "ppo.baseline_iterations=3"),
        ("ppo.critic_lambda=0.5", "ppo.baseline_lambda=0.5"),
        ("ppo.critic_warmup=2", "ppo.value_warmup=2"),
        ("suites=[]", "scenarios=[]"),
    ] {
        assert_eq!(set(&[old]).expect("valid"), set(&[new]).expect("valid"), "{old}");
    }
    for (setting, fault) in [
        ("iterations", "KEY=VALUE"),
        ("ppo.clip_koef=0.1", "clip_koef"),
        ("ppo.clip_coef=many", "ppo.clip_coef=many: found the text"),
        ("ppo.=1", "no name"),
        ("ppo.clip_coef=-1", "ppo.clip_coef"),
        ("seed.x=1", "seed is not a table"),
        ("defence=", "defence=: the recipe does not set this key"),
    ] {
        let error = set(&[setting]).expect_err(setting).to_string();
        assert!(error.contains(fault) && !error.contains('\n'), "{error}");
    }
}

#[test]
fn the_recipes_of_the_repository_are_valid() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../configs");
    let mut count = 0;
    let folders = [folder.clone(), folder.join("experiments")].map(std::fs::read_dir);
    for entry in folders.into_iter().flat_map(|entries| entries.expect("configs")).flatten() {
        if entry.path().extension().is_some_and(|e| e == "toml") {
            TrainConfig::load(&entry.path()).expect("a valid recipe");
            count += 1;
        }
    }
    assert!(count >= 1);
    // One goes on from the other's bot.
    let load = |name: &str| TrainConfig::load(Path::new(name)).expect("built in");
    assert_eq!(load("champion").network, load("quickstart").network);
    let set = ["start.set=['imitation.iterations=7']".to_string()];
    let champion = TrainConfig::load_with(Path::new("champion"), &set).expect("valid");
    let start_recipe = champion.start_recipe().unwrap().expect("the quickstart");
    assert_eq!(start_recipe.imitation_iterations(), 7, "keys of the start recipe can be set");
    let quickstart = load("quickstart");
    let same = |config: &TrainConfig| TrainConfig {
        run: String::new(),
        eval: EvalConfig::default(),
        imitation: None,
        ..config.clone()
    };
    assert_eq!(same(&start_recipe), same(&quickstart));
    assert_eq!(start_recipe.run, "runs/champion/start");
}
