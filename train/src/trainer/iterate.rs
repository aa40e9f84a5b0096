//! An iteration of training: collect, learn, report.

use std::time::Instant;

use troel_env::rng::{Purpose, Stream};
use troel_nn::{Critic, Weights};

use super::Trainer;
use super::update_settings::between;
use crate::error::TrainError;
use crate::house_rules::HouseRules;
use crate::loss::Losses;
use crate::optimiser::{Adam, Average};
use crate::report::{IterationReport, Values};
use crate::rollout::Rollout;
use crate::sample::{
    explained_variance, normalise_advantages, normalise_advantages_by_contract,
    normalise_advantages_by_rules, select,
};
use crate::update::{Team, Update, UpdateError, update, update_critic};

/// Epoch number of the random stream that selects samples (`ppo.policy_share`). No epoch of an
/// update has this number.
const SAMPLE_SELECTION_EPOCH: u64 = 255;

/// Everything that an update changes.
struct Learned {
    weights: Weights,
    adam: Adam,
    average: Option<Average>,
    critic: Option<(Critic, Adam)>,
}

impl Trainer {
    /// Runs one iteration. Returns `None` and changes nothing if it was interrupted.
    #[allow(clippy::type_complexity)]
    pub(super) fn iterate(
        &mut self,
    ) -> Result<Option<(IterationReport, Vec<(String, f64)>)>, TrainError> {
        let start = Instant::now();
        let imitating = self.progress.iteration < self.config.imitation_iterations();
        let Some(mut rollout) = self.collect(imitating)? else { return Ok(None) };
        let collect_seconds = start.elapsed().as_secs_f64();
        let explained = explained_variance(&rollout.samples);
        let before = self.learned();
        let collected = rollout.samples.len();
        let settings = self.update_settings(imitating);
        let (losses, critic_losses) = match self.learn(&mut rollout, &settings, imitating) {
            Ok(losses) => losses,
            Err(UpdateError::Interrupted) => {
                // As if it had not begun: resumed, it is done again.
                self.restore(before);
                return Ok(None);
            }
            Err(UpdateError::Collective(error)) => return Err(error.into()),
        };
        self.check_agreement()?;
        self.check_finite(&losses, critic_losses.as_ref())?;
        let seconds = start.elapsed().as_secs_f64();
        self.progress.iteration += 1;
        self.progress.steps += collected as u64;
        self.progress.deals += rollout.ordinary.deals + rollout.scenarios.deals;
        self.progress.seconds += seconds;
        let threads = rayon::current_num_threads() * self.collective.size();
        if let Some(sum) = &mut self.progress.core_seconds {
            *sum += seconds * threads as f64;
        }
        let report = IterationReport {
            iteration: self.progress.iteration,
            total: self.total_iterations(),
            samples: collected,
            collect_seconds,
            learn_seconds: seconds - collect_seconds,
            losses,
            points: rollout.ordinary.mean_points(),
            other_points: rollout.ordinary.mean_points_of_others(),
        };
        let mut values = Values::default();
        values.add_charts(&report, &self.progress, settings.learning_rate);
        values.add_losses(&losses, explained, imitating);
        if self.anchor.is_some() && !imitating {
            values.add_anchor(&losses);
        }
        let teaches = self.config.defence.is_some() || self.config.sure_calls.is_some();
        if teaches && !imitating {
            values.add_taught(&losses);
        }
        if self.config.vine.is_some() && !imitating {
            values.add_vine(&losses);
        }
        values.add_critic(critic_losses.as_ref());
        let sets = self.house_rules.as_ref().map(HouseRules::named);
        values.add_deals(sets.unwrap_or(&[self.rules]), &rollout);
        Ok(Some((report, values.0)))
    }

    /// Learns from a rollout. Returns the losses, and those of the critic if there is one.
    fn learn(
        &mut self,
        rollout: &mut Rollout,
        settings: &Update,
        imitating: bool,
    ) -> Result<(Losses, Option<Losses>), UpdateError> {
        let critic_losses = self.update_critic(rollout)?;
        let ppo = &self.config.ppo;
        match (ppo.norm_adv, ppo.norm_adv_by_contract, &self.house_rules) {
            (false, _, _) => {}
            (true, true, _) => normalise_advantages_by_contract(&mut rollout.samples),
            (true, false, Some(house)) => {
                normalise_advantages_by_rules(&mut rollout.samples, house);
            }
            (true, false, None) => normalise_advantages(&mut rollout.samples),
        }
        let warms_up = self.ppo_iterations() < self.config.ppo.value_warmup;
        if !imitating && !warms_up && self.config.ppo.policy_share < 1.0 {
            let counter = self.progress.iteration << 8 | SAMPLE_SELECTION_EPOCH;
            let mut stream = Stream::new(self.config.seed, Purpose::Minibatch, counter);
            select(&mut rollout.samples, self.config.ppo.policy_share, &mut stream);
        }
        let team = Team { collective: self.collective.as_ref(), stop: Some(&self.stop) };
        let (weights, adam, average) = (&mut self.weights, &mut self.adam, self.average.as_mut());
        let samples = &rollout.samples;
        let losses = update(weights, adam, average, samples, settings, &self.device, team)?;
        Ok((losses, critic_losses))
    }

    /// A copy of everything that an update changes.
    fn learned(&self) -> Learned {
        Learned {
            weights: self.weights.clone(),
            adam: self.adam.clone(),
            average: self.average.clone(),
            critic: self.critic.clone(),
        }
    }

    fn restore(&mut self, learned: Learned) {
        let Learned { weights, adam, average, critic } = learned;
        (self.weights, self.adam, self.average, self.critic) = (weights, adam, average, critic);
    }

    /// Trains the critic that sees all hands, if there is one, on the outcomes.
    fn update_critic(&mut self, rollout: &Rollout) -> Result<Option<Losses>, UpdateError> {
        let Some(config) = &self.config.critic else { return Ok(None) };
        let total = (self.config.imitation_iterations() + self.config.iterations).max(1) as f32;
        let part = (self.progress.iteration as f32 / total).min(1.0);
        let settings = Update {
            learning_rate: between(config.learning_rate, config.learning_rate_end, part),
            epochs: config.update_epochs,
            ..self.update_settings(false)
        };
        let Some((critic, adam)) = &mut self.critic else { return Ok(None) };
        let team = Team { collective: self.collective.as_ref(), stop: Some(&self.stop) };
        update_critic(critic, adam, &rollout.samples, &settings, team).map(Some)
    }
}
