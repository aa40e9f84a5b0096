//! Reports as text tables.

use std::borrow::Cow;
use std::fmt::Write;

use troel_env::printable;

use super::types::{ComparisonReport, Report};
use crate::duplicate::Lineup;

impl Report {
    /// Formats the comparisons as a text table, one line each.
    pub fn table(&self) -> String {
        let mut out = format!(
            "{} · {} deals ({}) · seed {} · {}\n",
            printable(&self.rules),
            self.deals,
            printable(&self.scenario),
            self.seed,
            match self.lineup {
                Lineup::OneVsThree => "one challenger among three baselines",
                Lineup::TwoVsTwo => "two challengers against two baselines",
            }
        );
        let width = |role: usize| {
            self.comparisons
                .iter()
                .map(|m| m.names()[role].chars().count())
                .max()
                .unwrap_or(0)
                .max(10)
        };
        let (a, b) = (width(0), width(1));
        let _ = writeln!(
            out,
            "{:<a$}  {:<b$}  scope    points per deal (95 %)",
            "challenger", "baseline"
        );
        for m in &self.comparisons {
            let note = match m.note() {
                "" => String::new(),
                note => format!("  {note}"),
            };
            let [challenger, baseline] = m.names();
            let _ = writeln!(
                out,
                "{challenger:<a$}  {baseline:<b$}  {:<7}  {}{note}",
                m.scope.name(),
                m.cell()
            );
        }
        for m in &self.comparisons {
            let [challenger, baseline] = m.names();
            if let Some(sprt) = &m.sprt {
                let _ =
                    writeln!(out, "sequential test: {}", sprt.test.describe(&m.detail.difference));
            }
            if let Some(control) = &m.control {
                let half = control.ci95.high - control.points_per_deal;
                let forfeits: u64 = control.forfeits.iter().sum();
                let forfeited = match forfeits {
                    0 => String::new(),
                    n => format!("; {n} tables against the control were forfeited"),
                };
                let _ = writeln!(
                    out,
                    "{challenger} against {baseline} ({}), corrected by {} more deals against {}: {:+.2} ± {half:.2} (correlation {:.2}){forfeited}",
                    m.scope.name(),
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
        for name in self.comparisons.iter().flat_map(ComparisonReport::names) {
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
                    .comparisons
                    .iter()
                    .find(|m| m.names().each_ref() == [row, column])
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
        for m in &self.comparisons {
            let [challenger, baseline] = m.names();
            let _ = writeln!(out, "\n{challenger} against {baseline} ({})", m.scope.name());
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
