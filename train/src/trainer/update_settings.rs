//! Objective and settings of an iteration's update. The weights of the losses and the learning
//! rates change over a run.

use super::Trainer;
use crate::config::{CriticConfig, ImitationConfig};
use crate::loss::{PpoLoss, TrainingObjective};
use crate::stage::Stage;
use crate::update::UpdateSettings;

impl Trainer {
    /// Returns the objective of the current iteration's update.
    pub(super) fn objective(&self, stage: Stage) -> TrainingObjective {
        match (&self.config.imitation, stage) {
            (Some(imitation), Stage::Imitation) => TrainingObjective::Imitate {
                label_smoothing: imitation.label_smoothing,
                vf_coef: self.config.ppo.vf_coef,
            },
            _ => TrainingObjective::Ppo(self.ppo_loss(stage)),
        }
    }

    /// Returns the settings of the current iteration's update.
    pub(super) fn update_settings(&self, stage: Stage) -> UpdateSettings {
        match (&self.config.imitation, stage) {
            (Some(imitation), Stage::Imitation) => self.imitation_settings(imitation),
            _ => self.ppo_settings(),
        }
    }

    /// Returns the settings of the critic's update.
    pub(super) fn critic_settings(&self, critic: &CriticConfig) -> UpdateSettings {
        let part = share(self.iteration(), self.total_iterations());
        UpdateSettings {
            learning_rate: interpolate(critic.learning_rate, critic.learning_rate_end, part),
            epochs: critic.update_epochs,
            ..self.ppo_settings()
        }
    }

    fn imitation_settings(&self, imitation: &ImitationConfig) -> UpdateSettings {
        let start = imitation.learning_rate;
        let end = imitation.learning_rate_end.unwrap_or(start);
        let part = share(self.iteration(), imitation.iterations);
        let ppo = self.ppo_settings();
        UpdateSettings {
            learning_rate: interpolate(start, end, part),
            epochs: imitation.update_epochs,
            minibatch_size: imitation.minibatch_size.unwrap_or(ppo.minibatch_size),
            ..ppo
        }
    }

    fn ppo_settings(&self) -> UpdateSettings {
        let ppo = &self.config.ppo;
        let part = share(self.ppo_iterations(), self.config.iterations);
        UpdateSettings {
            learning_rate: interpolate(ppo.learning_rate, ppo.learning_rate_end, part),
            epochs: ppo.update_epochs,
            minibatch_size: ppo.minibatch_size,
            even_minibatches: self.state.progress.even_minibatches,
            shards: ppo.shards,
            unused_features: self.config.unused_features,
            max_grad_norm: ppo.max_grad_norm,
            target_kl: ppo.target_kl,
            seed: self.config.seed,
            iteration: self.iteration(),
        }
    }

    fn ppo_loss(&self, stage: Stage) -> PpoLoss {
        let ppo = &self.config.ppo;
        let part = share(self.ppo_iterations(), self.config.iterations);
        let learns = stage == Stage::Ppo;
        let anchor = self.config.anchor.as_ref().filter(|_| learns);
        let defence = self.config.defence.as_ref().filter(|_| learns);
        let bid_lessons = self.config.bid_lessons.as_ref().filter(|_| learns);
        let vine = self.config.vine.as_ref().filter(|_| learns);
        PpoLoss {
            clip_coef: ppo.clip_coef,
            ent_coef: interpolate(ppo.ent_coef, ppo.ent_coef_end, part),
            call_ent_factor: ppo.call_ent_factor,
            vf_coef: ppo.vf_coef,
            policy_coef: if learns { 1.0 } else { 0.0 },
            defence_coef: defence.map_or(0.0, |d| interpolate(d.coef, d.coef_end, part)),
            bid_lesson_coef: bid_lessons.map_or(0.0, |lessons| lessons.coef),
            kl_coef: ppo.kl_coef,
            vine_coef: vine.map_or(0.0, |vine| vine.coef),
            anchor_coef: anchor.map_or(0.0, |a| interpolate(a.coef, a.coef_end, part)),
        }
    }
}

/// Returns the share of the iterations that are done, 0 to 1.
fn share(done: u64, total: u64) -> f32 {
    (done as f32 / total.max(1) as f32).min(1.0)
}

/// Returns a value between `start` and `end`, linear in `part` from 0 to 1.
fn interpolate(start: f32, end: f32, part: f32) -> f32 {
    start + (end - start) * part
}
