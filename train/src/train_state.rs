//! State of training: the networks and their optimisers.

use troel_nn::{Critic, Weights};

use crate::optimiser::{Adam, WeightAverage};

/// Networks and optimisers: everything that an update changes.
#[derive(Clone)]
pub struct TrainState {
    /// Weights that samples are collected with.
    pub weights: Weights,
    /// State of the optimiser.
    pub adam: Adam,
    /// Moving average of the weights (`ppo.ema_decay`).
    pub average: Option<WeightAverage>,
    /// The critic that sees all four hands, and the state of its optimiser.
    pub critic: Option<(Critic, Adam)>,
}

impl TrainState {
    /// Returns the weights of the bot. They are the moving average if there is one, else the
    /// current weights.
    pub fn bot_weights(&self) -> Weights {
        let TrainState { weights, average, .. } = self;
        let values = average.as_ref().map_or(&weights.values, |average| &average.values);
        Weights { config: weights.config, values: values.clone() }
    }
}
