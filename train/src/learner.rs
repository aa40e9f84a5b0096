//! Gradient steps: PPO and imitation, on parallel shards whose gradients add up in order.

use burn::tensor::activation::log_softmax;
use burn::tensor::{Bool, Device, Int, Tensor, TensorData};
use rayon::prelude::*;
use troel_agents::network::{Network, Weights, encode};
use troel_env::rng::{Purpose, Stream};
use troel_env::{N_ACTIONS, N_FEATURES};

use crate::adam::Adam;
use crate::rollout::Sample;

/// What a step minimises.
#[derive(Clone, Copy, Debug)]
pub enum Objective {
    /// Clipped policy gradient, value loss and entropy bonus.
    Ppo {
        /// Ratios are clipped to 1 ± this.
        clip_coef: f32,
        /// Weight of the entropy bonus.
        ent_coef: f32,
        /// Weight of the value loss.
        vf_coef: f32,
        /// Weight of the policy loss: 1, or 0 while only the critic learns.
        policy_coef: f32,
    },
    /// Cross-entropy with the recorded action, and value loss.
    Imitate {
        /// Share of the target spread over all legal actions.
        label_smoothing: f32,
        /// Weight of the value loss.
        vf_coef: f32,
    },
}

/// How an iteration learns.
#[derive(Clone, Copy, Debug)]
pub struct Update {
    /// What is minimised.
    pub objective: Objective,
    /// Learning rate.
    pub learning_rate: f32,
    /// Passes over the samples.
    pub epochs: u32,
    /// Samples per step.
    pub minibatch_size: usize,
    /// Parts of a minibatch computed in parallel.
    pub shards: usize,
    /// Largest global norm of a gradient.
    pub max_grad_norm: f32,
    /// No further epoch once the approximate KL divergence exceeds this.
    pub target_kl: f32,
    /// Seed of the shuffling.
    pub seed: u64,
    /// Number of the iteration.
    pub iteration: u64,
}

/// Means over the samples of an update, named as in CleanRL.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Losses {
    /// Policy loss, or cross-entropy in imitation.
    pub policy_loss: f64,
    /// Value loss (half the squared error).
    pub value_loss: f64,
    /// Entropy of the policy over the legal actions.
    pub entropy: f64,
    /// Approximate KL divergence from the old policy, (r − 1) − ln r.
    pub approx_kl: f64,
    /// Share of samples whose ratio was clipped; in imitation, of those whose likeliest action
    /// was not the recorded one.
    pub clipfrac: f64,
    /// Norm of the gradient before clipping.
    pub grad_norm: f64,
    /// Epochs made.
    pub epochs: u32,
}

/// Sums over a shard, and its gradients.
struct Shard {
    gradients: Vec<f32>,
    sums: [f64; 5],
}

/// Learns from samples. The weights after it do not depend on the number of threads.
pub fn update(
    weights: &mut Weights,
    adam: &mut Adam,
    samples: &[Sample],
    update: &Update,
    device: &Device,
) -> Losses {
    let mut order: Vec<u32> = (0..samples.len() as u32).collect();
    let mut losses = Losses::default();
    for epoch in 0..update.epochs {
        let counter = update.iteration << 8 | u64::from(epoch);
        Stream::new(update.seed, Purpose::Minibatch, counter).shuffle(&mut order);
        let mut sums = [0.0; 5];
        let (mut norms, mut steps) = (0.0, 0.0);
        for minibatch in order.chunks(update.minibatch_size) {
            let shards = run_shards(weights, samples, minibatch, update, device);
            let mut gradients = vec![0.0; weights.values.len()];
            for shard in &shards {
                gradients.iter_mut().zip(&shard.gradients).for_each(|(sum, g)| *sum += g);
                sums.iter_mut().zip(shard.sums).for_each(|(sum, s)| *sum += s);
            }
            norms += f64::from(clip(&mut gradients, update.max_grad_norm));
            steps += 1.0;
            adam.step(&mut weights.values, &gradients, update.learning_rate);
        }
        let n = samples.len().max(1) as f64;
        losses = Losses {
            policy_loss: sums[0] / n,
            value_loss: sums[1] / n,
            entropy: sums[2] / n,
            approx_kl: sums[3] / n,
            clipfrac: sums[4] / n,
            grad_norm: norms / f64::max(steps, 1.0),
            epochs: epoch + 1,
        };
        if losses.approx_kl > f64::from(update.target_kl) {
            break;
        }
    }
    losses
}

fn run_shards(
    weights: &Weights,
    samples: &[Sample],
    minibatch: &[u32],
    update: &Update,
    device: &Device,
) -> Vec<Shard> {
    let size = minibatch.len().div_ceil(update.shards).max(1);
    let scale = 1.0 / minibatch.len() as f32;
    minibatch
        .par_chunks(size)
        .map(|rows| {
            let rows: Vec<&Sample> = rows.iter().map(|&i| &samples[i as usize]).collect();
            run_shard(weights, &rows, update.objective, scale, device)
        })
        .collect()
}

/// Loss and gradients of some samples; the loss is their sum times `scale`.
fn run_shard(
    weights: &Weights,
    rows: &[&Sample],
    objective: Objective,
    scale: f32,
    device: &Device,
) -> Shard {
    let device = &device.clone().autodiff();
    let n = rows.len();
    let (mut features, mut illegal) = (Vec::new(), Vec::new());
    encode(rows.iter().map(|s| &s.observation), &mut features, &mut illegal);
    let column = |value: fn(&Sample) -> f32| -> Tensor<2> {
        let values: Vec<f32> = rows.iter().map(|s| value(s)).collect();
        Tensor::from_data(TensorData::new(values, [n, 1]), device)
    };
    let actions: Vec<i64> = rows.iter().map(|s| s.action.index() as i64).collect();
    let actions: Tensor<2, Int> = Tensor::from_data(TensorData::new(actions, [n, 1]), device);
    let illegal: Tensor<2, Bool> =
        Tensor::from_data(TensorData::new(illegal, [n, N_ACTIONS]), device);

    let network = Network::new(weights, device);
    let features = Tensor::from_data(TensorData::new(features, [n, N_FEATURES]), device);
    let (logits, values) = network.forward(features, illegal.clone());
    let log_probs = log_softmax(logits, 1);
    let chosen = log_probs.clone().gather(1, actions);
    // Illegal actions have probability zero and a finite log-probability: they add nothing.
    let entropy = -(log_probs.clone().exp() * log_probs.clone()).sum_dim(1);
    let value_losses = (values - column(|s| s.ret)).powi_scalar(2) * 0.5;

    let (policy_losses, kl, clipped, loss) = match objective {
        Objective::Ppo { clip_coef, ent_coef, vf_coef, policy_coef } => {
            let log_ratio = chosen - column(|s| s.log_prob);
            let ratio = log_ratio.clone().exp();
            let advantages = column(|s| s.advantage);
            let bounded = ratio.clone().clamp(1.0 - clip_coef, 1.0 + clip_coef);
            let gain = (ratio.clone() * advantages.clone()).min_pair(bounded * advantages);
            let policy_losses = -gain;
            let kl = (ratio.clone() - 1.0) - log_ratio;
            let clipped = (ratio - 1.0).abs().greater_elem(clip_coef).float();
            let loss = (policy_losses.clone() - entropy.clone() * ent_coef) * policy_coef
                + value_losses.clone() * vf_coef;
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
    let parts = [policy_losses, value_losses, entropy, kl, clipped];
    Shard { gradients: network.flat_gradients(&gradients), sums: parts.map(sum_f64) }
}

fn sum_f64(column: Tensor<2>) -> f64 {
    column.into_data().iter::<f32>().map(f64::from).sum()
}

/// Scales a gradient down to the largest norm; returns the norm before. One that is not
/// finite is dropped, so that no weight is lost to it.
fn clip(gradients: &mut [f32], max_norm: f32) -> f32 {
    let norm = gradients.iter().map(|&g| f64::from(g).powi(2)).sum::<f64>().sqrt() as f32;
    if !norm.is_finite() {
        gradients.fill(0.0);
    } else if norm > max_norm {
        let factor = max_norm / norm;
        gradients.iter_mut().for_each(|g| *g *= factor);
    }
    norm
}

/// Share of the variance of the returns that the values explain.
pub fn explained_variance(samples: &[Sample]) -> f64 {
    let n = samples.len().max(1) as f64;
    let variance = |value: &dyn Fn(&Sample) -> f64| {
        let mean = samples.iter().map(value).sum::<f64>() / n;
        samples.iter().map(|s| (value(s) - mean).powi(2)).sum::<f64>() / n
    };
    let total = variance(&|s| f64::from(s.ret));
    if total == 0.0 { 0.0 } else { 1.0 - variance(&|s| f64::from(s.ret - s.value)) / total }
}

/// Brings advantages to mean 0 and standard deviation 1.
pub fn normalise_advantages(samples: &mut [Sample]) {
    let n = samples.len().max(1) as f64;
    let mean = samples.iter().map(|s| f64::from(s.advantage)).sum::<f64>() / n;
    let variance = samples.iter().map(|s| (f64::from(s.advantage) - mean).powi(2)).sum::<f64>() / n;
    let factor = 1.0 / (variance.sqrt() + 1e-8);
    for sample in samples {
        sample.advantage = ((f64::from(sample.advantage) - mean) * factor) as f32;
    }
}
