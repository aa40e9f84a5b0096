//! The training loop.

use std::sync::atomic::Ordering;

use super::Trainer;
use crate::checkpoint;
use crate::error::TrainError;
use crate::metrics::Metrics;
use crate::report::Event;
use crate::run_folder::KEPT_BOTS_FOLDER;

impl Trainer {
    /// Trains until `until` iterations are done or it is interrupted, and saves checkpoints. It
    /// ends at the iterations of the recipe at the latest. Calls `watch` with each event.
    ///
    /// # Errors
    /// A checkpoint cannot be written, a bot failed, or the training diverged; the last checkpoint
    /// is kept then.
    pub fn train(&mut self, until: u64, mut watch: impl FnMut(&Event)) -> Result<(), TrainError> {
        let is_first = self.collective.is_first();
        // Checked first, because `Metrics` would create the folder again.
        self.check_folder()?;
        let open = || Metrics::new(&self.run, self.config.tensorboard, self.progress.iteration);
        let mut metrics = is_first.then(open);
        let until = until.min(self.total_iterations());
        let mut saved = self.progress.iteration;
        while self.progress.iteration < until {
            let Some((report, mut values)) = self.iterate()? else { break };
            let done = self.progress.iteration;
            let due = |every: u64| every > 0 && done.is_multiple_of(every);
            if done > self.config.imitation_iterations() && due(self.config.pool.every) {
                self.add_to_pool();
            }
            self.check_folder()?;
            let is_evaluated = due(self.config.eval.every) && done < self.total_iterations();
            let Some(metrics) = &mut metrics else {
                if is_evaluated {
                    self.collective.wait()?;
                }
                continue;
            };
            let mut events = vec![Event::Iteration(report)];
            if is_evaluated {
                events.extend(self.evaluate_during_training(&mut values)?);
            }
            if due(self.config.checkpoint_keep_every) {
                self.keep_bot()?;
            }
            // Metrics are written before the checkpoint. A resumed run removes the lines after its
            // checkpoint, but cannot restore missing ones.
            metrics.write(done, values.entries());
            let stops = self.stop.load(Ordering::Relaxed);
            if due(self.config.checkpoint_every) || done == until || stops {
                metrics.sync();
                self.save_checkpoint()?;
                saved = done;
            }
            if is_evaluated {
                self.collective.wait()?;
            }
            events.iter().for_each(&mut watch);
        }
        // A run that is interrupted before its first checkpoint can be resumed, too.
        let has_no_checkpoint = || checkpoint::candidates(&self.run).is_empty();
        if let Some(metrics) = metrics
            && (saved < self.progress.iteration
                || self.progress.iteration < until && has_no_checkpoint())
        {
            metrics.sync();
            self.save_checkpoint()?;
        }
        // All processes wait until the first has saved, because mpirun may end all when one ends.
        // All end for the same reason.
        let stops = self.collective.any(self.stop.load(Ordering::Relaxed))?;
        self.stop.fetch_or(stops, Ordering::Relaxed);
        Ok(())
    }

    /// Adds the current weights to the pool of past selves, and drops the oldest if it is full.
    fn add_to_pool(&mut self) {
        self.pool.push_back(self.train_state.weights.clone());
        if self.pool.len() > self.config.pool.size {
            self.pool.pop_front();
        }
    }

    /// Saves the current bot in the folder of kept bots.
    fn keep_bot(&self) -> Result<(), TrainError> {
        let name = format!("{:06}", self.progress.iteration);
        let path = self.run.join(KEPT_BOTS_FOLDER).join(name);
        let bundle = self.bundle()?;
        self.write(|| bundle.save(&path))
    }
}
