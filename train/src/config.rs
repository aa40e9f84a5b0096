//! Training recipes: TOML files under `configs/`.

use std::path::Path;

use serde::{Deserialize, Serialize};
use troel_agents::{find_rules, registry};
use troel_env::rules::DealMethod;
use troel_env::{Reward, RuleSet, Scenario};
use troel_nn::{NetworkConfig, Weights};

use crate::error::{ConfigError, TrainError};

/// The built-in recipes: name and file.
const BUILT_IN: [(&str, &str); 5] = [
    ("quickstart", include_str!("../../configs/quickstart.toml")),
    ("luxembourg-v1", include_str!("../../configs/luxembourg-v1.toml")),
    ("horesca-v1", include_str!("../../configs/horesca-v1.toml")),
    ("wiezen-v1", include_str!("../../configs/wiezen-v1.toml")),
    ("iwwa-v1", include_str!("../../configs/iwwa-v1.toml")),
];

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
    /// Consecutive deals at one table where the deck is gathered, not shuffled; elsewhere a table plays one deal.
    #[serde(default = "default_series")]
    pub series: u64,
    /// Reward of a seat at the end of a deal: `points` or `centred`.
    #[serde(default)]
    pub reward: Reward,
    /// Points per unit of reward.
    #[serde(default = "ten")]
    pub reward_scale: f32,
    /// Network sizes.
    #[serde(default)]
    pub network: NetworkConfig,
    /// Checkpoint to start from, with the same network sizes and rule set; empty: random weights.
    #[serde(default)]
    pub init: String,
    /// Settings of PPO.
    #[serde(default)]
    pub ppo: PpoConfig,
    /// A critic that sees all four hands, instead of the value head. Not together with `ppo.critic`.
    #[serde(default)]
    pub critic: Option<CriticConfig>,
    /// Warm start by imitation.
    #[serde(default)]
    pub imitation: Option<ImitationConfig>,
    /// Kinds of tables: which bots play against the learner.
    #[serde(default = "only_self")]
    pub tables: Vec<TableConfig>,
    /// Pool of frozen past selves.
    #[serde(default)]
    pub pool: PoolConfig,
    /// Scenario deals for rare contracts, mixed in.
    #[serde(default, alias = "suites")]
    pub scenarios: Vec<ScenarioConfig>,
    /// Share of the tables that start at random match totals instead of zeros, so that totals other than zero are not foreign to the network. (Rewards
    /// are points whatever the totals: it learns that they do not matter.)
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
    /// the actual hidden cards ([`crate::baseline::PlayOn`]). Empty: the value head provides them.
    pub critic: String,
    /// PPO iterations at the start in which `critic` provides the baselines; afterwards the value head does. 0: all.
    pub critic_iterations: u64,
    /// λ while `critic` provides the baselines, if another than `gae_lambda`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub critic_lambda: Option<f32>,
    /// Passes over the samples of an iteration.
    pub update_epochs: u32,
    /// Samples per step of the optimiser.
    pub minibatch_size: usize,
    /// Parts of a minibatch whose gradients are computed in parallel and added in order.
    pub shards: usize,
    /// Probability ratios are clipped to 1 ± this.
    pub clip_coef: f32,
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
    /// Whether to normalise advantages over the iteration to mean 0 and standard deviation 1.
    pub norm_adv: bool,
    /// Whether to normalise them under each kind of contract by itself, and before there is one, so that contracts of many
    /// points do not outweigh the others.
    pub norm_adv_by_contract: bool,
    /// PPO iterations at the start with policy loss and entropy bonus off: only the value loss has gradients.
    pub critic_warmup: u64,
    /// Share of the samples that have a policy gradient, those with the largest advantages, positive or negative, calls and
    /// cards apart. Below 1, the value head learns from a random share of the same size; the others are dropped, and the
    /// means in `losses/…` are over those that are left.
    pub policy_share: f32,
    /// Decay, per optimiser step, of a moving average of the weights (Polyak and Juditsky 1992), which is what is evaluated and
    /// saved as the bot; samples are collected, and `checkpoint/` is written, with the weights themselves. 0: no average.
    pub ema_decay: f32,
}

/// A critic that sees all four hands ([`crate::baseline::FullCritic`]) and learns the outcomes of the deals.
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
    /// Its sizes.
    pub fn network(&self) -> NetworkConfig {
        NetworkConfig { hidden: self.hidden, blocks: self.blocks, canonical_suits: false }
    }
}

impl Default for PpoConfig {
    fn default() -> PpoConfig {
        PpoConfig {
            learning_rate: 5e-4,
            learning_rate_end: 5e-5,
            gae_lambda: 0.95,
            critic: String::new(),
            critic_iterations: 0,
            critic_lambda: None,
            update_epochs: 2,
            minibatch_size: 2048,
            shards: 2,
            clip_coef: 0.2,
            ent_coef: 0.01,
            ent_coef_end: 0.001,
            call_ent_factor: 1.0,
            vf_coef: 0.5,
            max_grad_norm: 0.5,
            target_kl: 0.03,
            norm_adv: true,
            norm_adv_by_contract: false,
            critic_warmup: 0,
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
    /// Learning rate of Adam.
    #[serde(default = "imitation_rate")]
    pub learning_rate: f32,
    /// Label smoothing: share of the target probability spread over all legal actions, 0 to below 1.
    #[serde(default)]
    pub label_smoothing: f32,
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
    /// Seed of the evaluation deals, which no training plays, whatever its seed.
    pub seed: u64,
}

impl Default for EvalConfig {
    fn default() -> EvalConfig {
        EvalConfig {
            every: 50,
            deals: 500,
            baselines: vec!["rules".to_string()],
            final_deals: 2000,
            seed: 1,
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
fn imitation_rate() -> f32 {
    1e-3
}
fn only_self() -> Vec<TableConfig> {
    vec![TableConfig { opponent: "self".to_string(), weight: 1.0, learners: 4, from: 0, until: 0 }]
}

impl TrainConfig {
    /// Reads and checks a recipe: the file at this path or, if there is none, the built-in recipe of this name, such
    /// as `quickstart`.
    ///
    /// # Errors
    /// The file cannot be read, or the recipe is invalid; the message names the file and the key.
    pub fn load(path: &Path) -> Result<TrainConfig, TrainError> {
        TrainConfig::load_with(path, &[])
    }

    /// Like [`TrainConfig::load`], with keys set to other values: each setting is `key=value`, such as `ppo.clip_coef=0.1`
    /// or `scenarios=[]`, the value in TOML; a value that is no TOML is taken for a string.
    ///
    /// # Errors
    /// The file cannot be read, a setting has no `=` or its key does not lead to a value, or the recipe is invalid; the
    /// message names the file and the key.
    pub fn load_with(path: &Path, settings: &[String]) -> Result<TrainConfig, TrainError> {
        let origin = format!("{}: ", path.display());
        let text = match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) => match built_in(path) {
                Some(text) => text.to_string(),
                None => {
                    let built_in = TrainConfig::built_in_names().collect::<Vec<_>>().join(", ");
                    return Err(TrainError::NoRecipe { path: path.to_path_buf(), error, built_in });
                }
            },
        };
        let parsed = match settings {
            [] => TrainConfig::parse(&text),
            settings => TrainConfig::parse(&text).and_then(|config| config.set(settings)),
        };
        parsed.map_err(|error| TrainError::Config { origin, error })
    }

    fn set(self, settings: &[String]) -> Result<TrainConfig, ConfigError> {
        let table = toml::Table::try_from(self).map_err(|error| ConfigError(error.to_string()))?;
        let read = |table: toml::Table| {
            let read = table.try_into::<TrainConfig>();
            read.map_err(|error| ConfigError(error.message().replace('\n', " ")))
        };
        let mut changed = table.clone();
        for setting in settings {
            set_key(&mut changed, setting)?;
        }
        let config = read(changed).map_err(|error| {
            // The first that is wrong by itself is named.
            let is_wrong = |setting: &&String| {
                let mut alone = table.clone();
                set_key(&mut alone, setting).and_then(|()| read(alone)).is_err()
            };
            let wrong = settings.iter().find(is_wrong);
            wrong.map_or(error.clone(), |setting| ConfigError(format!("{setting}: {error}")))
        })?;
        config.check()?;
        Ok(config)
    }

    /// Names of the built-in recipes.
    pub fn built_in_names() -> impl Iterator<Item = &'static str> {
        BUILT_IN.iter().map(|(name, _)| *name)
    }

    /// Parses and checks a recipe, as TOML.
    ///
    /// # Errors
    /// The recipe is not valid TOML, or a key is unknown, missing or out of range; the message names it.
    pub fn parse(text: &str) -> Result<TrainConfig, ConfigError> {
        let config: TrainConfig = toml::from_str(text).map_err(|e| {
            let line = e.span().map(|s| text[..s.start.min(text.len())].matches('\n').count() + 1);
            let place = line.map(|l| format!("line {l}: ")).unwrap_or_default();
            ConfigError(format!("{place}{}", e.message().replace('\n', " ")))
        })?;
        config.check()?;
        Ok(config)
    }

    /// Checks that all values are in range.
    ///
    /// # Errors
    /// A value is out of range; the message names its key.
    pub fn check(&self) -> Result<(), ConfigError> {
        self.check_values().map_err(ConfigError)
    }

    fn check_values(&self) -> Result<(), String> {
        let p = &self.ppo;
        let ranges = [
            ("iterations", self.iterations as f64, 0.0, 1e9),
            ("deals", self.deals as f64, 1.0, 1e6),
            ("series", self.series as f64, 1.0, 1e3),
            ("reward_scale", self.reward_scale.into(), 1e-3, 1e6),
            ("checkpoint_every", self.checkpoint_every as f64, 1.0, 1e9),
            ("checkpoint_keep_every", self.checkpoint_keep_every as f64, 0.0, 1e9),
            ("random_totals", self.random_totals.into(), 0.0, 1.0),
            ("ppo.learning_rate", p.learning_rate.into(), 0.0, 1.0),
            ("ppo.learning_rate_end", p.learning_rate_end.into(), 0.0, 1.0),
            ("ppo.gae_lambda", p.gae_lambda.into(), 0.0, 1.0),
            ("ppo.critic_lambda", p.critic_lambda.unwrap_or(0.0).into(), 0.0, 1.0),
            ("ppo.update_epochs", p.update_epochs.into(), 1.0, 100.0),
            ("ppo.minibatch_size", p.minibatch_size as f64, 1.0, 1e6),
            ("ppo.shards", p.shards as f64, 1.0, 1024.0),
            ("ppo.clip_coef", p.clip_coef.into(), 1e-3, 10.0),
            ("ppo.ent_coef", p.ent_coef.into(), 0.0, 10.0),
            ("ppo.ent_coef_end", p.ent_coef_end.into(), 0.0, 10.0),
            ("ppo.call_ent_factor", p.call_ent_factor.into(), 0.0, 1e3),
            ("ppo.vf_coef", p.vf_coef.into(), 0.0, 100.0),
            ("ppo.max_grad_norm", p.max_grad_norm.into(), 1e-6, 1e6),
            ("ppo.target_kl", p.target_kl.into(), 1e-6, 1e6),
            ("ppo.policy_share", p.policy_share.into(), 1e-3, 1.0),
            ("ppo.ema_decay", p.ema_decay.into(), 0.0, 0.999_999),
            ("pool.every", self.pool.every as f64, 1.0, 1e9),
            ("pool.size", self.pool.size as f64, 1.0, 256.0),
            ("eval.deals", self.eval.deals as f64, 1.0, 1e7),
            ("eval.final_deals", self.eval.final_deals as f64, 0.0, 1e7),
        ];
        check_ranges(&ranges)?;
        for (key, seed) in [("seed", self.seed), ("eval.seed", self.eval.seed)] {
            if i64::try_from(seed).is_err() {
                return Err(format!("{key} = {seed} must be 0 to {}", i64::MAX));
            }
        }
        self.network.check().map_err(|error| error.to_string())?;
        if self.reward == Reward::Match {
            return Err("reward = \"match\" needs whole matches, which training does not play; use points or centred".into());
        }
        if p.norm_adv_by_contract && !p.norm_adv {
            return Err("ppo.norm_adv_by_contract needs ppo.norm_adv = true".to_string());
        }
        if p.critic.is_empty() && (p.critic_iterations > 0 || p.critic_lambda.is_some()) {
            return Err("ppo.critic_iterations and ppo.critic_lambda need ppo.critic".to_string());
        }
        if let Some(critic) = &self.critic {
            if !p.critic.is_empty() {
                return Err("critic and ppo.critic exclude each other: remove one (ppo.critic = \"\" is none)".to_string());
            }
            let ranges = [
                ("critic.hidden", critic.hidden as f64, 1.0, 4096.0),
                ("critic.blocks", critic.blocks as f64, 0.0, 64.0),
                ("critic.learning_rate", critic.learning_rate.into(), 0.0, 1.0),
                ("critic.learning_rate_end", critic.learning_rate_end.into(), 0.0, 1.0),
                ("critic.update_epochs", critic.update_epochs.into(), 1.0, 100.0),
            ];
            check_ranges(&ranges)?;
        }
        if let Some(imitation) = &self.imitation {
            let ranges = [
                ("imitation.iterations", imitation.iterations as f64, 0.0, 1e9),
                ("imitation.update_epochs", imitation.update_epochs.into(), 1.0, 100.0),
                ("imitation.learning_rate", imitation.learning_rate.into(), 0.0, 1.0),
                ("imitation.label_smoothing", imitation.label_smoothing.into(), 0.0, 0.999),
            ];
            check_ranges(&ranges)?;
        }
        if self.tables.is_empty() {
            return Err("tables must list at least one kind of table".to_string());
        }
        for table in &self.tables {
            if !(table.weight > 0.0 && table.weight.is_finite()) {
                return Err(format!("tables: weight of {} must be positive", table.opponent));
            }
            if table.until > 0 && table.until <= table.from {
                return Err(format!("tables: {} has until before from", table.opponent));
            }
            if !(1..=4).contains(&table.learners) {
                return Err(format!("tables: learners of {} must be 1 to 4", table.opponent));
            }
        }
        // Whether there are tables changes only where a kind begins or ends.
        let changes = self.tables.iter().flat_map(|t| [t.from, t.until]).chain([0]);
        let mut within = changes.filter(|&iteration| iteration < self.iterations);
        let none = within.find(|&at| !self.tables.iter().any(|table| table.is_open(at)));
        if let Some(iteration) = none {
            return Err(format!(
                "tables: none is open in PPO iteration {iteration}; see from and until"
            ));
        }
        let mut shares = 0.0;
        for entry in &self.scenarios {
            if Scenario::parse(&entry.scenario).is_none() {
                return Err(format!(
                    "scenarios: {:?} is not a scenario; use aces or a kind of contract such as misere",
                    entry.scenario
                ));
            }
            if !(0.0..=1.0).contains(&entry.share) {
                return Err(format!("scenarios: share of {} must be 0 to 1", entry.scenario));
            }
            shares += entry.share;
        }
        if shares > 1.0 {
            return Err("scenarios: the shares add up to more than 1".to_string());
        }
        Ok(())
    }

    /// Iterations of imitation before PPO.
    pub fn imitation_iterations(&self) -> u64 {
        self.imitation.as_ref().map_or(0, |i| i.iterations)
    }

    /// Whether training under a rule set sees match totals other than zero, so that the network learns to use them.
    pub fn sees_totals(&self, rules: &RuleSet) -> bool {
        let several_deals = rules.spec().deal == DealMethod::Gather && self.series > 1;
        self.random_totals > 0.0 || several_deals
    }

    /// The weights that a run starts from: random, or those of the checkpoint `init`.
    ///
    /// # Errors
    /// The rule set or checkpoint is not found, or the checkpoint is damaged or of another network or rule set.
    pub fn initial_weights(&self) -> Result<Weights, TrainError> {
        let rules = find_rules(&self.rules)?;
        if self.init.is_empty() {
            let mut weights = Weights::init(self.network, self.seed);
            if !self.sees_totals(rules) {
                weights.ignore_totals();
            }
            return Ok(weights);
        }
        let (path, bundle) = registry::find_bundle(&self.init)
            .map_err(|error| TrainError::Bot { key: "init", error })?;
        bundle.info.check_rules(&path, rules)?;
        if bundle.weights.config != self.network {
            let words = |network: &NetworkConfig| {
                let NetworkConfig { hidden, blocks, canonical_suits } = network;
                format!("hidden {hidden}, blocks {blocks}, canonical_suits {canonical_suits}")
            };
            return Err(ConfigError(format!(
                "init: {} has another network ({}) than the recipe ({})",
                path.display(),
                words(&bundle.weights.config),
                words(&self.network)
            ))
            .into());
        }
        Ok(bundle.weights)
    }
}

/// Sets a key of a recipe: `setting` is `key=value`, the key with dots between the names of tables.
fn set_key(table: &mut toml::Table, setting: &str) -> Result<(), ConfigError> {
    let refuse = |fault: &str| ConfigError(format!("{setting}: {fault}"));
    let (key, value) = setting
        .split_once('=')
        .ok_or_else(|| refuse("write KEY=VALUE, such as ppo.update_epochs=1"))?;
    // What is no TOML value is a string; a line break would begin another key.
    let parsed = format!("value = {value}").parse::<toml::Table>().ok();
    let parsed = parsed.filter(|parsed| parsed.len() == 1).and_then(|mut p| p.remove("value"));
    let value = parsed.unwrap_or_else(|| toml::Value::String(value.trim().to_string()));
    let mut names: Vec<&str> = key.split('.').map(str::trim).collect();
    let last = names.pop().filter(|last| !last.is_empty());
    let last = last.ok_or_else(|| refuse("the key has no name"))?;
    let mut place = table;
    for name in names {
        let inner = place.entry(name).or_insert_with(|| toml::Table::new().into());
        place = inner.as_table_mut().ok_or_else(|| refuse(&format!("{name} is no table")))?;
    }
    place.insert(last.to_string(), value);
    Ok(())
}

/// Refuses values out of range: key, value, least, most.
fn check_ranges(ranges: &[(&str, f64, f64, f64)]) -> Result<(), String> {
    let bad = ranges.iter().find(|(_, value, low, high)| !(low..=high).contains(&value));
    match bad {
        Some((key, value, low, high)) => Err(format!("{key} = {value} must be {low} to {high}")),
        None => Ok(()),
    }
}

/// The built-in recipe that a path stands for: `NAME`, `NAME.toml` or `configs/NAME.toml`.
fn built_in(path: &Path) -> Option<&'static str> {
    let name = path.strip_prefix("configs").unwrap_or(path).to_str()?;
    let name = name.strip_suffix(".toml").unwrap_or(name);
    BUILT_IN.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
}
