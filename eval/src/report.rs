//! Evaluation reports, as JSON and as text tables.

pub(crate) mod check;

use std::borrow::Cow;
use std::fmt::Write;

use serde::{Deserialize, Serialize};
use troel_agents::Entry;
use troel_env::printable;

use crate::control::Controlled;
use crate::duplicate::{DuplicateConfig, DuplicateResult, Format, Scope};
use crate::sequential::{Sprt, SprtResult, Verdict};
use crate::statistics::{is_interval, with_interval};

/// A set of matches on the same deals: what `troel eval --json` prints and `troel merge` reads.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// Rule set.
    pub rules: String,
    /// Hash of the rule set.
    pub rules_hash: String,
    /// Number of deals.
    pub deals: u64,
    /// Ranges of deals, each the first and one past the last; several after a merge.
    pub ranges: Vec<(u64, u64)>,
    /// Seed.
    pub seed: u64,
    /// Name of the scenario that the deals are drawn from.
    #[serde(alias = "suite")]
    pub scenario: String,
    /// How challengers and baselines were seated.
    pub format: Format,
    /// Identity of the bot that made the decisions which were not compared; empty where none was
    /// asked.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub fixed: String,
    /// Commit of the program that played, if known.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub commit: String,
    /// The matches.
    pub matches: Vec<MatchReport>,
}

/// Result of one match.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MatchReport {
    /// Name of the challenger.
    pub challenger: String,
    /// Name of the baseline.
    pub baseline: String,
    /// Identities of challenger and baseline: a hash of the weights of a trained bot, the name of
    /// another. Empty in reports of earlier versions.
    #[serde(default)]
    pub identities: [String; 2],
    /// `full`, `bidding` or `play`.
    pub scope: String,
    /// Mean points per deal minus the baseline's.
    pub points_per_deal: f64,
    /// 95 % interval; nulls with fewer than two clusters.
    pub ci95: [Option<f64>; 2],
    /// Number of deals.
    pub deals: u64,
    /// The sequential test that ended the match.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sprt: Option<SprtResult>,
    /// The difference as a control corrects it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub control: Option<Controlled>,
    /// Sums and tallies.
    pub detail: DuplicateResult,
}

/// Why reports cannot be merged.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MergeError {
    /// No report was given.
    #[error("there is no report to merge: name the JSON files of an evaluation's shards")]
    Nothing,
    /// The reports are of different evaluations.
    #[error("the reports differ in {0}; only shards of one evaluation can be merged")]
    Differs(&'static str),
    /// A report is of a match that a sequential test ended.
    #[error(
        "a match that a sequential test ended cannot be merged with others: where it ended depends on its result"
    )]
    Sequential,
    /// A report has matches that a control corrected.
    #[error(
        "a match with --control cannot be merged with others: its correction is fitted to its own deals; play the shards \
         without --control"
    )]
    Controlled,
    /// A report does not hold together.
    #[error("a report has {found}: it is damaged or was changed by hand")]
    Damaged {
        /// Description of the fault.
        found: String,
    },
    /// The reports share deals.
    #[error("deals {0} to {1} are in more than one report")]
    Overlap(u64, u64),
    /// A shard is missing between others.
    #[error("no report has the deals {0} to {1}: add the shard that has them")]
    Gap(u64, u64),
}

impl MatchReport {
    /// The report of a match, from its result.
    pub fn new(
        challenger: &str,
        baseline: &str,
        scope: &str,
        detail: DuplicateResult,
    ) -> MatchReport {
        let ci = detail.difference.ci95();
        MatchReport {
            challenger: challenger.to_string(),
            baseline: baseline.to_string(),
            identities: Default::default(),
            scope: scope.to_string(),
            points_per_deal: detail.difference.mean(),
            ci95: ci.map(|v| v.is_finite().then_some(v)),
            deals: detail.difference.n,
            sprt: None,
            control: None,
            detail,
        }
    }

    /// The report with the identities of challenger and baseline, which a merge compares.
    pub fn between(self, challenger: &Entry, baseline: &Entry) -> MatchReport {
        let identities = [challenger, baseline].map(|bot| bot.identity().to_string());
        MatchReport { identities, ..self }
    }

    /// Note on the interval, such as "not significant"; empty if there is none.
    pub fn note(&self) -> &'static str {
        match (&self.sprt, self.is_significant()) {
            // The interval is that of a number of deals fixed beforehand.
            (Some(sprt), _) if sprt.verdict == Verdict::Open => {
                "(the test below has no verdict yet)"
            }
            (Some(_), _) => "(stopped by the test below: the interval is too narrow)",
            (None, _) if self.ci95.contains(&None) => "(too few deals for an interval)",
            (None, _) if !is_interval(self.detail.difference.half_width()) => {
                "(no interval: all deals gave the same)"
            }
            (None, true) => "",
            (None, false) => "not significant",
        }
    }

    /// Whether the confidence interval excludes zero.
    pub fn is_significant(&self) -> bool {
        matches!(self.ci95, [Some(low), Some(high)] if low > 0.0 || high < 0.0)
    }

    /// The names of challenger and baseline, fit to print.
    fn names(&self) -> [Cow<'_, str>; 2] {
        [printable(&self.challenger), printable(&self.baseline)]
    }

    fn cell(&self) -> String {
        with_interval(self.points_per_deal, self.detail.difference.half_width(), 2)
    }
}

impl Report {
    /// A report without matches, for these deals.
    pub fn new(config: &DuplicateConfig, scenario: &str) -> Report {
        Report {
            rules: config.rules.id().to_string(),
            rules_hash: config.rules.hash().to_string(),
            deals: config.deals.1.saturating_sub(config.deals.0),
            ranges: vec![config.deals],
            seed: config.seed,
            scenario: scenario.to_string(),
            format: config.format,
            fixed: String::new(),
            commit: String::new(),
            matches: Vec::new(),
        }
    }

    /// Adds the result of a match between the first two of `bots`; the third one made the decisions
    /// that were not compared. `sprt` is the sequential test that ended the match, if there was
    /// one.
    pub fn add(
        &mut self,
        scope: Scope,
        bots: [&Entry; 3],
        result: DuplicateResult,
        sprt: Option<&Sprt>,
    ) -> &mut MatchReport {
        let [challenger, baseline, fixed] = bots;
        if scope != Scope::Full {
            self.fixed = fixed.identity().to_string();
        }
        if sprt.is_some() {
            self.end_after(result.difference.n);
        }
        let sprt = sprt.map(|sprt| sprt.result(&result.difference));
        let found = MatchReport::new(challenger.name(), baseline.name(), scope.name(), result)
            .between(challenger, baseline);
        self.matches.push_mut(MatchReport { sprt, ..found })
    }

    /// Notes that a sequential test ended after this number of deals of the range.
    fn end_after(&mut self, deals: u64) {
        self.deals = deals;
        if let Some(range) = self.ranges.first_mut() {
            range.1 = range.0 + deals;
        }
    }

    /// Merges shards of one evaluation.
    ///
    /// # Errors
    /// There is no report, they are not of one evaluation, or they share deals.
    pub fn merge(reports: &[Report]) -> Result<Report, MergeError> {
        let (first, rest) = reports.split_first().ok_or(MergeError::Nothing)?;
        let mut joined = first.clone();
        if !rest.is_empty() && reports.iter().flat_map(|r| &r.matches).any(|m| m.sprt.is_some()) {
            return Err(MergeError::Sequential);
        }
        if !rest.is_empty() && reports.iter().flat_map(|r| &r.matches).any(|m| m.control.is_some())
        {
            return Err(MergeError::Controlled);
        }
        reports.iter().try_for_each(Report::check)?;
        for report in rest {
            let same = [
                ("commit of the program", report.commit == first.commit),
                (
                    "bot that makes the decisions not compared (--fixed)",
                    report.fixed == first.fixed,
                ),
                ("rules", report.rules_hash == first.rules_hash && report.rules == first.rules),
                ("seed", report.seed == first.seed),
                ("scenario", report.scenario == first.scenario),
                ("format", report.format == first.format),
                ("number of matches", report.matches.len() == first.matches.len()),
            ];
            if let Some((what, _)) = same.into_iter().find(|(_, same)| !same) {
                return Err(MergeError::Differs(what));
            }
            joined.deals += report.deals;
            joined.ranges.extend(&report.ranges);
            for (into, from) in joined.matches.iter_mut().zip(&report.matches) {
                let names =
                    |m: &MatchReport| (m.challenger.clone(), m.baseline.clone(), m.scope.clone());
                if names(into) != names(from) {
                    return Err(MergeError::Differs("agents or scope"));
                }
                if into.detail.baseline.is_empty() != from.detail.baseline.is_empty() {
                    return Err(MergeError::Differs("contracts of the baseline's own table"));
                }
                if into.detail.regret.is_some() != from.detail.regret.is_some() {
                    return Err(MergeError::Differs("--regret"));
                }
                if into.identities != from.identities {
                    return Err(MergeError::Differs("weights of a bot of the same name"));
                }
                let mut detail = into.detail.clone();
                detail.merge(&from.detail);
                let identities = from.identities.clone();
                let joined =
                    MatchReport::new(&from.challenger, &from.baseline, &from.scope, detail);
                *into = MatchReport { identities, ..joined };
            }
        }
        joined.ranges.sort_unstable();
        if let Some(pair) = joined.ranges.windows(2).find(|w| w[1].0 < w[0].1) {
            return Err(MergeError::Overlap(pair[1].0, pair[0].1.min(pair[1].1)));
        }
        if let Some(pair) = joined.ranges.windows(2).find(|w| w[1].0 > w[0].1) {
            return Err(MergeError::Gap(pair[0].1, pair[1].0));
        }
        Ok(joined)
    }

    /// Formats the matches as a text table, one line each.
    pub fn table(&self) -> String {
        let mut out = format!(
            "{} · {} deals ({}) · seed {} · {}\n",
            printable(&self.rules),
            self.deals,
            printable(&self.scenario),
            self.seed,
            match self.format {
                Format::OneVsThree => "one challenger among three baselines",
                Format::TwoVsTwo => "two challengers against two baselines",
            }
        );
        let width = |role: usize| {
            self.matches.iter().map(|m| m.names()[role].chars().count()).max().unwrap_or(0).max(10)
        };
        let (a, b) = (width(0), width(1));
        let _ = writeln!(
            out,
            "{:<a$}  {:<b$}  scope    points per deal (95 %)",
            "challenger", "baseline"
        );
        for m in &self.matches {
            let note = match m.note() {
                "" => String::new(),
                note => format!("  {note}"),
            };
            let [challenger, baseline] = m.names();
            let _ = writeln!(
                out,
                "{challenger:<a$}  {baseline:<b$}  {:<7}  {}{note}",
                printable(&m.scope),
                m.cell()
            );
        }
        for m in &self.matches {
            let [challenger, baseline] = m.names();
            if let Some(sprt) = &m.sprt {
                let _ =
                    writeln!(out, "sequential test: {}", sprt.test.describe(&m.detail.difference));
            }
            if let Some(control) = &m.control {
                let half =
                    control.ci95[1].map_or(f64::INFINITY, |high| high - control.points_per_deal);
                let forfeits: u64 = control.forfeits.iter().sum();
                let forfeited = match forfeits {
                    0 => String::new(),
                    n => format!("; {n} tables against the control were forfeited"),
                };
                let _ = writeln!(
                    out,
                    "{challenger} against {baseline} ({}), corrected by {} more deals against {}: {:+.2} ± {half:.2} (correlation {:.2}){forfeited}",
                    printable(&m.scope),
                    control.more_deals,
                    printable(&control.control),
                    control.points_per_deal,
                    control.correlation
                );
            }
            for (name, forfeits) in [&challenger, &baseline].into_iter().zip(m.detail.forfeits) {
                if forfeits > 0 {
                    let _ = writeln!(out, "{name} forfeited the deal at {forfeits} tables");
                }
            }
        }
        out
    }

    /// Formats a cross table, challengers in rows and baselines in columns; for reports with more
    /// than two bots.
    pub fn pair_table(&self) -> String {
        let mut names: Vec<Cow<'_, str>> = Vec::new();
        for name in self.matches.iter().flat_map(MatchReport::names) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        let width = names.iter().map(|n| n.chars().count()).max().unwrap_or(0).max(14);
        let mut out = format!("{:<width$}", "against →");
        names.iter().for_each(|name| out += &format!("  {name:>width$}"));
        out.push('\n');
        for row in &names {
            out += &format!("{row:<width$}");
            for column in &names {
                let cell = self
                    .matches
                    .iter()
                    .find(|m| m.names().each_ref() == [row, column])
                    .map_or_else(|| "·".to_string(), MatchReport::cell);
                out += &format!("  {cell:>width$}");
            }
            out.push('\n');
        }
        out
    }

    /// Formats the results of each match's challenger by contract and role.
    pub fn contract_table(&self) -> String {
        let mut out = String::new();
        for m in &self.matches {
            let [challenger, baseline] = m.names();
            let _ = writeln!(out, "\n{challenger} against {baseline} ({})", printable(&m.scope));
            let _ = writeln!(
                out,
                "{:<26} {:>8} {:>8} {:>10}",
                "contract and role", "seats", "made", "points"
            );
            for (key, tally) in &m.detail.challenger {
                let deals = tally.deals.max(1) as f64;
                let _ = writeln!(
                    out,
                    "{:<26} {:>8} {:>7.0}% {:>+10.2}",
                    printable(key),
                    tally.deals,
                    100.0 * tally.made as f64 / deals,
                    tally.points as f64 / deals
                );
            }
        }
        out
    }
}
