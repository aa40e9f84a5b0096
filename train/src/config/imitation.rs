//! Settings of the warm start by imitation.

use serde::{Deserialize, Serialize};

use super::ranges::{MAX_UPDATE_EPOCHS, check_ranges};
use crate::error::ConfigError;

/// Warm start: the network learns to imitate a bot.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ImitationConfig {
    /// The bot to imitate.
    pub bot: String,
    /// Iterations of imitation before PPO.
    pub iterations: u64,
    /// Passes over the samples of an iteration.
    #[serde(default = "default_imitation_epochs")]
    pub update_epochs: u32,
    /// Learning rate of Adam at the start.
    #[serde(default = "default_imitation_rate")]
    pub learning_rate: f32,
    /// Learning rate at the end of the imitation, linear in between, if different from
    /// `learning_rate`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub learning_rate_end: Option<f32>,
    /// Largest number of samples per step of the optimiser, if different from `ppo.minibatch_size`.
    /// Smaller minibatches make more steps. With one training seed they imitated better in the same
    /// time (docs/experiments/14-imitation-steps.md).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub minibatch_size: Option<usize>,
    /// Label smoothing: share of the target probability spread over all legal actions, 0 to below
    /// 1.
    #[serde(default)]
    pub label_smoothing: f32,
}

impl ImitationConfig {
    pub(super) fn check(&self) -> Result<(), ConfigError> {
        let learning_rate_end = self.learning_rate_end.unwrap_or(0.0);
        let minibatch_size = self.minibatch_size.unwrap_or(1);
        check_ranges(&[
            ("imitation.iterations", self.iterations as f64, 0.0, 1e9),
            ("imitation.update_epochs", self.update_epochs.into(), 1.0, MAX_UPDATE_EPOCHS.into()),
            ("imitation.learning_rate", self.learning_rate.into(), 0.0, 1.0),
            ("imitation.learning_rate_end", learning_rate_end.into(), 0.0, 1.0),
            ("imitation.minibatch_size", minibatch_size as f64, 1.0, 1e6),
            ("imitation.label_smoothing", self.label_smoothing.into(), 0.0, 0.999),
        ])
    }
}

fn default_imitation_epochs() -> u32 {
    1
}
fn default_imitation_rate() -> f32 {
    1e-3
}
