//! Trained bots without a tensor library: enough to load a bot and ask it what it would do, small enough to go
//! anywhere.
//!
//! Rooms: [`weights`] is the network as plain numbers; [`bundle`] reads and writes checkpoints; [`sparse`] holds
//! observations as the first layer wants them; [`forward`] computes logits and values; [`policy`] turns logits into
//! actions; [`onnx`] writes the network for other programs; [`protocol`] answers
//! their requests; [`table`] is a person at a table with three bots.

pub mod bundle;
mod dense;
pub mod forward;
pub mod onnx;
pub mod policy;
pub mod protocol;
pub mod sparse;
pub mod table;
pub mod weights;

pub use bundle::{BotInfo, Bundle, BundleError, MatchSummary};
pub use forward::{Forward, Input};
pub use policy::{ILLEGAL_LOGIT, draw, likeliest, probabilities};
pub use protocol::Thought;
pub use sparse::Rows;
pub use weights::{NetworkConfig, TensorSpec, Weights};
