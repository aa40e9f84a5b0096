//! Loss of imitation: cross-entropy with the recorded action.

use troel_env::{Action, N_ACTIONS};

use super::policy::LegalSoftmax;
use super::terms::ObjectiveTerms;

/// Writes the gradients of the cross-entropy with the recorded action `chosen`. They are with
/// respect to the logits.
pub(super) fn differentiate(
    label_smoothing: f32,
    chosen: Action,
    policy: &LegalSoftmax<'_>,
    gradients: &mut [f32; N_ACTIONS],
) -> ObjectiveTerms {
    let share = label_smoothing / policy.legal.len() as f32;
    let log_chosen = policy.log_prob(chosen);
    let mut policy_loss = -(1.0 - label_smoothing) * log_chosen;
    for action in policy.legal {
        let log_p = policy.log_prob(action);
        let is_chosen = f32::from(u8::from(action == chosen));
        gradients[action.index()] = log_p.exp() - (1.0 - label_smoothing) * is_chosen - share;
        policy_loss -= share * log_p;
    }
    let is_deviating = log_chosen < policy.max_log_prob();
    ObjectiveTerms { policy_loss, approx_kl: 0.0, is_deviating, dead_calls: 0 }
}
