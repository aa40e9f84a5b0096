//! Merging the reports of shards.

use super::error::MergeError;
use super::types::{MatchReport, Report};

impl Report {
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
}
