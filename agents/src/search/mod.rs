//! Bots that search: they sample the hidden cards, then solve the deal or play it on.

mod action_value;
mod advisor;
mod beliefs;
mod budget;
mod card_chooser;
mod evaluate;
mod expert;
mod lone_bids;
mod lookahead;
mod par;
mod pimc;
mod plausible_calls;
mod rollout;
mod settings;
mod solver_pool;
mod worlds;

pub use action_value::ActionValue;
pub use advisor::Advisor;
pub use beliefs::Beliefs;
pub use budget::SearchBudget;
pub use expert::Expert;
pub use lone_bids::best_lone_bids;
pub use lookahead::Lookahead;
pub use par::{Par, par};
pub use pimc::{Pimc, PointsEstimate};
pub use plausible_calls::is_plausible_call;
pub use worlds::{
    DrawnWorld, NoWorldError, PlaceProbabilities, WeightedMean, WeightedWorld, WorldSampler,
    consistent_worlds, place_probabilities,
};
