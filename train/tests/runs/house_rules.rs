//! Runs under several rule sets and drawn variants of them.

use troel_env::RuleSet;
use troel_train::config::{HouseRulesConfig, Opponent};

use super::{all_weights, recipe_for_all, resume, start, trained};

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
    let bundle = second.bundle();
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
        assert!(error.contains("a rule file changed"), "{error}");
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
    assert!(error.contains("is a program"), "{error}");
    let mut alone = config.clone();
    alone.house_rules = Some(HouseRulesConfig { drawn: 0, ..HouseRulesConfig::default() });
    let error = start(alone).err().expect("refused").to_string();
    assert!(error.contains("name others"), "{error}");
    config.tables[2].opponent = Opponent::from("rules");
    config.eval.baselines = vec!["luxembourg-v5".to_string()];
    start(config).expect("evaluations are under `rules`");
}
