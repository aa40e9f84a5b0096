//! Merging the reports of shards.

use super::error::MergeError;
use super::types::{ComparisonReport, Report};
use crate::deal_range::DealRange;

impl Report {
    /// Merges shards of one evaluation.
    ///
    /// # Errors
    /// There is no report, a report is damaged, they are not of one evaluation, or they share or
    /// lack deals.
    pub fn merge(reports: &[Report]) -> Result<Report, MergeError> {
        let (first, rest) = reports.split_first().ok_or(MergeError::Nothing)?;
        let mut merged = first.clone();
        let mut comparisons = reports.iter().flat_map(|report| &report.comparisons);
        if !rest.is_empty() && comparisons.clone().any(|c| c.sprt.is_some()) {
            return Err(MergeError::Sequential);
        }
        if !rest.is_empty() && comparisons.any(|c| c.control.is_some()) {
            return Err(MergeError::Controlled);
        }
        reports.iter().try_for_each(Report::check)?;
        for report in rest {
            check_same_evaluation(first, report)?;
            merged.deals += report.deals;
            merged.ranges.extend(&report.ranges);
            for (into, from) in merged.comparisons.iter_mut().zip(&report.comparisons) {
                check_same_comparison(into, from)?;
                into.add(from);
            }
        }
        merged.ranges.sort_unstable();
        let mut neighbours = merged.ranges.windows(2).filter_map(<[DealRange]>::as_array);
        if let Some([before, after]) = neighbours.clone().find(|[a, b]| b.first < a.end) {
            let shared = DealRange::new(after.first, before.end.min(after.end));
            return Err(MergeError::Overlap(shared));
        }
        if let Some([before, after]) = neighbours.find(|[a, b]| b.first > a.end) {
            return Err(MergeError::Gap(DealRange::new(before.end, after.first)));
        }
        Ok(merged)
    }
}

impl ComparisonReport {
    /// Adds the result of the same comparison on other deals.
    fn add(&mut self, other: &ComparisonReport) {
        let mut detail = self.detail.clone();
        detail.merge(&other.detail);
        let identities = self.identities.clone();
        let merged = ComparisonReport::new(&self.challenger, &self.baseline, self.scope, detail);
        *self = ComparisonReport { identities, ..merged };
    }
}

fn check_same_evaluation(first: &Report, other: &Report) -> Result<(), MergeError> {
    let same = [
        ("commit of the program", other.commit == first.commit),
        ("bot that makes the decisions not compared (--fixed)", other.fixed == first.fixed),
        ("rules", other.rules_hash == first.rules_hash && other.rules == first.rules),
        ("seed", other.seed == first.seed),
        ("scenario", other.scenario == first.scenario),
        ("format", other.lineup == first.lineup),
        ("number of comparisons", other.comparisons.len() == first.comparisons.len()),
    ];
    check_all(&same)
}

fn check_same_comparison(
    first: &ComparisonReport,
    other: &ComparisonReport,
) -> Result<(), MergeError> {
    let compared = |c: &ComparisonReport| (c.challenger.clone(), c.baseline.clone(), c.scope);
    let (one, two) = (&first.detail, &other.detail);
    let same = [
        ("bots or scope", compared(first) == compared(other)),
        (
            "contracts of the baseline's own table",
            one.baseline.is_empty() == two.baseline.is_empty(),
        ),
        ("--regret", one.regret.is_some() == two.regret.is_some()),
        ("weights of a bot of the same name", first.identities == other.identities),
    ];
    check_all(&same)
}

/// Checks that all named properties are the same.
fn check_all(same: &[(&'static str, bool)]) -> Result<(), MergeError> {
    match same.iter().find(|(_, is_same)| !is_same) {
        Some((what, _)) => Err(MergeError::Differs(what)),
        None => Ok(()),
    }
}
