//! Bots that search: they sample what the hidden cards could be and solve or play on what follows.

mod aces;
mod advisor;
mod belief;
mod beliefs;
mod counts;
mod evaluate;
mod expert;
mod judged;
mod lookahead;
mod par;
mod pimc;
mod weighted;
mod worlds;

pub use advisor::Advisor;
pub use beliefs::{Beliefs, PlaceProbabilities, WeightedState, by_counts, consistent_worlds};
pub use expert::Expert;
pub use judged::{Judged, Mean};
pub use lookahead::{Effort, Lookahead};
pub use par::{Par, par};
pub use pimc::{Estimate, Pimc};
pub use worlds::{NoWorld, Worlds};
