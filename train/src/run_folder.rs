//! The folder of a run: checkpoints with all that is needed to resume, and bots.
//!
//! `checkpoint/` is the latest checkpoint, `checkpoints/NNNNNN/` are bots kept during training, by iteration, `best/`
//! is the one with the best evaluation during training, `bot/` the finished one.

use std::path::Path;

use serde::{Deserialize, Serialize};
use troel_nn::bundle::{load_vectors, save_vectors, write_file, write_folder};
use troel_nn::{Bundle, BundleError, Critic, NetworkConfig, Weights};

use crate::optimiser::{Adam, Average};

/// Counters of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Progress {
    /// Iterations done, imitation included.
    pub iteration: u64,
    /// Decisions trained on, those of the checkpoint that the run started from included.
    pub steps: u64,
    /// Deals played, likewise.
    pub deals: u64,
    /// Seconds of collection and updates, likewise.
    pub seconds: f64,
    /// Optimiser steps.
    #[serde(default)]
    pub adam_steps: u64,
    /// Optimiser steps of the critic.
    #[serde(default)]
    pub critic_steps: u64,
    /// Weights averaged.
    #[serde(default)]
    pub average_steps: u64,
    /// The best evaluation on the way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub best: Option<Best>,
}

/// The best evaluation on the way, and what it can be compared with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Best {
    /// Points per deal beyond the baseline's.
    pub points: f64,
    /// The first baseline of the recipe.
    pub baseline: String,
    /// Number of deals.
    pub deals: u64,
    /// Seed of the deals.
    pub seed: u64,
}

impl Best {
    /// Whether two results are of the same deals against the same baseline.
    pub fn is_comparable(&self, other: &Best) -> bool {
        (&self.baseline, self.deals, self.seed) == (&other.baseline, other.deals, other.seed)
    }
}

/// Name of the checkpoint folder within a run.
pub const CHECKPOINT: &str = "checkpoint";
/// Name of the folder of bots kept during training.
pub const KEPT: &str = "checkpoints";
/// Name of the folder of the bot with the best evaluation during training.
pub const BEST: &str = "best";
/// Name of the finished bot's folder.
pub const BOT: &str = "bot";

/// A checkpoint in memory.
pub struct Saved {
    /// The bot.
    pub bundle: Bundle,
    /// State of the optimiser.
    pub adam: Adam,
    /// Pool of past selves, oldest first.
    pub pool: Vec<Weights>,
    /// The critic that sees all four hands, and the state of its optimiser.
    pub critic: Option<(Critic, Adam)>,
    /// Moving average of the weights.
    pub average: Option<Average>,
    /// Counters.
    pub progress: Progress,
}

const OPTIMIZER: &str = "optimizer.safetensors";
const POOL: &str = "pool.safetensors";
const CRITIC: &str = "critic.safetensors";
const AVERAGE: &str = "average.safetensors";
const PROGRESS: &str = "trainer.toml";

/// Writes a checkpoint as folder `path`, replacing the previous one.
///
/// # Errors
/// A file cannot be written.
pub fn save(path: &Path, saved: &Saved) -> Result<(), BundleError> {
    let Saved { bundle, adam, pool, critic, average, progress } = saved;
    let progress = Progress {
        adam_steps: adam.steps,
        critic_steps: critic.as_ref().map_or(0, |(_, adam)| adam.steps),
        average_steps: average.as_ref().map_or(0, |average| average.steps),
        ..progress.clone()
    };
    let text = toml::to_string(&progress)
        .map_err(|e| BundleError::Damaged { path: path.join(PROGRESS), message: e.to_string() })?;
    write_folder(path, |folder| {
        bundle.write_files(folder)?;
        let vectors = |file: &str, vectors: &mut dyn Iterator<Item = (String, &Vec<f32>)>| {
            let shaped = vectors.map(|(name, v)| (name, vec![v.len()], v.as_slice()));
            save_vectors(&folder.join(file), shaped)
        };
        let named = |name: &str, values| (name.to_string(), values);
        let moments = [named("mean", &adam.mean), named("square", &adam.square)];
        vectors(OPTIMIZER, &mut moments.into_iter())?;
        let past = pool.iter().enumerate();
        vectors(POOL, &mut past.map(|(i, w)| (format!("{i:04}"), &w.values)))?;
        if let Some((critic, adam)) = critic {
            let parts = [
                named("values", &critic.values),
                named("mean", &adam.mean),
                named("square", &adam.square),
            ];
            vectors(CRITIC, &mut parts.into_iter())?;
        }
        if let Some(average) = average {
            vectors(AVERAGE, &mut std::iter::once(named("values", &average.values)))?;
        }
        write_file(&folder.join(PROGRESS), text.as_bytes())
    })
}

/// Reads the rest of a checkpoint, whose bundle is given, with a critic of these sizes and a moving average of this decay
/// if the run has them.
///
/// # Errors
/// A file is missing or damaged.
pub fn load(
    path: &Path,
    bundle: Bundle,
    critic: Option<NetworkConfig>,
    ema_decay: Option<f32>,
) -> Result<Saved, BundleError> {
    let file = path.join(PROGRESS);
    let text = std::fs::read_to_string(&file)
        .map_err(|error| BundleError::Io { path: file.clone(), error })?;
    let damaged =
        |file: &Path, message: String| BundleError::Damaged { path: file.to_path_buf(), message };
    let progress: Progress = toml::from_str(&text).map_err(|e| damaged(&file, e.to_string()))?;
    let len = bundle.weights.values.len();
    let vectors = |file: &str, names: &[&str], len: usize| {
        let file = path.join(file);
        let mut found = load_vectors(&file)?;
        let vector = |name: &&str| match found.remove(*name) {
            Some((_, values)) if values.len() == len => Ok(values),
            _ => Err(damaged(
                &file,
                format!(
                    "tensor {name} is missing or is not as long as the network; a run of another version of troel is finished \
                     with that, or gone on from by a new run with its bot as init"
                ),
            )),
        };
        names.iter().map(vector).collect::<Result<Vec<_>, _>>()
    };
    let mut moments = vectors(OPTIMIZER, &["mean", "square"], len)?.into_iter();
    let mut next = || moments.next().unwrap_or_default();
    let adam = Adam { mean: next(), square: next(), steps: progress.adam_steps };
    let critic = match critic {
        None => None,
        Some(config) => {
            let len = Critic::len(&config);
            let mut parts = vectors(CRITIC, &["values", "mean", "square"], len)?.into_iter();
            let mut next = || parts.next().unwrap_or_default();
            let critic = Critic { config, values: next() };
            Some((critic, Adam { mean: next(), square: next(), steps: progress.critic_steps }))
        }
    };
    let average = match ema_decay {
        None => None,
        Some(decay) => {
            let values = vectors(AVERAGE, &["values"], len)?.pop().unwrap_or_default();
            Some(Average { values, decay, steps: progress.average_steps })
        }
    };
    let file = path.join(POOL);
    let mut past: Vec<_> = load_vectors(&file)?.into_iter().collect();
    past.sort_by(|a, b| a.0.cmp(&b.0));
    let config = bundle.weights.config;
    let pool = past.into_iter().map(|(name, (_, values))| {
        if values.len() == len {
            Ok(Weights { config, values })
        } else {
            Err(damaged(&file, format!("tensor {name} has the wrong length")))
        }
    });
    let pool = pool.collect::<Result<Vec<_>, _>>()?;
    Ok(Saved { bundle, adam, pool, critic, average, progress })
}
