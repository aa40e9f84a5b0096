//! Text tables of a calibration.

use std::fmt::Write;

use troel_env::printable;

use super::{Calibration, CardSheet, ValueSheet};

/// The tables of a bot.
pub fn table(found: &Calibration) -> String {
    let mut out = format!(
        "{} · {} deals · seed {} · four copies of {}\n",
        printable(&found.rules),
        found.deals,
        found.seed,
        printable(&found.bot)
    );
    match &found.values {
        Some(values) => out += &value_tables(values),
        None => out += "\nthis bot gives no values\n",
    }
    if let Some(cards) = &found.cards {
        out += &card_table(cards);
    }
    out
}

fn value_tables(sheet: &ValueSheet) -> String {
    let mut out = String::from("\npredicted against achieved points (95 %)\n");
    let _ = writeln!(
        out,
        "{:<12} {:>9}  {:<14} {:<14} {:<14} {:>11}",
        "part", "decisions", "mean error", "slope", "explained", "calibration"
    );
    for summary in &sheet.parts {
        let _ = writeln!(
            out,
            "{:<12} {:>9}  {:<14} {:<14} {:<14} {:>11.2}",
            summary.part,
            summary.decisions,
            summary.error.cell(2),
            summary.slope.cell(2),
            summary.explained.cell(2),
            summary.calibration_error
        );
    }
    let _ = writeln!(
        out,
        "\n{:<8} {:>6} {:>9}  {:>9} {:>9}  predicted - achieved (95 %)",
        "part", "decile", "decisions", "predicted", "achieved"
    );
    for decile in &sheet.deciles {
        let _ = writeln!(
            out,
            "{:<8} {:>6} {:>9}  {:>+9.2} {:>+9.2}  {}",
            decile.part,
            decile.decile,
            decile.decisions,
            decile.predicted,
            decile.achieved,
            decile.error.cell(2)
        );
    }
    out
}

fn card_table(sheet: &CardSheet) -> String {
    let mut out = format!(
        "\nprobability of the true holder of each unseen card, {} worlds (95 %)\n",
        sheet.worlds
    );
    let _ = writeln!(out, "{:<31}{:<36} bits per card", "", "mean probability by");
    let _ = writeln!(
        out,
        "{:<12} {:>9} {:>6}  {:>6} {:>10} {:<15}  {:>6} {:>10} {:>6}  saved by belief",
        "part",
        "positions",
        "cards",
        "counts",
        "consistent",
        "belief",
        "counts",
        "consistent",
        "belief"
    );
    for row in &sheet.parts {
        let belief = row.belief.cell(3);
        let [counts, consistent, bits] = row.bits.map(|estimate| estimate.mean);
        let line = format!(
            "{:<12} {:>9} {:>6}  {:>6.3} {:>10.3} {:<15}  {counts:>6.3} {consistent:>10.3} {bits:>6.3}  {}",
            row.part,
            row.positions,
            row.cards,
            row.counts.mean,
            row.consistent.mean,
            belief.trim_start_matches('+'),
            row.saved.cell(3)
        );
        let _ = writeln!(out, "{}", line.trim_end());
    }
    out
}
