//! Training samples: decisions with their targets. [`select`] chooses those to learn from, and
//! [`normalise_advantages`] brings their advantages to one scale.

mod normalise;
mod select;
#[cfg(test)]
mod tests;
mod types;

pub use self::normalise::normalise_advantages;
pub(crate) use self::normalise::{normalise_advantages_by_contract, normalise_advantages_by_rules};
pub(crate) use self::select::select;
pub(crate) use self::types::explained_variance;
pub use self::types::{RecordedDecision, Sample, Targets, TriedCall};
