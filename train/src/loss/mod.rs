//! Training objectives: losses and their gradients, sample by sample. Gradients are with respect to
//! a network's outputs.

mod imitation;
mod objective;
mod policy;
mod ppo;
mod terms;
#[cfg(test)]
mod tests;
mod vine;

use troel_env::N_ACTIONS;

pub use self::objective::{PpoLoss, TrainingObjective};
use self::policy::LegalSoftmax;
pub(crate) use self::ppo::Coefficients;
pub use self::terms::{LossSums, LossTerm, Losses};
pub(crate) use self::vine::{DEAD_CALL_PROBABILITY, MAX_VINE_ADVANTAGE, MIN_CALL_PROBABILITY};
use crate::sample::Sample;

/// Replaces a sample's logits and value by the gradients of its loss, times `scale`. Returns the
/// terms of the loss. Gradients of illegal actions are zero.
///
/// `logits` has one entry per action, `[N_ACTIONS]`, not masked.
pub(crate) fn differentiate(
    objective: TrainingObjective,
    scale: f32,
    sample: &Sample,
    logits: &mut [f32],
    value: &mut f32,
) -> LossSums {
    let Sample { decision, targets } = sample;
    let policy = LegalSoftmax::new(logits, decision.input.legal);
    let entropy = policy.entropy();
    let error = *value - targets.value_target;
    let anchor_loss = targets.anchor.map_or(0.0, |anchor| -policy.log_prob(anchor));
    let log_taught = policy.log_prob_of_any(targets.taught);
    let taught_loss = if targets.taught.is_empty() { 0.0 } else { -log_taught };
    let mut gradients = [0.0; N_ACTIONS];
    let (terms, vf_coef) = match objective {
        TrainingObjective::Ppo(loss) => (
            ppo::differentiate(&loss, sample, &policy, entropy, log_taught, &mut gradients),
            if targets.for_value { loss.vf_coef } else { 0.0 },
        ),
        TrainingObjective::Imitate { label_smoothing, vf_coef } => (
            imitation::differentiate(label_smoothing, decision.action, &policy, &mut gradients),
            vf_coef,
        ),
    };
    logits.iter_mut().zip(gradients).for_each(|(logit, gradient)| *logit = gradient * scale);
    *value = vf_coef * error * scale;
    let count = |is_counted: bool| f64::from(u8::from(is_counted));
    LossSums::new([
        (LossTerm::PolicyLoss, terms.policy_loss.into()),
        (LossTerm::ValueLoss, (0.5 * error * error).into()),
        (LossTerm::Entropy, entropy.into()),
        (LossTerm::ApproxKl, terms.approx_kl.into()),
        (LossTerm::DeviatingSamples, count(terms.is_deviating)),
        (LossTerm::AnchorLoss, anchor_loss.into()),
        (LossTerm::AnchoredSamples, count(targets.anchor.is_some())),
        (LossTerm::TaughtLoss, taught_loss.into()),
        (LossTerm::TaughtSamples, count(!targets.taught.is_empty())),
        (LossTerm::CallEntropy, if sample.is_call() { entropy.into() } else { 0.0 }),
        (LossTerm::CallSamples, count(sample.is_call())),
        (LossTerm::TriedCalls, targets.vine.len() as f64),
        (LossTerm::DeadCalls, f64::from(terms.dead_calls)),
    ])
}
