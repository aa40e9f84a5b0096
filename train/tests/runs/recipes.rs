//! Recipes: keys that are refused, keys set from outside, the recipes of the repository.

use std::path::Path;

use troel_agents::Registry;
use troel_train::config::{AnchorBot, CriticConfig, EvalConfig, Opponent};
use troel_train::{TrainConfig, Trainer};

use super::{recipe, start};

#[test]
fn a_match_needs_a_target() {
    let recipe = |rules: &str| {
        let text =
            format!("rules = \"{rules}\"\nrun = \"r\"\niterations = 1\nreward = \"match-gain\"\n");
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
        ("reward = \"matches\"", "use points, centred, match-gain"),
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
        (
            "network.rule_features = true\nreward = \"match-gain\"\n[house_rules]",
            "exclude each other",
        ),
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
    config.init = Some("nothing-here".to_string());
    let error = format!("{}", start(config).err().expect("refused"));
    assert!(error.contains("nothing-here"), "{error}");
    let mut config = recipe(folder.path(), "wiezen");
    config.tables[2].opponent = Opponent::from("nobody");
    let error = format!("{}", start(config).err().expect("refused"));
    assert!(error.contains("nobody"), "{error}");
    let mut config = recipe(folder.path(), "wiezen");
    config.anchor.as_mut().expect("an anchor").bot = AnchorBot::from("nobody");
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
    wanted.ppo.baseline_bot = None;
    wanted.critic = Some(CriticConfig { hidden: 64, ..CriticConfig::default() });
    wanted.scenarios.clear();
    wanted.init = Some("luxembourg-v5".to_string());
    let settings =
        ["iterations=7", "ppo.clip_coef = 0.25", "ppo.baseline_bot=''", "critic.hidden=64"];
    let more = ["scenarios=[]", "init = luxembourg-v5"];
    assert_eq!(set(&[settings.as_slice(), &more].concat()).expect("valid"), wanted);
    wanted = plain;
    wanted.imitation = None;
    wanted.ppo.baseline_bot = None;
    let settings = ["imitation=", "ppo.baseline_bot="];
    assert_eq!(set(&settings).expect("valid"), wanted, "without a value a key is removed");
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
        let path = entry.path();
        // The manifest is that of the crate `troel-configs`.
        if path.extension().is_some_and(|e| e == "toml") && !path.ends_with("Cargo.toml") {
            TrainConfig::load(&path).expect("a valid recipe");
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
