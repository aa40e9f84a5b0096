//! The training loop: collect, update, evaluate, save; resumable at every checkpoint.

mod begin;
mod bots;
mod checks;
mod collect;
mod evaluate;
mod folder;
mod initial_state;
mod iterate;
mod problems;
mod train;
mod update_settings;

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};

use burn::tensor::Device;
use troel_agents::network::Evaluator;
use troel_agents::{NamedBot, Registry};
use troel_env::RuleSet;
use troel_eval::problems::PosedProblem;
use troel_nn::{ComparisonSummary, ProblemSummary, Weights};

use self::bots::Bots;
use crate::checkpoint::RunProgress;
use crate::collective::Collective;
use crate::config::TrainConfig;
use crate::load_balancer::LoadBalancer;
use crate::lock::Lock;
use crate::rule_set_pool::RuleSetPool;
use crate::run_folder::BOT_FOLDER;
use crate::stage::Stage;
use crate::train_state::TrainState;

/// Provenance of a bot, stored in its metadata.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Provenance {
    /// The command that trains it.
    pub command: String,
    /// The commit of the program, if known.
    pub commit: String,
}

/// A training run.
pub struct Trainer {
    config: TrainConfig,
    rules: &'static RuleSet,
    rule_set_pool: Option<RuleSetPool>,
    device: Device,
    run: PathBuf,
    provenance: Provenance,
    train_state: TrainState,
    /// Past selves, oldest first.
    pool: VecDeque<Weights>,
    progress: RunProgress,
    evaluation: Vec<ComparisonSummary>,
    answers: Vec<ProblemSummary>,
    /// Problems of the evaluations, once they are generated.
    problems: OnceLock<Vec<PosedProblem>>,
    registry: Registry,
    bots: Bots,
    /// Set from outside to interrupt the training.
    stop: Arc<AtomicBool>,
    /// The processes that train together; the first alone writes to the run.
    collective: Arc<dyn Collective>,
    /// Division of the chunks of a rollout among the processes.
    load_balancer: LoadBalancer,
    /// Held by the first process as long as the run may be written to.
    lock: Option<Lock>,
}

impl Trainer {
    /// Returns the folder of the run.
    pub fn run_folder(&self) -> &Path {
        &self.run
    }

    /// Returns the current weights.
    pub fn weights(&self) -> &Weights {
        &self.train_state.weights
    }

    /// Returns the weights of the bot. They are the moving average if the recipe asks for one, else
    /// the current weights.
    pub fn bot_weights(&self) -> Weights {
        let TrainState { weights, average, .. } = &self.train_state;
        let values = average.as_ref().map_or(&weights.values, |average| &average.values);
        Weights { config: weights.config, values: values.clone() }
    }

    /// Returns the current bot, under the name `trained`.
    fn trained(&self) -> NamedBot {
        let evaluator = Evaluator::on(&self.bot_weights(), &self.device);
        NamedBot::network("trained", evaluator, Some(self.config.reward_scale))
    }

    /// Returns the iterations done.
    pub fn iteration(&self) -> u64 {
        self.progress.iteration
    }

    /// Returns the PPO iterations done.
    fn ppo_iterations(&self) -> u64 {
        self.progress.iteration.saturating_sub(self.config.imitation_iterations())
    }

    /// Returns the stage of the next iteration.
    fn stage(&self) -> Stage {
        Stage::of_next(&self.config, self.progress.iteration)
    }

    /// Returns the total number of iterations, imitation included.
    pub fn total_iterations(&self) -> u64 {
        self.config.imitation_iterations() + self.config.iterations
    }

    /// Lets this flag interrupt [`Trainer::train`] once it is set. An iteration that collects deals
    /// or learns is dropped, an evaluation is finished, a checkpoint is written, and `train`
    /// returns.
    pub fn stop_with(&mut self, flag: Arc<AtomicBool>) {
        self.stop = flag;
    }

    /// Returns the path of the finished bot.
    pub fn bot_path(&self) -> PathBuf {
        self.run.join(BOT_FOLDER)
    }
}
