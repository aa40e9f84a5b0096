//! Problems with known answers, which every evaluation asks the bot.

use troel_eval::problems::{self, PosedProblem, ProblemSheet};
use troel_nn::ProblemSummary;

use super::Trainer;
use crate::error::{ConfigError, TrainError};

impl Trainer {
    /// Asks the current bot the problems of the recipe's suites. Returns a sheet per suite that the
    /// rule set has. Their deals are evaluation deals, which no training plays.
    ///
    /// # Errors
    /// The bot failed.
    pub fn answer_problems(&self) -> Result<Vec<ProblemSheet>, TrainError> {
        let seed = self.config.eval.seed;
        let problems = match self.problems.get() {
            Some(problems) => problems,
            None => {
                let problems = self.generate_problems()?;
                self.problems.get_or_init(|| problems)
            }
        };
        Ok(problems::ask(problems, &self.trained(), seed, &|_| {})?)
    }

    fn generate_problems(&self) -> Result<Vec<PosedProblem>, ConfigError> {
        let eval = &self.config.eval;
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

    /// Adds answers to problems to the bot's metadata.
    pub fn add_answers(&mut self, sheets: &[ProblemSheet]) {
        self.answers.extend(sheets.iter().map(|sheet| ProblemSummary {
            suite: sheet.suite.to_string(),
            problems: sheet.lost.n,
            seed: self.config.eval.seed,
            solved: sheet.solved,
            lost: sheet.lost.mean(),
            ci95: sheet.lost.interval().ends(),
            rules: String::new(),
        }));
    }
}
