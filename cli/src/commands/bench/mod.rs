//! `troel bench`.

mod bots;
mod environment;
mod network;
mod solver;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use anyhow::Context;
use serde::Serialize;
use troel_env::RuleSet;

use crate::output;

/// Measure how fast this machine is
///
/// Prints one row for each measurement. Rates are medians of five rounds. All run on one thread but those with `-all` in
/// their name, `collect`, `ppo-update` and `train`, which use all (RAYON_NUM_THREADS says how many). `train` is
/// self-play and learning end to end as a recipe without settings of its own would have it, `infer` goes from
/// observations to logits.
///
/// Example: troel bench --only solve/ --json
#[derive(clap::Args)]
pub struct Args {
    /// Only measurements whose name begins like this
    #[arg(long, default_value = "")]
    only: String,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Seconds for each measurement
    #[arg(long, default_value_t = 2.0)]
    seconds: f64,
    /// Write the solved positions here, one JSON line each with its value, for other solvers to be run on
    #[arg(long, value_name = "FILE")]
    positions: Option<PathBuf>,
}

#[derive(Serialize)]
struct Report {
    machine: String,
    commit: &'static str,
    threads: usize,
    rows: Vec<Row>,
}

#[derive(Serialize)]
struct Row {
    name: String,
    value: f64,
    unit: &'static str,
    better: &'static str,
}

/// Rounds that a rate is the median of.
const ROUNDS: usize = 5;

/// A run of measurements.
struct Bench<'a> {
    args: &'a Args,
    rows: Vec<Row>,
}

impl Bench<'_> {
    /// Whether a measurement is asked for.
    fn wants(&self, name: &str) -> bool {
        name.starts_with(&self.args.only)
    }

    /// Whether one of the measurements whose names begin with this may be asked for.
    fn may_want(&self, prefix: &str) -> bool {
        self.wants(prefix) || self.args.only.starts_with(prefix)
    }

    /// Notes a result, and shows it unless all of them are to be one JSON object.
    fn row(
        &mut self,
        name: String,
        value: f64,
        unit: &'static str,
        better: &'static str,
    ) -> anyhow::Result<()> {
        if !self.args.json {
            output::line(&format!("{name:<32} {:>14} {unit}", figure(value)))?;
        }
        self.rows.push(Row { name, value, unit, better });
        Ok(())
    }

    /// Measures how much work is done in a second: the median of several rounds. `work` does some and says how much;
    /// its first call is not counted.
    fn rate(
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
            while start.elapsed().as_secs_f64() < self.args.seconds / ROUNDS as f64 || done == 0 {
                done += work();
            }
            *rate = done as f64 / start.elapsed().as_secs_f64();
        }
        rates.sort_by(f64::total_cmp);
        self.row(name, rates[ROUNDS / 2], unit, "higher")
    }
}

pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    anyhow::ensure!(
        args.seconds.is_finite() && args.seconds > 0.0,
        "--seconds must be more than 0"
    );
    let mut report = Report {
        machine: machine(),
        commit: env!("TROEL_COMMIT"),
        threads: rayon::current_num_threads(),
        rows: Vec::new(),
    };
    if !args.json {
        let Report { machine, commit, threads, .. } = &report;
        output::line(&format!("{machine} · commit {commit} · {threads} threads"))?;
    }
    let mut bench = Bench { args, rows: Vec::new() };
    environment::run(&mut bench)?;
    network::run(&mut bench)?;
    let positions = solver::run(&mut bench)?;
    bots::run(&mut bench)?;
    report.rows = bench.rows;
    anyhow::ensure!(
        !report.rows.is_empty(),
        "no measurement begins with {:?}; run troel bench without --only to see their names",
        args.only
    );
    if let (Some(path), Some(positions)) = (&args.positions, positions) {
        std::fs::write(path, positions).with_context(|| path.display().to_string())?;
    }
    if args.json {
        output::line(&serde_json::to_string(&report)?)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn figure(value: f64) -> String {
    if value >= 100.0 { format!("{value:.0}") } else { format!("{value:.3}") }
}

/// The built-in rule sets.
fn rule_sets() -> Vec<&'static RuleSet> {
    RuleSet::names().filter_map(RuleSet::built_in).collect()
}

/// The processor's name, where the system tells it.
fn machine() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    let name = model.map_or(std::env::consts::ARCH, |(_, name)| name.trim());
    format!("{name}, {}", std::env::consts::OS)
}
