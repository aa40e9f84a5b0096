//! Reading a checkpoint, including those with fewer features than this program.

use std::path::Path;

use troel_env::N_FEATURES;
use troel_env::features::OLD_N_FEATURES;
use troel_nn::bundle::ChecksummedFolder;
use troel_nn::{Bundle, BundleError, Critic, NetworkConfig, Weights, insert_new_features};

use super::layout::{AVERAGE_FILE, CRITIC_FILE, OPTIMIZER_FILE, POOL_FILE, PROGRESS_FILE};
use super::state::{RunState, StoredProgress};
use crate::optimiser::{Adam, WeightAverage};
use crate::train_state::TrainState;

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
    let reader = Reader { path, files: ChecksummedFolder::new(path)? };
    let progress = reader.progress()?;
    let Bundle { info, weights } = bundle;
    let size = NetworkSize { weights: weights.values.len(), hidden: weights.config.hidden };
    let [mean, square] = reader.vectors(OPTIMIZER_FILE, ["mean", "square"], size)?;
    let adam = Adam { mean, square, steps: progress.adam_steps };
    let critic = critic.map(|config| reader.critic(config, progress.critic_steps)).transpose()?;
    let average = match ema_decay {
        None => None,
        Some(decay) => {
            let [values] = reader.vectors(AVERAGE_FILE, ["values"], size)?;
            Some(WeightAverage { values, decay, steps: progress.average_steps })
        }
    };
    let past_selves = reader.past_selves(weights.config, size)?;
    let train_state = TrainState { weights, adam, average, critic };
    Ok(RunState { info, train_state, past_selves: past_selves.into(), progress: progress.run })
}

/// Sizes of a network that the vectors of its checkpoint depend on.
#[derive(Clone, Copy)]
struct NetworkSize {
    /// Number of weights.
    weights: usize,
    /// Width of the hidden layers.
    hidden: usize,
}

/// Reader of the files of a checkpoint beside those of its bundle.
struct Reader<'a> {
    path: &'a Path,
    files: ChecksummedFolder<'a>,
}

impl Reader<'_> {
    fn progress(&self) -> Result<StoredProgress, BundleError> {
        let path = self.path.join(PROGRESS_FILE);
        let text = String::from_utf8(self.files.read(PROGRESS_FILE)?);
        let text = text.map_err(|error| BundleError::damaged(&path, error))?;
        toml::from_str(&text).map_err(|error| BundleError::damaged(&path, error))
    }

    fn critic(&self, config: NetworkConfig, steps: u64) -> Result<(Critic, Adam), BundleError> {
        let size = NetworkSize { weights: Critic::weight_count(&config), hidden: config.hidden };
        let names = ["values", "mean", "square"];
        let [values, mean, square] = self.vectors(CRITIC_FILE, names, size)?;
        Ok((Critic { config, values }, Adam { mean, square, steps }))
    }

    /// Returns the past selves, oldest first.
    fn past_selves(
        &self,
        config: NetworkConfig,
        size: NetworkSize,
    ) -> Result<Vec<Weights>, BundleError> {
        let mut past: Vec<_> = self.files.tensors(POOL_FILE)?.into_iter().collect();
        past.sort_by(|a, b| a.0.cmp(&b.0));
        let weights = |(name, (_, values))| match widened(values, size) {
            Some(values) => Ok(Weights { config, values }),
            None => {
                let damage = format!("tensor {name} has the wrong length");
                Err(BundleError::damaged(&self.path.join(POOL_FILE), damage))
            }
        };
        past.into_iter().map(weights).collect()
    }

    /// Returns the vectors of these names, each with one entry per weight of a network.
    fn vectors<const N: usize>(
        &self,
        file: &str,
        names: [&str; N],
        size: NetworkSize,
    ) -> Result<[Vec<f32>; N], BundleError> {
        let mut tensors = self.files.tensors(file)?;
        let mut vectors = [const { Vec::new() }; N];
        for (vector, name) in vectors.iter_mut().zip(names) {
            let found = tensors.remove(name).and_then(|(_, values)| widened(values, size));
            *vector = found.ok_or_else(|| BundleError::Damaged {
                path: self.path.join(file),
                message: format!(
                    "tensor {name} is missing or has the wrong length. Finish this run with the \
                     version of troel that started it, or start a new run with \
                     `--set init=RUN/bot`"
                ),
            })?;
        }
        Ok(vectors)
    }
}

/// Returns a vector with one entry per weight of a network. If `values` belong to a network with
/// the features of an earlier version, the entries of new features are zero. Returns `None` if the
/// length is wrong.
fn widened(mut values: Vec<f32>, size: NetworkSize) -> Option<Vec<f32>> {
    let NetworkSize { weights, hidden } = size;
    let missing = weights.checked_sub(values.len())?;
    let is_missing = |known: &usize| (N_FEATURES - known) * hidden == missing;
    let known = [N_FEATURES].into_iter().chain(OLD_N_FEATURES).find(is_missing)?;
    if known * hidden > values.len() {
        return None;
    }
    insert_new_features(&mut values, known, hidden);
    Some(values)
}
