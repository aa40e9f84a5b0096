//! Steps of a run that evaluate its bot, during training and at its end.

use troel_eval::problems::ProblemSheet;
use troel_eval::{ProgressFn, Report};
use troel_nn::{ComparisonSummary, ProblemSummary};

use super::Trainer;
use crate::checkpoint::BestResult;
use crate::error::TrainError;
use crate::report::{EvaluationReport, Event, MetricValues, ProblemsReport};
use crate::reward::DealReward;
use crate::run_folder::BEST_BOT_FOLDER;

/// Probability of a right answer below which an evaluation warns.
const MIN_ANSWER_PROBABILITY: f64 = 1e-9;

impl Trainer {
    /// Evaluates during training, and adds the results to `values`. It saves the bot if it is the
    /// best so far by points. With the reward `match-gain`, no bot is saved. Returns the events to
    /// report.
    pub(super) fn evaluate_during_training(
        &mut self,
        values: &mut MetricValues,
    ) -> Result<Vec<Event>, TrainError> {
        let report = self.evaluate(self.config.eval.deals, &self.config.eval.baselines, &|_| {})?;
        let mut events = self.add_comparisons(&report, values);
        events.extend(self.add_problems(values)?);
        self.save_if_best(&report)?;
        Ok(events)
    }

    /// Adds the results against the baselines to `values`, and returns their events.
    fn add_comparisons(&self, report: &Report, values: &mut MetricValues) -> Vec<Event> {
        let mut events = Vec::new();
        for comparison in &report.comparisons {
            let half_width = comparison.detail.difference.half_width();
            values.push(format!("eval/{}", comparison.baseline), comparison.points_per_deal);
            if half_width.is_finite() {
                values.push(
                    format!("eval/{}/low", comparison.baseline),
                    comparison.points_per_deal - half_width,
                );
                values.push(
                    format!("eval/{}/high", comparison.baseline),
                    comparison.points_per_deal + half_width,
                );
            }
            events.push(Event::Evaluation(EvaluationReport {
                iteration: self.iteration(),
                baseline: comparison.baseline.clone(),
                points: comparison.points_per_deal,
                half_width,
            }));
        }
        events
    }

    /// Asks the bot the problems, adds the results to `values`, and returns their events.
    fn add_problems(&self, values: &mut MetricValues) -> Result<Vec<Event>, TrainError> {
        let mut events = Vec::new();
        for sheet in self.answer_problems()? {
            values.push(format!("problems/{}", sheet.suite), sheet.solved);
            values.push(format!("problems/{}_lost", sheet.suite), sheet.lost.mean());
            values.push(format!("problems/{}_least", sheet.suite), sheet.least_probability);
            if sheet.least_probability < MIN_ANSWER_PROBABILITY {
                tracing::warn!(
                    "{}: the policy gives right answers a probability of only {:.0e}, so self-play \
                     rarely samples them (see [bid_lessons] and [vine] in configs/recipe.md)",
                    sheet.suite,
                    sheet.least_probability
                );
            }
            events.push(Event::Problems(ProblemsReport {
                iteration: self.iteration(),
                suite: sheet.suite.to_string(),
                solved: sheet.solved,
                lost: sheet.lost.mean(),
            }));
        }
        Ok(events)
    }

    /// Saves the bot if its result against the first baseline is the best so far.
    fn save_if_best(&mut self, report: &Report) -> Result<(), TrainError> {
        // Without baselines, bots cannot be compared.
        let Some(first) = report.comparisons.first() else { return Ok(()) };
        if self.config.reward == DealReward::MatchGain {
            return Ok(());
        }
        let result = BestResult {
            points: first.points_per_deal,
            baseline: first.baseline.clone(),
            deals: self.config.eval.deals,
            seed: self.config.eval.seed,
        };
        // After a change of the evaluation, the best result so far is not comparable.
        let so_far = self.state.progress.best.as_ref().filter(|best| best.is_comparable(&result));
        if so_far.is_none_or(|best| result.points > best.points) {
            self.files.save_bot(&self.files.folder().join(BEST_BOT_FOLDER), &self.state)?;
            self.state.progress.best = Some(result);
        }
        Ok(())
    }

    /// Evaluates the current weights against each baseline. The evaluation deals are played by no
    /// training. `progress` is called with the number of further deals played, which may be a
    /// fraction.
    ///
    /// # Errors
    /// A baseline cannot be found, or a bot failed.
    pub fn evaluate(
        &self,
        deals: u64,
        baselines: &[String],
        progress: ProgressFn<'_>,
    ) -> Result<Report, TrainError> {
        let seed = self.config.eval.seed;
        self.evaluations.compare(&self.trained(), baselines, deals, seed, progress)
    }

    /// Asks the current bot the problems of the recipe's suites. Returns a sheet per suite that the
    /// rule set has. Their deals are evaluation deals, which no training plays.
    ///
    /// # Errors
    /// The bot failed.
    pub fn answer_problems(&self) -> Result<Vec<ProblemSheet>, TrainError> {
        self.evaluations.ask(&self.trained(), &self.config.eval)
    }

    /// Adds the results of an evaluation to the bot's metadata.
    pub fn add_evaluation(&mut self, report: &Report) {
        let results = report.comparisons.iter().map(|comparison| ComparisonSummary {
            baseline: comparison.baseline.clone(),
            scope: comparison.scope.name().to_string(),
            points_per_deal: comparison.points_per_deal,
            ci95: comparison.detail.difference.interval().ends(),
            deals: comparison.deals,
            seed: report.seed,
            rules: String::new(),
        });
        self.state.info.evaluation.extend(results);
    }

    /// Adds answers to problems to the bot's metadata.
    pub fn add_answers(&mut self, sheets: &[ProblemSheet]) {
        let answers = sheets.iter().map(|sheet| ProblemSummary {
            suite: sheet.suite.to_string(),
            problems: sheet.lost.n,
            seed: self.config.eval.seed,
            solved: sheet.solved,
            lost: sheet.lost.mean(),
            ci95: sheet.lost.interval().ends(),
            rules: String::new(),
        });
        self.state.info.problems.extend(answers);
    }
}
