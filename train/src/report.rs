//! Reports of a run: events for a watcher, values for the metrics.

use troel_env::{ContractKind, RuleSet};

use crate::checkpoint::RunProgress;
use crate::loss::{LossTerm, Losses};
use crate::rollout::{DealSummary, Rollout};
use crate::stage::Stage;

/// Report of a finished iteration.
#[derive(Clone, Debug)]
pub struct IterationReport {
    /// Iterations done, imitation included.
    pub iteration: u64,
    /// Total number of iterations, imitation included.
    pub total: u64,
    /// Decisions trained on in this iteration.
    pub samples: usize,
    /// Seconds of collection.
    pub collect_seconds: f64,
    /// Seconds of the update.
    pub learn_seconds: f64,
    /// Losses.
    pub losses: Losses,
    /// Mean points of a learning seat per ordinary deal.
    pub points: f64,
    /// Mean points of another seat per ordinary deal; `None` if all seats learn.
    pub other_points: Option<f64>,
}

/// Result of an evaluation during training, against one baseline.
#[derive(Clone, Debug)]
pub struct EvaluationReport {
    /// Iterations done, imitation included.
    pub iteration: u64,
    /// Name of the baseline.
    pub baseline: String,
    /// Mean points per deal minus the baseline's.
    pub points: f64,
    /// Half the width of the 95 % interval.
    pub half_width: f64,
}

/// Result of the bot on a suite of problems during training.
#[derive(Clone, Debug)]
pub struct ProblemsReport {
    /// Iterations done, imitation included.
    pub iteration: u64,
    /// Name of the suite.
    pub suite: String,
    /// Share of the problems that it solved, 0 to 1.
    pub solved: f64,
    /// Points lost per problem.
    pub lost: f64,
}

/// An event of a training run.
#[derive(Clone, Debug)]
pub enum Event {
    /// An iteration is done.
    Iteration(IterationReport),
    /// An evaluation during training is done.
    Evaluation(EvaluationReport),
    /// The problems of a suite are answered.
    Problems(ProblemsReport),
}

/// Metric values of an iteration, by tag.
#[derive(Default)]
pub(crate) struct MetricValues(Vec<(String, f64)>);

impl MetricValues {
    pub fn entries(&self) -> &[(String, f64)] {
        &self.0
    }

    pub fn push(&mut self, tag: String, value: f64) {
        self.0.push((tag, value));
    }

    fn add(&mut self, group: &str, values: impl IntoIterator<Item = (&'static str, f64)>) {
        let named = values.into_iter().map(|(name, value)| (format!("{group}/{name}"), value));
        self.0.extend(named);
    }

    pub fn add_charts(
        &mut self,
        report: &IterationReport,
        progress: &RunProgress,
        learning_rate: f32,
    ) {
        let seconds = report.collect_seconds + report.learn_seconds;
        self.add(
            "charts",
            [
                ("learning_rate", f64::from(learning_rate)),
                ("SPS", report.samples as f64 / seconds),
                ("collect_seconds", report.collect_seconds),
                ("learn_seconds", report.learn_seconds),
                ("episodic_return", report.points),
                ("global_step", progress.steps as f64),
            ],
        );
        self.add("charts", report.other_points.map(|points| ("others_return", points)));
    }

    pub fn add_losses(&mut self, losses: &Losses, explained_variance: f64, stage: Stage) {
        let (mean, grad_norm) = (|term| losses.mean(term), losses.grad_norm);
        if stage == Stage::Imitation {
            let values = [
                ("cross_entropy", mean(LossTerm::PolicyLoss)),
                ("value_loss", mean(LossTerm::ValueLoss)),
                ("entropy", mean(LossTerm::Entropy)),
                ("missed", mean(LossTerm::DeviatingSamples)),
                ("grad_norm", grad_norm),
            ];
            self.add("imitation", values);
        } else {
            let values = [
                ("policy_loss", mean(LossTerm::PolicyLoss)),
                ("value_loss", mean(LossTerm::ValueLoss)),
                ("entropy", mean(LossTerm::Entropy)),
                ("entropy_calls", mean(LossTerm::CallEntropy)),
                ("entropy_cards", losses.mean_card_entropy()),
                ("approx_kl", mean(LossTerm::ApproxKl)),
                ("clipfrac", mean(LossTerm::DeviatingSamples)),
                ("grad_norm", grad_norm),
                ("explained_variance", explained_variance),
            ];
            self.add("losses", values);
        }
    }

    pub fn add_anchor(&mut self, losses: &Losses) {
        self.add("losses", [("anchor_loss", losses.mean(LossTerm::AnchorLoss))]);
    }

    pub fn add_taught(&mut self, losses: &Losses) {
        let values = [
            ("taught_loss", losses.mean(LossTerm::TaughtLoss)),
            ("taught", losses.sums[LossTerm::TaughtSamples]),
        ];
        self.add("losses", values);
    }

    pub fn add_vine(&mut self, losses: &Losses) {
        let values = [
            ("tried", losses.sums[LossTerm::TriedCalls]),
            ("dead", losses.mean(LossTerm::DeadCalls)),
        ];
        self.add("vine", values);
    }

    pub fn add_critic(&mut self, losses: Option<&Losses>) {
        if let Some(losses) = losses {
            let values =
                [("value_loss", losses.mean(LossTerm::ValueLoss)), ("grad_norm", losses.grad_norm)];
            self.add("critic", values);
        }
    }

    /// Adds the contracts that were played under these rule sets.
    pub fn add_deals(&mut self, sets: &[&RuleSet], rollout: &Rollout) {
        self.add_contracts("", sets, &rollout.ordinary);
        let scenarios = &rollout.scenarios;
        if scenarios.deals > 0 {
            let values =
                [("deals", scenarios.deals as f64), ("episodic_return", scenarios.mean_points())];
            self.add("scenarios", values);
            self.add_contracts("scenarios/", sets, scenarios);
        }
    }

    fn add_contracts(&mut self, prefix: &str, sets: &[&RuleSet], summary: &DealSummary) {
        let deals = summary.deals.max(1) as f64;
        let bids = format!("{prefix}bids");
        self.add(&bids, [("passed_out", summary.passed_out as f64 / deals)]);
        for kind in ContractKind::ALL {
            let i = kind.index();
            if !sets.iter().any(|rules| rules.rows().iter().any(|row| row.kind == kind)) {
                continue;
            }
            self.add(&bids, [(kind.name(), summary.played[i] as f64 / deals)]);
            if summary.declared[i] > 0 {
                let rate = summary.made[i] as f64 / summary.declared[i] as f64;
                self.add(&format!("{prefix}made"), [(kind.name(), rate)]);
            }
        }
    }
}
