//! Parts of a corpus, and errors in making and reading one.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use troel_agents::{NamedBot, PointsEstimate};
use troel_env::{Action, Deal, FEATURE_VERSION, Observation, RuleSet};

use crate::deal_range::DealRange;
use crate::error::EvalError;

/// Version of the format of shards.
pub(super) const CORPUS_FORMAT_VERSION: u32 = 1;

/// Settings that a corpus is made with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CorpusInfo {
    /// Version of the format.
    pub version: u32,
    /// Rule set.
    pub rules: String,
    /// Hash of the rule set.
    pub rules_hash: String,
    /// Identity of the bot that played all four seats: a hash of its weights, or its name.
    pub player: String,
    /// Seed of the evaluation deals, of the choice of positions and of the worlds.
    pub seed: u64,
    /// Worlds in each of the two sets.
    pub worlds: usize,
    /// Maximum number of calls, and maximum number of other decisions, taken from each deal.
    pub per_deal: usize,
    /// Whether features are stored.
    pub features: bool,
    /// Version of the features.
    #[serde(default = "first")]
    pub observation_version: u32,
    /// Deals of the shard.
    pub deals: DealRange,
}

/// A decision of a corpus.
#[derive(Clone, Debug, PartialEq)]
pub struct CorpusDecision {
    /// Number of the deal.
    pub number: u64,
    /// Observation of the seat to act.
    pub observation: Observation,
    /// The legal actions, with the estimates of two searches.
    pub estimates: Vec<(Action, [PointsEstimate; 2])>,
    pub(super) deal: Deal,
    pub(super) history: Vec<Action>,
}

/// Reason that a corpus cannot be made or read.
#[derive(Debug, thiserror::Error)]
pub enum CorpusError {
    /// A file or folder cannot be read or written.
    #[error("{path}: {error}")]
    Io {
        /// The file.
        path: PathBuf,
        /// The reason.
        error: std::io::Error,
    },
    /// A shard is damaged.
    #[error("{path}: {message}; remove it and make it again with `troel corpus make`")]
    Damaged {
        /// The shard.
        path: PathBuf,
        /// Description of the fault.
        message: String,
    },
    /// A file is not a shard, or is a shard of another version.
    #[error(
        "{path} is not a shard of a corpus, or another version of troel wrote it; use another \
         folder"
    )]
    Foreign {
        /// The file.
        path: PathBuf,
    },
    /// A shard was made with other settings than requested, or than other shards.
    #[error("{path}: the shard belongs to another corpus ({what}); use another folder")]
    Differs {
        /// The shard.
        path: PathBuf,
        /// The setting that differs, with its value and the expected one.
        what: String,
    },
    /// Two shards have the same deals.
    #[error("{path}: deal {deal} is also in another shard; remove one of the two")]
    Twice {
        /// The second shard.
        path: PathBuf,
        /// The deal.
        deal: u64,
    },
    /// A folder without shards.
    #[error("{path} has no shards (*.safetensors); make some with `troel corpus make`")]
    Nothing {
        /// The folder.
        path: PathBuf,
    },
    /// The rules are neither built in nor given.
    #[error("{path}: the corpus has the rules {rules} (hash {hash}); name their file with --rules")]
    Rules {
        /// The shard.
        path: PathBuf,
        /// Their name.
        rules: String,
        /// Their hash.
        hash: String,
    },
    /// A bot failed.
    #[error(transparent)]
    Bot(#[from] EvalError),
}

fn first() -> u32 {
    1
}

pub(super) fn io(path: &Path) -> impl FnOnce(std::io::Error) -> CorpusError {
    let path = path.to_path_buf();
    move |error| CorpusError::Io { path, error }
}

pub(super) fn damaged(path: &Path, message: impl std::fmt::Display) -> CorpusError {
    CorpusError::Damaged { path: path.to_path_buf(), message: message.to_string() }
}

impl CorpusInfo {
    /// Describes a corpus of `deals` that `player` plays.
    pub fn new(rules: &RuleSet, player: &NamedBot, deals: DealRange, seed: u64) -> CorpusInfo {
        CorpusInfo {
            version: CORPUS_FORMAT_VERSION,
            rules: rules.id().to_string(),
            rules_hash: rules.hash().to_string(),
            player: player.identity().to_string(),
            seed,
            worlds: 50,
            per_deal: 2,
            features: false,
            observation_version: FEATURE_VERSION,
            deals,
        }
    }

    /// Returns the version of the stored features, if there are any.
    fn observations(&self) -> String {
        if self.features { self.observation_version.to_string() } else { "none".to_string() }
    }

    /// Checks that a shard was made with these settings, except for its deals.
    pub(super) fn check(&self, path: &Path, found: &CorpusInfo) -> Result<(), CorpusError> {
        let pairs = [
            ("version", found.version.to_string(), self.version.to_string()),
            ("rules", found.rules_hash.clone(), self.rules_hash.clone()),
            ("player", found.player.clone(), self.player.clone()),
            ("seed", found.seed.to_string(), self.seed.to_string()),
            ("worlds", found.worlds.to_string(), self.worlds.to_string()),
            ("positions of a deal", found.per_deal.to_string(), self.per_deal.to_string()),
            ("features", found.features.to_string(), self.features.to_string()),
            ("version of the features", found.observations(), self.observations()),
        ];
        match pairs.into_iter().find(|(_, found, wanted)| found != wanted) {
            None => Ok(()),
            Some((what, found, wanted)) => Err(CorpusError::Differs {
                path: path.to_path_buf(),
                what: format!("{what}: {found}, not {wanted}"),
            }),
        }
    }
}
