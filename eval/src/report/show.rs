//! Reports as text tables.

use std::borrow::Cow;
use std::fmt::Write;

use troel_env::printable;

use super::types::{ComparisonReport, Report};
use crate::duplicate::Lineup;
use crate::text_table::{column_width, deals_with_unit};

impl Report {
    /// Formats the comparisons as a text table, one line each, and then notes on some of them.
    pub fn table(&self) -> String {
        let mut out = format!(
            "{} · {} ({}) · seed {} · {}\n",
            printable(&self.rules),
            deals_with_unit(self.deals),
            printable(&self.scenario),
            self.seed,
            match self.lineup {
                Lineup::OneVsThree => "one challenger among three baselines",
                Lineup::TwoVsTwo => "two challengers against two baselines",
            }
        );
        let widths = [0, 1].map(|role| {
            let names = self.comparisons.iter().map(|c| c.names()[role].to_string());
            column_width(names, 10)
        });
        let [a, b] = widths;
        let _ = writeln!(
            out,
            "{:<a$}  {:<b$}  scope    points per deal (95 %)",
            "challenger", "baseline"
        );
        self.comparisons.iter().for_each(|comparison| out += &comparison.row(widths));
        self.comparisons.iter().for_each(|comparison| out += &comparison.notes());
        out
    }

    /// Formats a cross table, challengers in rows and baselines in columns. It is for reports with
    /// more than two bots.
    pub fn pair_table(&self) -> String {
        let mut names: Vec<Cow<'_, str>> = Vec::new();
        for name in self.comparisons.iter().flat_map(ComparisonReport::names) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        let width = column_width(&names, 14);
        let mut out = format!("{:<width$}", "against →");
        names.iter().for_each(|name| out += &format!("  {name:>width$}"));
        out.push('\n');
        for row in &names {
            out += &format!("{row:<width$}");
            for column in &names {
                let cell = self
                    .comparisons
                    .iter()
                    .find(|comparison| comparison.names().each_ref() == [row, column])
                    .map_or_else(|| "·".to_string(), ComparisonReport::cell);
                out += &format!("  {cell:>width$}");
            }
            out.push('\n');
        }
        out
    }

    /// Formats the results of each challenger by contract and role.
    pub fn contract_table(&self) -> String {
        let mut out = String::new();
        for comparison in &self.comparisons {
            let [challenger, baseline] = comparison.names();
            let _ =
                writeln!(out, "\n{challenger} against {baseline} ({})", comparison.scope.name());
            let _ = writeln!(
                out,
                "{:<26} {:>8} {:>8} {:>10}",
                "contract and role", "seats", "made", "points"
            );
            for (key, tally) in &comparison.detail.challenger {
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

impl ComparisonReport {
    /// Formats the row of the table whose first columns have these widths.
    fn row(&self, [a, b]: [usize; 2]) -> String {
        let note = match self.note() {
            "" => String::new(),
            note => format!("  {note}"),
        };
        let [challenger, baseline] = self.names();
        let (scope, cell) = (self.scope.name(), self.cell());
        format!("{challenger:<a$}  {baseline:<b$}  {scope:<7}  {cell}{note}\n")
    }

    /// Formats the sequential test, the control and the forfeits, as lines below the table.
    fn notes(&self) -> String {
        let mut out = String::new();
        let [challenger, baseline] = self.names();
        if let Some(sprt) = &self.sprt {
            let _ =
                writeln!(out, "sequential test: {}", sprt.test.describe(&self.detail.difference));
        }
        if let Some(control) = &self.control {
            let half = control.ci95.high - control.points_per_deal;
            let forfeited = match control.forfeits.total() {
                0 => String::new(),
                n => format!("; {n} tables against the control were forfeited"),
            };
            let _ = writeln!(
                out,
                "{challenger} against {baseline} ({}), corrected by {} more deals against {}: \
                 {:+.2} ± {half:.2} (correlation {:.2}){forfeited}",
                self.scope.name(),
                control.more_deals,
                printable(&control.control),
                control.points_per_deal,
                control.correlation
            );
        }
        let lost = self.detail.forfeits;
        let roles = [(challenger, lost.challenger), (baseline, lost.baseline)];
        for (name, forfeits) in roles {
            if forfeits > 0 {
                let _ = writeln!(out, "{name} forfeited the deal at {forfeits} tables");
            }
        }
        out
    }
}
