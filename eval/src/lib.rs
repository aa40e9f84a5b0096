//! Troel's evaluation: duplicate matches between bots, with honest intervals.
//!
//! Rooms: [`table`] plays deals out; [`duplicate`] compares a challenger with a baseline on
//! the same deals and seats; [`stats`] counts; [`report`] shows and joins results.

pub mod duplicate;
pub mod regret;
pub mod report;
pub mod stats;
pub mod table;

pub use duplicate::{Format, MatchConfig, MatchResult, Scope, play_match};
pub use regret::Regret;
pub use report::{Match, Report};
