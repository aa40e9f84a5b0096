//! Settings of the critic.

use serde::{Deserialize, Serialize};
use troel_nn::{MAX_BLOCKS, MAX_HIDDEN, NetworkConfig};

use super::ranges::{MAX_UPDATE_EPOCHS, check_ranges};
use crate::error::ConfigError;

/// A critic that sees all four hands and learns the returns of the deals.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct CriticConfig {
    /// Width of its hidden layers.
    pub hidden: usize,
    /// Number of its residual blocks.
    pub blocks: usize,
    /// Learning rate of Adam at the start.
    pub learning_rate: f32,
    /// Learning rate at the end of the run; linear in between.
    pub learning_rate_end: f32,
    /// Passes over the samples of an iteration.
    pub update_epochs: u32,
}

impl Default for CriticConfig {
    fn default() -> CriticConfig {
        CriticConfig {
            hidden: 256,
            blocks: 1,
            learning_rate: 5e-4,
            learning_rate_end: 5e-5,
            update_epochs: 1,
        }
    }
}

impl CriticConfig {
    /// Returns the sizes of its network.
    pub fn network(&self) -> NetworkConfig {
        NetworkConfig { hidden: self.hidden, blocks: self.blocks, ..NetworkConfig::default() }
    }

    pub(super) fn check(&self) -> Result<(), ConfigError> {
        check_ranges(&[
            ("critic.hidden", self.hidden as f64, 1.0, MAX_HIDDEN as f64),
            ("critic.blocks", self.blocks as f64, 0.0, MAX_BLOCKS as f64),
            ("critic.learning_rate", self.learning_rate.into(), 0.0, 1.0),
            ("critic.learning_rate_end", self.learning_rate_end.into(), 0.0, 1.0),
            ("critic.update_epochs", self.update_epochs.into(), 1.0, MAX_UPDATE_EPOCHS.into()),
        ])
    }
}
