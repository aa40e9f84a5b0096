//! Trained bots: a residual MLP over the feature vector, with a masked policy head and a value head. On the processor
//! [`troel_infer`] computes it; [`Network`] is the same network for burn, which learns and runs on other devices.

mod agent;
mod model;

pub use agent::{Evaluation, Evaluator, NetworkAgent, tensors};
pub use model::{Network, Trunk, default_device, device, is_processor, matrix_product};
pub use troel_infer::{
    BotInfo, Bundle, BundleError, ILLEGAL_LOGIT, MatchSummary, NetworkConfig, TensorSpec, Weights,
    bundle, draw, likeliest,
};
