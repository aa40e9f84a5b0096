//! Troel's networks without a tensor library: enough to load a trained bot and compute what it makes of an observation,
//! small enough to go anywhere.
//!
//! [`weights`] is the network as plain numbers; [`bundle`] reads and writes checkpoints; [`sparse`] holds observations as
//! the first layer takes them; [`forward`] computes logits and values; [`policy`] turns logits into actions; [`onnx`]
//! writes the network for other programs.

pub mod bundle;
mod dense;
pub mod forward;
pub mod onnx;
pub mod policy;
pub mod sparse;
pub mod weights;

pub use bundle::{BotInfo, Bundle, BundleError, MatchSummary};
pub use forward::{Forward, Input};
pub use policy::{ILLEGAL_LOGIT, draw, likeliest, log_probability, probabilities};
pub use sparse::Rows;
pub use weights::{NetworkConfig, TensorSpec, Weights};
