//! Loss of PPO: clipped surrogate, entropy bonus, and cross-entropies with anchor and lessons.

use troel_env::N_ACTIONS;

use super::objective::PpoLoss;
use super::policy::LegalSoftmax;
use super::terms::ObjectiveTerms;
use super::vine;
use crate::sample::Sample;

/// Writes the gradients of the PPO loss with respect to the logits. `log_taught` is the logarithm
/// of the total probability of the taught actions.
pub(super) fn differentiate(
    ppo: &PpoLoss,
    sample: &Sample,
    policy: &LegalSoftmax<'_>,
    entropy: f32,
    log_taught: f32,
    gradients: &mut [f32; N_ACTIONS],
) -> ObjectiveTerms {
    let Sample { decision, targets } = sample;
    let coefs = Coefficients::of(ppo, sample);
    let surrogate = Surrogate::new(ppo, sample, policy);
    for action in policy.legal {
        let log_p = policy.log_prob(action);
        let p = log_p.exp();
        // Derivative of the chosen action's log-probability with respect to this logit.
        let score = f32::from(u8::from(action == decision.action)) - p;
        let entropy_gradient = coefs.entropy * p * (log_p + entropy);
        let is_anchor = f32::from(u8::from(targets.anchor == Some(action)));
        let is_taught = targets.taught.has(action);
        let share_of_taught = if is_taught { (log_p - log_taught).exp() } else { 0.0 };
        gradients[action.index()] = coefs.policy * (entropy_gradient - surrogate.weight * score)
            + coefs.anchor * (p - is_anchor)
            + coefs.taught * (p - share_of_taught);
    }
    let dead_calls = if ppo.vine_coef > 0.0 {
        vine::add_call_gradients(ppo.vine_coef, &targets.vine, policy, gradients)
    } else {
        0
    };
    let Surrogate { loss, approx_kl, is_deviating, .. } = surrogate;
    ObjectiveTerms { policy_loss: loss, approx_kl, is_deviating, dead_calls }
}

/// Weights of the losses of one sample; 0 for a loss that the sample does not have.
pub(crate) struct Coefficients {
    /// Weight of the policy loss and of the entropy bonus.
    pub policy: f32,
    /// Weight of the entropy, before it is multiplied by `policy`.
    pub entropy: f32,
    /// Weight of the cross-entropy with the anchor's action.
    pub anchor: f32,
    /// Weight of the cross-entropy with the taught actions.
    pub taught: f32,
}

impl Coefficients {
    /// Returns the weights for a sample.
    pub fn of(ppo: &PpoLoss, sample: &Sample) -> Coefficients {
        let targets = &sample.targets;
        let has_anchor = targets.anchor.is_some() && targets.for_value;
        let (entropy, taught) = if sample.is_call() {
            (ppo.ent_coef * ppo.call_ent_factor, ppo.bid_lesson_coef)
        } else {
            (ppo.ent_coef, ppo.defence_coef)
        };
        Coefficients {
            policy: if targets.for_policy { ppo.policy_coef } else { 0.0 },
            entropy,
            anchor: if has_anchor { ppo.anchor_coef } else { 0.0 },
            taught: if targets.taught.is_empty() { 0.0 } else { taught },
        }
    }
}

/// Clipped surrogate objective of a sample, with the penalty on the divergence from the old policy.
struct Surrogate {
    /// Minus the surrogate, without the penalty.
    loss: f32,
    approx_kl: f32,
    /// Whether the probability ratio is outside 1 ± `clip_coef`.
    is_deviating: bool,
    /// Derivative of the objective with respect to the chosen action's log-probability.
    weight: f32,
}

impl Surrogate {
    fn new(ppo: &PpoLoss, sample: &Sample, policy: &LegalSoftmax<'_>) -> Surrogate {
        let Sample { decision, targets } = sample;
        let log_ratio = policy.log_prob(decision.action) - decision.log_prob;
        let ratio = log_ratio.exp();
        let unclipped = ratio * targets.advantage;
        let clipped = ratio.clamp(1.0 - ppo.clip_coef, 1.0 + ppo.clip_coef) * targets.advantage;
        // Clipped samples contribute no policy gradient.
        let weight = if unclipped <= clipped { unclipped } else { 0.0 };
        // The derivative of ρ ln ρ − (ρ − 1) with respect to the chosen action's log-probability is
        // ρ ln ρ.
        let penalty = ppo.kl_coef * ratio * log_ratio;
        Surrogate {
            loss: -unclipped.min(clipped),
            approx_kl: (ratio - 1.0) - log_ratio,
            is_deviating: (ratio - 1.0).abs() > ppo.clip_coef,
            weight: if ppo.kl_coef > 0.0 { weight - penalty } else { weight },
        }
    }
}
