//! Reports and their comparisons.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use troel_agents::NamedBot;
use troel_env::printable;

use crate::control::ControlledDifference;
use crate::deal_range::DealRange;
use crate::duplicate::{DuplicateBots, DuplicateConfig, DuplicateResult, Lineup, Scope};
use crate::sequential::{Sprt, SprtResult, Verdict};
use crate::statistics::{Estimate, Interval};

/// Maximum points of a seat in a deal that a stored result may hold. It is far beyond the points
/// that a rule file allows. Results may come from anywhere.
pub(crate) const MAX_STORED_POINTS: u64 = 100_000_000;

/// A set of comparisons on the same deals. `troel eval --json` prints it and `troel merge` reads
/// it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// Rule set.
    pub rules: String,
    /// Hash of the rule set.
    pub rules_hash: String,
    /// Number of deals.
    pub deals: u64,
    /// Ranges of deals; several after a merge.
    pub ranges: Vec<DealRange>,
    /// Seed.
    pub seed: u64,
    /// Name of the scenario that the deals are drawn from.
    #[serde(alias = "suite")]
    pub scenario: String,
    /// Numbers and seats of challengers and baselines.
    #[serde(rename = "format")]
    pub lineup: Lineup,
    /// Identity of the bot that made the decisions that were not compared. It is empty if all
    /// decisions were compared.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub fixed: String,
    /// Commit of the program that played, if known.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub commit: String,
    /// The comparisons.
    #[serde(rename = "matches")]
    pub comparisons: Vec<ComparisonReport>,
}

/// Result of the comparison of a challenger with a baseline.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ComparisonReport {
    /// Name of the challenger.
    pub challenger: String,
    /// Name of the baseline.
    pub baseline: String,
    /// Identities of challenger and baseline. That of a trained bot is a hash of its weights, that
    /// of another is its name. Empty in reports of earlier versions.
    #[serde(default)]
    pub identities: [String; 2],
    /// Decisions that were compared.
    pub scope: Scope,
    /// Mean points per deal minus the baseline's.
    pub points_per_deal: f64,
    /// 95 % confidence interval.
    pub ci95: Interval,
    /// Number of deals.
    pub deals: u64,
    /// The sequential test that ended the comparison.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sprt: Option<SprtResult>,
    /// The difference as a control corrects it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub control: Option<ControlledDifference>,
    /// Sums and tallies.
    pub detail: DuplicateResult,
}

impl ComparisonReport {
    /// Returns the report of a comparison, from its result.
    pub fn new(
        challenger: &str,
        baseline: &str,
        scope: Scope,
        detail: DuplicateResult,
    ) -> ComparisonReport {
        ComparisonReport {
            challenger: challenger.to_string(),
            baseline: baseline.to_string(),
            identities: Default::default(),
            scope,
            points_per_deal: detail.difference.mean(),
            ci95: detail.difference.interval(),
            deals: detail.difference.n,
            sprt: None,
            control: None,
            detail,
        }
    }

    /// Returns the report with the identities of challenger and baseline, which a merge compares.
    pub fn between(self, challenger: &NamedBot, baseline: &NamedBot) -> ComparisonReport {
        let identities = [challenger, baseline].map(|bot| bot.identity().to_string());
        ComparisonReport { identities, ..self }
    }

    /// Returns a note on the interval, such as "not significant"; empty if there is none.
    pub fn note(&self) -> &'static str {
        match (&self.sprt, self.is_significant()) {
            // The interval is that of a number of deals fixed beforehand.
            (Some(sprt), _) if sprt.verdict == Verdict::Open => {
                "(the test below has no verdict yet)"
            }
            (Some(_), _) => "(stopped by the test below: the interval is too narrow)",
            (None, _) if !self.ci95.is_finite() => "(too few deals for an interval)",
            (None, _) if self.detail.difference.estimate().margin().is_none() => {
                "(no interval: all deals gave the same)"
            }
            (None, true) => "",
            (None, false) => "not significant",
        }
    }

    /// Returns whether the confidence interval excludes zero.
    pub fn is_significant(&self) -> bool {
        self.ci95.is_clear_of(0.0)
    }

    /// Returns the names of challenger and baseline, fit to print.
    pub(super) fn names(&self) -> [Cow<'_, str>; 2] {
        [printable(&self.challenger), printable(&self.baseline)]
    }

    pub(super) fn cell(&self) -> String {
        Estimate::new(self.points_per_deal, self.detail.difference.half_width()).text(2)
    }
}

impl Report {
    /// Returns a report without comparisons, for these deals.
    pub fn new(config: &DuplicateConfig, scenario: &str) -> Report {
        Report {
            rules: config.rules.id().to_string(),
            rules_hash: config.rules.hash().to_string(),
            deals: config.deals.len(),
            ranges: vec![config.deals],
            seed: config.seed,
            scenario: scenario.to_string(),
            lineup: config.lineup,
            fixed: String::new(),
            commit: String::new(),
            comparisons: Vec::new(),
        }
    }

    /// Adds the comparison of these bots. `sprt` is the sequential test that ended it, if there was
    /// one.
    pub fn add(
        &mut self,
        scope: Scope,
        bots: DuplicateBots<'_>,
        result: DuplicateResult,
        sprt: Option<&Sprt>,
    ) -> &mut ComparisonReport {
        let DuplicateBots { challenger, baseline, fixed } = bots;
        if scope != Scope::Full {
            self.fixed = fixed.identity().to_string();
        }
        if sprt.is_some() {
            self.end_after(result.difference.n);
        }
        let sprt = sprt.map(|sprt| sprt.result(&result.difference));
        let found = ComparisonReport::new(challenger.name(), baseline.name(), scope, result)
            .between(challenger, baseline);
        self.comparisons.push_mut(ComparisonReport { sprt, ..found })
    }

    /// Records that a sequential test ended after this number of deals of the range.
    fn end_after(&mut self, deals: u64) {
        self.deals = deals;
        if let Some(range) = self.ranges.first_mut() {
            range.end = range.first + deals;
        }
    }
}
