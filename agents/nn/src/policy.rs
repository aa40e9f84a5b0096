//! Probabilities and choice of actions, from logits.

use troel_env::rng::Stream;
use troel_env::{Action, ActionSet};

/// Logit of illegal actions: low enough that their probability is exactly zero, but finite, so that
/// no loss or gradient becomes NaN.
pub const ILLEGAL_LOGIT: f32 = -1e9;

/// Returns the legal action with the highest logit; ties go to the lowest action number.
pub fn most_probable(legal: ActionSet, logits: &[f32]) -> Action {
    let mut best = (f32::NEG_INFINITY, Action::PASS);
    for action in legal {
        let logit = logits[action.index()];
        if logit > best.0 {
            best = (logit, action);
        }
    }
    best.1
}

/// Returns the legal actions with their probabilities: the softmax of their logits.
pub fn probabilities(legal: ActionSet, logits: &[f32]) -> Vec<(Action, f32)> {
    let max = max_logit(legal, logits);
    let mut policy: Vec<_> =
        legal.into_iter().map(|a| (a, (logits[a.index()] - max).exp())).collect();
    let total: f32 = policy.iter().map(|(_, weight)| weight).sum();
    policy.iter_mut().for_each(|(_, weight)| *weight /= total);
    policy
}

/// Returns the log-probability of a legal action under the softmax of the logits.
pub fn log_probability(legal: ActionSet, logits: &[f32], action: Action) -> f32 {
    let max = max_logit(legal, logits);
    let total: f32 = legal.into_iter().map(|a| (logits[a.index()] - max).exp()).sum();
    logits[action.index()] - max - total.ln()
}

/// Samples a legal action from the softmax of the logits; also returns its log-probability.
pub fn sample(legal: ActionSet, logits: &[f32], stream: &mut Stream) -> (Action, f32) {
    let max = max_logit(legal, logits);
    let weight = |a: Action| (logits[a.index()] - max).exp();
    let total: f32 = legal.into_iter().map(weight).sum();
    let mut remaining = stream.unit() * total;
    // Rounding may leave the sample beyond the last action.
    let mut chosen = most_probable(legal, logits);
    for action in legal {
        let weight = weight(action);
        if remaining < weight {
            chosen = action;
            break;
        }
        remaining -= weight;
    }
    (chosen, logits[chosen.index()] - max - total.ln())
}

/// Returns the largest logit of a legal action.
fn max_logit(legal: ActionSet, logits: &[f32]) -> f32 {
    legal.into_iter().map(|a| logits[a.index()]).fold(ILLEGAL_LOGIT, f32::max)
}
