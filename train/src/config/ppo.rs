//! Settings of PPO.

use serde::{Deserialize, Serialize};

use super::optional::{empty_is_none, zero_is_none};
use super::ranges::{MAX_UPDATE_EPOCHS, check_ranges};
use crate::error::ConfigError;

/// Settings of PPO (Schulman et al. 2017).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PpoConfig {
    /// Learning rate of Adam at the start.
    pub learning_rate: f32,
    /// Learning rate at the end; linear in between.
    pub learning_rate_end: f32,
    /// λ of generalised advantage estimation (γ is 1: deals are short).
    pub gae_lambda: f32,
    /// A bot that provides the baselines by playing each deal to its end from every decision, for
    /// all seats and with the actual hidden cards. Empty: the value head provides them.
    #[serde(alias = "critic", with = "empty_is_none")]
    pub baseline_bot: Option<String>,
    /// PPO iterations at the start in which `baseline_bot` provides the baselines; afterwards the
    /// value head does. 0: all.
    #[serde(alias = "critic_iterations", with = "zero_is_none")]
    pub baseline_iterations: Option<u64>,
    /// λ while `baseline_bot` provides the baselines, if different from `gae_lambda`.
    #[serde(alias = "critic_lambda", skip_serializing_if = "Option::is_none")]
    pub baseline_lambda: Option<f32>,
    /// Passes over the samples of an iteration.
    pub update_epochs: u32,
    /// Largest number of samples per step of the optimiser. The minibatches of an epoch are equally
    /// long, give or take one sample.
    pub minibatch_size: usize,
    /// Parts of a minibatch that processes share. Their gradients are added up as a balanced tree:
    /// the same result for any number of threads and processes. On the CPU, threads share smaller
    /// parts of at most 256 samples.
    pub shards: usize,
    /// Probability ratios are clipped to 1 ± this; 1000 or more is in effect no clipping.
    pub clip_coef: f32,
    /// Weight of the Kullback–Leibler divergence of the policy from the one that collected the
    /// samples, over the samples that have a policy gradient. With this, without clipping, and with
    /// an entropy bonus, an update is magnetic mirror descent with a uniform magnet (Sokota et al.
    /// 2023). 0: none.
    pub kl_coef: f32,
    /// Weight of the entropy bonus at the start.
    pub ent_coef: f32,
    /// Weight of the entropy bonus at the end; linear in between.
    pub ent_coef_end: f32,
    /// Factor of the entropy bonus at calls. A deal has few calls, and some are rarely right.
    pub call_ent_factor: f32,
    /// Weight of the value loss.
    pub vf_coef: f32,
    /// Largest global norm of a gradient; larger ones are scaled down.
    pub max_grad_norm: f32,
    /// No further epoch once the mean approximate KL divergence of an epoch exceeds this.
    pub target_kl: f32,
    /// Whether to normalise advantages over the iteration to mean 0 and standard deviation 1. With
    /// `house_rules` they are normalised separately under each named rule set, together with those
    /// drawn around it.
    pub norm_adv: bool,
    /// Whether to normalise advantages separately under each kind of contract, and before there is
    /// one, so that contracts of many points do not outweigh the others.
    pub norm_adv_by_contract: bool,
    /// PPO iterations at the start with policy loss and entropy bonus off: only the value loss has
    /// gradients.
    #[serde(alias = "critic_warmup")]
    pub value_warmup: u64,
    /// Share of the samples that have a policy gradient: those with the largest advantages,
    /// positive or negative, calls and cards separately. Below 1, the value head and the anchor
    /// have a random share of the same size, or all calls (or cards) if no more than the share of
    /// them can have a policy gradient. The other samples are dropped, and the means in `losses/…`
    /// are over the remaining ones.
    pub policy_share: f32,
    /// Decay, per optimiser step, of a moving average of the weights (Polyak and Juditsky 1992).
    /// The average is evaluated and saved as the bot; samples are collected, and `checkpoint/` is
    /// written, with the weights themselves. 0: no average.
    pub ema_decay: f32,
}

impl Default for PpoConfig {
    fn default() -> PpoConfig {
        PpoConfig {
            learning_rate: 5e-4,
            learning_rate_end: 5e-5,
            gae_lambda: 0.95,
            baseline_bot: None,
            baseline_iterations: None,
            baseline_lambda: None,
            update_epochs: 2,
            minibatch_size: 2048,
            shards: 2,
            clip_coef: 0.2,
            kl_coef: 0.0,
            ent_coef: 0.01,
            ent_coef_end: 0.001,
            call_ent_factor: 1.0,
            vf_coef: 0.5,
            max_grad_norm: 0.5,
            target_kl: 0.03,
            norm_adv: true,
            norm_adv_by_contract: false,
            value_warmup: 0,
            policy_share: 1.0,
            ema_decay: 0.0,
        }
    }
}

impl PpoConfig {
    pub(super) fn check_ranges(&self) -> Result<(), ConfigError> {
        let baseline_iterations = self.baseline_iterations.unwrap_or(0);
        check_ranges(&[
            ("ppo.learning_rate", self.learning_rate.into(), 0.0, 1.0),
            ("ppo.learning_rate_end", self.learning_rate_end.into(), 0.0, 1.0),
            ("ppo.gae_lambda", self.gae_lambda.into(), 0.0, 1.0),
            ("ppo.baseline_lambda", self.baseline_lambda.unwrap_or(0.0).into(), 0.0, 1.0),
            ("ppo.baseline_iterations", baseline_iterations as f64, 0.0, 1e9),
            ("ppo.value_warmup", self.value_warmup as f64, 0.0, 1e9),
            ("ppo.update_epochs", self.update_epochs.into(), 1.0, MAX_UPDATE_EPOCHS.into()),
            ("ppo.minibatch_size", self.minibatch_size as f64, 1.0, 1e6),
            ("ppo.shards", self.shards as f64, 1.0, 1024.0),
            ("ppo.clip_coef", self.clip_coef.into(), 1e-3, 1e6),
            ("ppo.kl_coef", self.kl_coef.into(), 0.0, 1e3),
            ("ppo.ent_coef", self.ent_coef.into(), 0.0, 10.0),
            ("ppo.ent_coef_end", self.ent_coef_end.into(), 0.0, 10.0),
            ("ppo.call_ent_factor", self.call_ent_factor.into(), 0.0, 1e3),
            ("ppo.vf_coef", self.vf_coef.into(), 0.0, 100.0),
            ("ppo.max_grad_norm", self.max_grad_norm.into(), 1e-6, 1e6),
            ("ppo.target_kl", self.target_kl.into(), 1e-6, 1e6),
            ("ppo.policy_share", self.policy_share.into(), 1e-3, 1.0),
            ("ppo.ema_decay", self.ema_decay.into(), 0.0, 0.999_999),
        ])
    }

    /// Checks that keys which depend on each other fit together.
    pub(super) fn check_combinations(&self) -> Result<(), ConfigError> {
        if self.norm_adv_by_contract && !self.norm_adv {
            return Err(ConfigError::invalid("ppo.norm_adv_by_contract needs ppo.norm_adv = true"));
        }
        let needs_baseline_bot =
            self.baseline_iterations.is_some() || self.baseline_lambda.is_some();
        if self.baseline_bot.is_none() && needs_baseline_bot {
            return Err(ConfigError::invalid(
                "ppo.baseline_iterations and ppo.baseline_lambda need ppo.baseline_bot",
            ));
        }
        Ok(())
    }
}
