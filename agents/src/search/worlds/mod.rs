//! Worlds: possible hidden cards. Sampling, weighing by the actions of others, means over worlds.

mod aces;
pub(super) mod call_likelihood;
mod counts;
mod mean;
pub(super) mod network_likelihood;
mod place_probabilities;
mod sampler;
mod sampling;

pub use mean::Mean;
pub use place_probabilities::{PlaceProbabilities, place_probabilities};
pub use sampler::{DrawnWorld, NoWorldError, WorldSampler};
pub use sampling::{WeightedWorld, consistent_worlds};
pub(super) use sampling::{draw, resample, world_stream};
