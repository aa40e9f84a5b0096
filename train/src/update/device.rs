//! A shard on any burn device, computed with tensors throughout.

use burn::tensor::activation::log_softmax;
use burn::tensor::{Bool, Device, Int, Tensor, TensorData};
use troel_agents::network::{Network, tensors};
use troel_env::{Action, N_ACTIONS};
use troel_nn::{ILLEGAL_LOGIT, NetworkConfig, Weights};

use super::shard::Shard;
use crate::loss::{
    Coefficients, DEAD_CALL_PROBABILITY, LossSums, LossTerm, MAX_VINE_ADVANTAGE,
    MIN_CALL_PROBABILITY, PpoLoss, TrainingObjective,
};
use crate::sample::Sample;

/// Returns the losses and gradients of these samples; the loss is their sum times `scale`.
pub(super) fn run_shard(
    weights: &Weights,
    rows: &[&Sample],
    objective: TrainingObjective,
    scale: f32,
    device: &Device,
) -> Shard {
    let device = &device.clone().autodiff();
    let batch = Batch { rows, config: &weights.config, device };
    let (features, illegal) = tensors(rows.iter().map(|s| &s.decision.input), batch.config, device);
    let network = Network::new(weights, device);
    let (logits, values) = network.forward(features, illegal.clone());
    let log_probs = log_softmax(logits, 1);
    let chosen = log_probs.clone().gather(1, batch.places(|s| s.decision.action));
    let has_anchor = batch.column(|s| f32::from(u8::from(s.targets.anchor.is_some())));
    let anchors = batch.places(|s| s.targets.anchor.unwrap_or(s.decision.action));
    let anchor_losses = -log_probs.clone().gather(1, anchors) * has_anchor.clone();
    let is_taught = batch.column(|s| f32::from(u8::from(!s.targets.taught.is_empty())));
    let taught_losses = -batch.log_prob_of_taught(&log_probs) * is_taught.clone();
    // Illegal actions have probability zero and a finite log-probability: they contribute nothing.
    let entropy = -(log_probs.clone().exp() * log_probs.clone()).sum_dim(1);
    let value_losses = (values - batch.column(|s| s.targets.value_target)).powi_scalar(2) * 0.5;
    let common =
        CommonColumns { log_probs, chosen, anchor_losses, taught_losses, entropy, value_losses };
    let terms = match objective {
        TrainingObjective::Ppo(ppo) => ppo_columns(&ppo, &batch, &common),
        TrainingObjective::Imitate { label_smoothing, vf_coef } => {
            imitation_columns(label_smoothing, vf_coef, illegal, &common)
        }
    };
    let gradients = (terms.loss.sum() * scale).backward();
    let is_call = batch.column(|s| f32::from(u8::from(s.is_call())));
    let call_entropy = sum_f64(common.entropy.clone() * is_call);
    let sums = LossSums::new([
        (LossTerm::PolicyLoss, sum_f64(terms.policy_losses)),
        (LossTerm::ValueLoss, sum_f64(common.value_losses)),
        (LossTerm::Entropy, sum_f64(common.entropy)),
        (LossTerm::ApproxKl, sum_f64(terms.approx_kl)),
        (LossTerm::DeviatingSamples, sum_f64(terms.deviating)),
        (LossTerm::AnchorLoss, sum_f64(common.anchor_losses)),
        (LossTerm::AnchoredSamples, sum_f64(has_anchor)),
        (LossTerm::TaughtLoss, sum_f64(common.taught_losses)),
        (LossTerm::TaughtSamples, sum_f64(is_taught)),
        (LossTerm::CallEntropy, call_entropy),
        (LossTerm::CallSamples, rows.iter().filter(|s| s.is_call()).count() as f64),
        (LossTerm::TriedCalls, rows.iter().map(|s| s.targets.vine.len() as f64).sum()),
        (LossTerm::DeadCalls, terms.dead_calls),
    ]);
    Shard { gradients: network.flat_gradients(&gradients), sums }
}

/// Terms that are the same for all objectives. Columns, `[batch, 1]`, except for `log_probs`.
struct CommonColumns {
    /// Log-probabilities of all actions, `[batch, N_ACTIONS]`.
    log_probs: Tensor<2>,
    /// Log-probabilities of the actions taken.
    chosen: Tensor<2>,
    anchor_losses: Tensor<2>,
    taught_losses: Tensor<2>,
    entropy: Tensor<2>,
    value_losses: Tensor<2>,
}

/// Terms that depend on the objective. Columns, `[batch, 1]`, except for `dead_calls`.
struct ObjectiveColumns {
    policy_losses: Tensor<2>,
    approx_kl: Tensor<2>,
    /// See [`LossTerm::DeviatingSamples`].
    deviating: Tensor<2>,
    /// Number of dead calls.
    dead_calls: f64,
    /// All losses, with their weights.
    loss: Tensor<2>,
}

/// Terms of PPO; see [`crate::loss::differentiate`].
fn ppo_columns(ppo: &PpoLoss, batch: &Batch<'_>, common: &CommonColumns) -> ObjectiveColumns {
    let weights =
        |weight: fn(Coefficients) -> f32| batch.column(|s| weight(Coefficients::of(ppo, s)));
    let bonus = common.entropy.clone() * weights(|c| c.entropy);
    let log_ratio = common.chosen.clone() - batch.column(|s| s.decision.log_prob);
    let ratio = log_ratio.clone().exp();
    let advantages = batch.column(|s| s.targets.advantage);
    let bounded = ratio.clone().clamp(1.0 - ppo.clip_coef, 1.0 + ppo.clip_coef);
    let surrogate = (ratio.clone() * advantages.clone()).min_pair(bounded * advantages);
    let policy_losses = -surrogate;
    let regularised = policy_losses.clone() - bonus;
    let regularised = if ppo.kl_coef > 0.0 {
        let divergence = ratio.clone() * log_ratio.clone() - (ratio.clone() - 1.0);
        regularised + divergence * ppo.kl_coef
    } else {
        regularised
    };
    let value_weights = batch.column(|s| if s.targets.for_value { ppo.vf_coef } else { 0.0 });
    let loss = regularised * weights(|c| c.policy)
        + common.value_losses.clone() * value_weights
        + common.anchor_losses.clone() * weights(|c| c.anchor)
        + common.taught_losses.clone() * weights(|c| c.taught);
    let (loss, dead_calls) = if ppo.vine_coef > 0.0 {
        let (vine_losses, dead_calls) = batch.vine_losses(&common.log_probs);
        (loss + vine_losses * ppo.vine_coef, dead_calls)
    } else {
        (loss, 0.0)
    };
    let approx_kl = (ratio.clone() - 1.0) - log_ratio;
    let deviating = (ratio - 1.0).abs().greater_elem(ppo.clip_coef).float();
    ObjectiveColumns { policy_losses, approx_kl, deviating, dead_calls, loss }
}

/// Terms of imitation; see [`crate::loss::differentiate`].
fn imitation_columns(
    label_smoothing: f32,
    vf_coef: f32,
    illegal: Tensor<2, Bool>,
    common: &CommonColumns,
) -> ObjectiveColumns {
    let CommonColumns { log_probs, chosen, value_losses, .. } = common;
    let legal = illegal.bool_not().float();
    let count = legal.clone().sum_dim(1);
    let spread = (log_probs.clone() * legal).sum_dim(1) / count;
    let likeliest = log_probs.clone().max_dim(1);
    let deviating = chosen.clone().lower(likeliest).float();
    let policy_losses = -(chosen.clone() * (1.0 - label_smoothing) + spread * label_smoothing);
    let loss = policy_losses.clone() + value_losses.clone() * vf_coef;
    let approx_kl = deviating.clone() * 0.0;
    ObjectiveColumns { policy_losses, approx_kl, deviating, dead_calls: 0.0, loss }
}

/// Samples whose properties become tensors.
struct Batch<'a> {
    rows: &'a [&'a Sample],
    config: &'a NetworkConfig,
    device: &'a Device,
}

impl Batch<'_> {
    /// Returns a number of each sample, `[batch, 1]`.
    fn column(&self, value: impl Fn(&Sample) -> f32) -> Tensor<2> {
        let values: Vec<f32> = self.rows.iter().map(|s| value(s)).collect();
        Tensor::from_data(TensorData::new(values, [self.rows.len(), 1]), self.device)
    }

    /// Returns the place of an action of each sample among the network's outputs, `[batch, 1]`.
    fn places(&self, action: impl Fn(&Sample) -> Action) -> Tensor<2, Int> {
        let place = |s: &&Sample| {
            s.decision.input.suit_permutation(self.config).actions()[action(s).index()].into()
        };
        let places: Vec<i64> = self.rows.iter().map(place).collect();
        Tensor::from_data(TensorData::new(places, [self.rows.len(), 1]), self.device)
    }

    /// Returns the log-probability of the taught actions, `[batch, 1]`. For rows without taught
    /// actions it is that of all actions, zero, which the caller does not use.
    fn log_prob_of_taught(&self, log_probs: &Tensor<2>) -> Tensor<2> {
        let mut is_other = vec![true; self.rows.len() * N_ACTIONS];
        for (sample, row) in self.rows.iter().zip(is_other.chunks_mut(N_ACTIONS)) {
            let places = sample.decision.input.suit_permutation(self.config).actions();
            for action in sample.targets.taught {
                row[usize::from(places[action.index()])] = false;
            }
            if sample.targets.taught.is_empty() {
                row.fill(false);
            }
        }
        let data = TensorData::new(is_other, [self.rows.len(), N_ACTIONS]);
        let is_other = Tensor::<2, Bool>::from_data(data, &log_probs.device());
        let taught = log_probs.clone().mask_fill(is_other, ILLEGAL_LOGIT);
        // Log-sum-exp: the probabilities may underflow an f32.
        let likeliest = taught.clone().detach().max_dim(1);
        (taught - likeliest.clone()).exp().sum_dim(1).log() + likeliest
    }

    /// Returns the losses of the calls that vines tried, `[batch, 1]`. The second number counts the
    /// dead calls; see [`crate::loss::differentiate`].
    fn vine_losses(&self, log_probs: &Tensor<2>) -> (Tensor<2>, f64) {
        let mut mask = vec![0.0f32; self.rows.len() * N_ACTIONS];
        let mut rewards = mask.clone();
        for (nth, sample) in self.rows.iter().enumerate() {
            let places = sample.decision.input.suit_permutation(self.config).actions();
            for tried in &sample.targets.vine {
                let place = nth * N_ACTIONS + usize::from(places[tried.call.index()]);
                (mask[place], rewards[place]) = (1.0, tried.reward);
            }
        }
        let tensor = |data: Vec<f32>| {
            let data = TensorData::new(data, [self.rows.len(), N_ACTIONS]);
            Tensor::<2>::from_data(data, &log_probs.device())
        };
        let (mask, rewards) = (tensor(mask), tensor(rewards));
        let p = log_probs.clone().detach().exp().clamp_min(f32::MIN_POSITIVE) * mask.clone();
        let total = p.clone().sum_dim(1).clamp_min(f32::MIN_POSITIVE);
        let means = (p.clone() * rewards.clone()).sum_dim(1) / total;
        let advantages = (rewards - means).clamp(-MAX_VINE_ADVANTAGE, MAX_VINE_ADVANTAGE);
        let advantages = advantages * mask.clone();
        let is_alive = p.clone().greater_equal_elem(MIN_CALL_PROBABILITY).float();
        let weights = advantages.clone().clamp_min(0.0) + advantages.clamp_max(0.0) * is_alive;
        let dead_calls = sum_f64(p.lower_elem(DEAD_CALL_PROBABILITY).float() * mask);
        (-(weights * log_probs.clone()).sum_dim(1), dead_calls)
    }
}

fn sum_f64(column: Tensor<2>) -> f64 {
    column.into_data().iter::<f32>().map(f64::from).sum()
}
