//! The laboratory: comparisons, ladders, behaviour sheets, exploitation, matches and corpora.
//!
//! The functions return the JSON of the program as data, and its text.

pub mod behaviour;
pub mod compare;
mod computation;
pub mod corpus;
pub mod exploit;
pub mod ladder;
pub mod matches;
