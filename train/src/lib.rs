//! Troel's trainer: self-play PPO with a warm start by imitation.
//!
//! In the order of an iteration: [`config`] reads recipes; [`rollout`] collects [`sample`]s;
//! `advantage` estimates their advantages over a `baseline`, `vine` tries all plausible calls of
//! some auctions, `defence` has lessons from the solver; [`update`] makes gradient steps on a
//! [`loss`] with an [`optimiser`]; `trainer` is the training loop, which a [`collective`] of
//! processes may share; `checkpoint` keeps the state that resuming needs, in the [`run_folder`];
//! `metrics` records.
//!
//! # Cargo features
//!
//! - `cuda`, `wgpu`: devices for the network in addition to the CPU (`device` in a recipe).
//! - `mpi`: trains one bot with several processes or machines. Needs an MPI library.

mod advantage;
mod baseline;
mod checkpoint;
pub mod collective;
pub mod config;
mod defence;
mod error;
pub mod house_rules;
mod learned;
mod load_balancer;
mod lock;
pub mod loss;
mod metrics;
#[cfg(feature = "mpi")]
pub mod mpi;
pub mod optimiser;
mod recipe_diff;
mod report;
mod reward;
pub mod rollout;
pub mod run_folder;
pub mod sample;
mod stage;
mod trainer;
pub mod update;
mod vine;

pub use config::TrainConfig;
pub use error::{ConfigError, TrainError};
pub use report::{EvaluationReport, Event, IterationReport, ProblemsReport};
pub use reward::DealReward;
pub use trainer::{Origin, Trainer};
