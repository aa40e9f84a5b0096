//! The folder of a run, which somebody may remove while it is trained.

use troel_nn::{Bundle, BundleError};

use super::Trainer;
use crate::error::TrainError;
use crate::lock::Lock;
use crate::run_folder::{self, RunState};

impl Trainer {
    /// Turns a failed write into `RunGone` if the run folder was removed. Nothing is written if it
    /// was removed before.
    pub(super) fn write(
        &self,
        write: impl FnOnce() -> Result<(), BundleError>,
    ) -> Result<(), TrainError> {
        // Immediately before the write, which would create the folder again.
        self.check_folder()?;
        write().or_else(|error| {
            self.check_folder()?;
            Err(error.into())
        })
    }

    /// Returns everything that is needed to resume.
    pub(super) fn state(&self) -> Result<RunState, TrainError> {
        Ok(RunState {
            bundle: Bundle { weights: self.weights.clone(), ..self.bundle()? },
            adam: self.adam.clone(),
            pool: self.pool.iter().cloned().collect(),
            critic: self.critic.clone(),
            average: self.average.clone(),
            progress: self.progress.clone(),
        })
    }

    /// Checks that the folder of the run is still there. Where it is not, a checkpoint is saved in
    /// a new folder beside it, and nothing is written into what may be another's.
    pub(super) fn check_folder(&self) -> Result<(), TrainError> {
        if self.lock.as_ref().is_none_or(Lock::holds) {
            return Ok(());
        }
        let (run, iteration) = (self.run.clone(), self.progress.iteration);
        let mut beside = (1..).map(|n: u64| troel_files::beside(&run, &format!(".saved-{n}")));
        let saved = beside.find(|path| !path.exists()).unwrap_or_default();
        let made =
            troel_files::create_folder(&saved).map_err(|error| (saved.clone(), error).into());
        let state = self.state()?;
        Err(match made.and_then(|()| run_folder::save(&saved, &state)) {
            Ok(()) => TrainError::RunGone { run, iteration, saved },
            Err(error) => TrainError::RunLost { run, iteration, error },
        })
    }
}
