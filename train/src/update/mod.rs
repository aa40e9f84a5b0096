//! Gradient steps of PPO and imitation. Processes share the shards of a minibatch. Threads share
//! the passes of these shards. All gradients are added in a fixed order.

pub mod bench_support;
mod context;
mod cpu;
mod device;
mod gradient_sum;
mod minibatch;
mod shard;
#[cfg(test)]
mod tests;
mod tree;

use burn::tensor::Device;
use rayon::prelude::*;
use troel_agents::network::is_cpu;
use troel_env::rng::{Purpose, Stream};
use troel_nn::{Critic, Weights};

pub use self::context::UpdateContext;
use self::minibatch::minibatches;
use self::shard::Shard;
use self::tree::Tree;
pub use self::tree::gradient_processes;
use crate::collective::CollectiveError;
use crate::config::{FeatureBlocks, MAX_UPDATE_EPOCHS};
use crate::loss::{LossSums, LossTerm, Losses, TrainingObjective};
use crate::optimiser::{Adam, WEIGHTS_PER_TASK, WeightAverage};
use crate::sample::Sample;

/// Settings of an update.
#[derive(Clone, Copy, Debug)]
pub struct UpdateSettings {
    /// Learning rate.
    pub learning_rate: f32,
    /// Passes over the samples.
    pub epochs: u32,
    /// Largest number of samples per optimiser step.
    pub minibatch_size: usize,
    /// Whether the minibatches of an epoch are equally long, give or take one sample. Otherwise the
    /// last has the remainder.
    pub even_minibatches: bool,
    /// Parts of a minibatch that processes share.
    pub shards: usize,
    /// Blocks of features whose input weights do not learn.
    pub unused_features: FeatureBlocks,
    /// Largest global norm of a gradient; larger ones are scaled down.
    pub max_grad_norm: f32,
    /// No further epoch once the mean approximate KL divergence of an epoch exceeds this.
    pub target_kl: f32,
    /// Seed of the shuffling.
    pub seed: u64,
    /// Number of the iteration.
    pub iteration: u64,
}

/// Reason that an update ended early. The weights are then those of an unfinished update.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UpdateError {
    /// A process was interrupted.
    #[error("the update was interrupted")]
    Interrupted,
    /// Another process cannot be reached.
    #[error(transparent)]
    Collective(#[from] CollectiveError),
}

/// Purpose of a random stream of [`Purpose::Minibatch`] within an iteration.
#[derive(Clone, Copy)]
pub enum MinibatchDraw {
    /// The order of the samples in an epoch of the actor, counted from 0.
    ActorEpoch(u32),
    /// The order of the samples in an epoch of the critic, counted from 0.
    CriticEpoch(u32),
    /// The samples to learn from (`ppo.policy_share`).
    Selection,
}

/// Returns a stream of an iteration. No two purposes share one.
pub fn minibatch_stream(seed: u64, iteration: u64, draw: MinibatchDraw) -> Stream {
    const { assert!(MAX_UPDATE_EPOCHS < 127, "each purpose has numbers of its own") };
    let number = match draw {
        MinibatchDraw::ActorEpoch(epoch) => epoch,
        MinibatchDraw::CriticEpoch(epoch) => 128 + epoch,
        MinibatchDraw::Selection => 255,
    };
    Stream::new(seed, Purpose::Minibatch, iteration << 8 | u64::from(number))
}

/// A network that learns from samples.
trait Trainable: Sync {
    /// Returns the number of outputs of the input layer.
    fn hidden(&self) -> usize;

    fn values(&mut self) -> &mut Vec<f32>;

    /// Returns the losses and gradients of the samples of each shard; the loss is their sum times
    /// `scale`.
    fn run_shards(&self, shards: &[Vec<&Sample>], scale: f32) -> Vec<Shard>;
}

/// A network that acts, with its objective and the device that computes its gradients.
pub struct Actor<'a> {
    /// Weights of the network.
    pub weights: &'a mut Weights,
    /// Objective to minimise.
    pub objective: TrainingObjective,
    /// Device that computes the gradients.
    pub device: &'a Device,
}

impl Trainable for Actor<'_> {
    fn hidden(&self) -> usize {
        self.weights.config.hidden
    }

    fn values(&mut self) -> &mut Vec<f32> {
        &mut self.weights.values
    }

    fn run_shards(&self, shards: &[Vec<&Sample>], scale: f32) -> Vec<Shard> {
        if is_cpu(self.device) {
            return cpu::run_shards(self.weights, shards, self.objective, scale);
        }
        let run_shard = |rows: &Vec<&Sample>| {
            device::run_shard(self.weights, rows, self.objective, scale, self.device)
        };
        shards.par_iter().map(run_shard).collect()
    }
}

impl Trainable for &mut Critic {
    fn hidden(&self) -> usize {
        self.config.hidden
    }

    fn values(&mut self) -> &mut Vec<f32> {
        &mut self.values
    }

    fn run_shards(&self, shards: &[Vec<&Sample>], scale: f32) -> Vec<Shard> {
        cpu::run_critic_shards(self, shards, scale)
    }
}

/// Trains an actor on samples, and averages its weights in `average`. Returns the losses of the
/// last epoch. The result does not depend on the number of threads or processes. All processes hold
/// the same samples.
///
/// # Errors
/// A process was interrupted, or cannot be reached.
pub fn update(
    actor: Actor<'_>,
    adam: &mut Adam,
    average: Option<&mut WeightAverage>,
    samples: &[Sample],
    settings: &UpdateSettings,
    context: UpdateContext<'_>,
) -> Result<Losses, UpdateError> {
    train_network(actor, adam, average, samples, settings, MinibatchDraw::ActorEpoch, context)
}

/// Trains a critic on the returns of samples, on the CPU; returns the losses of the last epoch.
///
/// # Errors
/// A process was interrupted, or cannot be reached.
pub fn update_critic(
    critic: &mut Critic,
    adam: &mut Adam,
    samples: &[Sample],
    settings: &UpdateSettings,
    context: UpdateContext<'_>,
) -> Result<Losses, UpdateError> {
    train_network(critic, adam, None, samples, settings, MinibatchDraw::CriticEpoch, context)
}

/// Trains a network on samples; returns the losses of the last epoch. `draw` names
/// the draw that shuffles an epoch's samples.
fn train_network(
    mut network: impl Trainable,
    adam: &mut Adam,
    mut average: Option<&mut WeightAverage>,
    samples: &[Sample],
    settings: &UpdateSettings,
    draw: fn(u32) -> MinibatchDraw,
    context: UpdateContext<'_>,
) -> Result<Losses, UpdateError> {
    let mut order: Vec<u32> = (0..samples.len() as u32).collect();
    let mut losses = Losses::default();
    for epoch in 0..settings.epochs {
        minibatch_stream(settings.seed, settings.iteration, draw(epoch)).shuffle(&mut order);
        let mut sums = LossSums::default();
        let (mut norms, mut steps) = (0.0, 0.0);
        for minibatch in minibatches(&order, settings.minibatch_size, settings.even_minibatches) {
            let len = network.values().len();
            let (sum, stops) =
                run_shards(&network, samples, minibatch, settings.shards, len, context)?;
            if stops {
                return Err(UpdateError::Interrupted);
            }
            let Shard { mut gradients, sums: minibatch_sums } = sum;
            sums.add(&minibatch_sums);
            settings.unused_features.clear_rows(&mut gradients, network.hidden());
            norms += f64::from(clip(&mut gradients, settings.max_grad_norm));
            steps += 1.0;
            adam.step(network.values(), &gradients, settings.learning_rate);
            if let Some(average) = &mut average {
                average.step(network.values());
            }
        }
        let grad_norm = norms / f64::max(steps, 1.0);
        losses = Losses { sums, samples: samples.len(), grad_norm, epochs: epoch + 1 };
        if losses.mean(LossTerm::ApproxKl) > f64::from(settings.target_kl) {
            break;
        }
    }
    Ok(losses)
}

/// Returns the sum of all shards of a minibatch, and whether all processes stop.
fn run_shards(
    network: &impl Trainable,
    samples: &[Sample],
    minibatch: &[u32],
    shards: usize,
    len: usize,
    context: UpdateContext<'_>,
) -> Result<(Shard, bool), CollectiveError> {
    let size = minibatch.len().div_ceil(shards).max(1);
    let scale = 1.0 / minibatch.len() as f32;
    let tree = Tree::new(context, minibatch.len().div_ceil(size));
    let all: Vec<&[u32]> = minibatch.chunks(size).collect();
    let samples_of = |rows: &&[u32]| rows.iter().map(|&i| &samples[i as usize]).collect();
    let own: Vec<Vec<&Sample>> = all[tree.own_shards()].iter().map(samples_of).collect();
    tree.add_up(network.run_shards(&own, scale), len)
}

/// Clips a gradient to the largest norm; returns the norm before clipping. A gradient that is not
/// finite becomes zero, so that it does not spoil the weights.
fn clip(gradients: &mut [f32], max_norm: f32) -> f32 {
    let square = |chunk: &[f32]| chunk.iter().map(|&g| f64::from(g).powi(2)).sum::<f64>();
    let squares: Vec<f64> = gradients.par_chunks(WEIGHTS_PER_TASK).map(square).collect();
    let norm = squares.iter().sum::<f64>().sqrt() as f32;
    if !norm.is_finite() {
        gradients.fill(0.0);
    } else if norm > max_norm {
        let factor = max_norm / norm;
        gradients.par_iter_mut().with_min_len(WEIGHTS_PER_TASK).for_each(|g| *g *= factor);
    }
    norm
}
