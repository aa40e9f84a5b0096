//! Troel's trainer: self-play PPO with a warm start by imitation.
//!
//! Modules in the order of an iteration: [`config`] reads recipes; `rollout` collects samples with
//! their targets; `sample` selects and normalises them; `update` makes gradient steps on a `loss`
//! with an `optimiser`. `trainer` is the training loop, which a `collective` of processes may
//! share. `checkpoint` keeps the state that resuming needs, in the [`run_folder`]. `metrics` writes
//! the metrics.
//!
//! [`Trainer`] runs a recipe. Its parts can be used alone: [`collect`] and [`update()`].
//! [`bench_support`] has parts of an update for benchmarks.
//!
//! # Cargo features
//!
//! - `cuda`, `wgpu`: devices for the network in addition to the CPU (`device` in a recipe).
//! - `mpi`: trains one bot with several processes or machines. Needs an MPI library.

mod checkpoint;
mod collective;
pub mod config;
mod error;
mod load_balancer;
mod lock;
mod loss;
mod metrics;
#[cfg(feature = "mpi")]
mod mpi;
mod optimiser;
mod recipe_diff;
mod report;
mod reward;
mod rollout;
mod rule_set_pool;
pub mod run_folder;
mod sample;
mod stage;
mod train_state;
mod trainer;
mod update;

#[cfg(feature = "mpi")]
pub use self::mpi::MpiProcesses;
pub use collective::{Collective, CollectiveError, SingleProcess};
pub use config::TrainConfig;
pub use error::{CollectError, ConfigError, FailedBatch, TrainError};
pub use loss::{LossSums, LossTerm, Losses, PpoLoss, TrainingObjective};
pub use optimiser::{Adam, WeightAverage};
pub use report::{EvaluationReport, Event, IterationReport, ProblemsReport};
pub use reward::DealReward;
pub use rollout::{
    AdvantageSettings, BaselineSource, CollectSettings, DealSettings, DealSummary, LessonSettings,
    RecordedPlayer, Rollout, TableKind, TableSettings, collect,
};
pub use rule_set_pool::RuleSetPool;
pub use sample::{RecordedDecision, Sample, Targets, TriedCall, normalise_advantages};
pub use trainer::{Provenance, Trainer};
pub use update::{
    Actor, UpdateContext, UpdateError, UpdateSettings, bench_support, gradient_processes, update,
    update_critic,
};
