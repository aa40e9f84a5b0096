//! Evaluation reports, as JSON and as text tables.

mod check;
mod error;
mod merge;
mod show;
mod types;

pub use error::{MergeError, ReportError};
pub(crate) use types::MAX_STORED_POINTS;
pub use types::{ComparisonReport, Report};
