//! The processes that train together.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use troel_nn::Weights;

use crate::checkpoint::RunState;
use crate::collective::{Collective, CollectiveError};
use crate::error::TrainError;
use crate::load_balancer::LoadBalancer;
use crate::recipe_diff::differing_keys;
use crate::rollout::{Chunks, Rollout};
use crate::update::UpdateContext;

/// This process among those that train together. All have the same weights, and all stop if one of
/// them is interrupted.
pub(super) struct Processes {
    /// The first process alone writes to the run.
    collective: Arc<dyn Collective>,
    /// Division of the chunks of a rollout among the processes.
    load_balancer: LoadBalancer,
    /// Set from outside to interrupt the training.
    stop: Arc<AtomicBool>,
}

impl Processes {
    /// Returns the processes of a collective, with a stop flag that is not set.
    pub fn new(collective: Arc<dyn Collective>) -> Processes {
        let load_balancer = LoadBalancer::new(collective.size());
        Processes { collective, load_balancer, stop: Arc::default() }
    }

    /// Returns whether this is the process that writes files and messages.
    pub fn is_first(&self) -> bool {
        self.collective.is_first()
    }

    /// Waits for all processes.
    ///
    /// # Errors
    /// Another process cannot be reached.
    pub fn wait(&self) -> Result<(), CollectiveError> {
        self.collective.wait()
    }

    /// Returns the number of threads of all processes.
    pub fn threads(&self) -> usize {
        rayon::current_num_threads() * self.collective.size()
    }

    /// Lets a flag interrupt the work.
    pub fn stop_with(&mut self, flag: Arc<AtomicBool>) {
        self.stop = flag;
    }

    /// Returns the flag that interrupts the work.
    pub fn stop_flag(&self) -> &AtomicBool {
        &self.stop
    }

    /// Returns whether this process is interrupted.
    pub fn stops(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Waits for all processes, and interrupts this one if any is interrupted.
    ///
    /// # Errors
    /// Another process cannot be reached.
    pub fn share_stop(&self) -> Result<(), CollectiveError> {
        let stops = self.collective.any(self.stops())?;
        self.stop.fetch_or(stops, Ordering::Relaxed);
        Ok(())
    }

    /// Returns the context of an update.
    pub fn update_context(&self) -> UpdateContext<'_> {
        UpdateContext { collective: self.collective.as_ref(), stop: Some(&self.stop) }
    }

    /// Returns the part of `chunks` that this process collects.
    pub fn own_share(&self, chunks: u64) -> Range<u64> {
        self.load_balancer.share_of(self.collective.rank(), chunks)
    }

    /// Merges the chunks of all processes into a rollout. Returns `None` if one of them is
    /// interrupted.
    ///
    /// # Errors
    /// Another process cannot be reached, or its chunks cannot be read.
    pub fn merge(&mut self, own: Chunks) -> Result<Option<Rollout>, CollectiveError> {
        let stops = self.stops();
        let (chunks, stops) = match self.collective.size() {
            1 => (own, stops),
            _ => self.exchange(own, stops)?,
        };
        // A process that is interrupted interrupts all.
        Ok((!stops).then(|| chunks.merged()))
    }

    /// Exchanges chunks with the other processes. The second value is whether any process stops.
    fn exchange(&mut self, own: Chunks, stops: bool) -> Result<(Chunks, bool), CollectiveError> {
        let unreadable = |rank, error: postcard::Error| CollectiveError::Unreadable {
            rank,
            reason: error.to_string(),
        };
        let own_rank = self.collective.rank();
        let bytes = postcard::to_stdvec(&(stops, &own));
        let bytes = bytes.map_err(|error| unreadable(own_rank, error))?;
        let mut speeds = vec![(own.threads, own.seconds_per_chunk); self.collective.size()];
        let (mut all, mut any_stops) = (own, stops);
        for (rank, theirs) in self.collective.all_gather(&bytes)?.iter().enumerate() {
            if rank != own_rank {
                let (stops, chunks): (bool, Chunks) =
                    postcard::from_bytes(theirs).map_err(|error| unreadable(rank, error))?;
                speeds[rank] = (chunks.threads, chunks.seconds_per_chunk);
                any_stops |= stops;
                all.add(chunks);
            }
        }
        // An interrupted process skipped chunks, so its times are not those of whole chunks.
        if !any_stops {
            for (rank, (threads, seconds)) in speeds.into_iter().enumerate() {
                self.load_balancer.record(rank, threads, seconds);
            }
        }
        Ok((all, any_stops))
    }

    /// Checks that all processes have the same program, recipe, rules and weights.
    ///
    /// # Errors
    /// A process differs, or cannot be reached.
    pub fn check_fit(&self, state: &RunState) -> Result<(), TrainError> {
        let build = format!("{} {}", env!("CARGO_PKG_VERSION"), state.info.commit);
        self.collective.agree("version of the program", build)?;
        let recipe = state.info.training.to_string();
        let recipes = self.collective.all_gather(recipe.as_bytes())?;
        if let Some(rank) = recipes.iter().position(|other| *other != recipes[0]) {
            // A recipe that cannot be read has no keys to name. The hashes below differ.
            let table = |bytes: &[u8]| String::from_utf8_lossy(bytes).parse().unwrap_or_default();
            let keys = differing_keys(&table(&recipes[0]), &table(&recipes[rank])).join(", ");
            if !keys.is_empty() {
                return Err(CollectiveError::Recipe { rank, keys }.into());
            }
        }
        self.collective.agree("recipe", blake3::hash(recipe.as_bytes()))?;
        self.collective.agree("rule sets", &state.progress.rule_sets)?;
        self.collective.agree("number of iterations done", state.progress.iteration)?;
        Ok(self.check_agreement(&state.train_state.weights)?)
    }

    /// Checks that all processes have the same weights.
    ///
    /// # Errors
    /// The weights of a process differ, or it cannot be reached.
    pub fn check_agreement(&self, weights: &Weights) -> Result<(), CollectiveError> {
        if self.collective.size() == 1 {
            return Ok(());
        }
        let mut hasher = blake3::Hasher::new();
        weights.values.iter().for_each(|weight| {
            hasher.update(&weight.to_le_bytes());
        });
        self.collective.agree("network", hasher.finalize())
    }
}
