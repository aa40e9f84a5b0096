//! Settings of the tables at which deals are collected.

use serde::{Deserialize, Serialize};

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

impl Default for HouseRulesConfig {
    fn default() -> HouseRulesConfig {
        HouseRulesConfig { others: Vec::new(), drawn: 64, share: 0.5 }
    }
}

fn one_seat() -> u32 {
    1
}
pub(super) fn only_self() -> Vec<TableConfig> {
    vec![self_play()]
}
pub(super) fn self_play() -> TableConfig {
    TableConfig { opponent: "self".to_string(), weight: 1.0, learners: 4, from: 0, until: 0 }
}
