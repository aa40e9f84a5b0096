//! Settings of an iteration's update: weights of the losses and learning rates that change over a
//! run.

use super::Trainer;
use crate::loss::{Objective, PpoLoss};
use crate::update::Update;

impl Trainer {
    /// Returns the settings of the current iteration's update.
    pub(super) fn update_settings(&self, imitating: bool) -> Update {
        let ppo = &self.config.ppo;
        let done = self.ppo_iterations();
        let part = (done as f32 / self.config.iterations.max(1) as f32).min(1.0);
        let warms_up = done < ppo.value_warmup;
        let anchor = self.config.anchor.as_ref().filter(|_| !warms_up);
        let defence = self.config.defence.as_ref().filter(|_| !warms_up);
        let sure_calls = self.config.sure_calls.as_ref().filter(|_| !warms_up);
        let vine = self.config.vine.as_ref().filter(|_| !warms_up);
        let settings = Update {
            objective: Objective::Ppo(PpoLoss {
                clip_coef: ppo.clip_coef,
                ent_coef: between(ppo.ent_coef, ppo.ent_coef_end, part),
                call_ent_factor: ppo.call_ent_factor,
                vf_coef: ppo.vf_coef,
                policy_coef: if warms_up { 0.0 } else { 1.0 },
                taught_coef: defence.map_or(0.0, |d| between(d.coef, d.coef_end, part)),
                sure_call_coef: sure_calls.map_or(0.0, |sure_calls| sure_calls.coef),
                kl_coef: ppo.kl_coef,
                vine_coef: vine.map_or(0.0, |vine| vine.coef),
                anchor_coef: anchor.map_or(0.0, |a| between(a.coef, a.coef_end, part)),
            }),
            learning_rate: between(ppo.learning_rate, ppo.learning_rate_end, part),
            epochs: ppo.update_epochs,
            minibatch_size: ppo.minibatch_size,
            even_minibatches: self.progress.even_minibatches,
            shards: ppo.shards,
            max_grad_norm: ppo.max_grad_norm,
            target_kl: ppo.target_kl,
            seed: self.config.seed,
            iteration: self.progress.iteration,
        };
        match &self.config.imitation {
            Some(imitation) if imitating => {
                let start = imitation.learning_rate;
                let end = imitation.learning_rate_end.unwrap_or(start);
                let part = self.progress.iteration as f32 / imitation.iterations as f32;
                Update {
                    objective: Objective::Imitate {
                        label_smoothing: imitation.label_smoothing,
                        vf_coef: ppo.vf_coef,
                    },
                    learning_rate: between(start, end, part),
                    epochs: imitation.update_epochs,
                    minibatch_size: imitation.minibatch_size.unwrap_or(ppo.minibatch_size),
                    ..settings
                }
            }
            _ => settings,
        }
    }
}

/// From `start` to `end`, linear in `part` from 0 to 1.
pub(super) fn between(start: f32, end: f32, part: f32) -> f32 {
    start + (end - start) * part
}
