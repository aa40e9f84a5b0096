//! Settings of the losses, the critic and the bots to learn from.

use serde::{Deserialize, Serialize};
use troel_nn::{MAX_BLOCKS, MAX_HIDDEN, NetworkConfig};

use super::ranges::check_ranges;
use crate::error::ConfigError;

/// Maximum number of passes over the samples of an iteration.
pub(crate) const MAX_UPDATE_EPOCHS: u32 = 100;

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
    #[serde(alias = "critic")]
    pub baseline_bot: String,
    /// PPO iterations at the start in which `baseline_bot` provides the baselines; afterwards the
    /// value head does. 0: all.
    #[serde(alias = "critic_iterations")]
    pub baseline_iterations: u64,
    /// λ while `baseline_bot` provides the baselines, if different from `gae_lambda`.
    #[serde(alias = "critic_lambda", skip_serializing_if = "Option::is_none")]
    pub baseline_lambda: Option<f32>,
    /// Passes over the samples of an iteration.
    pub update_epochs: u32,
    /// Largest number of samples per step of the optimiser. The minibatches of an epoch are equally
    /// long, give or take one sample.
    pub minibatch_size: usize,
    /// Parts of a minibatch whose gradients are computed in parallel, and added up as a balanced
    /// tree: the same result for any number of threads and processes.
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

/// A critic that sees all four hands and learns the returns of the deals.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct CriticConfig {
    /// Width of its hidden layers.
    pub hidden: usize,
    /// Number of its residual blocks.
    pub blocks: usize,
    /// Learning rate of Adam at the start.
    pub learning_rate: f32,
    /// Learning rate at the end of the run; linear in between.
    pub learning_rate_end: f32,
    /// Passes over the samples of an iteration.
    pub update_epochs: u32,
}

impl Default for CriticConfig {
    fn default() -> CriticConfig {
        CriticConfig {
            hidden: 256,
            blocks: 1,
            learning_rate: 5e-4,
            learning_rate_end: 5e-5,
            update_epochs: 1,
        }
    }
}

impl CriticConfig {
    /// Returns the sizes of its network.
    pub fn network(&self) -> NetworkConfig {
        NetworkConfig { hidden: self.hidden, blocks: self.blocks, ..NetworkConfig::default() }
    }

    pub(super) fn check(&self) -> Result<(), ConfigError> {
        check_ranges(&[
            ("critic.hidden", self.hidden as f64, 1.0, MAX_HIDDEN as f64),
            ("critic.blocks", self.blocks as f64, 0.0, MAX_BLOCKS as f64),
            ("critic.learning_rate", self.learning_rate.into(), 0.0, 1.0),
            ("critic.learning_rate_end", self.learning_rate_end.into(), 0.0, 1.0),
            ("critic.update_epochs", self.update_epochs.into(), 1.0, MAX_UPDATE_EPOCHS.into()),
        ])
    }
}

impl Default for PpoConfig {
    fn default() -> PpoConfig {
        PpoConfig {
            learning_rate: 5e-4,
            learning_rate_end: 5e-5,
            gae_lambda: 0.95,
            baseline_bot: String::new(),
            baseline_iterations: 0,
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
        check_ranges(&[
            ("ppo.learning_rate", self.learning_rate.into(), 0.0, 1.0),
            ("ppo.learning_rate_end", self.learning_rate_end.into(), 0.0, 1.0),
            ("ppo.gae_lambda", self.gae_lambda.into(), 0.0, 1.0),
            ("ppo.baseline_lambda", self.baseline_lambda.unwrap_or(0.0).into(), 0.0, 1.0),
            ("ppo.baseline_iterations", self.baseline_iterations as f64, 0.0, 1e9),
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
        let needs_baseline_bot = self.baseline_iterations > 0 || self.baseline_lambda.is_some();
        if self.baseline_bot.is_empty() && needs_baseline_bot {
            return Err(ConfigError::invalid(
                "ppo.baseline_iterations and ppo.baseline_lambda need ppo.baseline_bot",
            ));
        }
        Ok(())
    }
}

/// Warm start: the network learns to imitate a bot.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ImitationConfig {
    /// The bot to imitate.
    pub bot: String,
    /// Iterations of imitation before PPO.
    pub iterations: u64,
    /// Passes over the samples of an iteration.
    #[serde(default = "default_imitation_epochs")]
    pub update_epochs: u32,
    /// Learning rate of Adam at the start.
    #[serde(default = "default_imitation_rate")]
    pub learning_rate: f32,
    /// Learning rate at the end of the imitation, linear in between, if different from
    /// `learning_rate`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub learning_rate_end: Option<f32>,
    /// Largest number of samples per step of the optimiser, if different from `ppo.minibatch_size`.
    /// Smaller minibatches make more steps, which imitate better in the same time
    /// (docs/experiments/14-imitation-steps.md).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub minibatch_size: Option<usize>,
    /// Label smoothing: share of the target probability spread over all legal actions, 0 to below
    /// 1.
    #[serde(default)]
    pub label_smoothing: f32,
}

impl ImitationConfig {
    pub(super) fn check(&self) -> Result<(), ConfigError> {
        let learning_rate_end = self.learning_rate_end.unwrap_or(0.0);
        let minibatch_size = self.minibatch_size.unwrap_or(1);
        check_ranges(&[
            ("imitation.iterations", self.iterations as f64, 0.0, 1e9),
            ("imitation.update_epochs", self.update_epochs.into(), 1.0, MAX_UPDATE_EPOCHS.into()),
            ("imitation.learning_rate", self.learning_rate.into(), 0.0, 1.0),
            ("imitation.learning_rate_end", learning_rate_end.into(), 0.0, 1.0),
            ("imitation.minibatch_size", minibatch_size as f64, 1.0, 1e6),
            ("imitation.label_smoothing", self.label_smoothing.into(), 0.0, 0.999),
        ])
    }
}

/// Keeps the learner's calls close to those of a bot: the cross-entropy with the bot's call is part
/// of the loss in the auction and the choice of trumps (kickstarting, Schmitt et al. 2018). It
/// keeps rare contracts alive before their worth is known (docs/experiments/11-anchored-calls.md).
/// It also keeps calls close to those that other bots understand
/// (docs/experiments/30-anchored-to-the-start.md).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AnchorConfig {
    /// The bot, or `init`: the checkpoint that the run starts from.
    pub bot: String,
    /// Weight of the cross-entropy at the start.
    #[serde(default = "default_anchor_coef")]
    pub coef: f32,
    /// Weight at the end; linear in between.
    #[serde(default = "default_anchor_coef_end")]
    pub coef_end: f32,
}

impl AnchorConfig {
    /// Value of `bot` for the checkpoint that the run starts from.
    pub const INIT: &str = "init";

    pub(super) fn check(&self) -> Result<(), ConfigError> {
        check_ranges(&[
            ("anchor.coef", self.coef.into(), 0.0, 100.0),
            ("anchor.coef_end", self.coef_end.into(), 0.0, 100.0),
        ])
    }
}

/// Teaches the defence of open misères: if only some cards of a defender keep one beaten, the
/// cross-entropy with these cards is part of the loss.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct DefenceConfig {
    /// Largest number of positions that the solver visits for a card and declarer. Decisions that
    /// need more are not taught.
    pub nodes: u64,
    /// Weight in the loss at the start.
    pub coef: f32,
    /// Weight at the end; linear in between.
    pub coef_end: f32,
}

impl Default for DefenceConfig {
    fn default() -> DefenceConfig {
        DefenceConfig { nodes: 2000, coef: 5.0, coef_end: 5.0 }
    }
}

impl DefenceConfig {
    pub(super) fn check(&self) -> Result<(), ConfigError> {
        check_ranges(&[
            ("defence.nodes", self.nodes as f64, 1.0, 1e9),
            ("defence.coef", self.coef.into(), 0.0, 100.0),
            ("defence.coef_end", self.coef_end.into(), 0.0, 100.0),
        ])
    }
}

/// Teaches bids of strong hands. If a hand makes an abondance, a slam or `alone` for any
/// distribution of the other cards, the cross-entropy with the contracts that pay the most is part
/// of the loss ([`troel_env::sure_calls_without_solos`]), and its policy gradient is not. With
/// `worlds`, bids that rollouts find best are taught in the same way
/// ([`troel_agents::best_lone_bids`]).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct BidLessonsConfig {
    /// Weight in the loss, above 0 and at most 100.
    pub coef: f32,
    /// Number of sampled worlds in which `rules` plays out the calls of a strong hand without a
    /// sure contract, 0 to 10,000. The calls that are not clearly worse than the best one are
    /// taught if each bids a contract alone for tricks. 0: only sure contracts are taught.
    pub worlds: u32,
    /// Share of the decisions with such hands at which the calls are played out, 0 to 1.
    pub share: f32,
}

impl Default for BidLessonsConfig {
    fn default() -> BidLessonsConfig {
        BidLessonsConfig { coef: 5.0, worlds: 0, share: 0.5 }
    }
}

impl BidLessonsConfig {
    pub(super) fn check(&self) -> Result<(), ConfigError> {
        if !(self.coef > 0.0 && self.coef <= 100.0) {
            return Err(ConfigError::invalid(format!(
                "bid_lessons.coef = {} must be above 0 and at most 100; bid_lessons= trains \
                 without it",
                self.coef
            )));
        }
        check_ranges(&[
            ("bid_lessons.worlds", self.worlds.into(), 0.0, 1e4),
            ("bid_lessons.share", self.share.into(), 0.0, 1.0),
        ])
    }
}

/// Tries all plausible calls at some decisions of the auction: the deal is played on once for each
/// call, by the bots of its table. The loss raises a call by its advantage even where it is
/// improbable, and lowers it down to a probability of 0.001. It keeps rare contracts from vanishing
/// before their worth is known.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct VineConfig {
    /// Share of the learner's decisions in ordinary auctions, 0 to 1. At these the deal is played
    /// on once for each plausible call, and the loss raises or lowers each by its advantage. The
    /// metric `vine/tried` counts the calls.
    pub share: f32,
    /// Share of the learner's decisions in auctions of scenario deals, 0 to 1.
    pub scenario_share: f32,
    /// Weight in the loss, 0 to 100. Rewards are divided by the standard deviation of the
    /// advantages (`ppo.norm_adv`).
    pub coef: f32,
}

impl Default for VineConfig {
    fn default() -> VineConfig {
        VineConfig { share: 0.02, scenario_share: 0.2, coef: 0.5 }
    }
}

impl VineConfig {
    pub(super) fn check(&self) -> Result<(), ConfigError> {
        check_ranges(&[
            ("vine.share", self.share.into(), 0.0, 1.0),
            ("vine.scenario_share", self.scenario_share.into(), 0.0, 1.0),
            ("vine.coef", self.coef.into(), 0.0, 100.0),
        ])
    }
}

fn default_imitation_epochs() -> u32 {
    1
}
fn default_anchor_coef() -> f32 {
    0.05
}
fn default_anchor_coef_end() -> f32 {
    0.005
}
fn default_imitation_rate() -> f32 {
    1e-3
}
