//! Settings of the lessons in bidding.

use serde::{Deserialize, Serialize};

use super::ranges::check_ranges;
use crate::error::ConfigError;

/// Teaches bids of hands that are certain or strong. If a hand makes an abondance, a slam, `alone`
/// or a misère for any distribution of the other cards, the cross-entropy with the contracts that
/// pay the most is part of the loss ([`troel_env::sure_calls_worth_bidding`]), and its policy
/// gradient is not. With `worlds`, bids that rollouts find best are taught in the same way
/// ([`troel_agents::best_lone_bids`]).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct BidLessonsConfig {
    /// Weight in the loss, above 0 and at most 100.
    pub coef: f32,
    /// Number of sampled worlds in which `rules` plays out the calls of a strong hand without a
    /// sure contract, 0 to 10,000. The calls that are not clearly worse than the best one are
    /// taught if each bids a contract alone for tricks. 0: only sure contracts are taught.
    pub worlds: u32,
    /// Share of the decisions with such hands at which the calls are played out, 0 to 1.
    pub share: f32,
}

impl Default for BidLessonsConfig {
    fn default() -> BidLessonsConfig {
        BidLessonsConfig { coef: 5.0, worlds: 0, share: 0.5 }
    }
}

impl BidLessonsConfig {
    pub(super) fn check(&self) -> Result<(), ConfigError> {
        if !(self.coef > 0.0 && self.coef <= 100.0) {
            return Err(ConfigError::invalid(format!(
                "bid_lessons.coef = {} must be above 0 and at most 100; bid_lessons= trains \
                 without it",
                self.coef
            )));
        }
        check_ranges(&[
            ("bid_lessons.worlds", self.worlds.into(), 0.0, 1e4),
            ("bid_lessons.share", self.share.into(), 0.0, 1.0),
        ])
    }
}
