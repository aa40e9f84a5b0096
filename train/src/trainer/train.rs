//! The loop over the iterations of a run, with metrics and checkpoints.

use super::Trainer;
use crate::error::TrainError;
use crate::metrics::Metrics;
use crate::report::{Event, IterationReport, MetricValues};
use crate::run_folder::KEPT_BOTS_FOLDER;

impl Trainer {
    /// Trains until `until` iterations are done or it is interrupted, and saves checkpoints. It
    /// ends at the iterations of the recipe at the latest. Calls `watch` with each event.
    ///
    /// # Errors
    /// A checkpoint cannot be written, a bot failed, or the training diverged; the last checkpoint
    /// is kept then.
    pub fn train(&mut self, until: u64, mut watch: impl FnMut(&Event)) -> Result<(), TrainError> {
        // Checked first, because `Metrics` would create the folder again.
        self.files.check(&self.state)?;
        let open = || self.files.open_metrics(self.config.tensorboard, self.iteration());
        let mut metrics = self.processes.is_first().then(open);
        let until = until.min(self.total_iterations());
        let mut saved = self.iteration();
        while self.iteration() < until {
            let Some((report, values)) = self.iterate()? else { break };
            let done = self.iteration();
            if done > self.config.imitation_iterations() && self.is_due(self.config.pool.every) {
                self.state.add_past_self(self.config.pool.size);
            }
            self.files.check(&self.state)?;
            let is_evaluated =
                self.is_due(self.config.eval.every) && done < self.total_iterations();
            let mut events = Vec::new();
            if let Some(metrics) = &mut metrics {
                // Metrics are written before the checkpoint. A resumed run removes the lines after
                // its checkpoint, but cannot restore missing ones.
                events = self.report_iteration(report, values, is_evaluated, metrics)?;
                let is_last = done == until || self.processes.stops();
                if self.is_due(self.config.checkpoint_every) || is_last {
                    metrics.sync();
                    self.save_checkpoint()?;
                    saved = done;
                }
            }
            if is_evaluated {
                self.processes.wait()?;
            }
            events.iter().for_each(&mut watch);
        }
        // A run that is interrupted before its first checkpoint can be resumed, too.
        if let Some(metrics) = metrics
            && (saved < self.iteration()
                || self.iteration() < until && !self.files.has_checkpoint())
        {
            metrics.sync();
            self.save_checkpoint()?;
        }
        // All processes wait until the first has saved, because mpirun may end all when one ends.
        // All end for the same reason.
        Ok(self.processes.share_stop()?)
    }

    /// Returns whether an action that is repeated every `every` iterations, 0 for never, is due.
    fn is_due(&self, every: u64) -> bool {
        every > 0 && self.iteration().is_multiple_of(every)
    }

    /// Writes the metrics of an iteration, and returns the events to report. It evaluates the bot
    /// first if `is_evaluated`, and keeps the bot if that is due.
    fn report_iteration(
        &mut self,
        report: IterationReport,
        mut values: MetricValues,
        is_evaluated: bool,
        metrics: &mut Metrics,
    ) -> Result<Vec<Event>, TrainError> {
        let mut events = vec![Event::Iteration(report)];
        if is_evaluated {
            events.extend(self.evaluate_during_training(&mut values)?);
        }
        if self.is_due(self.config.checkpoint_keep_every) {
            self.keep_bot()?;
        }
        metrics.write(self.iteration(), values.entries());
        Ok(events)
    }

    /// Saves the current bot in the folder of kept bots.
    fn keep_bot(&self) -> Result<(), TrainError> {
        let name = format!("{:06}", self.iteration());
        let path = self.files.folder().join(KEPT_BOTS_FOLDER).join(name);
        self.files.save_bot(&path, &self.state)
    }
}
