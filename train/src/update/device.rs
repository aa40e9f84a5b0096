//! A shard on any burn device, computed with tensors throughout.

use burn::tensor::activation::log_softmax;
use burn::tensor::{Bool, Device, Int, Tensor, TensorData};
use troel_agents::network::{Network, tensors};
use troel_env::{Action, N_ACTIONS};
use troel_nn::{ILLEGAL_LOGIT, NetworkConfig, Weights};

use super::Shard;
use crate::loss::{
    DEAD_CALL_PROBABILITY, LossSums, LossTerm, MAX_VINE_ADVANTAGE, MIN_CALL_PROBABILITY, Objective,
    PpoLoss,
};
use crate::sample::Sample;

/// Losses and gradients of these samples; the loss is their sum times `scale`.
pub(super) fn run_shard(
    weights: &Weights,
    rows: &[&Sample],
    objective: Objective,
    scale: f32,
    device: &Device,
) -> Shard {
    let device = &device.clone().autodiff();
    let config = &weights.config;
    let (features, illegal) = tensors(rows.iter().map(|s| &s.input), config, device);
    let network = Network::new(weights, device);
    let n = rows.len();
    let column = |value: &dyn Fn(&Sample) -> f32| -> Tensor<2> {
        let values: Vec<f32> = rows.iter().map(|s| value(s)).collect();
        Tensor::from_data(TensorData::new(values, [n, 1]), device)
    };
    let places = |action: &dyn Fn(&Sample) -> Action| -> Tensor<2, Int> {
        let place = |s: &&Sample| s.input.renaming(config).actions()[action(s).index()].into();
        let places: Vec<i64> = rows.iter().map(place).collect();
        Tensor::from_data(TensorData::new(places, [n, 1]), device)
    };
    let is_call = |s: &Sample| f32::from(u8::from(s.is_call()));
    let actions = places(&|s| s.action);
    let anchors = places(&|s| s.anchor.unwrap_or(s.action));
    let (logits, values) = network.forward(features, illegal.clone());
    let log_probs = log_softmax(logits, 1);
    let chosen = log_probs.clone().gather(1, actions);
    let anchored = column(&|s| f32::from(u8::from(s.anchor.is_some())));
    let anchor_losses = -log_probs.clone().gather(1, anchors) * anchored.clone();
    let is_taught = column(&|s| f32::from(u8::from(!s.taught.is_empty())));
    let taught_losses = -log_of_taught(rows, config, &log_probs) * is_taught.clone();
    // Illegal actions have probability zero and a finite log-probability: they contribute nothing.
    let entropy = -(log_probs.clone().exp() * log_probs.clone()).sum_dim(1);
    let value_losses = (values - column(&|s| s.value_target)).powi_scalar(2) * 0.5;

    let mut dead = 0.0;
    let (policy_losses, kl, clipped, loss) = match objective {
        Objective::Ppo(PpoLoss {
            clip_coef,
            ent_coef,
            call_ent_factor,
            vf_coef,
            policy_coef,
            anchor_coef,
            taught_coef,
            sure_call_coef,
            kl_coef,
            vine_coef,
        }) => {
            let factor = |s: &Sample| if s.is_call() { call_ent_factor } else { 1.0 };
            let bonus = entropy.clone() * column(&factor) * ent_coef;
            let log_ratio = chosen - column(&|s| s.log_prob);
            let ratio = log_ratio.clone().exp();
            let advantages = column(&|s| s.advantage);
            let bounded = ratio.clone().clamp(1.0 - clip_coef, 1.0 + clip_coef);
            let surrogate = (ratio.clone() * advantages.clone()).min_pair(bounded * advantages);
            let policy_losses = -surrogate;
            let from_old =
                (kl_coef > 0.0).then(|| ratio.clone() * log_ratio.clone() - (ratio.clone() - 1.0));
            let kl = (ratio.clone() - 1.0) - log_ratio;
            let clipped = (ratio - 1.0).abs().greater_elem(clip_coef).float();
            let policy_weights = column(&|s| if s.for_policy { policy_coef } else { 0.0 });
            let value_weights = column(&|s| if s.for_value { vf_coef } else { 0.0 });
            let anchor_weights = column(&|s| if s.for_value { anchor_coef } else { 0.0 });
            let of_policy = policy_losses.clone() - bonus;
            let of_policy = match from_old {
                Some(divergence) => of_policy + divergence * kl_coef,
                None => of_policy,
            };
            let taught_weight = |s: &Sample| if s.is_call() { sure_call_coef } else { taught_coef };
            let loss = of_policy * policy_weights
                + value_losses.clone() * value_weights
                + anchor_losses.clone() * anchor_weights
                + taught_losses.clone() * column(&taught_weight);
            let loss = if vine_coef > 0.0 {
                let (vine_losses, of_dead) = vine_losses(rows, config, &log_probs);
                dead = of_dead;
                loss + vine_losses * vine_coef
            } else {
                loss
            };
            (policy_losses, kl, clipped, loss)
        }
        Objective::Imitate { label_smoothing, vf_coef } => {
            let legal = illegal.bool_not().float();
            let count = legal.clone().sum_dim(1);
            let spread = (log_probs.clone() * legal).sum_dim(1) / count;
            let likeliest = log_probs.max_dim(1);
            let missed = chosen.clone().lower(likeliest).float();
            let policy_losses = -(chosen * (1.0 - label_smoothing) + spread * label_smoothing);
            let loss = policy_losses.clone() + value_losses.clone() * vf_coef;
            (policy_losses, missed.clone() * 0.0, missed, loss)
        }
    };
    let gradients = (loss.sum() * scale).backward();
    let call_entropy = sum_f64(entropy.clone() * column(&is_call));
    let sums = LossSums::new([
        (LossTerm::PolicyLoss, sum_f64(policy_losses)),
        (LossTerm::ValueLoss, sum_f64(value_losses)),
        (LossTerm::Entropy, sum_f64(entropy)),
        (LossTerm::ApproxKl, sum_f64(kl)),
        (LossTerm::Clipped, sum_f64(clipped)),
        (LossTerm::AnchorLoss, sum_f64(anchor_losses)),
        (LossTerm::Anchored, sum_f64(anchored)),
        (LossTerm::TaughtLoss, sum_f64(taught_losses)),
        (LossTerm::Taught, sum_f64(is_taught)),
        (LossTerm::CallEntropy, call_entropy),
        (LossTerm::Calls, rows.iter().filter(|s| s.is_call()).count() as f64),
        (LossTerm::Tried, rows.iter().map(|s| s.vine.len() as f64).sum()),
        (LossTerm::Dead, dead),
    ]);
    Shard { gradients: network.flat_gradients(&gradients), sums }
}

/// Log-probability of the taught actions, `[batch, 1]`. Rows without taught actions get that of all
/// actions, zero, which the caller does not use.
fn log_of_taught(rows: &[&Sample], config: &NetworkConfig, log_probs: &Tensor<2>) -> Tensor<2> {
    let mut is_other = vec![true; rows.len() * N_ACTIONS];
    for (sample, row) in rows.iter().zip(is_other.chunks_mut(N_ACTIONS)) {
        let places = sample.input.renaming(config).actions();
        for action in sample.taught {
            row[usize::from(places[action.index()])] = false;
        }
        if sample.taught.is_empty() {
            row.fill(false);
        }
    }
    let data = TensorData::new(is_other, [rows.len(), N_ACTIONS]);
    let is_other = Tensor::<2, Bool>::from_data(data, &log_probs.device());
    let taught = log_probs.clone().mask_fill(is_other, ILLEGAL_LOGIT);
    // Log-sum-exp: the probabilities may underflow an f32.
    let likeliest = taught.clone().detach().max_dim(1);
    (taught - likeliest.clone()).exp().sum_dim(1).log() + likeliest
}

/// Losses of the calls that vines tried, `[batch, 1]`, and the number of dead calls; see
/// [`crate::loss::differentiate`].
fn vine_losses(
    rows: &[&Sample],
    config: &NetworkConfig,
    log_probs: &Tensor<2>,
) -> (Tensor<2>, f64) {
    let mut mask = vec![0.0f32; rows.len() * N_ACTIONS];
    let mut rewards = mask.clone();
    for (nth, sample) in rows.iter().enumerate() {
        let places = sample.input.renaming(config).actions();
        for tried in &sample.vine {
            let place = nth * N_ACTIONS + usize::from(places[tried.call.index()]);
            (mask[place], rewards[place]) = (1.0, tried.reward);
        }
    }
    let tensor = |data: Vec<f32>| {
        let data = TensorData::new(data, [rows.len(), N_ACTIONS]);
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
    let dead = sum_f64(p.lower_elem(DEAD_CALL_PROBABILITY).float() * mask);
    (-(weights * log_probs.clone()).sum_dim(1), dead)
}

fn sum_f64(column: Tensor<2>) -> f64 {
    column.into_data().iter::<f32>().map(f64::from).sum()
}
