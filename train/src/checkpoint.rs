//! Checkpoints: state of a run, with all that is needed to resume it.
//!
//! A new checkpoint is complete under its own name before the oldest is removed, so that there is
//! one to resume from at any instant. A damaged one is skipped with a warning, and the one before
//! it is used.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use troel_env::N_FEATURES;
use troel_env::features::OLD_N_FEATURES;
use troel_nn::bundle::{ChecksummedFolder, INFO_FILE, save_tensors, write_file, write_folder};
use troel_nn::{BotInfo, Bundle, BundleError, Critic, NetworkConfig, Weights, insert_new_features};

use crate::learned::Learned;
use crate::optimiser::{Adam, Average};
use crate::run_folder::CHECKPOINTS_FOLDER;

/// Counters of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Progress {
    /// Iterations done, imitation included.
    pub iteration: u64,
    /// Decisions trained on, those of the checkpoint that the run started from included.
    pub steps: u64,
    /// Deals played, those of that checkpoint included.
    pub deals: u64,
    /// Seconds of collection and updates, those of that checkpoint included.
    pub seconds: f64,
    /// Seconds times threads of all processes, those of that checkpoint included. `None` if a part
    /// was trained before this was counted.
    #[serde(default)]
    pub core_seconds: Option<f64>,
    /// Hash of the rule sets of the run. Empty in checkpoints of versions without this field.
    #[serde(default)]
    pub rule_sets: String,
    /// Whether the minibatches of an epoch are equally long. Runs of earlier versions keep
    /// minibatches of unequal length, so that they end with the same bot.
    #[serde(default)]
    pub even_minibatches: bool,
    /// Optimiser steps.
    #[serde(default)]
    pub adam_steps: u64,
    /// Optimiser steps of the critic.
    #[serde(default)]
    pub critic_steps: u64,
    /// Steps of the moving average of the weights.
    #[serde(default)]
    pub average_steps: u64,
    /// The best evaluation during training.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub best: Option<Best>,
}

/// The best evaluation during training, with the settings that make results comparable.
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
    /// Returns whether two results are of the same deals against the same baseline.
    pub fn is_comparable(&self, other: &Best) -> bool {
        (&self.baseline, self.deals, self.seed) == (&other.baseline, other.deals, other.seed)
    }
}

/// Number of checkpoints to keep: the latest, and older ones in case it is damaged.
const MAX_CHECKPOINTS: usize = 3;

/// State of a run: the content of a checkpoint.
pub struct RunState {
    /// Metadata of the bot.
    pub info: BotInfo,
    /// Networks and optimisers.
    pub learned: Learned,
    /// Pool of past selves, oldest first.
    pub pool: Vec<Weights>,
    /// Counters.
    pub progress: Progress,
}

/// State of the optimiser.
const OPTIMIZER_FILE: &str = "optimizer.safetensors";
/// Past selves.
const POOL_FILE: &str = "pool.safetensors";
/// Critic and the state of its optimiser.
const CRITIC_FILE: &str = "critic.safetensors";
/// Moving average of the weights.
const AVERAGE_FILE: &str = "average.safetensors";
/// Counters ([`Progress`]).
const PROGRESS_FILE: &str = "trainer.toml";

/// A checkpoint to resume from, which may be damaged.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Candidate {
    iteration: u64,
    /// Preference among checkpoints of one iteration: the plain name is the best, then a complete
    /// `.new` that a kill left, then `.old`.
    rank: u8,
    /// Its folder.
    pub path: PathBuf,
}

/// Returns the checkpoints of a run, latest first; some may be damaged. Half-written and
/// half-removed ones are not included.
pub fn candidates(run: &Path) -> Vec<Candidate> {
    let folder = run.join(CHECKPOINTS_FOLDER);
    let mut found = Vec::new();
    let entries = std::fs::read_dir(&folder).into_iter().flatten().flatten();
    for path in entries.map(|entry| entry.path()) {
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_string();
        let (number, suffix) = name.split_at(name.find('.').unwrap_or(name.len()));
        let rank = match suffix {
            "" => 2,
            // Complete, but killed before it was renamed.
            ".new" if ChecksummedFolder::new(&path).is_ok_and(|checked| checked.is_sealed()) => 1,
            ".old" => 0,
            _ => continue,
        };
        if let Ok(iteration) = number.parse() {
            found.push(Candidate { iteration, rank, path });
        }
    }
    // In earlier versions the folder was the only checkpoint.
    for (rank, path) in [(1, folder.clone()), (0, troel_files::beside(&folder, ".old"))] {
        if path.join(INFO_FILE).exists() || path.join(PROGRESS_FILE).exists() {
            found.push(Candidate { iteration: 0, rank, path });
        }
    }
    found.sort_by(|a, b| b.cmp(a));
    found
}

/// Renames a damaged checkpoint, so that it does not count as one of those to keep and does not
/// block its successor. If it cannot be renamed, it stays.
pub fn set_aside(path: &Path) {
    let aside = troel_files::beside(path, ".damaged");
    let moved = troel_files::remove_folder(&aside).and_then(|()| troel_files::rename(path, &aside));
    if let Err(error) = moved {
        tracing::warn!("{}: {error}", path.display());
    }
}

/// Removes all checkpoints but the latest [`MAX_CHECKPOINTS`], and the remains of interrupted
/// writes.
fn remove_old(run: &Path) -> Result<(), BundleError> {
    let all = candidates(run);
    let whole = all.iter().filter(|c| c.rank == 2);
    for old in whole.skip(MAX_CHECKPOINTS) {
        // It is renamed first, because a half-removed folder is not a checkpoint.
        let discarded = troel_files::beside(&old.path, ".old");
        let removed = troel_files::remove_folder(&discarded)
            .and_then(|()| troel_files::rename(&old.path, &discarded));
        removed.map_err(|error| (old.path.clone(), error))?;
    }
    let entries = std::fs::read_dir(run.join(CHECKPOINTS_FOLDER)).into_iter().flatten().flatten();
    for path in entries.map(|entry| entry.path()) {
        if path.extension().is_some_and(|suffix| suffix == "new" || suffix == "old") {
            troel_files::remove_folder(&path).map_err(|error| (path.clone(), error))?;
        }
    }
    Ok(())
}

/// Writes a checkpoint into the folder of the run, and removes the oldest ones.
///
/// # Errors
/// The folder does not exist, or a file cannot be written.
pub fn save(run: &Path, state: RunState) -> Result<(), BundleError> {
    // A folder that was removed is not created again.
    std::fs::read_dir(run).map_err(|error| (run.to_path_buf(), error))?;
    let path = &run.join(CHECKPOINTS_FOLDER).join(format!("{:08}", state.progress.iteration));
    let RunState { info, learned, pool, progress } = state;
    let Learned { weights, adam, average, critic } = learned;
    let bundle = Bundle { info, weights };
    let progress = Progress {
        adam_steps: adam.steps,
        critic_steps: critic.as_ref().map_or(0, |(_, adam)| adam.steps),
        average_steps: average.as_ref().map_or(0, |average| average.steps),
        ..progress
    };
    let text = toml::to_string(&progress).map_err(|e| BundleError::Damaged {
        path: path.join(PROGRESS_FILE),
        message: e.to_string(),
    })?;
    write_folder(path, |folder| {
        bundle.write_files(folder)?;
        let vectors = |file: &str, vectors: &mut dyn Iterator<Item = (String, &Vec<f32>)>| {
            let shaped = vectors.map(|(name, v)| (name, vec![v.len()], v.as_slice()));
            save_tensors(&folder.join(file), shaped)
        };
        let named = |name: &str, values| (name.to_string(), values);
        let moments = [named("mean", &adam.mean), named("square", &adam.square)];
        vectors(OPTIMIZER_FILE, &mut moments.into_iter())?;
        let past = pool.iter().enumerate();
        vectors(POOL_FILE, &mut past.map(|(i, w)| (format!("{i:04}"), &w.values)))?;
        if let Some((critic, adam)) = &critic {
            let parts = [
                named("values", &critic.values),
                named("mean", &adam.mean),
                named("square", &adam.square),
            ];
            vectors(CRITIC_FILE, &mut parts.into_iter())?;
        }
        if let Some(average) = &average {
            vectors(AVERAGE_FILE, &mut std::iter::once(named("values", &average.values)))?;
        }
        write_file(&folder.join(PROGRESS_FILE), text.as_bytes())
    })?;
    remove_old(run)
}

/// Returns a vector with one entry per weight. If `values` belong to a network with the features of
/// an earlier version, the entries of new features are zero. Returns `None` if the length is wrong.
fn widened(mut values: Vec<f32>, len: usize, hidden: usize) -> Option<Vec<f32>> {
    let missing = len.checked_sub(values.len())?;
    let is_missing = |known: &usize| (N_FEATURES - known) * hidden == missing;
    let known = [N_FEATURES].into_iter().chain(OLD_N_FEATURES).find(is_missing)?;
    if known * hidden > values.len() {
        return None;
    }
    insert_new_features(&mut values, known, hidden);
    Some(values)
}

/// Reads the rest of a checkpoint, given its bundle. `critic` has the sizes of the run's critic,
/// and `ema_decay` is the decay of its moving average.
///
/// # Errors
/// A file is missing or damaged.
pub fn load(
    path: &Path,
    bundle: Bundle,
    critic: Option<NetworkConfig>,
    ema_decay: Option<f32>,
) -> Result<RunState, BundleError> {
    let files = ChecksummedFolder::new(path)?;
    let file = path.join(PROGRESS_FILE);
    let damaged =
        |file: &Path, message: String| BundleError::Damaged { path: file.to_path_buf(), message };
    let text = String::from_utf8(files.read(PROGRESS_FILE)?);
    let text = text.map_err(|error| damaged(&file, error.to_string()))?;
    let progress: Progress = toml::from_str(&text).map_err(|e| damaged(&file, e.to_string()))?;
    let Bundle { info, weights } = bundle;
    let (config, len) = (weights.config, weights.values.len());
    let hidden = config.hidden;
    // `hidden` is the width of the network that the vectors belong to.
    let vectors = |name: &str, names: &[&str], len: usize, hidden: usize| {
        let file = path.join(name);
        let mut found = files.tensors(name)?;
        let vector = |name: &&str| {
            let found = found.remove(*name).map(|(_, values)| values);
            found.and_then(|values| widened(values, len, hidden)).ok_or_else(|| {
                let message = format!(
                    "tensor {name} is missing or has the wrong length. Finish this run with the \
                     version of troel that started it, or start a new run with \
                     `--set init=RUN/bot`"
                );
                damaged(&file, message)
            })
        };
        names.iter().map(vector).collect::<Result<Vec<_>, _>>()
    };
    let mut moments = vectors(OPTIMIZER_FILE, &["mean", "square"], len, hidden)?.into_iter();
    let mut next = || moments.next().unwrap_or_default();
    let adam = Adam { mean: next(), square: next(), steps: progress.adam_steps };
    let critic = match critic {
        None => None,
        Some(config) => {
            let names = ["values", "mean", "square"];
            let found = vectors(CRITIC_FILE, &names, Critic::len(&config), config.hidden)?;
            let mut parts = found.into_iter();
            let mut next = || parts.next().unwrap_or_default();
            let critic = Critic { config, values: next() };
            Some((critic, Adam { mean: next(), square: next(), steps: progress.critic_steps }))
        }
    };
    let average = match ema_decay {
        None => None,
        Some(decay) => {
            let values = vectors(AVERAGE_FILE, &["values"], len, hidden)?.pop().unwrap_or_default();
            Some(Average { values, decay, steps: progress.average_steps })
        }
    };
    let file = path.join(POOL_FILE);
    let mut past: Vec<_> = files.tensors(POOL_FILE)?.into_iter().collect();
    past.sort_by(|a, b| a.0.cmp(&b.0));
    let pool = past.into_iter().map(|(name, (_, values))| match widened(values, len, hidden) {
        Some(values) => Ok(Weights { config, values }),
        None => Err(damaged(&file, format!("tensor {name} has the wrong length"))),
    });
    let pool = pool.collect::<Result<Vec<_>, _>>()?;
    Ok(RunState { info, learned: Learned { weights, adam, average, critic }, pool, progress })
}
