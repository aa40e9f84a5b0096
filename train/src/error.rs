//! Errors of training.

use std::convert::Infallible;
use std::fmt;
use std::path::PathBuf;

use troel_agents::network::DeviceError;
use troel_agents::{BotError, RegistryError};
use troel_env::{RulesError, Seat};
use troel_eval::EvalError;
use troel_eval::problems::ProblemError;
use troel_nn::{BundleError, SizeError};

use crate::collective::CollectiveError;

/// Reason that a recipe cannot be used.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ConfigError {
    /// A number is out of range.
    #[error("{key} = {value} must be {min} to {max}")]
    OutOfRange {
        /// Key of the recipe.
        key: &'static str,
        /// Its value.
        value: f64,
        /// Smallest allowed value.
        min: f64,
        /// Largest allowed value.
        max: f64,
    },
    /// A seed is larger than the integers of TOML, which are signed.
    #[error("{key} = {seed} must be 0 to {}", i64::MAX)]
    Seed {
        /// Key of the recipe.
        key: &'static str,
        /// Its value.
        seed: u64,
    },
    /// A size of the network is out of range.
    #[error(transparent)]
    Network(#[from] SizeError),
    /// Any other fault, described with its key. The recipe is not valid TOML, or a value is not
    /// allowed or does not fit another one.
    #[error("{0}")]
    Invalid(String),
}

impl ConfigError {
    /// Returns the error with this message.
    pub(crate) fn invalid(message: impl Into<String>) -> ConfigError {
        ConfigError::Invalid(message.into())
    }
}

/// A bot or a lesson failed while samples were collected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{name}{}: {error}", place.map_or_else(String::new, |place| format!(" ({place})")))]
pub struct CollectError {
    /// Name of the bot, or `the learner`; for a lesson, its table of the recipe.
    pub name: String,
    /// Decisions that failed. Only the anchor, the bot that provides the baselines, and lessons
    /// have them. Players have none.
    pub place: Option<FailedBatch>,
    /// The fault.
    pub error: BotError,
}

impl From<Infallible> for CollectError {
    fn from(never: Infallible) -> CollectError {
        match never {}
    }
}

/// Batch of decisions that a bot failed at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FailedBatch {
    /// Number of the chunk of tables within the iteration.
    pub chunk: u64,
    /// Table of the first decision, as its index in the chunk.
    pub table: usize,
    /// Seat of the first decision.
    pub seat: Seat,
    /// Number of decisions.
    pub decisions: usize,
}

impl fmt::Display for FailedBatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let FailedBatch { chunk, table, seat, decisions } = self;
        write!(
            f,
            "asked for {decisions} decisions, the first in chunk {chunk}, at table {table}, for \
             seat {seat}"
        )
    }
}

/// Reason that a run cannot be started or resumed, or that it stopped.
#[derive(Debug, thiserror::Error)]
pub enum TrainError {
    /// The recipe cannot be used.
    #[error("{origin}{error}")]
    Config {
        /// Path of the recipe and a colon, or empty.
        origin: String,
        /// Fault of the recipe.
        error: ConfigError,
    },
    /// The rule set cannot be used.
    #[error(transparent)]
    Rules(#[from] RulesError),
    /// A bot that the recipe names cannot be used.
    #[error("{key}: {error}")]
    Bot {
        /// The key of the recipe.
        key: &'static str,
        /// Reason that the bot cannot be used.
        error: RegistryError,
    },
    /// The device cannot be used.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// A checkpoint cannot be read or written.
    #[error(transparent)]
    Bundle(#[from] BundleError),
    /// The folder already holds a run.
    #[error(
        "{0} already holds a run; continue it with --resume, or name another folder with --run"
    )]
    RunExists(PathBuf),
    /// There is no checkpoint to resume from.
    #[error("{0} holds no checkpoint; start without --resume")]
    NoCheckpoint(PathBuf),
    /// There is a finished bot, but no checkpoint to resume from.
    #[error(
        "{0} holds a bot but no checkpoint. Name another folder with --run; add --set init={0}/bot \
         to start from this bot"
    )]
    OnlyBot(PathBuf),
    /// All checkpoints are damaged.
    #[error(
        "{error}; the run has no undamaged checkpoint. Start a new run, if possible from a bot in \
         {run}/checkpoints or {run}/best with --set init=BOT"
    )]
    AllDamaged {
        /// The run.
        run: PathBuf,
        /// Fault of the latest checkpoint.
        error: BundleError,
    },
    /// The folder is that of a bot, not of a run.
    #[error("{0} is the folder of a bot: name another folder with --run")]
    BotFolder(PathBuf),
    /// The recipe changed since the checkpoint was written, in keys that must stay the same.
    #[error(
        "{path}: {keys} changed since the checkpoint was written; restore the old values, or start \
         a new run with --run"
    )]
    RecipeChanged {
        /// The checkpoint.
        path: PathBuf,
        /// Changed keys of the recipe, with their old and new values.
        keys: String,
    },
    /// The recipe asks for fewer iterations than are done.
    #[error(
        "{path}: {done} iterations are done, but the recipe has only {total} (imitation included); \
         raise `iterations`"
    )]
    TooFewIterations {
        /// The checkpoint.
        path: PathBuf,
        /// Iterations done.
        done: u64,
        /// Iterations in all.
        total: u64,
    },
    /// The recipe does not exist.
    #[error(
        "{path} is not a recipe ({error}).{suggestion} Use a built-in one ({built_in}), or the \
         path of a TOML file"
    )]
    NoRecipe {
        /// The path.
        path: PathBuf,
        /// The reason.
        error: std::io::Error,
        /// Sentence that suggests a recipe with a similar name, after a space, or empty.
        suggestion: String,
        /// Names of the built-in recipes.
        built_in: String,
    },
    /// Another process trains the run.
    #[error(
        "another process ({holder}) is training {run}; wait for it or interrupt it, or name \
         another folder with --run"
    )]
    Locked {
        /// The folder of the run.
        run: PathBuf,
        /// The other process, and the machine that it runs on.
        holder: String,
    },
    /// The file at the path of a run's lock is not a lock.
    #[error("{path} {what}; remove it, or name another folder with --run")]
    ForeignLock {
        /// The path of the lock.
        path: PathBuf,
        /// Fault, phrased to follow the path.
        what: &'static str,
    },
    /// The folder of the run, or the lock in it, is no longer this process's.
    #[error(
        "{run} was removed or replaced during training, which stopped after iteration {iteration}. \
         Its state is in {saved}: move that folder to {run} and continue with --resume"
    )]
    RunGone {
        /// The folder of the run.
        run: PathBuf,
        /// Iterations done.
        iteration: u64,
        /// The folder with a checkpoint of the last iteration.
        saved: PathBuf,
    },
    /// The folder of the run is gone, and its state cannot be saved in another folder.
    #[error(
        "{run} was removed or replaced during training, which stopped after iteration {iteration}. \
         Its state cannot be saved ({error}): restore the folder from a backup and continue with \
         --resume, or start a new run"
    )]
    RunLost {
        /// The folder of the run.
        run: PathBuf,
        /// Iterations done.
        iteration: u64,
        /// Reason that a checkpoint beside the folder cannot be written.
        error: BundleError,
    },
    /// A loss, a gradient or a weight is not finite.
    #[error(
        "iteration {iteration}: {what} became NaN or infinite; the checkpoint was not saved. Lower \
         the learning rate, and start a new run from a checkpoint or kept bot of this one (init)"
    )]
    Diverged {
        /// The iteration.
        iteration: u64,
        /// Name of the quantity that is not finite.
        what: &'static str,
    },
    /// A file or folder of the run cannot be created.
    #[error("the folder of the run cannot be written ({path}: {error}); name another with --run")]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The reason.
        error: std::io::Error,
    },
    /// A bot or a lesson failed while samples were collected.
    #[error("collection: {0}")]
    Collect(CollectError),
    /// The processes of a training cannot continue together.
    #[error(transparent)]
    Collective(#[from] CollectiveError),
    /// A bot failed in an evaluation.
    #[error("evaluation: {0}")]
    Evaluation(EvalError),
    /// The bot failed at a problem.
    #[error("problems: {0}")]
    Problems(ProblemError),
    /// The recipe cannot be serialised.
    #[error("the recipe cannot be written as TOML: {0}")]
    Toml(toml::ser::Error),
}

// The messages include those of the causes: a `source` would be printed twice.
impl From<CollectError> for TrainError {
    fn from(error: CollectError) -> TrainError {
        TrainError::Collect(error)
    }
}

impl From<EvalError> for TrainError {
    fn from(error: EvalError) -> TrainError {
        TrainError::Evaluation(error)
    }
}

impl From<ProblemError> for TrainError {
    fn from(error: ProblemError) -> TrainError {
        TrainError::Problems(error)
    }
}

impl From<toml::ser::Error> for TrainError {
    fn from(error: toml::ser::Error) -> TrainError {
        TrainError::Toml(error)
    }
}

impl From<ConfigError> for TrainError {
    fn from(error: ConfigError) -> TrainError {
        TrainError::Config { origin: String::new(), error }
    }
}
