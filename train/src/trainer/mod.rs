//! A training run: its parts, its start and its steps. It can be resumed at every checkpoint.

mod begin;
mod bots;
mod checks;
mod collect;
mod evaluation_steps;
mod evaluations;
mod initial_state;
mod iterate;
mod processes;
mod run_files;
mod run_rules;
mod train;
mod update_settings;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use burn::tensor::Device;
use troel_agents::NamedBot;
use troel_agents::network::Evaluator;
use troel_nn::{Bundle, Weights};

use self::bots::Bots;
use self::evaluations::Evaluations;
use self::processes::Processes;
use self::run_files::RunFiles;
use self::run_rules::RunRules;
use crate::checkpoint::RunState;
use crate::config::TrainConfig;
use crate::error::TrainError;
use crate::run_folder::BOT_FOLDER;
use crate::stage::Stage;

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
    rules: RunRules,
    bots: Bots,
    device: Device,
    /// Everything that a checkpoint keeps.
    state: RunState,
    files: RunFiles,
    processes: Processes,
    evaluations: Evaluations,
}

impl Trainer {
    /// Returns the folder of the run.
    pub fn run_folder(&self) -> &Path {
        self.files.folder()
    }

    /// Returns the current weights.
    pub fn weights(&self) -> &Weights {
        &self.state.train_state.weights
    }

    /// Returns the weights of the bot. They are the moving average if the recipe asks for one, else
    /// the current weights.
    pub fn bot_weights(&self) -> Weights {
        self.state.train_state.bot_weights()
    }

    /// Returns the current bot as a bundle.
    pub fn bundle(&self) -> Bundle {
        self.state.bundle()
    }

    /// Returns the current bot, under the name `trained`.
    fn trained(&self) -> NamedBot {
        let evaluator = Evaluator::on(&self.bot_weights(), &self.device);
        NamedBot::network("trained", evaluator, Some(self.config.reward_scale))
    }

    /// Returns the iterations done.
    pub fn iteration(&self) -> u64 {
        self.state.progress.iteration
    }

    /// Returns the PPO iterations done.
    fn ppo_iterations(&self) -> u64 {
        self.iteration().saturating_sub(self.config.imitation_iterations())
    }

    /// Returns the stage of the next iteration.
    fn stage(&self) -> Stage {
        Stage::of_next(&self.config, self.iteration())
    }

    /// Returns the total number of iterations, imitation included.
    pub fn total_iterations(&self) -> u64 {
        self.config.imitation_iterations() + self.config.iterations
    }

    /// Lets this flag interrupt [`Trainer::train`] once it is set. An iteration that collects deals
    /// or learns is dropped, an evaluation is finished, a checkpoint is written, and `train`
    /// returns.
    pub fn stop_with(&mut self, flag: Arc<AtomicBool>) {
        self.processes.stop_with(flag);
    }

    /// Returns the path of the finished bot.
    pub fn bot_path(&self) -> PathBuf {
        self.files.folder().join(BOT_FOLDER)
    }

    /// Writes a checkpoint, with all that is needed to resume. It has the weights that learn, not
    /// their average.
    ///
    /// # Errors
    /// It cannot be written; the previous one is then kept.
    pub fn save_checkpoint(&self) -> Result<(), TrainError> {
        self.files.save_checkpoint(&self.state)
    }

    /// Writes the finished bot to `bot/` in the run's folder, and returns that path.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn save_bot(&self) -> Result<PathBuf, TrainError> {
        let path = self.bot_path();
        self.files.save_bot(&path, &self.state)?;
        Ok(path)
    }
}
