//! Training recipes: TOML files under `configs/`.

mod anchor;
mod bid_lessons;
mod bots;
mod check;
mod critic;
mod defence;
mod eval;
mod exploit;
mod features;
mod imitation;
mod optional;
mod ppo;
mod ranges;
mod read;
mod start;
mod tables;
mod vine;

use serde::{Deserialize, Serialize};
use troel_env::rules::DealMethod;
use troel_env::{RuleSet, Scenario};
use troel_nn::NetworkConfig;

pub use self::anchor::{AnchorBot, AnchorConfig};
pub use self::bid_lessons::BidLessonsConfig;
pub use self::critic::CriticConfig;
pub use self::defence::DefenceConfig;
pub use self::eval::EvalConfig;
pub use self::features::FeatureBlocks;
pub use self::imitation::ImitationConfig;
use self::optional::empty_is_none;
pub use self::ppo::PpoConfig;
pub(crate) use self::ranges::MAX_UPDATE_EPOCHS;
use self::ranges::check_ranges;
pub use self::start::StartConfig;
pub(crate) use self::start::describe_network;
use self::tables::default_tables;
pub use self::tables::{HouseRulesConfig, Opponent, PoolConfig, ScenarioConfig, TableConfig};
pub use self::vine::VineConfig;
use crate::error::ConfigError;
use crate::reward::DealReward;

/// A training recipe. Where CleanRL has a name for a setting, the key follows it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrainConfig {
    /// Name of a built-in rule set, or path of a rule file.
    pub rules: String,
    /// Master seed.
    #[serde(default = "default_seed")]
    pub seed: u64,
    /// Device of the network: `cpu`, or `cuda` or `wgpu` where they are compiled in.
    #[serde(default = "default_device")]
    pub device: String,
    /// Folder of the run.
    pub run: String,
    /// PPO iterations.
    pub iterations: u64,
    /// Deals collected per iteration.
    #[serde(default = "default_deals")]
    pub deals: u64,
    /// Consecutive deals at one table where the deck is gathered, not shuffled; elsewhere a table
    /// plays one deal. With `house_rules` also the number of deals under the same rules.
    #[serde(default = "default_series")]
    pub series: u64,
    /// Tables that one thread plays together, so that the network decides on batches; smaller
    /// batches are slower. A collection has one parallel part for each such group of tables. A
    /// table plays one deal, or `series` deals if the deck is gathered. On a device other than
    /// `cpu` the key applies to imitation only; the network's own play uses 4,096 tables.
    #[serde(default = "default_tables_per_chunk")]
    pub tables_per_chunk: u64,
    /// Reward of a seat at the end of a deal: `points`, `centred` (points less the mean of the four
    /// seats) or `match-gain`. `match-gain` is the estimated change of the seat's share of the
    /// match, in hundredths; for rule sets with a target. Use it with `random_totals`.
    #[serde(default)]
    pub reward: DealReward,
    /// Points per unit of reward.
    #[serde(default = "default_reward_scale")]
    pub reward_scale: f32,
    /// Network sizes.
    #[serde(default)]
    pub network: NetworkConfig,
    /// Blocks of features that the network does not use, such as `["TRICKS", "SURE"]`; see
    /// docs/concepts/features.md. Their input weights are zero from the start, also those of
    /// `init`, and stay zero. The recipe `start`, and a run that goes on from the bot, need the key
    /// of their own.
    #[serde(default, skip_serializing_if = "FeatureBlocks::is_empty")]
    pub unused_features: FeatureBlocks,
    /// Bot to start from, with the same network sizes and rule set; empty: random weights, or the
    /// bot that `start` trains.
    #[serde(default, with = "empty_is_none")]
    pub init: Option<String>,
    /// Another recipe that trains the bot to start from, unless `init` names one.
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
    /// A bot that the learner's calls stay close to.
    #[serde(default)]
    pub anchor: Option<AnchorConfig>,
    /// Misère defence taught by the solver.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub defence: Option<DefenceConfig>,
    /// Bids are taught: contracts and misères that are certain, and contracts best in rollouts.
    #[serde(default, alias = "sure_calls", skip_serializing_if = "Option::is_none")]
    pub bid_lessons: Option<BidLessonsConfig>,
    /// Decisions of the auction at which all plausible calls are tried.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vine: Option<VineConfig>,
    /// Kinds of tables: which bots play against the learner.
    #[serde(default = "default_tables")]
    pub tables: Vec<TableConfig>,
    /// Pool of frozen past selves.
    #[serde(default)]
    pub pool: PoolConfig,
    /// Rule sets in addition to `rules`, so that the bot plays under any. Needs
    /// `network.rule_features`, which tell the network the rules.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub house_rules: Option<HouseRulesConfig>,
    /// Scenario deals for rare contracts, mixed in.
    #[serde(default, alias = "suites")]
    pub scenarios: Vec<ScenarioConfig>,
    /// Share of the tables that start at random match totals instead of zeros, so that the network
    /// sees totals other than zero. (Unless `reward` is `match-gain`, rewards do not depend on the
    /// totals, and the network learns to ignore them.)
    #[serde(default = "default_random_totals")]
    pub random_totals: f32,
    /// Evaluation.
    #[serde(default)]
    pub eval: EvalConfig,
    /// Iterations between checkpoints.
    #[serde(default = "default_checkpoint_every")]
    pub checkpoint_every: u64,
    /// Iterations between bots kept in `checkpoints/` in the folder of the run; 0 keeps none.
    #[serde(default)]
    pub checkpoint_keep_every: u64,
    /// Whether to write TensorBoard files in addition to the JSON lines.
    #[serde(default = "default_tensorboard")]
    pub tensorboard: bool,
}

fn default_seed() -> u64 {
    1
}
fn default_device() -> String {
    "cpu".to_string()
}
fn default_deals() -> u64 {
    512
}
fn default_series() -> u64 {
    8
}
/// Default of [`TrainConfig::tables_per_chunk`].
pub(crate) const DEFAULT_TABLES_PER_CHUNK: u64 = 128;

fn default_tables_per_chunk() -> u64 {
    DEFAULT_TABLES_PER_CHUNK
}
fn default_reward_scale() -> f32 {
    10.0
}
fn default_checkpoint_every() -> u64 {
    10
}
fn default_random_totals() -> f32 {
    0.5
}
fn default_tensorboard() -> bool {
    true
}

/// Largest excess of a sum of shares over 1 that counts as rounding.
const MAX_ROUNDING_OF_SHARES: f64 = 1e-6;

impl TrainConfig {
    /// Returns the recipe as a TOML table.
    ///
    /// # Errors
    /// A value has no form in TOML.
    pub(crate) fn to_table(&self) -> Result<toml::Table, toml::ser::Error> {
        toml::Table::try_from(self)
    }

    /// Returns the iterations of imitation before PPO.
    pub fn imitation_iterations(&self) -> u64 {
        self.imitation.as_ref().map_or(0, |i| i.iterations)
    }

    /// Parses the names of the scenarios; returns each scenario with its share of the tables.
    ///
    /// # Errors
    /// A name is not that of a scenario, a share is out of range, or the shares add up to more
    /// than 1.
    pub(crate) fn scenario_shares(&self) -> Result<Vec<(Scenario, f32)>, ConfigError> {
        let mut scenarios = Vec::new();
        for scenario in &self.scenarios {
            scenarios.push((scenario.parse()?, scenario.share));
        }
        let total: f64 = scenarios.iter().map(|&(_, share)| f64::from(share)).sum();
        // Ten times the f32 nearest to 0.1 is more than 1.
        if total > 1.0 + MAX_ROUNDING_OF_SHARES {
            return Err(ConfigError::invalid(
                "scenarios: the shares add up to more than 1; lower them",
            ));
        }
        Ok(scenarios)
    }

    /// Checks the ranges of the keys outside of sections.
    fn check_own_keys(&self) -> Result<(), ConfigError> {
        if self.run.trim().is_empty() {
            return Err(ConfigError::invalid("run is empty: name the folder of the run"));
        }
        check_ranges(&[
            ("iterations", self.iterations as f64, 0.0, 1e9),
            ("deals", self.deals as f64, 1.0, 1e6),
            ("series", self.series as f64, 1.0, 1e3),
            ("tables_per_chunk", self.tables_per_chunk as f64, 1.0, 1e5),
            ("reward_scale", self.reward_scale.into(), 1e-3, 1e6),
            ("checkpoint_every", self.checkpoint_every as f64, 1.0, 1e9),
            ("checkpoint_keep_every", self.checkpoint_keep_every as f64, 0.0, 1e9),
            ("random_totals", self.random_totals.into(), 0.0, 1.0),
        ])
    }

    /// Returns whether training under a rule set sees match totals other than zero. The network
    /// then learns to use them.
    pub fn sees_totals(&self, rules: &RuleSet) -> bool {
        let has_series = rules.spec().deal == DealMethod::Gather || self.house_rules.is_some();
        self.random_totals > 0.0 || has_series && self.series > 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_may_add_up_to_one() {
        let recipe = |scenarios: usize| {
            let scenario = "[[scenarios]]\nscenario = \"misere\"\nshare = 0.1\n";
            let scenarios = scenario.repeat(scenarios);
            format!("rules = \"wiezen\"\nrun = \"r\"\niterations = 1\n{scenarios}")
        };
        assert!(TrainConfig::parse(&recipe(10)).is_ok());
        let error = TrainConfig::parse(&recipe(11)).expect_err("more than 1").to_string();
        assert!(error.contains("scenarios"), "{error}");
    }
}
