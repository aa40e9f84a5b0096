//! Files of a run.

use std::path::{Path, PathBuf};

use troel_files::FileError;
use troel_nn::BundleError;

use crate::checkpoint::{self, RunState};
use crate::error::TrainError;
use crate::lock::Lock;
use crate::metrics::Metrics;

/// Folder of a run. If it is removed during training, it is not created again, and the state is
/// saved in a new folder beside it.
pub(super) struct RunFiles {
    folder: PathBuf,
    /// Held by the first process as long as the run may be written to.
    lock: Option<Lock>,
}

impl RunFiles {
    /// Returns the files in a folder, with the lock of the first process.
    pub fn new(folder: PathBuf, lock: Option<Lock>) -> RunFiles {
        RunFiles { folder, lock }
    }

    /// Returns the folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns whether there is a checkpoint, which may be damaged.
    pub fn has_checkpoint(&self) -> bool {
        !checkpoint::candidates(&self.folder).is_empty()
    }

    /// Opens the metrics, and removes those of iterations after `done`.
    pub fn open_metrics(&self, tensorboard: bool, done: u64) -> Metrics {
        Metrics::new(&self.folder, tensorboard, done)
    }

    /// Writes a checkpoint.
    ///
    /// # Errors
    /// It cannot be written; the previous one is then kept.
    pub fn save_checkpoint(&self, state: &RunState) -> Result<(), TrainError> {
        self.write(state, || checkpoint::save(&self.folder, state))
    }

    /// Writes the current bot to `path`, a folder inside that of the run.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn save_bot(&self, path: &Path, state: &RunState) -> Result<(), TrainError> {
        let bundle = state.bundle();
        self.write(state, || bundle.save(path))
    }

    /// Checks that the folder of the run still exists and is this run's. If not, it saves a
    /// checkpoint in a new folder beside it, and returns an error.
    pub fn check(&self, state: &RunState) -> Result<(), TrainError> {
        if self.lock.as_ref().is_none_or(Lock::holds) {
            return Ok(());
        }
        let (run, iteration) = (self.folder.clone(), state.progress.iteration);
        let mut candidates = (1..).map(|n: u64| troel_files::beside(&run, &format!(".saved-{n}")));
        let saved = candidates.find(|path| !path.exists()).expect("some number is not used");
        let created = troel_files::create_folder(&saved).map_err(FileError::at(&saved));
        let written =
            created.map_err(BundleError::from).and_then(|()| checkpoint::save(&saved, state));
        Err(match written {
            Ok(()) => TrainError::RunGone { run, iteration, saved },
            Err(error) => TrainError::RunLost { run, iteration, error },
        })
    }

    /// Turns a failed write into `RunGone` if the run folder was removed. Nothing is written if it
    /// was removed before.
    fn write(
        &self,
        state: &RunState,
        write: impl FnOnce() -> Result<(), BundleError>,
    ) -> Result<(), TrainError> {
        // Checked immediately before the write, which would create the folder again.
        self.check(state)?;
        write().or_else(|error| {
            self.check(state)?;
            Err(error.into())
        })
    }
}
