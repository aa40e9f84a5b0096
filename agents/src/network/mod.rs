//! The network agent: a residual MLP over the feature vector, with a masked policy head and a
//! value head.

mod agent;
pub mod bundle;
mod model;
mod weights;

pub use agent::{Evaluation, NetworkAgent, draw, encode, likeliest};
pub use bundle::{BotInfo, Bundle, BundleError, MatchSummary};
pub use model::{ILLEGAL_LOGIT, Network, default_device, device};
pub use weights::{NetworkConfig, TensorSpec, Weights};
