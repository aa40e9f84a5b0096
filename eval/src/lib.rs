//! Troel's evaluation: duplicate comparisons of bots, with clustered confidence intervals.
//!
//! The main items, each after those that it uses:
//!
//! - [`parse_json`] parses JSON that users give, and [`column_width`] lays out text tables.
//! - [`ClusteredMean`] computes means and intervals.
//! - [`DealRange`] numbers deals, and [`deals_in`] generates them.
//! - [`Regret`] measures card play with a double-dummy solver.
//! - [`play_duplicate`] compares a challenger with a baseline on the same deals and seats.
//! - [`Sprt`] ends a comparison when a test is decided, and [`correct_by_control`] narrows its
//!   interval.
//! - [`Report`] formats and merges comparisons.
//! - [`play_matches`] counts the matches won where others count points.
//! - [`exploit()`] finds the gain that is possible against a bot, by the candidates of
//!   [`exploiters()`].
//! - [`compare_groups`] compares recipes over training seeds, and [`compare_pairs`] by pairs of
//!   bots that continue from one bot. [`play_compositions`] seats two bots in all compositions.
//! - [`benchmark`] fixes opponents, deals and seeds for results of different groups.
//! - [`ladder`] keeps results of many comparisons, fits strengths to them, and prints both.
//! - [`measure_behaviour`] counts the calls and leads of a bot.
//! - [`measure_calibration`] compares the predictions of a bot with the outcomes.
//! - [`corpus`] stores decisions with the values of searches, and computes the losses of bots.
//! - [`problems`] asks for decisions with known answers.
//! - [`nash_conv`] computes exact values of small games.

mod behaviour;
pub mod benchmark;
mod calibration;
mod chunks;
mod compare;
mod control;
pub mod corpus;
mod deal_range;
mod duplicate;
mod error;
mod exploit;
mod exploiters;
mod forfeits;
mod groups;
mod json;
pub mod ladder;
mod match_wins;
mod nashconv;
#[cfg(test)]
mod noise;
mod paired;
pub mod problems;
mod progress;
mod regret;
mod report;
mod sequential;
mod series;
mod statistics;
mod tables;
mod text_table;

pub use behaviour::{
    Behaviour, ByStrength, ContractCounts, LeadClass, Proposals, measure_behaviour,
};
pub use calibration::{
    Calibration, CalibrationSettings, CardRow, CardSheet, DealPart, Decile, ValueSheet,
    ValueSummary, measure_calibration,
};
pub use chunks::DEALS_PER_CHUNK;
pub use compare::{SeedComparison, SeedComparisonEvent, compare_groups, independent_units};
pub use control::{
    CONTROL_DEALS_PER_DEAL, ControlledDifference, correct_by_control, min_deals_for_control,
};
pub use deal_range::{DealRange, MAX_DEALS};
pub use duplicate::{
    DuplicateBots, DuplicateConfig, DuplicateResult, Lineup, Scope, play_by_deal, play_duplicate,
    play_until,
};
pub use error::EvalError;
pub use exploit::{
    CandidateGain, ExploitEvent, Exploitation, ExploiterCandidate, ExploiterMethod, exploit,
};
pub use exploiters::{ExploiterSettings, MethodObstacle, exploiters, has_policy};
pub use forfeits::{Forfeits, TooManyForfeits};
pub use groups::{GroupError, check_distinct, check_seeds};
pub use json::{JsonError, convert_json, parse_json};
pub use match_wins::{MatchWins, play_matches};
pub use nashconv::{
    BestResponse, BotOutput, NashConv, NashConvError, SeatValue, best_response, nash_conv,
};
pub use paired::{PairedComparison, compare_pairs};
pub use progress::ProgressFn;
pub use regret::{LossCount, Regret, add_regret};
pub use report::{ComparisonReport, MergeError, Report, ReportError};
pub use sequential::{Sprt, SprtError, SprtResult, Verdict};
pub use series::deals_in;
pub use statistics::{ClusteredMean, Estimate, Interval, Tallies, Tally};
pub use tables::{Composition, CompositionPoints, CompositionResults, play_compositions};
pub use text_table::{column_width, deals_with_unit};

/// The examples of `docs/library.md`, so that they are tested.
#[cfg(doctest)]
#[doc = include_str!("../../docs/library.md")]
struct LibraryExamples;
