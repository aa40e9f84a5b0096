//! State of a run.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use troel_nn::{BotInfo, Bundle, Weights};

use crate::train_state::TrainState;

/// State of a run: the content of a checkpoint.
pub struct RunState {
    /// Metadata of the bot. [`RunState::bot_info`] adds the progress.
    pub info: BotInfo,
    /// Networks and optimisers.
    pub train_state: TrainState,
    /// Pool of past selves, oldest first.
    pub past_selves: VecDeque<Weights>,
    /// Progress, and facts that a resumed run needs.
    pub progress: RunProgress,
}

impl RunState {
    /// Returns the metadata of the bot, with the progress so far.
    pub fn bot_info(&self) -> BotInfo {
        let RunProgress { deals, steps, seconds, core_seconds, .. } = self.progress;
        BotInfo { deals, steps, train_seconds: seconds, core_seconds, ..self.info.clone() }
    }

    /// Returns the current bot as a bundle.
    pub fn bundle(&self) -> Bundle {
        Bundle { info: self.bot_info(), weights: self.train_state.bot_weights() }
    }

    /// Adds the current weights to the pool of past selves, which keeps the `size` latest.
    pub fn add_past_self(&mut self, size: usize) {
        self.past_selves.push_back(self.train_state.weights.clone());
        if self.past_selves.len() > size {
            self.past_selves.pop_front();
        }
    }
}

/// Progress of a run, and the facts about it that a resumed run needs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RunProgress {
    /// Iterations done, imitation included.
    pub iteration: u64,
    /// Decisions trained on, those of the bot that the run started from included.
    pub steps: u64,
    /// Deals played, those of that bot included.
    pub deals: u64,
    /// Seconds of collection and updates, those of that bot included.
    pub seconds: f64,
    /// Seconds times threads of all processes, those of that bot included. `None` if a part
    /// was trained before this was counted.
    #[serde(default)]
    pub core_seconds: Option<f64>,
    /// Hash of the rule sets of the run. Empty in checkpoints of versions without this field.
    #[serde(default)]
    pub rule_sets: String,
    /// Whether the minibatches of an epoch are equally long. Runs of earlier versions keep
    /// minibatches of unequal length, so that they end with the same bot.
    #[serde(default)]
    pub even_minibatches: bool,
    /// The best evaluation during training.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub best: Option<BestResult>,
}

/// Content of the progress file: progress of the run, and steps of the optimisers.
///
/// The vectors of the optimisers are in separate files.
#[derive(Serialize, Deserialize)]
pub(super) struct StoredProgress {
    #[serde(flatten)]
    pub run: RunProgress,
    /// Optimiser steps.
    #[serde(default)]
    pub adam_steps: u64,
    /// Optimiser steps of the critic.
    #[serde(default)]
    pub critic_steps: u64,
    /// Steps of the moving average of the weights.
    #[serde(default)]
    pub average_steps: u64,
}

/// The best evaluation during training, with the settings that make results comparable.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BestResult {
    /// Points per deal beyond the baseline's.
    pub points: f64,
    /// The first baseline of the recipe.
    pub baseline: String,
    /// Number of deals.
    pub deals: u64,
    /// Seed of the deals.
    pub seed: u64,
}

impl BestResult {
    /// Returns whether two results are of the same deals against the same baseline.
    pub fn is_comparable(&self, other: &BestResult) -> bool {
        (&self.baseline, self.deals, self.seed) == (&other.baseline, other.deals, other.seed)
    }
}
