//! The processes that share a training.

use std::sync::Arc;

#[cfg(feature = "mpi")]
use troel_train::MpiProcesses;
use troel_train::{Collective, SingleProcess};

use crate::{interrupt, output};

/// Longest wait for another process's part of an iteration. Long, because a network may be down for
/// minutes.
#[cfg(feature = "mpi")]
const PEER_TIMEOUT: std::time::Duration = std::time::Duration::from_secs(1800);

/// The processes that share a training, as seen by this one.
pub struct Processes {
    collective: Arc<dyn Collective>,
    #[cfg(feature = "mpi")]
    mpi: Option<Arc<MpiProcesses>>,
}

/// Prints a note if mpirun started several processes without `--distributed`. The option may have
/// been forgotten.
fn note_alone(is_distributed: bool) {
    let processes = std::env::var("OMPI_COMM_WORLD_SIZE").ok().and_then(|text| text.parse().ok());
    let processes: u32 = processes.unwrap_or(1);
    if !is_distributed && processes > 1 {
        output::note(&format!(
            "mpirun started {processes} processes, but each works alone. Add --distributed to \
             share the work (docs/cluster.md)."
        ));
    }
}

impl Processes {
    /// Joins the other processes of an MPI job if `is_distributed`; otherwise works alone.
    ///
    /// # Errors
    /// MPI cannot be started.
    #[cfg(feature = "mpi")]
    pub fn new(is_distributed: bool) -> anyhow::Result<Processes> {
        note_alone(is_distributed);
        let mpi =
            is_distributed.then(|| MpiProcesses::enter(PEER_TIMEOUT)).transpose()?.map(Arc::new);
        let collective: Arc<dyn Collective> = match &mpi {
            Some(mpi) => mpi.clone(),
            None => Arc::new(SingleProcess),
        };
        Ok(Processes { collective, mpi })
    }

    /// Works alone.
    ///
    /// # Errors
    /// `is_distributed` is set, but the program was built without MPI.
    #[cfg(not(feature = "mpi"))]
    pub fn new(is_distributed: bool) -> anyhow::Result<Processes> {
        anyhow::ensure!(
            !is_distributed,
            "--distributed: this program was built without MPI; build it with --features mpi (docs/cluster.md)"
        );
        note_alone(is_distributed);
        Ok(Processes { collective: Arc::new(SingleProcess) })
    }

    /// Returns the communication between the processes.
    pub fn collective(&self) -> Arc<dyn Collective> {
        self.collective.clone()
    }

    /// Returns whether this process writes files and prints messages.
    pub fn is_first(&self) -> bool {
        self.collective.rank() == 0
    }

    /// Returns whether there is only one process.
    pub fn is_alone(&self) -> bool {
        self.collective.size() == 1
    }

    /// Prints a note, in the first process only.
    pub fn note(&self, text: &str) {
        if self.is_first() {
            output::note(text);
        }
    }

    /// Returns the command that runs `command` with the same number of processes.
    pub fn started(&self, command: String) -> String {
        match self.collective.size() {
            1 => command,
            size => format!("mpirun -n {size} {command} --distributed"),
        }
    }

    /// Leaves an interrupted training whose checkpoint is saved. `hint` says how it continues.
    pub fn interrupted(&self, hint: &str) -> ! {
        self.note(hint);
        // mpirun may end all processes when one ends. Errors are ignored: others may have left.
        let _ = self.collective.wait();
        interrupt::leave()
    }

    /// Ends all processes, because this one failed.
    pub fn fail(&self, error: &anyhow::Error) {
        #[cfg(feature = "mpi")]
        if let Some(mpi) = &self.mpi
            && self.collective.size() > 1
        {
            output::note(&format!("error (process {}): {error:#}", self.collective.rank()));
            mpi.abort();
        }
        #[cfg(not(feature = "mpi"))]
        let _ = error;
    }
}
