//! Loss on the calls that a vine tried.

use troel_env::N_ACTIONS;

use super::policy::LegalSoftmax;
use crate::sample::TriedCall;

/// Probability below which a vine does not lower a call further, so that sampling still finds it.
pub(crate) const MIN_CALL_PROBABILITY: f32 = 1e-3;

/// Largest size of a vine's advantage, in standard deviations of advantages: a slam is worth many.
pub(crate) const MAX_VINE_ADVANTAGE: f32 = 10.0;

/// Probability below which a tried call counts as dead: sampling will hardly find it again.
pub(crate) const DEAD_CALL_PROBABILITY: f32 = 1e-6;

/// Adds the gradients of the calls that a vine tried, times `coef`. Returns the number of dead
/// calls.
///
/// A call's advantage is its reward less the mean reward of the tried calls under the policy. The
/// loss is −Σ advantage × log-probability: a call with a positive advantage is raised even if it is
/// improbable.
pub(super) fn add_call_gradients(
    coef: f32,
    vine: &[TriedCall],
    policy: &LegalSoftmax<'_>,
    gradients: &mut [f32; N_ACTIONS],
) -> u32 {
    let probability = |tried: &TriedCall| policy.log_prob(tried.call).exp().max(f32::MIN_POSITIVE);
    let total: f32 = vine.iter().map(probability).sum();
    let mean = vine.iter().map(|tried| probability(tried) / total * tried.reward).sum::<f32>();
    let mut sum = 0.0;
    for tried in vine {
        let advantage = (tried.reward - mean).clamp(-MAX_VINE_ADVANTAGE, MAX_VINE_ADVANTAGE);
        if advantage > 0.0 || probability(tried) >= MIN_CALL_PROBABILITY {
            gradients[tried.call.index()] -= coef * advantage;
            sum += advantage;
        }
    }
    // The softmax takes the sum from all legal actions by their probabilities.
    for action in policy.legal {
        gradients[action.index()] += coef * sum * policy.log_prob(action).exp();
    }
    vine.iter().filter(|tried| probability(tried) < DEAD_CALL_PROBABILITY).count() as u32
}
