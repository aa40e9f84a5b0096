//! Errors of training.

use std::path::PathBuf;

use troel_agents::RegistryError;
use troel_agents::network::DeviceError;
use troel_env::error::RulesError;
use troel_eval::{DriverError, MatchError};
use troel_nn::BundleError;

/// A recipe that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ConfigError(pub String);

/// Why a run cannot be started, cannot go on, or stopped.
#[derive(Debug, thiserror::Error)]
pub enum TrainError {
    /// The recipe cannot be used.
    #[error("{origin}{error}")]
    Config {
        /// Path of the recipe and a colon, or empty.
        origin: String,
        /// What is wrong with it.
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
        /// What is wrong with the bot.
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
    /// The recipe changed since the checkpoint was written, in keys that must stay the same.
    #[error(
        "{path}: {keys} changed since the checkpoint was written; restore the old values, or start a new run \
         with --run"
    )]
    Changed {
        /// The checkpoint.
        path: PathBuf,
        /// Changed keys of the recipe, with their old and new values.
        keys: String,
    },
    /// The recipe cannot be read, or a folder of the run cannot be created.
    #[error("{path}: {source}")]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The reason.
        source: std::io::Error,
    },
    /// A bot failed while samples were collected.
    #[error("collection: {0}")]
    Driver(#[from] DriverError),
    /// A bot failed in an evaluation.
    #[error("evaluation: {0}")]
    Match(#[from] MatchError),
    /// The recipe cannot be serialised.
    #[error("the recipe cannot be written as TOML: {0}")]
    Toml(#[from] toml::ser::Error),
}

impl From<ConfigError> for TrainError {
    fn from(error: ConfigError) -> TrainError {
        TrainError::Config { origin: String::new(), error }
    }
}
