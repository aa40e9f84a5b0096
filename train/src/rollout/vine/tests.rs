use troel_agents::network::Evaluator;
use troel_env::{BySeat, Deals, RuleSet, Scenario, Seat, State};
use troel_nn::{NetworkConfig, Weights};

use super::*;
use crate::rollout::{Plan, VineShares, collect};
use crate::sample::Sample;

/// A vine tries the chosen call too, among others, each once.
#[test]
fn vines_hold_the_rewards_of_calls() {
    let config = NetworkConfig { hidden: 4, blocks: 0, ..NetworkConfig::default() };
    let (weights, rules) =
        (Weights::init(config, 3), RuleSet::built_in("luxembourg").expect("rules"));
    let evaluator = Evaluator::new(&weights);
    let mut plan = Plan::self_play(rules, &evaluator, 0, 200);
    let collected = |plan: &Plan<'_>| collect(plan).expect("no bot fails").samples;
    let without = collected(&plan);
    assert!(without.iter().all(|sample| sample.targets.vine.is_empty()));
    plan.lessons.vine = VineShares { ordinary: 0.2, scenarios: 1.0 };
    let samples = collected(&plan);
    assert_eq!(samples.len(), without.len(), "vines are played beside the deals");
    let vines: Vec<&Sample> = samples.iter().filter(|s| !s.targets.vine.is_empty()).collect();
    assert!(vines.len() > 40, "{}", vines.len());
    for sample in &vines {
        assert!(sample.targets.vine.iter().any(|tried| tried.call == sample.decision.action));
        assert!((2..=MAX_TRIED).contains(&sample.targets.vine.len()));
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
    plan.deals.scenarios = &[(Scenario::Aces, 1.0)];
    plan.lessons.vine.ordinary = 0.0;
    let samples = collected(&plan);
    assert!(samples.iter().any(|sample| !sample.targets.vine.is_empty()));
}

#[test]
fn only_plausible_calls_are_tried() {
    let rules = RuleSet::built_in("luxembourg").expect("rules");
    let view = |hand: &str| {
        let cards = troel_env::deal::parse_hand(hand).expect("a hand");
        let deals = Deals::new(rules, 1).with_scenario(Scenario::EldestHolds(cards));
        State::new(rules, &deals.shuffled(0, Seat::North)).observe(Seat::East, BySeat::default())
    };
    let plausible = |hand: &str| -> Vec<String> {
        let view = view(hand);
        let calls = view.legal_actions().iter();
        calls.filter(|&call| is_plausible(&view, call)).map(|c| c.to_string()).collect()
    };
    let strong = plausible("AKQJT987.AK.AK.2");
    assert!(strong.contains(&"slam-S".to_string()), "{strong:?}");
    assert!(!strong.iter().any(|call| call.contains("misere")), "{strong:?}");
    let weak = plausible("5432.432.432.432");
    assert!(weak.iter().any(|call| call.contains("misere")), "{weak:?}");
    assert!(!weak.iter().any(|call| call.contains("abondance")), "{weak:?}");
}
