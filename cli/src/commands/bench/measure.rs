//! Measuring and printing of results.

use std::time::Instant;

use serde::Serialize;

use crate::output;

#[derive(Serialize)]
pub(super) struct Row {
    name: String,
    value: f64,
    unit: &'static str,
    better: &'static str,
}

/// Number of rounds; a rate is their median.
const ROUNDS: usize = 5;

/// A run of measurements.
pub(super) struct Bench<'a> {
    /// Prefix of the names of the measurements to run.
    pub(super) only: &'a str,
    /// Whether the results are printed as JSON at the end.
    pub(super) json: bool,
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

    /// Records a result, and prints it unless all of them are printed as one JSON object.
    pub(super) fn row(
        &mut self,
        name: String,
        value: f64,
        unit: &'static str,
        better: &'static str,
    ) -> anyhow::Result<()> {
        if !self.json {
            output::line(&format!("{name:<32} {:>14} {unit}", figure(value)))?;
        }
        self.rows.push(Row { name, value, unit, better });
        Ok(())
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
        self.row(name, rates[ROUNDS / 2], unit, "higher")
    }
}

fn figure(value: f64) -> String {
    if value >= 100.0 { format!("{value:.0}") } else { format!("{value:.3}") }
}
