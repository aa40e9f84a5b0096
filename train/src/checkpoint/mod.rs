//! Checkpoints: state of a run, with all that is needed to resume it.
//!
//! A new checkpoint is complete under its own name before the oldest is removed, so that there is
//! one to resume from at any instant. A damaged one is skipped with a warning, and the one before
//! it is used.

mod candidates;
mod layout;
mod read;
mod state;
mod write;

pub use self::candidates::{CheckpointCandidate, candidates, set_aside};
pub use self::read::load;
pub use self::state::{BestResult, RunProgress, RunState};
pub use self::write::save;
