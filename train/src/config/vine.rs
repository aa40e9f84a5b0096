//! Settings of the calls that are tried at some decisions.

use serde::{Deserialize, Serialize};

use super::ranges::check_ranges;
use crate::error::ConfigError;

/// Tries all plausible calls at some decisions of the auction. The deal is played on once for each
/// call, by the bots of its table. The loss raises a call by its advantage even where it is
/// improbable, and lowers it down to a probability of 0.001. It keeps rare contracts from vanishing
/// before their worth is known.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct VineConfig {
    /// Share of the learner's decisions in ordinary auctions, 0 to 1. At these the deal is played
    /// on once for each plausible call, and the loss raises or lowers each by its advantage. The
    /// metric `vine/tried` counts the calls.
    pub share: f32,
    /// Share of the learner's decisions in auctions of scenario deals, 0 to 1.
    pub scenario_share: f32,
    /// Weight in the loss, 0 to 100. Rewards are divided by the standard deviation of the
    /// advantages (`ppo.norm_adv`).
    pub coef: f32,
}

impl Default for VineConfig {
    fn default() -> VineConfig {
        VineConfig { share: 0.02, scenario_share: 0.2, coef: 0.5 }
    }
}

impl VineConfig {
    pub(super) fn check(&self) -> Result<(), ConfigError> {
        check_ranges(&[
            ("vine.share", self.share.into(), 0.0, 1.0),
            ("vine.scenario_share", self.scenario_share.into(), 0.0, 1.0),
            ("vine.coef", self.coef.into(), 0.0, 100.0),
        ])
    }
}
