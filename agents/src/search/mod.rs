//! Bots that search: they sample the hidden cards, then solve the deal or play it on.

mod aces;
mod action_value;
mod advisor;
mod beliefs;
mod call_likelihood;
mod card_chooser;
mod counts;
mod effort;
mod evaluate;
mod expert;
mod lone_bids;
mod lookahead;
mod network_likelihood;
mod par;
mod pimc;
mod place_probabilities;
mod rollout;
mod solver_pool;
mod weighted;
mod world_sampling;
mod worlds;

pub use action_value::ActionValue;
pub use advisor::Advisor;
pub use beliefs::Beliefs;
pub use effort::Effort;
pub use expert::Expert;
pub use lone_bids::best_lone_bids;
pub use lookahead::Lookahead;
pub use par::{Par, par};
pub use pimc::{Pimc, PointsEstimate};
pub use place_probabilities::{PlaceProbabilities, by_counts};
pub use weighted::Mean;
pub use world_sampling::{WeightedWorld, consistent_worlds};
pub use worlds::{DrawnWorld, NoWorldError, WorldSampler};
