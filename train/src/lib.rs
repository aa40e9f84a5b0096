//! Troel's trainer: self-play PPO with a warm start by imitation.
//!
//! In the order of an iteration: [`config`] reads recipes; [`rollout`] collects [`sample`]s; [`advantage`] estimates
//! their advantages over a [`baseline`], [`vine`] tries all plausible calls of some auctions,
//! [`defence`] has lessons from the solver; [`update`] makes gradient steps on a [`loss`] with an
//! [`optimiser`]; [`trainer`] is the training loop, which a [`collective`] of processes may share;
//! [`run_folder`] keeps what a run needs to be resumed; [`metrics`] records.

pub mod advantage;
pub mod baseline;
pub mod collective;
pub mod config;
pub mod defence;
pub mod error;
pub mod house_rules;
mod load_balancer;
mod lock;
pub mod loss;
pub mod metrics;
#[cfg(feature = "mpi")]
pub mod mpi;
pub mod optimiser;
mod recipe_diff;
pub mod report;
mod reward;
pub mod rollout;
pub mod run_folder;
pub mod sample;
pub mod trainer;
pub mod update;
pub mod vine;

pub use config::TrainConfig;
pub use error::TrainError;
pub use report::{EvaluationReport, Event, IterationReport, ProblemsReport};
pub use trainer::{Origin, Trainer};
