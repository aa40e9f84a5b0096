use troel_agents::network::Evaluator;
use troel_env::rng::{Purpose, Stream};
use troel_env::{ContractKind, RuleSet};
use troel_nn::{NetworkConfig, Weights};

use super::normalise::MIN_SAMPLES_OF_KIND;
use super::select::select;
use super::types::Sample;
use super::*;
use crate::rollout::{CollectSettings, collect};
use crate::rule_set_pool::RuleSetPool;

/// Returns the mean and standard deviation of the advantages of these samples.
fn spread<'a>(samples: impl Iterator<Item = &'a Sample> + Clone) -> (f64, f64) {
    let advantages = samples.map(|s| f64::from(s.targets.advantage));
    let n = advantages.clone().count() as f64;
    let mean = advantages.clone().sum::<f64>() / n;
    (mean, (advantages.map(|a| (a - mean).powi(2)).sum::<f64>() / n).sqrt())
}

#[test]
fn advantages_are_normalised_by_rules() {
    let weights = Weights::init(NetworkConfig { hidden: 4, ..NetworkConfig::default() }, 3);
    let named = ["luxembourg", "wiezen"].map(|name| RuleSet::built_in(name).unwrap()).to_vec();
    let pool = RuleSetPool::new(named, 3, 0.5, 1);
    let evaluator = Evaluator::new(&weights);
    let mut settings = CollectSettings::self_play(pool.named()[0], &evaluator, 0, 600);
    settings.deals.rule_set_pool = Some(&pool);
    let mut samples = collect(&settings).unwrap().samples;
    assert!(samples.iter().all(|s| pool.family(&s.decision.input.rules).is_some()));
    let deviations = |samples: &[Sample]| {
        [0, 1].map(|family| {
            let is_of = |s: &&Sample| pool.family(&s.decision.input.rules) == Some(family);
            spread(samples.iter().filter(is_of)).1
        })
    };
    let before = deviations(&samples);
    normalise_advantages_by_rules(&mut samples, &pool);
    assert!((before[0] / before[1] - 1.0).abs() > 0.1, "{before:?}");
    assert!(deviations(&samples).iter().all(|deviation| (deviation - 1.0).abs() < 1e-4));
}

#[test]
fn advantages_are_normalised_by_contract() {
    let weights = Weights::init(NetworkConfig { hidden: 4, ..NetworkConfig::default() }, 3);
    let rules = RuleSet::built_in("luxembourg").unwrap();
    let rollout =
        collect(&CollectSettings::self_play(rules, &Evaluator::new(&weights), 0, 300)).unwrap();
    let plain = rollout.samples;
    let mut samples = plain.clone();
    normalise_advantages_by_contract(&mut samples);
    let mut kinds = 0;
    for contract in ContractKind::ALL.map(Some).into_iter().chain([None]) {
        let of = |s: &&Sample| s.decision.contract == contract;
        if samples.iter().filter(of).count() >= MIN_SAMPLES_OF_KIND as usize {
            let (mean, deviation) = spread(samples.iter().filter(of));
            assert!(mean.abs() < 1e-5 && (deviation - 1.0).abs() < 1e-4, "{contract:?}");
            kinds += 1;
        }
    }
    assert!(kinds > 2, "{kinds}");
    // Within a kind the order stays the same. Before there is a contract, no cards are played.
    for (pair, before) in samples.windows(2).zip(plain.windows(2)) {
        let step = |pair: &[Sample]| pair[1].targets.advantage - pair[0].targets.advantage;
        if pair[0].decision.contract == pair[1].decision.contract && step(before).abs() > 1e-3 {
            assert_eq!(step(pair) > 0.0, step(before) > 0.0);
        }
    }
    assert!(samples.iter().all(|s| s.decision.contract.is_some() || s.is_call()));
}

#[test]
fn the_largest_advantages_of_calls_and_cards_are_kept() {
    let weights =
        Weights::init(NetworkConfig { hidden: 4, blocks: 0, ..NetworkConfig::default() }, 3);
    let rules = RuleSet::built_in("luxembourg").unwrap();
    let rollout =
        collect(&CollectSettings::self_play(rules, &Evaluator::new(&weights), 0, 300)).unwrap();
    let all = rollout.samples;
    let mut kept = all.clone();
    select(&mut kept, 0.25, &mut Stream::new(1, Purpose::Minibatch, 0));
    for is_call in [false, true] {
        let of = |samples: &[Sample], chosen: fn(&Sample) -> bool| -> Vec<f32> {
            let samples = samples.iter().filter(|s| s.is_call() == is_call && chosen(s));
            samples.map(|s| s.targets.advantage.abs()).collect()
        };
        let mut sizes = of(&all, |_| true);
        sizes.sort_by(|a, b| b.total_cmp(a));
        let n = sizes.len() as f32;
        let mut for_policy = of(&kept, |s| s.targets.for_policy);
        for_policy.sort_by(|a, b| b.total_cmp(a));
        assert_eq!(for_policy, sizes[..for_policy.len()]);
        // Equal advantages at the limit are all kept.
        let share = for_policy.len() as f32 / n;
        assert!((0.25..0.3).contains(&share), "{share}");
        // 4.5 standard errors of a quarter of some thousand samples.
        let share = of(&kept, |s| s.targets.for_value).len() as f32 / n;
        assert!((share - 0.25).abs() < 0.06, "{share}");
    }
    assert!(kept.iter().all(|s| s.targets.for_policy || s.targets.for_value));
}
