//! Results of a bot that its metadata keeps.

use serde::{Deserialize, Serialize};

/// Result of a comparison with a baseline.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ComparisonSummary {
    /// Name of the baseline.
    pub baseline: String,
    /// `full`, `bidding` or `play`.
    pub scope: String,
    /// Mean points per deal minus the baseline's on the same deals and seats.
    pub points_per_deal: f64,
    /// 95 % confidence interval, as low and high.
    pub ci95: [f64; 2],
    /// Number of deals.
    pub deals: u64,
    /// Seed of the deals.
    pub seed: u64,
    /// The rule set; empty: that of the bot.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub rules: String,
}

/// Result of a bot on a suite of problems with known answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProblemSummary {
    /// Name of the suite.
    pub suite: String,
    /// Number of problems.
    pub problems: u64,
    /// Seed of the problems.
    pub seed: u64,
    /// Share of the problems that it solved, 0 to 1.
    pub solved: f64,
    /// Points lost per problem.
    pub lost: f64,
    /// 95 % confidence interval of the points lost, as low and high.
    pub ci95: [f64; 2],
    /// The rule set; empty: that of the bot.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub rules: String,
}
