//! Pool of solvers, one per thread of a search.

use troel_solver::Solver;

use crate::bot::BotError;
use crate::threads::{map_with_workers, threads_for};

/// Memory of the tables of a pool's solvers, in bytes.
#[derive(Clone, Copy)]
pub(super) enum SolverMemory {
    /// Each table has this size.
    PerSolver(usize),
    /// The first table has this size. Tables of further threads share the same amount.
    FirstAndOthers(usize),
}

/// Solvers of a search. They are created on demand and kept between decisions.
pub(super) struct SolverPool {
    memory: SolverMemory,
    /// One solver per thread that was used so far.
    solvers: Vec<Solver>,
}

impl SolverPool {
    /// Creates a pool without solvers.
    pub fn new(memory: SolverMemory) -> SolverPool {
        SolverPool { memory, solvers: Vec::new() }
    }

    /// Runs `work` on each item, on as many threads as the search may use.
    ///
    /// The results are in the order of the items. Each thread has its own solver and inherits the
    /// cancellation token.
    ///
    /// # Errors
    /// The search was cancelled, or `work` failed.
    pub fn map<T: Sync, R: Send>(
        &mut self,
        items: &[T],
        work: impl Fn(&T, &mut Solver) -> Result<R, BotError> + Sync,
    ) -> Result<Vec<R>, BotError> {
        let threads = threads_for(items);
        while self.solvers.len() < threads {
            let bytes = match self.memory {
                SolverMemory::FirstAndOthers(bytes) if !self.solvers.is_empty() => bytes / threads,
                SolverMemory::PerSolver(bytes) | SolverMemory::FirstAndOthers(bytes) => bytes,
            };
            self.solvers.push(Solver::new(bytes));
        }
        map_with_workers(items, &mut self.solvers[..threads], work)
    }
}
