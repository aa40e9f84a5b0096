//! Troel's evaluation: duplicate comparisons of bots, with clustered confidence intervals.
//!
//! The modules, each after those that it uses:
//!
//! - [`json`] parses JSON that users give, and [`column_width`] lays out text tables.
//! - [`statistics`] computes means and intervals.
//! - [`DealRange`] numbers deals, and [`series`] generates them.
//! - [`regret`] measures card play with a double-dummy solver.
//! - [`duplicate`] compares a challenger with a baseline on the same deals and seats.
//! - [`sequential`] ends a comparison when a test is decided, and [`control`] narrows its interval.
//! - [`report`] formats and merges comparisons.
//! - [`match_wins`] counts the matches won where others count points.
//! - [`exploitation`] finds the gain that is possible against a bot.
//! - [`seeds`] compares recipes over training seeds, and [`compositions`] seats two bots in all
//!   compositions.
//! - [`ladder`] keeps results of many comparisons, fits strengths to them, and prints both.
//! - [`behaviour`] counts the calls and leads of a bot.
//! - [`calibration`] compares the predictions of a bot with the outcomes.
//! - [`corpus`] stores decisions with the values of searches, and computes the losses of bots.
//! - [`problems`] asks for decisions with known answers.
//! - [`exact`] computes exact values of small games.

pub mod behaviour;
pub mod calibration;
mod chunks;
pub mod compositions;
pub mod control;
pub mod corpus;
mod deal_range;
pub mod duplicate;
mod error;
pub mod exact;
pub mod exploitation;
mod forfeits;
pub mod json;
pub mod ladder;
pub mod match_wins;
#[cfg(test)]
mod noise;
pub mod problems;
mod progress;
pub mod regret;
pub mod report;
pub mod seeds;
pub mod sequential;
pub mod series;
pub mod statistics;
mod text_table;

pub use behaviour::{Behaviour, LeadClass, measure_behaviour};
pub use chunks::DEALS_PER_CHUNK;
pub use control::ControlledDifference;
pub use deal_range::{DealRange, MAX_DEALS};
pub use duplicate::{
    DuplicateBots, DuplicateConfig, DuplicateResult, Lineup, Scope, play_by_deal, play_duplicate,
    play_until,
};
pub use error::EvalError;
pub use forfeits::{Forfeits, TooManyForfeits};
pub use match_wins::{MatchWins, play_matches};
pub use progress::ProgressFn;
pub use regret::Regret;
pub use report::{ComparisonReport, Report};
pub use sequential::{Sprt, Verdict};
pub use text_table::column_width;
