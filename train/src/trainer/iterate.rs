//! An iteration of training: collect, learn, report.

use std::time::Instant;

use super::Trainer;
use crate::error::TrainError;
use crate::loss::Losses;
use crate::report::{IterationReport, MetricValues};
use crate::rollout::Rollout;
use crate::sample::{
    explained_variance, normalise_advantages, normalise_advantages_by_contract,
    normalise_advantages_by_rules, select,
};
use crate::stage::Stage;
use crate::train_state::TrainState;
use crate::update::{
    Actor, MinibatchDraw, UpdateError, UpdateSettings, minibatch_stream, update, update_critic,
};

impl Trainer {
    /// Runs one iteration. Returns `None` and changes nothing if it was interrupted.
    pub(super) fn iterate(
        &mut self,
    ) -> Result<Option<(IterationReport, MetricValues)>, TrainError> {
        let start = Instant::now();
        let stage = self.stage();
        let Some(mut rollout) = self.collect(stage)? else { return Ok(None) };
        let collect_seconds = start.elapsed().as_secs_f64();
        let explained_variance = explained_variance(&rollout.samples);
        let state_before = self.state.train_state.clone();
        let collected = rollout.samples.len();
        let settings = self.update_settings(stage);
        let (losses, critic_losses) = match self.learn(&mut rollout, &settings, stage) {
            Ok(losses) => losses,
            Err(UpdateError::Interrupted) => {
                // The iteration is undone, and repeated when the run is resumed.
                self.state.train_state = state_before;
                return Ok(None);
            }
            Err(UpdateError::Collective(error)) => return Err(error.into()),
        };
        self.processes.check_agreement(&self.state.train_state.weights)?;
        self.check_finite(&losses, critic_losses.as_ref())?;
        let seconds = start.elapsed().as_secs_f64();
        self.count_iteration(&rollout, collected, seconds);
        let report = IterationReport {
            iteration: self.iteration(),
            total: self.total_iterations(),
            samples: collected,
            collect_seconds,
            learn_seconds: seconds - collect_seconds,
            losses,
            points: rollout.ordinary.mean_points(),
            other_points: rollout.ordinary.mean_points_of_others(),
        };
        let mut values = MetricValues::default();
        values.add_charts(&report, &self.state.progress, settings.learning_rate);
        values.add_losses(&losses, explained_variance, stage);
        if stage != Stage::Imitation {
            self.add_lesson_losses(&losses, &mut values);
        }
        values.add_critic(critic_losses.as_ref());
        values.add_deals(self.rules.named(), &rollout);
        Ok(Some((report, values)))
    }

    /// Adds a finished iteration to the progress of the run. `collected` is the number of samples
    /// before a part of them was selected.
    fn count_iteration(&mut self, rollout: &Rollout, collected: usize, seconds: f64) {
        let progress = &mut self.state.progress;
        progress.iteration += 1;
        progress.steps += collected as u64;
        progress.deals += rollout.ordinary.deals + rollout.scenarios.deals;
        progress.seconds += seconds;
        if let Some(sum) = &mut progress.core_seconds {
            *sum += seconds * self.processes.threads() as f64;
        }
    }

    /// Adds the losses of the lessons that the recipe has in addition to PPO.
    fn add_lesson_losses(&self, losses: &Losses, values: &mut MetricValues) {
        if self.bots.anchor.is_some() {
            values.add_anchor(losses);
        }
        if self.config.defence.is_some() || self.config.bid_lessons.is_some() {
            values.add_taught(losses);
        }
        if self.config.vine.is_some() {
            values.add_vine(losses);
        }
    }

    /// Learns from a rollout. Returns the losses, and those of the critic if there is one.
    fn learn(
        &mut self,
        rollout: &mut Rollout,
        settings: &UpdateSettings,
        stage: Stage,
    ) -> Result<(Losses, Option<Losses>), UpdateError> {
        let critic_losses = self.update_critic(rollout)?;
        let ppo = &self.config.ppo;
        match (ppo.norm_adv, ppo.norm_adv_by_contract, &self.rules.rule_set_pool) {
            (false, _, _) => {}
            (true, true, _) => normalise_advantages_by_contract(&mut rollout.samples),
            (true, false, Some(pool)) => {
                normalise_advantages_by_rules(&mut rollout.samples, pool);
            }
            (true, false, None) => normalise_advantages(&mut rollout.samples),
        }
        if stage == Stage::Ppo && self.config.ppo.policy_share < 1.0 {
            let (seed, iteration) = (self.config.seed, self.iteration());
            let mut stream = minibatch_stream(seed, iteration, MinibatchDraw::Selection);
            select(&mut rollout.samples, self.config.ppo.policy_share, &mut stream);
        }
        let objective = self.objective(stage);
        let context = self.processes.update_context();
        let TrainState { weights, adam, average, .. } = &mut self.state.train_state;
        let actor = Actor { weights, objective, device: &self.device };
        let losses = update(actor, adam, average.as_mut(), &rollout.samples, settings, context)?;
        Ok((losses, critic_losses))
    }

    /// Trains the critic that sees all hands, if there is one, on the returns.
    fn update_critic(&mut self, rollout: &Rollout) -> Result<Option<Losses>, UpdateError> {
        let Some(config) = &self.config.critic else { return Ok(None) };
        let settings = self.critic_settings(config);
        let Some((critic, adam)) = &mut self.state.train_state.critic else { return Ok(None) };
        let context = self.processes.update_context();
        update_critic(critic, adam, &rollout.samples, &settings, context).map(Some)
    }
}
