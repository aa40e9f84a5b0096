//! Settings of the further losses, and of the bots to learn from.

use serde::{Deserialize, Serialize};

use super::ranges::check_ranges;
use crate::error::ConfigError;

/// Maximum number of passes over the samples of an iteration.
pub(crate) const MAX_UPDATE_EPOCHS: u32 = 100;

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

/// Keeps the learner's calls close to those of a bot. The cross-entropy with the bot's call is part
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

/// Teaches the defence of open misères. If only some cards of a defender keep one beaten, the
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

/// Teaches bids of hands that are certain or strong. If a hand makes an abondance, a slam, `alone`
/// or a misère for any distribution of the other cards, the cross-entropy with the contracts that
/// pay the most is part of the loss ([`troel_env::sure_calls_worth_bidding`]), and its policy
/// gradient is not. With `worlds`, bids that rollouts find best are taught in the same way
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

/// Tries all plausible calls at some decisions of the auction. The deal is played on once for each
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
