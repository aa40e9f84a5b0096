//! Inference of Troel's networks without a tensor library: loads trained bots and computes their
//! policy and value.
//!
//! - [`Weights`] has the sizes and weights of a network, [`Critic`] those of a critic that sees all
//!   hands.
//! - [`bundle`] reads and writes trained bots, with the [`checksums`] of their files.
//! - [`SparseBatch`] stores batches of observations for the input layer.
//! - [`CpuNetwork`] computes logits and values.
//! - [`sample`] and [`most_probable`] turn logits into actions.
//! - [`SuitPermutation`] renames suits for networks with canonical suits.
//! - [`onnx`] writes a network as an ONNX model.

pub mod bundle;
pub mod checksums;
mod critic;
mod dense;
mod forward;
mod input_gradient;
pub mod onnx;
mod policy;
mod sparse;
mod suits;
mod vectors;
mod weights;

pub use bundle::{
    BotInfo, Bundle, BundleError, ComparisonSummary, OnnxBundle, ProblemSummary, TrainedBot,
};
pub use critic::Critic;
pub use forward::{CpuCritic, CpuNetwork, NetworkInput, Scratch};
pub use input_gradient::{ColumnTile, InputGradient};
pub use policy::{ILLEGAL_LOGIT, log_probability, most_probable, probabilities, sample};
pub use sparse::SparseBatch;
pub use suits::SuitPermutation;
pub use weights::{
    LayerRole, LayerSpec, MAX_BLOCKS, MAX_HIDDEN, NetworkConfig, SizeError, TensorSpec, Weights,
    insert_new_features,
};
