//! Inference of Troel's networks without a tensor library: loads trained bots and computes their policy and value.
//!
//! [`weights`] has the sizes and weights of a network; [`bundle`] reads and writes checkpoints; [`sparse`] holds
//! batches of observations as the input layer takes them; [`forward`] computes logits and values; [`policy`] turns
//! logits into actions; [`onnx`] writes the network as an ONNX model.

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
