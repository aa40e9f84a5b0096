//! Measuring and printing of results.

use std::time::Instant;

use serde::Serialize;

use crate::output;

/// Which of two values is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Better {
    Higher,
    Lower,
}

/// Result of one measurement.
#[derive(Serialize)]
pub(super) struct Row {
    /// Name of the measurement.
    pub(super) name: String,
    /// The value, in `unit`.
    pub(super) value: f64,
    pub(super) unit: String,
    pub(super) better: Better,
    /// For another program: the name of Troel's measurement of the same work.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) beside: Option<String>,
}

/// Form of the results.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// A line per result, as soon as it is measured.
    Lines,
    /// A JSON object at the end.
    Json,
    /// A table in Markdown at the end.
    Table,
}

/// Number of rounds; a rate is their median.
const ROUNDS: usize = 5;

/// A run of measurements.
pub(super) struct Bench<'a> {
    /// Prefix of the names of the measurements to run.
    pub(super) only: &'a str,
    /// Form of the results.
    pub(super) form: Form,
    /// Seconds per measurement.
    pub(super) seconds: f64,
    /// Whether the solved positions are kept, to be written to a file.
    pub(super) keeps_positions: bool,
    /// Results so far.
    pub(super) rows: Vec<Row>,
}

impl Bench<'_> {
    /// Returns whether a measurement is requested.
    pub(super) fn wants(&self, name: &str) -> bool {
        name.starts_with(self.only)
    }

    /// Returns whether a measurement whose name starts with `prefix` may be requested.
    pub(super) fn may_want(&self, prefix: &str) -> bool {
        self.wants(prefix) || self.only.starts_with(prefix)
    }

    /// Records a result, and prints it unless all of them are printed at the end.
    pub(super) fn add(&mut self, row: Row) -> anyhow::Result<()> {
        if self.form == Form::Lines {
            let Row { name, value, unit, .. } = &row;
            output::line(&format!("{name:<32} {:>14} {unit}", figure(*value)))?;
        }
        self.rows.push(row);
        Ok(())
    }

    /// Records a measurement of Troel.
    pub(super) fn row(
        &mut self,
        name: String,
        value: f64,
        unit: &str,
        better: Better,
    ) -> anyhow::Result<()> {
        self.add(Row { name, value, unit: unit.to_string(), better, beside: None })
    }

    /// Returns the result of this name, if this run has measured it.
    pub(super) fn find(&self, name: &str) -> Option<&Row> {
        self.rows.iter().find(|row| row.name == name)
    }

    /// Measures work per second: the median of several rounds. `work` does some and returns how
    /// much; its first call is a warm-up and is not counted.
    pub(super) fn rate(
        &mut self,
        name: String,
        unit: &'static str,
        mut work: impl FnMut() -> u64,
    ) -> anyhow::Result<()> {
        if !self.wants(&name) {
            return Ok(());
        }
        work();
        let mut rates = [0.0; ROUNDS];
        for rate in &mut rates {
            let (start, mut done) = (Instant::now(), 0);
            while start.elapsed().as_secs_f64() < self.seconds / ROUNDS as f64 || done == 0 {
                done += work();
            }
            *rate = done as f64 / start.elapsed().as_secs_f64();
        }
        rates.sort_by(f64::total_cmp);
        self.row(name, rates[ROUNDS / 2], unit, Better::Higher)
    }
}

/// Formats a value with about three digits.
pub(super) fn figure(value: f64) -> String {
    if value >= 100.0 { format!("{value:.0}") } else { format!("{value:.3}") }
}
