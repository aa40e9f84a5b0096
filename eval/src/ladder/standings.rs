//! The strengths of a ladder as tables: for a terminal and as Markdown.

use std::fmt::Write;

use troel_env::printable;

use super::cross_table;
use super::fit::{Ladder, Misfit, Strength, fit};
use super::stored::{LadderResult, Player};
use crate::text_table::column_width;

/// Largest root mean squared residual, in standard errors, without a note. Beyond it a note says
/// that single strengths do not describe the results.
const MAX_DESCRIBED_RESIDUAL: f64 = 1.5;

impl Ladder {
    /// Formats the ladder as a text table: strength, misfit and α-Rank of each bot, then notes.
    pub fn table(&self) -> String {
        let name = |s: &Strength| printable(&s.player.name).into_owned();
        let width = column_width(self.strengths.iter().map(name), 3);
        let mut out = format!(
            "{:<width$}  {:>15}  {:>13}  {:>7}  {:>9}\n",
            "bot", "points per deal", "misfit (s.e.)", "α-Rank", "deals"
        );
        for s in &self.strengths {
            let points = s.estimate().text(2);
            let misfit = s.misfit.map(|m| format!("{:.2} ({:.1})", m.points, m.standard_errors));
            let misfit = misfit.unwrap_or_else(|| "·".to_string());
            let share = share(s);
            let deals = s.deals;
            let _ = writeln!(
                out,
                "{:<width$}  {points:>15}  {misfit:>13}  {share:>7}  {deals:>9}",
                name(s)
            );
        }
        for s in self.strengths.iter().filter(|s| s.forfeits > 0) {
            let _ = writeln!(out, "{} forfeited the deal at {} tables", name(s), s.forfeits);
        }
        let residual = self.mean_squared_residual.sqrt();
        if residual > MAX_DESCRIBED_RESIDUAL {
            let _ = writeln!(
                out,
                "A single strength per bot does not describe these results: the root mean squared \
                 residual is {residual:.1} standard errors.\nCompare pairs with --cross and `troel tables`."
            );
        }
        for name in self.unconnected.iter().map(|name| printable(name)) {
            let _ = writeln!(out, "{name} has no chain of comparisons to the anchor");
        }
        out
    }
}

/// Formats the share of α-Rank in per cent; a dot for bots that it does not compare.
fn share(s: &Strength) -> String {
    s.share.map_or_else(|| "·".to_string(), |share| format!("{:.1} %", 100.0 * share))
}

/// Formats a Markdown table of the strengths fitted to results. The results have the same rules and
/// the same scope. Columns are strength beyond the anchor, misfit in points and in standard errors,
/// and share of α-Rank. Bots that no chain of results connects with the anchor are left out.
pub fn strength_table(results: &[LadderResult], anchor: &str) -> String {
    let ladder = fit(results, anchor);
    let players: Vec<&Player> = ladder.strengths.iter().map(|s| &s.player).collect();
    let mut out = String::from(
        "| single strength | points per deal | misfit, points | misfit, standard errors | α-Rank |\n\
         |---|---|---|---|---|\n",
    );
    for s in &ladder.strengths {
        let misfit = |of: fn(&Misfit) -> f64, digits: usize| {
            s.misfit.as_ref().map_or("·".to_string(), |m| format!("{:.digits$}", of(m)))
        };
        let points = s.estimate().text(2).replace('-', "−");
        let _ = writeln!(
            out,
            "| {} | {points} | {} | {} | {} |",
            cross_table::name(&players, &s.player),
            misfit(|m| m.points, 2),
            misfit(|m| m.standard_errors, 1),
            share(s)
        );
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::stored::sample_result;
    use super::*;

    fn result(challenger: &str, baseline: &str, points: f64) -> LadderResult {
        sample_result(challenger, baseline, points, 0.1)
    }

    #[test]
    fn a_strength_that_does_not_describe_its_bot_is_seen() {
        // One A gains 1 against three Z, one Z loses only 0.2 against three A, two standard errors.
        // The step to A is sure, that to Z has the probability 0.0228. C met none of them.
        let results = [
            result("a", "z", 1.0),
            result("z", "a", -0.2),
            result("b", "z", -0.5),
            result("c", "d", 1.0),
        ];
        let table = fit(&results, "z").table();
        let rows: Vec<&str> = table.lines().collect();
        assert!(rows[1].starts_with("A") && rows[1].contains("0.57 (4.0)"), "{table}");
        assert!(rows[1].contains("97.8 %"), "{table}");
        assert!(rows[3].starts_with("B") && rows[3].contains('·'), "{table}");
        assert!(rows[4].contains("does not describe") && rows[4].contains("4.0"), "{table}");
        assert!(table.contains("C has no chain of comparisons"), "{table}");
        let wanted = "\
            | single strength | points per deal | misfit, points | misfit, standard errors | α-Rank |\n\
            |---|---|---|---|---|\n\
            | `A` | +0.60 ± 0.78 | 0.57 | 4.0 | 97.8 % |\n\
            | `Z` | +0.00 | 0.57 | 4.0 | 2.2 % |\n\
            | `B` | −0.50 ± 0.78 | · | · | · |\n";
        assert_eq!(strength_table(&results, "z"), wanted);
        // A result that fits needs no note.
        let good = [result("a", "z", 1.0), result("z", "a", -1.0)];
        assert!(!fit(&good, "z").table().contains("describe"));
    }
}
