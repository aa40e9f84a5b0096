//! Troel's trainer: self-play PPO with a warm start by imitation.
//!
//! Rooms: [`config`] reads recipes; [`rollout`] collects; [`learner`] learns, with
//! [`adam`]; [`trainer`] loops; [`saved`] keeps what a resumed run needs; [`metrics`] records.

pub mod adam;
pub mod config;
pub mod learner;
pub mod metrics;
pub mod rollout;
pub mod saved;
pub mod trainer;

pub use config::TrainConfig;
pub use trainer::{IterationReport, Origin, Trainer};
