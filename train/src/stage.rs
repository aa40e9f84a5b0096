//! Stages of a run.

use crate::config::TrainConfig;

/// Stage of an iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    /// The network learns to imitate a bot.
    Imitation,
    /// PPO with value gradients only (`ppo.value_warmup`).
    ValueWarmup,
    /// PPO with all its losses.
    Ppo,
}

impl Stage {
    /// Returns the stage of the iteration after `done` iterations.
    pub fn of_next(config: &TrainConfig, done: u64) -> Stage {
        match done.checked_sub(config.imitation_iterations()) {
            None => Stage::Imitation,
            Some(ppo_iterations) if ppo_iterations < config.ppo.value_warmup => Stage::ValueWarmup,
            Some(_) => Stage::Ppo,
        }
    }
}
