//! Behaviour sheets as a table.

use std::fmt::Write;

use troel_env::ContractKind;

use super::{Behaviour, ByStrength, LeadClass};

/// Width of the cells of a bot in the table.
const CELL_WIDTH: usize = 44;
/// Width of the names of the rows in the table.
const NAME_WIDTH: usize = 17;

/// Formats the names of the bots and the titles of their columns.
fn heading(sheets: &[(String, Behaviour)]) -> String {
    let mut out = format!("{:<NAME_WIDTH$}", "");
    for (name, _) in sheets {
        let hidden = name.chars().count().saturating_sub(CELL_WIDTH);
        let end: String = name.chars().skip(hidden).collect();
        let _ = write!(out, "  {end:<CELL_WIDTH$}");
    }
    out.truncate(out.trim_end().len());
    let _ = write!(out, "\n{:<NAME_WIDTH$}", "contract");
    for _ in sheets {
        let _ = write!(
            out,
            "  {:>6} {:>5} {:>7}  {:<22}",
            "deals", "made", "points", "by position 1 2 3 4"
        );
    }
    out
}

impl Behaviour {
    /// Formats the sheets of some bots side by side.
    pub fn table(sheets: &[(String, Behaviour)]) -> String {
        let mut out = heading(sheets);
        let percent = |part: u64, whole: u64| 100.0 * part as f64 / whole.max(1) as f64;
        let mut row = |name: &str, cell: &dyn Fn(&Behaviour) -> String| {
            let cells = sheets.iter().map(|(_, sheet)| format!("  {:<CELL_WIDTH$}", cell(sheet)));
            let line = format!("{name:<NAME_WIDTH$}{}", cells.collect::<String>());
            let _ = write!(out, "\n{}", line.trim_end());
        };
        row("passed out", &|sheet| format!("{:>5.1}%", percent(sheet.passed_out, sheet.deals)));
        for kind in ContractKind::ALL.map(ContractKind::name) {
            if !sheets.iter().any(|(_, sheet)| sheet.contracts.contains_key(kind)) {
                continue;
            }
            row(kind, &|sheet| {
                let counts = sheet.contracts.get(kind).copied().unwrap_or_default();
                if counts.deals == 0 {
                    return format!("{:>5.1}%", 0.0);
                }
                let all = counts.positions.iter().sum::<u64>();
                let positions = counts.positions.map(|n| format!("{:.0}%", percent(n, all)));
                format!(
                    "{:>5.1}% {:>4.0}% {:>+7.2}  {}",
                    percent(counts.deals, sheet.deals),
                    percent(counts.made, counts.deals),
                    counts.points as f64 / counts.deals as f64,
                    positions.join(" ")
                )
            });
        }
        for kind in ContractKind::ALL.into_iter().filter(|kind| kind.is_negative()) {
            let beaten_of = |sheet: &Behaviour| {
                let counts = sheet.contracts.get(kind.name()).copied().unwrap_or_default();
                (counts.beaten, counts.beatable)
            };
            if sheets.iter().any(|(_, sheet)| beaten_of(sheet).1 > 0) {
                row(&format!("beat {}", kind.name()), &|sheet| {
                    let (beaten, beatable) = beaten_of(sheet);
                    let share = percent(beaten, beatable);
                    if beatable == 0 {
                        "    -".into()
                    } else {
                        format!("{share:>5.1}% of {beatable}")
                    }
                });
            }
        }
        for class in LeadClass::ALL.map(LeadClass::name) {
            row(&format!("lead {class}"), &|sheet| {
                let all = sheet.leads.values().sum::<u64>();
                format!("{:>5.1}%", percent(sheet.leads.get(class).copied().unwrap_or(0), all))
            });
        }
        row("high-card points", &|_| ByStrength::heading());
        row("propose", &|sheet| sheet.proposals.proposed.shares());
        row("go along", &|sheet| sheet.proposals.went_along.shares());
        out.push('\n');
        out
    }
}
