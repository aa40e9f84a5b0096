//! Evaluation reports, as JSON and as text tables.

pub(crate) mod check;
mod error;
mod merge;
mod show;
mod types;

pub use error::MergeError;
pub use types::{MatchReport, Report};
