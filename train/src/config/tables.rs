//! Settings of the tables at which deals are collected.

use std::fmt;

use serde::{Deserialize, Serialize};
use troel_env::Scenario;

use super::optional::zero_is_none;
use super::ranges::check_ranges;
use crate::error::ConfigError;

/// Largest weight of a kind of tables. The sum of the weights is finite.
const MAX_TABLE_WEIGHT: f32 = 1e6;

/// Player of the seats that do not learn. A recipe writes it as a string.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub enum Opponent {
    /// `self`: the learner, so that all four seats learn.
    Learner,
    /// `past`: a frozen past self.
    Past,
    /// A bot of this name.
    Bot(String),
}

impl Opponent {
    /// Returns the name of the bot, if it is one.
    pub fn bot(&self) -> Option<&str> {
        match self {
            Opponent::Bot(name) => Some(name),
            Opponent::Learner | Opponent::Past => None,
        }
    }

    fn name(&self) -> &str {
        match self {
            Opponent::Learner => "self",
            Opponent::Past => "past",
            Opponent::Bot(name) => name,
        }
    }
}

impl From<&str> for Opponent {
    fn from(name: &str) -> Opponent {
        match name {
            "self" => Opponent::Learner,
            "past" => Opponent::Past,
            name => Opponent::Bot(name.to_string()),
        }
    }
}

impl From<String> for Opponent {
    fn from(name: String) -> Opponent {
        Opponent::from(name.as_str())
    }
}

impl From<Opponent> for String {
    fn from(opponent: Opponent) -> String {
        opponent.name().to_string()
    }
}

impl fmt::Display for Opponent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A kind of table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TableConfig {
    /// Player of the seats that do not learn: `self` (all four learn), `past` (a frozen past self),
    /// or the name of a bot.
    pub opponent: Opponent,
    /// Frequency relative to the other kinds, above 0.
    pub weight: f32,
    /// Number of learning seats, 1 to 4; which ones is drawn at random for each table.
    #[serde(default = "default_learners")]
    pub learners: u32,
    /// First PPO iteration with such tables, counted from 0.
    #[serde(default)]
    pub from: u64,
    /// First PPO iteration without such tables any more; 0: they stay until the end.
    #[serde(default, with = "zero_is_none")]
    pub until: Option<u64>,
}

impl TableConfig {
    /// Returns whether there are such tables in this PPO iteration, counted from 0.
    pub fn is_open(&self, iteration: u64) -> bool {
        self.from <= iteration && self.until.is_none_or(|until| iteration < until)
    }

    pub(super) fn check(&self) -> Result<(), ConfigError> {
        let opponent = &self.opponent;
        let message = if !(self.weight > 0.0 && self.weight <= MAX_TABLE_WEIGHT) {
            format!("weight of {opponent} must be above 0 and at most {MAX_TABLE_WEIGHT}")
        } else if self.until.is_some_and(|until| until <= self.from) {
            format!("{opponent} has until before from")
        } else if !(1..=4).contains(&self.learners) {
            format!("learners of {opponent} must be 1 to 4")
        } else {
            return Ok(());
        };
        Err(ConfigError::invalid(format!("tables: {message}")))
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

impl PoolConfig {
    pub(super) fn check(&self) -> Result<(), ConfigError> {
        check_ranges(&[
            ("pool.every", self.every as f64, 1.0, 1e9),
            ("pool.size", self.size as f64, 1.0, 256.0),
        ])
    }
}

/// Scenario deals: the hand of one learning seat meets the scenario. Only that seat's decisions are
/// trained on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScenarioConfig {
    /// Name of the scenario: `aces`, `low-cards`, `near-slam` or a kind of contract.
    #[serde(alias = "suite")]
    pub scenario: String,
    /// Share of all tables.
    pub share: f32,
}

impl ScenarioConfig {
    /// Parses the name of the scenario, and checks the share.
    pub(super) fn parse(&self) -> Result<Scenario, ConfigError> {
        let name = &self.scenario;
        let invalid = |message| Err(ConfigError::invalid(format!("scenarios: {message}")));
        let Some(scenario) = Scenario::parse(name) else {
            let names = Scenario::NAMES.join(", ");
            return invalid(format!(
                "{name:?} is not a scenario; use {names} or a kind of contract such as misere"
            ));
        };
        if !(0.0..=1.0).contains(&self.share) {
            return invalid(format!("share of {name} must be 0 to 1"));
        }
        Ok(scenario)
    }
}

/// Rule sets to train under in addition to the recipe's. They are others, and house rules drawn at
/// random around all of them ([`troel_env::RuleSet::variant`]). Every table draws its own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct HouseRulesConfig {
    /// Names of built-in rule sets, or paths of rule files, in addition to `rules`.
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

impl HouseRulesConfig {
    pub(super) fn check(&self) -> Result<(), ConfigError> {
        check_ranges(&[
            ("house_rules.drawn", self.drawn as f64, 0.0, 1024.0),
            ("house_rules.share", self.share.into(), 0.0, 1.0),
        ])
    }
}

fn default_learners() -> u32 {
    1
}
pub(super) fn default_tables() -> Vec<TableConfig> {
    vec![self_play()]
}
pub(super) fn self_play() -> TableConfig {
    TableConfig { opponent: Opponent::Learner, weight: 1.0, learners: 4, from: 0, until: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn opponents_are_strings_in_a_recipe() {
        let bot = "bot:python3 mine.py";
        let all = [("self", Opponent::Learner), ("past", Opponent::Past), (bot, bot.into())];
        for (text, opponent) in all {
            let recipe = format!("opponent = {text:?}\nweight = 1.0");
            let table: TableConfig = toml::from_str(&recipe).expect("a table");
            assert_eq!(table.opponent, opponent);
            let written = toml::Table::try_from(&table).expect("TOML");
            assert_eq!(written["opponent"].as_str(), Some(text));
        }
    }
}
