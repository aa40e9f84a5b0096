//! Training recipes: TOML files under `configs/`.

mod check;
mod read;
mod start;

use serde::{Deserialize, Serialize};
use troel_env::RuleSet;
use troel_env::rules::DealMethod;
use troel_nn::NetworkConfig;

use crate::reward::DealReward;

/// A training recipe. Names follow CleanRL where it has one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrainConfig {
    /// Name of a built-in rule set, or path of a rule file.
    pub rules: String,
    /// Master seed.
    #[serde(default = "one")]
    pub seed: u64,
    /// Device of the network: `cpu`, or `cuda` or `wgpu` where they are compiled in.
    #[serde(default = "cpu")]
    pub device: String,
    /// Folder of the run.
    pub run: String,
    /// PPO iterations.
    pub iterations: u64,
    /// Deals collected per iteration.
    #[serde(default = "default_deals")]
    pub deals: u64,
    /// Consecutive deals at one table where the deck is gathered, not shuffled; elsewhere a table plays one deal. With `house_rules` so many deals
    /// are under the same rules.
    #[serde(default = "default_series")]
    pub series: u64,
    /// Reward of a seat at the end of a deal: `points`, `centred`, or `match`: by how many hundredths the deal changes the seat's share of
    /// the match, as an estimate has it that knows the totals; for rule sets with a target. Use it with `random_totals`.
    #[serde(default)]
    pub reward: DealReward,
    /// Points per unit of reward.
    #[serde(default = "ten")]
    pub reward_scale: f32,
    /// Network sizes.
    #[serde(default)]
    pub network: NetworkConfig,
    /// Checkpoint to start from, with the same network sizes and rule set; empty: random weights, or what `start` trains.
    #[serde(default)]
    pub init: String,
    /// Another recipe that trains the checkpoint to start from, unless `init` names one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<StartConfig>,
    /// Settings of PPO.
    #[serde(default)]
    pub ppo: PpoConfig,
    /// A critic that sees all four hands, instead of the value head. Not together with
    /// `ppo.baseline_bot`.
    #[serde(default)]
    pub critic: Option<CriticConfig>,
    /// Warm start by imitation.
    #[serde(default)]
    pub imitation: Option<ImitationConfig>,
    /// A bot whose calls the learner's stay close to.
    #[serde(default)]
    pub anchor: Option<AnchorConfig>,
    /// Misère defence taught by the solver.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub defence: Option<DefenceConfig>,
    /// Calls that a hand is certain to make are taught.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sure_calls: Option<SureCallsConfig>,
    /// Decisions of the auction at which all plausible calls are tried.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vine: Option<VineConfig>,
    /// Kinds of tables: which bots play against the learner.
    #[serde(default = "only_self")]
    pub tables: Vec<TableConfig>,
    /// Pool of frozen past selves.
    #[serde(default)]
    pub pool: PoolConfig,
    /// Rule sets beside `rules`, so that the bot plays under any; with `network.rule_features`, without which it would not be told which.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub house_rules: Option<HouseRulesConfig>,
    /// Scenario deals for rare contracts, mixed in.
    #[serde(default, alias = "suites")]
    pub scenarios: Vec<ScenarioConfig>,
    /// Share of the tables that start at random match totals instead of zeros, so that totals other than zero are not foreign to the network. (Unless
    /// `reward` is `match`, rewards are points whatever the totals: it learns that they do not matter.)
    #[serde(default = "half")]
    pub random_totals: f32,
    /// Evaluation.
    #[serde(default)]
    pub eval: EvalConfig,
    /// Iterations between checkpoints.
    #[serde(default = "ten_iterations")]
    pub checkpoint_every: u64,
    /// Iterations between bots kept in `checkpoints/` in the folder of the run; 0 keeps none.
    #[serde(default)]
    pub checkpoint_keep_every: u64,
    /// Whether to write TensorBoard files beside the JSON lines.
    #[serde(default = "yes")]
    pub tensorboard: bool,
}

/// A recipe that comes first: its bot is the checkpoint to start from. It is trained with this recipe's rules, `house_rules` and
/// `network.rule_features`, seed and device, in the folder `start` of this recipe's run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StartConfig {
    /// The recipe: a TOML file, or the name of a built-in one.
    pub recipe: String,
    /// Keys of it that are set to other values, each `key=value`; see [`TrainConfig::load_with`].
    #[serde(default)]
    pub set: Vec<String>,
}

/// Rule sets to train under beside the recipe's: others, and house rules drawn at random around all of them
/// ([`RuleSet::variant`]). Every table draws its own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct HouseRulesConfig {
    /// Names of built-in rule sets, or paths of rule files, beside `rules`.
    pub others: Vec<String>,
    /// Number of rule sets drawn around each.
    pub drawn: u64,
    /// Share of the tables under drawn rules, 0 to 1.
    pub share: f32,
}

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
    /// A bot that provides the baselines by playing each deal to its end from every decision, for all seats and with
    /// the actual hidden cards. Empty: the value head provides them.
    #[serde(alias = "critic")]
    pub baseline_bot: String,
    /// PPO iterations at the start in which `baseline_bot` provides the baselines; afterwards the
    /// value head does. 0: all.
    #[serde(alias = "critic_iterations")]
    pub baseline_iterations: u64,
    /// λ while `baseline_bot` provides the baselines, if another than `gae_lambda`.
    #[serde(alias = "critic_lambda", skip_serializing_if = "Option::is_none")]
    pub baseline_lambda: Option<f32>,
    /// Passes over the samples of an iteration.
    pub update_epochs: u32,
    /// Largest number of samples per step of the optimiser. The minibatches of an epoch are equally long, give or take one sample.
    pub minibatch_size: usize,
    /// Parts of a minibatch whose gradients are computed in parallel, and added up as a balanced tree: the same result for any number of threads and processes.
    pub shards: usize,
    /// Probability ratios are clipped to 1 ± this; 1000 or more is in effect no clipping.
    pub clip_coef: f32,
    /// Weight of the Kullback–Leibler divergence of the policy from the one that collected the samples,
    /// over the samples that have a policy gradient. With this, without clipping, and with an entropy
    /// bonus, an update is magnetic mirror descent with a uniform magnet (Sokota et al. 2023). 0: none.
    pub kl_coef: f32,
    /// Weight of the entropy bonus at the start.
    pub ent_coef: f32,
    /// Weight of the entropy bonus at the end; linear in between.
    pub ent_coef_end: f32,
    /// Factor of the entropy bonus at calls, of which a deal has few, and some are rarely right.
    pub call_ent_factor: f32,
    /// Weight of the value loss.
    pub vf_coef: f32,
    /// Largest global norm of a gradient; larger ones are scaled down.
    pub max_grad_norm: f32,
    /// No further epoch once the mean approximate KL divergence of an epoch exceeds this.
    pub target_kl: f32,
    /// Whether to normalise advantages over the iteration to mean 0 and standard deviation 1; with `house_rules` under each
    /// rule set that is named by itself, together with those drawn around it.
    pub norm_adv: bool,
    /// Whether to normalise them under each kind of contract by itself, and before there is one, so that contracts of many
    /// points do not outweigh the others.
    pub norm_adv_by_contract: bool,
    /// PPO iterations at the start with policy loss and entropy bonus off: only the value loss has gradients.
    #[serde(alias = "critic_warmup")]
    pub value_warmup: u64,
    /// Share of the samples that have a policy gradient, those with the largest advantages, positive or negative, calls and
    /// cards apart. Below 1, the value head and the anchor have a random share of the same size; the others are dropped, and the
    /// means in `losses/…` are over those that are left.
    pub policy_share: f32,
    /// Decay, per optimiser step, of a moving average of the weights (Polyak and Juditsky 1992), which is what is evaluated and
    /// saved as the bot; samples are collected, and `checkpoint/` is written, with the weights themselves. 0: no average.
    pub ema_decay: f32,
}

/// A critic that sees all four hands and learns the outcomes of the deals.
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

impl Default for HouseRulesConfig {
    fn default() -> HouseRulesConfig {
        HouseRulesConfig { others: Vec::new(), drawn: 64, share: 0.5 }
    }
}

impl CriticConfig {
    /// Its sizes.
    pub fn network(&self) -> NetworkConfig {
        NetworkConfig { hidden: self.hidden, blocks: self.blocks, ..NetworkConfig::default() }
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

/// Warm start: the network learns to imitate a bot.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ImitationConfig {
    /// The bot to imitate.
    pub bot: String,
    /// Iterations of imitation before PPO.
    pub iterations: u64,
    /// Passes over the samples of an iteration.
    #[serde(default = "one_epoch")]
    pub update_epochs: u32,
    /// Learning rate of Adam at the start.
    #[serde(default = "imitation_rate")]
    pub learning_rate: f32,
    /// Learning rate at the end of the imitation, linear in between, if another than `learning_rate`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub learning_rate_end: Option<f32>,
    /// Samples per step of the optimiser, if others than `ppo.minibatch_size`. Fewer are more steps, which imitate better in
    /// the same time (docs/experiments/14-imitation-steps.md).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub minibatch_size: Option<usize>,
    /// Label smoothing: share of the target probability spread over all legal actions, 0 to below 1.
    #[serde(default)]
    pub label_smoothing: f32,
}

/// Keeps the learner's calls close to those of a bot: the cross-entropy with what the bot would have called is part of the
/// loss in the auction and the choice of trumps (kickstarting, Schmitt et al. 2018). Meant to keep rare contracts from
/// vanishing before their worth is known; docs/experiments/11-anchored-calls.md says what it did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AnchorConfig {
    /// The bot.
    pub bot: String,
    /// Weight of the cross-entropy at the start.
    #[serde(default = "anchor_coef")]
    pub coef: f32,
    /// Weight at the end; linear in between.
    #[serde(default = "anchor_coef_end")]
    pub coef_end: f32,
}

/// Teaches the defence of open misères: where some cards of a defender keep one beaten and others
/// do not, the cross-entropy with the former is part of the loss.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct DefenceConfig {
    /// Positions that the solver may look at for a card and declarer; what takes more is not taught.
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

/// Teaches calls that a hand is certain to make: where a hand makes an abondance, a slam or `alone`
/// however the other cards are distributed, the cross-entropy with the contracts that pay the most
/// is part of the loss ([`troel_env::sure_calls_without_solos`]), and its policy gradient is not.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SureCallsConfig {
    /// Weight in the loss, above 0 and at most 100.
    pub coef: f32,
}

impl Default for SureCallsConfig {
    fn default() -> SureCallsConfig {
        SureCallsConfig { coef: 5.0 }
    }
}

/// Tries all plausible calls at some decisions of the auction: the deal is played
/// on once for each call, by the bots of its table. The loss raises a call by its advantage even
/// where it is improbable, and lowers it down to a probability of 0.001. Keeps rare contracts from
/// vanishing before their worth is known.
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

/// A kind of table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TableConfig {
    /// Who fills the seats that do not learn: `self` (all four learn), `past` (a frozen past self), or the name of a
    /// bot.
    pub opponent: String,
    /// Frequency relative to the other kinds, above 0.
    pub weight: f32,
    /// Number of learning seats, 1 to 4; which ones is drawn at random for each table.
    #[serde(default = "one_seat")]
    pub learners: u32,
    /// PPO iterations before there are such tables.
    #[serde(default)]
    pub from: u64,
    /// PPO iterations after which there are none any more; 0: there are until the end.
    #[serde(default)]
    pub until: u64,
}

impl TableConfig {
    /// Whether there are such tables in this PPO iteration, counted from 0.
    pub fn is_open(&self, iteration: u64) -> bool {
        self.from <= iteration && (self.until == 0 || iteration < self.until)
    }
}

/// The pool of past selves.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PoolConfig {
    /// Iterations between additions.
    pub every: u64,
    /// Largest number kept; the oldest is dropped.
    pub size: usize,
}

impl Default for PoolConfig {
    fn default() -> PoolConfig {
        PoolConfig { every: 50, size: 8 }
    }
}

/// Scenario deals: the hand of one learning seat meets the scenario, and only that seat's decisions are trained on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScenarioConfig {
    /// Name of the scenario: `aces` or a kind of contract.
    #[serde(alias = "suite")]
    pub scenario: String,
    /// Share of all tables.
    pub share: f32,
}

/// Evaluation during and after training.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct EvalConfig {
    /// Iterations between evaluations; 0 for none.
    pub every: u64,
    /// Deals per evaluation.
    pub deals: u64,
    /// Names of the baselines.
    pub baselines: Vec<String>,
    /// Deals of the evaluation at the end; 0 for none.
    pub final_deals: u64,
    /// Seed of the evaluation deals and problems, which no training plays, whatever its seed.
    pub seed: u64,
    /// Suites of problems with known answers (docs/problems.md) that every evaluation asks the bot. Those that the rule
    /// set lacks are skipped.
    pub problems: Vec<String>,
    /// Problems of each suite, or as many as the rule set has.
    pub problems_per_suite: u64,
}

impl Default for EvalConfig {
    fn default() -> EvalConfig {
        EvalConfig {
            every: 50,
            deals: 500,
            baselines: vec!["rules".to_string()],
            final_deals: 2000,
            seed: 1,
            problems: vec!["sure-contracts".to_string(), "sure-miseres".to_string()],
            problems_per_suite: 100,
        }
    }
}

fn one() -> u64 {
    1
}
fn one_epoch() -> u32 {
    1
}
fn one_seat() -> u32 {
    1
}
fn cpu() -> String {
    "cpu".to_string()
}
fn default_deals() -> u64 {
    512
}
fn default_series() -> u64 {
    8
}
fn ten() -> f32 {
    10.0
}
fn ten_iterations() -> u64 {
    10
}
fn half() -> f32 {
    0.5
}
fn yes() -> bool {
    true
}
fn anchor_coef() -> f32 {
    0.05
}
fn anchor_coef_end() -> f32 {
    0.005
}
fn imitation_rate() -> f32 {
    1e-3
}
fn only_self() -> Vec<TableConfig> {
    vec![self_play()]
}
fn self_play() -> TableConfig {
    TableConfig { opponent: "self".to_string(), weight: 1.0, learners: 4, from: 0, until: 0 }
}

impl TrainConfig {
    /// Iterations of imitation before PPO.
    pub fn imitation_iterations(&self) -> u64 {
        self.imitation.as_ref().map_or(0, |i| i.iterations)
    }

    /// Whether training under a rule set sees match totals other than zero, so that the network learns to use them.
    pub fn sees_totals(&self, rules: &RuleSet) -> bool {
        let has_series = rules.spec().deal == DealMethod::Gather || self.house_rules.is_some();
        self.random_totals > 0.0 || has_series && self.series > 1
    }
}
