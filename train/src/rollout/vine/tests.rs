use troel_agents::network::Evaluator;
use troel_env::{RuleSet, Scenario};
use troel_nn::{NetworkConfig, Weights};

use super::*;
use crate::config::VineConfig;
use crate::rollout::{CollectSettings, collect};
use crate::sample::Sample;

/// A vine tries the chosen call too, among others, each once.
#[test]
fn vines_hold_the_rewards_of_calls() {
    let config = NetworkConfig { hidden: 4, blocks: 0, ..NetworkConfig::default() };
    let (weights, rules) =
        (Weights::init(config, 3), RuleSet::built_in("luxembourg").expect("rules"));
    let evaluator = Evaluator::new(&weights);
    let mut settings = CollectSettings::self_play(rules, &evaluator, 0, 200);
    let collected =
        |settings: &CollectSettings<'_>| collect(settings).expect("no bot fails").samples;
    let without = collected(&settings);
    assert!(without.iter().all(|sample| sample.targets.vine.is_empty()));
    settings.lessons.vine = Some(&VineConfig { share: 0.2, scenario_share: 1.0, coef: 0.5 });
    let samples = collected(&settings);
    assert_eq!(samples.len(), without.len(), "vines are played beside the deals");
    let vines: Vec<&Sample> = samples.iter().filter(|s| !s.targets.vine.is_empty()).collect();
    assert!(vines.len() > 40, "{}", vines.len());
    for sample in &vines {
        assert!(sample.targets.vine.iter().any(|tried| tried.call == sample.decision.action));
        assert!((2..=MAX_TRIED_CALLS).contains(&sample.targets.vine.len()));
        assert!(
            sample.targets.vine.iter().all(|tried| sample.decision.input.legal.has(tried.call))
        );
        let mut calls: Vec<usize> = sample.targets.vine.iter().map(|t| t.call.index()).collect();
        calls.sort_unstable();
        calls.dedup();
        assert_eq!(calls.len(), sample.targets.vine.len(), "each call once");
    }
    let rewards: std::collections::HashSet<i32> =
        vines.iter().flat_map(|s| &s.targets.vine).map(|t| (t.reward * 10.0) as i32).collect();
    assert!(rewards.len() > 5, "{rewards:?}");
    settings.deals.scenarios = &[(Scenario::Aces, 1.0)];
    settings.lessons.vine = Some(&VineConfig { share: 0.0, scenario_share: 1.0, coef: 0.5 });
    let samples = collected(&settings);
    assert!(samples.iter().any(|sample| !sample.targets.vine.is_empty()));
}
