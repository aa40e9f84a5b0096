//! The training loop.

use std::sync::atomic::Ordering;

use super::Trainer;
use crate::checkpoint;
use crate::error::TrainError;
use crate::metrics::Metrics;
use crate::report::Event;
use crate::run_folder::KEPT_BOTS_FOLDER;

impl Trainer {
    /// Trains until `until` iterations are done, or all if that is fewer, or it is interrupted, and
    /// saves checkpoints. `watch` is called with each event.
    ///
    /// # Errors
    /// A checkpoint cannot be written, a bot failed, or the training diverged; the last checkpoint
    /// is kept then.
    pub fn train(&mut self, until: u64, mut watch: impl FnMut(&Event)) -> Result<(), TrainError> {
        let is_first = self.collective.is_first();
        // Metrics would create the folder again, too.
        self.check_folder()?;
        let new = || Metrics::new(&self.run, self.config.tensorboard, self.progress.iteration);
        let mut metrics = is_first.then(new);
        let until = until.min(self.total_iterations());
        let mut saved = self.progress.iteration;
        while self.progress.iteration < until {
            let Some((report, mut values)) = self.iterate()? else { break };
            let done = self.progress.iteration;
            let due = |every: u64| every > 0 && done.is_multiple_of(every);
            if done > self.config.imitation_iterations() && due(self.config.pool.every) {
                self.pool.push_back(self.learned.weights.clone());
                if self.pool.len() > self.config.pool.size {
                    self.pool.pop_front();
                }
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
                let path = self.run.join(KEPT_BOTS_FOLDER).join(format!("{done:06}"));
                let bundle = self.bundle()?;
                self.write(|| bundle.save(&path))?;
            }
            // Metrics come before the checkpoint: a run that is resumed removes lines that come too
            // early, and cannot make up for those that are missing.
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
        let has_none = || checkpoint::candidates(&self.run).is_empty();
        if let Some(metrics) = metrics
            && (saved < self.progress.iteration || self.progress.iteration < until && has_none())
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
}
