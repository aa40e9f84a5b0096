//! Gradient steps: PPO and imitation, on parallel shards whose gradients add up in order.

mod device;
mod processor;

use burn::tensor::Device;
use rayon::prelude::*;
use troel_agents::network::{Weights, is_processor};
use troel_env::rng::{Purpose, Stream};

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

/// A shard's gradients, in the order of the weights, and its sums of policy loss, value loss, entropy, KL divergence
/// and samples clipped (or missed).
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
            for shard in &shards {
                sums.iter_mut().zip(shard.sums).for_each(|(sum, s)| *sum += s);
            }
            let mut gradients = add_up(shards);
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
            if is_processor(device) {
                processor::run_shard(weights, &rows, update.objective, scale)
            } else {
                device::run_shard(weights, &rows, update.objective, scale, device)
            }
        })
        .collect()
}

/// Weights handled by one task.
const CHUNK: usize = 16_384;

/// Adds the gradients of all shards, in their order.
fn add_up(shards: Vec<Shard>) -> Vec<f32> {
    let mut shards = shards.into_iter().map(|shard| shard.gradients);
    let mut sum = shards.next().unwrap_or_default();
    for gradients in shards {
        let chunks = sum.par_chunks_mut(CHUNK).zip(gradients.par_chunks(CHUNK));
        chunks
            .for_each(|(sum, gradients)| sum.iter_mut().zip(gradients).for_each(|(s, g)| *s += g));
    }
    sum
}

/// Scales a gradient down to the largest norm; returns the norm before. One that is not
/// finite is dropped, so that no weight is lost to it.
fn clip(gradients: &mut [f32], max_norm: f32) -> f32 {
    let square = |chunk: &[f32]| chunk.iter().map(|&g| f64::from(g).powi(2)).sum::<f64>();
    let squares: Vec<f64> = gradients.par_chunks(CHUNK).map(square).collect();
    let norm = squares.iter().sum::<f64>().sqrt() as f32;
    if !norm.is_finite() {
        gradients.fill(0.0);
    } else if norm > max_norm {
        let factor = max_norm / norm;
        gradients.par_iter_mut().with_min_len(CHUNK).for_each(|g| *g *= factor);
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
