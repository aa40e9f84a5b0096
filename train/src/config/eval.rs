//! Settings of evaluations.

use serde::{Deserialize, Serialize};
use troel_eval::problems::Suite;

use super::ranges::check_ranges;
use crate::error::ConfigError;

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
    /// Seed of the evaluation deals and problems. No training plays them, with any seed.
    pub seed: u64,
    /// Suites of problems with known answers (docs/problems.md) that every evaluation asks the bot.
    /// Those that the rule set lacks are skipped.
    pub problems: Vec<String>,
    /// Largest number of problems per suite. A rule set may have fewer.
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

impl EvalConfig {
    pub(super) fn check_ranges(&self) -> Result<(), ConfigError> {
        check_ranges(&[
            ("eval.every", self.every as f64, 0.0, 1e9),
            ("eval.deals", self.deals as f64, 1.0, 1e7),
            ("eval.problems_per_suite", self.problems_per_suite as f64, 1.0, 1e4),
            ("eval.final_deals", self.final_deals as f64, 0.0, 1e7),
        ])
    }

    /// Parses the names of the suites of problems.
    ///
    /// # Errors
    /// A name is not that of a suite.
    pub(crate) fn suites(&self) -> Result<Vec<Suite>, ConfigError> {
        let parse = |name: &String| {
            Suite::parse(name).ok_or_else(|| {
                let all: Vec<&str> = Suite::ALL.into_iter().map(Suite::name).collect();
                let all = all.join(", ");
                ConfigError::invalid(format!("eval.problems: {name:?} is not a suite; use {all}"))
            })
        };
        self.problems.iter().map(parse).collect()
    }
}
