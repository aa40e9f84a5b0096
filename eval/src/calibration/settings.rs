//! Deals to play and worlds to sample.

use troel_env::{RuleSet, Scenario};

use crate::deal_range::DealRange;
use crate::series::{DEALS_PER_SERIES, is_gathered};

/// Settings of a calibration.
#[derive(Clone, Copy, Debug)]
pub struct CalibrationSettings {
    /// Rule set.
    pub rules: &'static RuleSet,
    /// Deals to play.
    pub deals: DealRange,
    /// Number of deals whose positions judge the sampler. They are the first of the range; in each,
    /// an auction decision and a card-play decision are drawn.
    pub positions: u64,
    /// Number of worlds to sample at each of these.
    pub worlds: usize,
    /// Seed of the deals, the positions, the worlds and the bot's random draws.
    pub seed: u64,
}

impl CalibrationSettings {
    /// Returns the cluster of a deal: deals of one gathered deck depend on each other.
    pub(super) fn cluster(&self, number: u64) -> u64 {
        if is_gathered(self.rules, Scenario::Any) { number / DEALS_PER_SERIES } else { number }
    }
}
