//! Inference of Troel's networks without a tensor library: loads trained bots and computes their
//! policy and value.
//!
//! [`weights`] has the sizes and weights of a network, [`critic`] those of a critic that sees all
//! hands; [`bundle`] reads and writes checkpoints; [`sparse`] stores batches of observations for
//! the input layer; [`forward`] computes logits and values; [`suits`] renames suits for networks
//! with canonical suits; [`policy`] turns logits into actions; [`onnx`] writes the network as an
//! ONNX model.

pub mod bundle;
pub mod checksums;
pub mod critic;
mod dense;
pub mod forward;
pub mod onnx;
pub mod policy;
pub mod sparse;
pub mod suits;
pub mod weights;

pub use bundle::{BotInfo, Bundle, BundleError, MatchSummary, ProblemSummary};
pub use critic::Critic;
pub use forward::{Forward, ForwardCritic, Input};
pub use policy::{ILLEGAL_LOGIT, draw, likeliest, log_probability, probabilities};
pub use sparse::Rows;
pub use weights::{NetworkConfig, TensorSpec, Weights, insert_new_features};
