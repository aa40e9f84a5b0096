//! Settings of the lessons in the defence of open misères.

use serde::{Deserialize, Serialize};

use super::ranges::check_ranges;
use crate::error::ConfigError;

/// Teaches the defence of open misères. If only some cards of a defender keep one beaten, the
/// cross-entropy with these cards is part of the loss.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct DefenceConfig {
    /// Largest number of positions that the solver visits for a card and declarer. Decisions that
    /// need more are not taught.
    pub nodes: u64,
    /// Weight in the loss at the start.
    pub coef: f32,
    /// Weight at the end; linear in between.
    pub coef_end: f32,
}

impl Default for DefenceConfig {
    fn default() -> DefenceConfig {
        DefenceConfig { nodes: 2000, coef: 5.0, coef_end: 5.0 }
    }
}

impl DefenceConfig {
    pub(super) fn check(&self) -> Result<(), ConfigError> {
        check_ranges(&[
            ("defence.nodes", self.nodes as f64, 1.0, 1e9),
            ("defence.coef", self.coef.into(), 0.0, 100.0),
            ("defence.coef_end", self.coef_end.into(), 0.0, 100.0),
        ])
    }
}
