//! Troel's evaluation: duplicate matches between bots, with honest intervals.
//!
//! [`driver`] plays many sessions at once; [`series`] says which deals; [`duplicate`] compares a challenger with a baseline on
//! the same deals and seats; [`regret`] asks a solver what cards gave away; [`statistics`] counts; [`report`] shows and joins
//! results.

pub mod driver;
pub mod duplicate;
pub mod regret;
pub mod report;
pub mod series;
pub mod statistics;

pub use driver::{Batch, DriverError, Recorder, Seating, Table};
pub use duplicate::{Format, MatchConfig, MatchError, MatchResult, Scope, play_match};
pub use regret::Regret;
pub use report::{MatchReport, Report};
