//! Advantages and rewards of vines on one scale.

use std::collections::HashMap;
use std::hash::Hash;

use super::types::Sample;
use crate::rule_set_pool::RuleSetPool;

/// Normalises advantages to mean 0 and standard deviation 1. The rewards of vines are scaled by the
/// same standard deviation.
pub fn normalise_advantages(samples: &mut [Sample]) {
    normalise_advantages_by(samples, |_| ());
}

/// Normalises advantages under each kind of contract, and before there is a contract. The mean is
/// then 0, and the standard deviation 1. A contract of many points then does not weigh more in the
/// gradient than one of few. Kinds with few samples are normalised like all samples together.
pub fn normalise_advantages_by_contract(samples: &mut [Sample]) {
    normalise_advantages_by(samples, |sample| sample.decision.contract);
}

/// Normalises advantages to mean 0 and standard deviation 1 under each rule set that is named. Each
/// is taken together with those drawn around it, so that rules with larger points do not weigh
/// more. A drawn rule set alone has too few samples for a scale.
pub fn normalise_advantages_by_rules(samples: &mut [Sample], pool: &RuleSetPool) {
    normalise_advantages_by(samples, |sample| pool.family(&sample.decision.input.rules));
}

/// Smallest number of samples of a kind that are normalised separately.
pub(super) const MIN_SAMPLES_OF_KIND: u32 = 200;

/// Number of samples, and sums over them.
#[derive(Clone, Copy, Default)]
struct Sums {
    n: u32,
    advantages: f64,
    squares: f64,
}

impl Sums {
    fn mean(&self) -> f64 {
        self.advantages / f64::from(self.n)
    }
}

fn normalise_advantages_by<K: Eq + Hash>(samples: &mut [Sample], kind: impl Fn(&Sample) -> K) {
    let (mut all, mut kinds) = (Sums::default(), HashMap::<K, Sums>::new());
    for sample in samples.iter() {
        for sums in [&mut all, kinds.entry(kind(sample)).or_default()] {
            sums.n += 1;
            sums.advantages += f64::from(sample.targets.advantage);
        }
    }
    // Differences from the mean, so that no digits are lost to its square.
    for sample in samples.iter() {
        for sums in [&mut all].into_iter().chain(kinds.get_mut(&kind(sample))) {
            sums.squares += (f64::from(sample.targets.advantage) - sums.mean()).powi(2);
        }
    }
    for sample in samples {
        let own =
            kinds.get(&kind(sample)).filter(|sums| sums.n >= MIN_SAMPLES_OF_KIND).unwrap_or(&all);
        let deviation = (own.squares / f64::from(own.n)).sqrt();
        let factor = 1.0 / (deviation + 1e-8);
        sample.targets.advantage =
            ((f64::from(sample.targets.advantage) - own.mean()) * factor) as f32;
        sample.targets.vine.iter_mut().for_each(|tried| tried.reward *= factor as f32);
    }
}
