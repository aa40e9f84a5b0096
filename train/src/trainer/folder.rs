//! Writing to the folder of a run, which may be removed during training.

use std::path::PathBuf;

use troel_files::FileError;
use troel_nn::{BotInfo, Bundle, BundleError};

use super::Trainer;
use crate::checkpoint::{self, RunState};
use crate::error::TrainError;
use crate::lock::Lock;
use crate::reward::DealReward;

impl Trainer {
    /// Returns the current bot as a bundle.
    ///
    /// # Errors
    /// The recipe cannot be serialised as TOML.
    pub fn bundle(&self) -> Result<Bundle, TrainError> {
        Ok(Bundle { info: self.bot_info()?, weights: self.bot_weights() })
    }

    /// Returns the metadata of the current bot.
    fn bot_info(&self) -> Result<BotInfo, TrainError> {
        let config = &self.config;
        let mut info = BotInfo::new(self.rules, config.network, config.reward_scale, config.seed);
        info.deals = self.progress.deals;
        info.steps = self.progress.steps;
        info.train_seconds = self.progress.seconds;
        info.core_seconds = self.progress.core_seconds;
        info.any_rules = self.rule_set_pool.is_some();
        info.match_totals = config.sees_totals(self.rules);
        info.value_in_points = config.reward != DealReward::MatchGain;
        info.command.clone_from(&self.provenance.command);
        info.commit.clone_from(&self.provenance.commit);
        info.evaluation.clone_from(&self.evaluation);
        info.problems.clone_from(&self.answers);
        info.training = config.to_table()?;
        Ok(info)
    }

    /// Writes a checkpoint, with all that is needed to resume. It has the weights that learn, not
    /// their average.
    ///
    /// # Errors
    /// It cannot be written; the previous one is then kept.
    pub fn save_checkpoint(&self) -> Result<(), TrainError> {
        let state = self.run_state()?;
        self.write(|| checkpoint::save(&self.run, state))
    }

    /// Writes the finished bot to `bot/` in the run's folder, and returns that path.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn save_bot(&self) -> Result<PathBuf, TrainError> {
        let (path, bundle) = (self.bot_path(), self.bundle()?);
        self.write(|| bundle.save(&path))?;
        Ok(path)
    }

    /// Turns a failed write into `RunGone` if the run folder was removed. Nothing is written if it
    /// was removed before.
    pub(super) fn write(
        &self,
        write: impl FnOnce() -> Result<(), BundleError>,
    ) -> Result<(), TrainError> {
        // Checked immediately before the write, which would create the folder again.
        self.check_folder()?;
        write().or_else(|error| {
            self.check_folder()?;
            Err(error.into())
        })
    }

    /// Returns everything that is needed to resume.
    fn run_state(&self) -> Result<RunState, TrainError> {
        Ok(RunState {
            info: self.bot_info()?,
            train_state: self.train_state.clone(),
            pool: self.pool.iter().cloned().collect(),
            progress: self.progress.clone(),
        })
    }

    /// Checks that the folder of the run still exists and is this run's. If not, it saves a
    /// checkpoint in a new folder beside it, and returns an error.
    pub(super) fn check_folder(&self) -> Result<(), TrainError> {
        if self.lock.as_ref().is_none_or(Lock::holds) {
            return Ok(());
        }
        let (run, iteration) = (self.run.clone(), self.progress.iteration);
        let mut candidates = (1..).map(|n: u64| troel_files::beside(&run, &format!(".saved-{n}")));
        let saved = candidates.find(|path| !path.exists()).unwrap_or_default();
        let state = self.run_state()?;
        let created = troel_files::create_folder(&saved).map_err(FileError::at(&saved));
        let written =
            created.map_err(BundleError::from).and_then(|()| checkpoint::save(&saved, state));
        Err(match written {
            Ok(()) => TrainError::RunGone { run, iteration, saved },
            Err(error) => TrainError::RunLost { run, iteration, error },
        })
    }
}
