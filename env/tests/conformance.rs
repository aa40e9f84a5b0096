//! The checks that users can run, run on all rule sets, configurations and a few house rules.

use troel_env::conformance::check;
use troel_env::{ContractKind, EnvConfig, Episode, Reward, RuleSet, Scenario};

#[test]
fn built_in_rule_sets_conform() {
    for rules in RuleSet::all_built_in() {
        let summary = check(rules, EnvConfig::default(), 1, 80).unwrap_or_else(|e| {
            panic!("{}: {e}: {}", rules.id(), serde_json::to_string(&e.record).expect("plain"))
        });
        assert_eq!((summary.episodes, summary.deals), (80, 80));
        let views = 4 * summary.decisions;
        assert!(summary.views_compared > views * 9 / 10, "{summary:?}");
        assert!(summary.views_with_other_aces > views / 4, "{summary:?}");
        // Trou, troel and contracts that follow from an ask need the cards for it.
        let missing: Vec<ContractKind> = rules
            .rows()
            .iter()
            .map(|row| row.kind)
            .filter(|kind| !kind.is_announced() && summary.contracts[kind.index()] == 0)
            .collect();
        assert_eq!(missing, [], "{}", rules.id());
    }
}

#[test]
fn every_configuration_conforms() {
    let episodes = [Episode::Deal, Episode::Deals(3), Episode::Match, Episode::UntilTarget];
    let rewards = [Reward::Points, Reward::Centred, Reward::Match];
    let scenarios = [Scenario::Any, Scenario::Aces, Scenario::Promising(ContractKind::OpenMisere)];
    for rules in RuleSet::all_built_in() {
        for (i, episode) in episodes.into_iter().enumerate() {
            let config =
                EnvConfig { episode, reward: rewards[i % 3], scenario: scenarios[(i + 1) % 3] };
            check(rules, config, 7, 1).unwrap_or_else(|e| panic!("{} {config:?}: {e}", rules.id()));
        }
    }
}

#[test]
fn house_rules_conform() {
    for rules in RuleSet::all_built_in() {
        let mut spec = rules.spec().clone();
        spec.id = "club".to_string();
        spec.stop_when_decided = true;
        spec.open_misere_shown_after = 1;
        spec.share_miseres = !spec.share_miseres;
        spec.match_target = 60;
        spec.contract.retain(|row| row.level != 10);
        spec.contract.reverse();
        let rules = RuleSet::from_spec(spec, "club").expect("valid");
        let config = EnvConfig { episode: Episode::Match, ..EnvConfig::default() };
        check(rules, config, 3, 2).unwrap_or_else(|e| panic!("{}: {e}", rules.id()));
    }
}
