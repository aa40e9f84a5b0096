//! Rates of other programs, measured in the same run.

use std::process::{Command, Stdio};

use anyhow::Context;
use serde::Deserialize;

use super::measure::{Bench, Row};

/// A line of a peer's output.
#[derive(Deserialize)]
struct Line {
    /// Name of the measurement.
    name: String,
    /// Troel's measurement of the same work.
    beside: String,
    value: f64,
    unit: String,
}

/// Runs a shell command that measures another program. It prints a JSON object per measurement;
/// other lines of its output are refused. Its standard error is shown.
///
/// # Errors
/// The command failed, or its output is not as described.
pub(super) fn run(bench: &mut Bench<'_>, command: &str) -> anyhow::Result<()> {
    let output = Command::new("sh").args(["-c", command]).stderr(Stdio::inherit()).output();
    let output = output
        .with_context(|| format!("--peer {command:?} cannot be started: it needs a shell, sh"))?;
    anyhow::ensure!(output.status.success(), "--peer {command:?} failed: {}", output.status);
    let text = String::from_utf8_lossy(&output.stdout);
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let measured = serde_json::from_str(line);
        let Line { name, beside, value, unit } = measured.with_context(|| {
            format!(
                "--peer {command:?} printed {line:?}; a line must be a JSON object like {}",
                r#"{"name": "peer", "beside": "train", "value": 1.5, "unit": "decisions/s"}"#
            )
        })?;
        anyhow::ensure!(
            value.is_finite() && value > 0.0,
            "--peer {command:?} printed {value} for {name}; a value must be above 0"
        );
        let Some(ours) = bench.find(&beside) else {
            anyhow::bail!(
                "--peer {command:?} names {beside:?} beside {name}, which was not measured in this \
                 run; widen --only, or correct the name"
            )
        };
        anyhow::ensure!(
            unit == ours.unit,
            "--peer {command:?} gives {name} in {unit}, but {beside} is in {}; print the same unit",
            ours.unit
        );
        let better = ours.better;
        bench.add(Row { name, value, unit, better, beside: Some(beside) })?;
    }
    Ok(())
}
