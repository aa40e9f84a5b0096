//! Worlds: possible hidden cards. Sampling, weighing by the actions of others, means over worlds.

mod aces;
pub(super) mod call_likelihood;
mod counts;
mod mean;
pub(super) mod network_likelihood;
mod place_probabilities;
mod sampler;
mod weighted_world;

pub use mean::WeightedMean;
pub use place_probabilities::{PlaceProbabilities, place_probabilities};
pub(super) use sampler::world_stream;
pub use sampler::{DrawnWorld, NoWorldError, WorldSampler};
pub use weighted_world::{WeightedWorld, consistent_worlds};
