//! Training samples: decisions with their advantages.

use troel_env::{Action, Seat};
use troel_nn::Input;

/// A recorded decision. Forced moves, with a single legal action, are not recorded.
#[derive(Clone, Debug)]
pub struct Sample {
    /// Features of the seat's observation, and its legal actions.
    pub input: Input,
    /// The seat that decided.
    pub seat: Seat,
    /// The action taken.
    pub action: Action,
    /// Log-probability of the action under the policy that took it.
    pub log_prob: f32,
    /// Estimate of the value head at the decision, in units of reward.
    pub value: f32,
    /// Generalised advantage estimate, in units of reward until it is normalised.
    pub advantage: f32,
    /// Target of the value head, in units of reward.
    pub value_target: f32,
}

/// Explained variance: share of the variance of the value targets that the values explain. 1 is all of it, 0 none,
/// negative worse than their mean; 0 for targets without variance.
pub fn explained_variance(samples: &[Sample]) -> f64 {
    let n = samples.len().max(1) as f64;
    let variance = |value: &dyn Fn(&Sample) -> f64| {
        let mean = samples.iter().map(value).sum::<f64>() / n;
        samples.iter().map(|s| (value(s) - mean).powi(2)).sum::<f64>() / n
    };
    let total = variance(&|s| f64::from(s.value_target));
    let left = variance(&|s| f64::from(s.value_target - s.value));
    if total == 0.0 { 0.0 } else { 1.0 - left / total }
}

/// Normalises advantages to mean 0 and standard deviation 1.
pub fn normalise_advantages(samples: &mut [Sample]) {
    let n = samples.len().max(1) as f64;
    let mean = samples.iter().map(|s| f64::from(s.advantage)).sum::<f64>() / n;
    let variance = samples.iter().map(|s| (f64::from(s.advantage) - mean).powi(2)).sum::<f64>() / n;
    let factor = 1.0 / (variance.sqrt() + 1e-8);
    for sample in samples {
        sample.advantage = ((f64::from(sample.advantage) - mean) * factor) as f32;
    }
}
