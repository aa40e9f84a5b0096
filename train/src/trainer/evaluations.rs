//! Comparison of a bot with baselines, and problems with known answers.

use std::sync::OnceLock;

use troel_agents::{NamedBot, Registry};
use troel_env::RuleSet;
use troel_eval::problems::{self, PosedProblem, ProblemSheet};
use troel_eval::{DuplicateBots, DuplicateConfig, ProgressFn, Report, play_duplicate};

use crate::config::EvalConfig;
use crate::error::{ConfigError, TrainError};

/// Evaluations of bots under one rule set. No training plays their deals.
pub(super) struct Evaluations {
    rules: &'static RuleSet,
    /// Registry of the baselines.
    registry: Registry,
    /// Problems of the recipe's suites, once they are generated.
    problems: OnceLock<Vec<PosedProblem>>,
}

impl Evaluations {
    /// Returns evaluations under these rules, with baselines of this registry.
    pub fn new(rules: &'static RuleSet, registry: Registry) -> Evaluations {
        Evaluations { rules, registry, problems: OnceLock::new() }
    }

    /// Compares a bot with each baseline on `deals` deals. `progress` is called with the number of
    /// further deals played, which may be a fraction.
    ///
    /// # Errors
    /// A baseline cannot be found, or a bot failed.
    pub fn compare(
        &self,
        challenger: &NamedBot,
        baselines: &[String],
        deals: u64,
        seed: u64,
        progress: ProgressFn<'_>,
    ) -> Result<Report, TrainError> {
        let config = DuplicateConfig::new(self.rules, 0..deals, seed);
        let mut report = Report::new(&config, "any");
        for name in baselines {
            let found = self.registry.find(name, self.rules);
            let baseline =
                found.map_err(|error| TrainError::Bot { key: "eval.baselines", error })?;
            let bots = DuplicateBots::full(challenger, &baseline);
            let result = play_duplicate(&config, bots, progress)?;
            report.add(config.scope, bots, result, None);
        }
        Ok(report)
    }

    /// Asks a bot the problems of the suites. Returns a sheet per suite that the rule set has.
    ///
    /// The problems are generated on the first call; later calls need the same settings.
    ///
    /// # Errors
    /// A suite does not exist, or the bot failed.
    pub fn ask(&self, bot: &NamedBot, eval: &EvalConfig) -> Result<Vec<ProblemSheet>, TrainError> {
        let problems = match self.problems.get() {
            Some(problems) => problems,
            None => {
                let problems = self.generate_problems(eval)?;
                self.problems.get_or_init(|| problems)
            }
        };
        Ok(problems::ask(problems, bot, eval.seed, &|_| {})?)
    }

    fn generate_problems(&self, eval: &EvalConfig) -> Result<Vec<PosedProblem>, ConfigError> {
        let mut posed = Vec::new();
        for suite in eval.suites()? {
            let count = eval.problems_per_suite as usize;
            let found = problems::generate_at_most(suite, self.rules, count, eval.seed, &|_| {});
            if found.is_empty() {
                tracing::info!(
                    "eval.problems: {} has no problems of {}; the suite is skipped",
                    self.rules.id(),
                    suite.name()
                );
            }
            posed.extend(found);
        }
        Ok(posed)
    }
}
