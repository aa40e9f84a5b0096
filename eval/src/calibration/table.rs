//! Text tables of a calibration.

use std::fmt::Write;

use super::cards::CardSheet;
use super::values::ValueSheet;

/// Bias of a log score in bits, times the number of equally weighted worlds.
const LOG_SCORE_BIAS: f64 = 1.5;

/// Formats predicted against achieved points, by part of the deal and by tenths of the prediction.
pub(super) fn values(sheet: &ValueSheet) -> String {
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
            summary.part.name(),
            summary.decisions,
            summary.error.text(2),
            summary.slope.text(2),
            summary.explained.text(2),
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
            decile.part.name(),
            decile.decile,
            decile.decisions,
            decile.predicted,
            decile.achieved,
            decile.error.text(2)
        );
    }
    out
}

/// Formats the probabilities of the hidden cards, by part of the deal.
pub(super) fn cards(sheet: &CardSheet) -> String {
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
        let belief = row.belief.text(3);
        let [counts, consistent, bits] = row.bits.map(|estimate| estimate.mean);
        let line = format!(
            "{:<12} {:>9} {:>6}  {:>6.3} {:>10.3} {:<15}  {counts:>6.3} {consistent:>10.3} {bits:>6.3}  {}",
            row.part.name(),
            row.positions,
            row.cards,
            row.counts.mean,
            row.consistent.mean,
            belief.trim_start_matches('+'),
            row.saved.text(3)
        );
        let _ = writeln!(out, "{}", line.trim_end());
    }
    let _ = writeln!(
        out,
        "bits by consistent and belief are about 1.5 / worlds = {:.3} too high, more where weights \
         differ; a larger --worlds reduces this bias",
        LOG_SCORE_BIAS / sheet.worlds as f64
    );
    out
}
