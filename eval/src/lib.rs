//! Troel's evaluation: duplicate matches between bots, with clustered confidence intervals.
//!
//! - [`series`] generates the deals.
//! - [`duplicate`] compares a challenger with a baseline on the same deals and seats.
//! - [`regret`] measures card play with a double-dummy solver.
//! - [`statistics`] computes means and intervals, [`control`] narrows them, and [`sequential`]
//!   stops when they suffice.
//! - [`mod@behaviour`] counts the calls and leads of a bot.
//! - [`problems`] asks for decisions with known answers.
//! - [`corpus`] stores decisions with the values of a search, and judges bots by them.
//! - [`report`] formats and merges results.
//! - [`stored`] keeps results of many matches, [`ladder`] fits strengths to them, [`standings`]
//!   prints them with their misfit, and [`mod@cross_table`] shows pairs.
//! - [`seeds`] compares recipes over training seeds.
//! - [`tables`] seats two bots in all compositions.
//! - [`match_wins`] counts the matches won where others count points.
//! - [`best_response`] finds the gain that is possible against a bot.
//! - [`mod@calibration`] compares the predictions of a bot with the outcomes.

mod alpha_rank;
pub mod behaviour;
pub mod best_response;
pub mod calibration;
mod chunks;
pub mod control;
pub mod corpus;
pub mod cross_table;
pub mod duplicate;
mod error;
pub mod exact;
pub mod ladder;
pub mod match_wins;
pub mod problems;
pub mod regret;
pub mod report;
pub mod seeds;
pub mod sequential;
pub mod series;
pub mod standings;
pub mod statistics;
pub mod stored;
pub mod tables;

pub use behaviour::{Behaviour, behaviour};
pub use chunks::DEALS_PER_CHUNK;
pub use control::Controlled;
pub use cross_table::cross_table;
pub use duplicate::{
    DuplicateConfig, DuplicateResult, Format, Scope, play_by_deal, play_duplicate, play_until,
};
pub use error::EvalError;
pub use match_wins::{MatchWins, play_matches};
pub use regret::Regret;
pub use report::{MatchReport, Report};
pub use sequential::{Sprt, Verdict};
pub use standings::strength_table;
