//! `troel bench`.

mod bots;
mod collective;
mod environment;
mod network;
mod solver;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use anyhow::Context;
use serde::Serialize;

use crate::output;
use crate::processes::Processes;

/// Measure the speed of environment, network, training, solver and bots on this machine
///
/// Prints one row per measurement. Rates are medians of five rounds, times of solver and bots means
/// and 99th percentiles. All run on one thread except those with `-all` in their name, `collect`,
/// `ppo-update` and `train`, which use all (RAYON_NUM_THREADS sets how many). `train` is self-play
/// and learning end to end with the default settings of PPO, `infer` goes from observations to
/// logits. --distributed measures how long the processes that mpirun has started (their number is
/// in the name) take to add up the gradients of a step of the default network, and nothing else.
///
/// Example: troel bench --only solve/ --json
#[derive(clap::Args)]
pub struct Args {
    /// Only measurements whose name starts with this
    #[arg(long, default_value = "")]
    only: String,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Seconds per measurement
    #[arg(long, default_value_t = 2.0)]
    seconds: f64,
    /// Write the solved positions to this file, one JSON line each with its value, to compare other
    /// solvers
    #[arg(long, value_name = "FILE")]
    positions: Option<PathBuf>,
    /// Measure the processes that mpirun has started. For programs built with the feature mpi
    /// (docs/cluster.md)
    #[arg(long, conflicts_with_all = ["only", "positions"])]
    distributed: bool,
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

/// Number of rounds; a rate is their median.
const ROUNDS: usize = 5;

/// Longest time for a measurement: an hour.
const MAX_SECONDS: f64 = 3600.0;

/// A run of measurements.
struct Bench<'a> {
    args: &'a Args,
    rows: Vec<Row>,
}

impl Bench<'_> {
    /// Whether a measurement is requested.
    fn wants(&self, name: &str) -> bool {
        name.starts_with(&self.args.only)
    }

    /// Whether a measurement whose name starts with this may be requested.
    fn may_want(&self, prefix: &str) -> bool {
        self.wants(prefix) || self.args.only.starts_with(prefix)
    }

    /// Records a result, and prints it unless all of them are printed as one JSON object.
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

    /// Measures work per second: the median of several rounds. `work` does some and returns how
    /// much; its first call is a warm-up and is not counted.
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
        args.seconds > 0.0 && args.seconds <= MAX_SECONDS,
        "--seconds {} must be above 0 and at most {MAX_SECONDS}",
        args.seconds
    );
    let processes = Processes::new(args.distributed)?;
    run_on(args, &processes).inspect_err(|error| processes.fail(error))
}

fn run_on(args: &Args, processes: &Processes) -> anyhow::Result<ExitCode> {
    let mut report = Report {
        machine: machine(),
        commit: env!("TROEL_COMMIT"),
        threads: rayon::current_num_threads(),
        rows: Vec::new(),
    };
    if !args.json && processes.is_first() {
        let Report { machine, commit, threads, .. } = &report;
        output::line(&format!("{machine} · commit {commit} · {threads} threads"))?;
    }
    let mut bench = Bench { args, rows: Vec::new() };
    let mut positions = None;
    if args.distributed {
        collective::run(&mut bench, processes.collective().as_ref())?;
        if !processes.is_first() {
            return Ok(ExitCode::SUCCESS);
        }
    } else {
        environment::run(&mut bench)?;
        network::run(&mut bench)?;
        positions = solver::run(&mut bench)?;
        bots::run(&mut bench)?;
    }
    report.rows = bench.rows;
    anyhow::ensure!(
        !report.rows.is_empty(),
        "no measurement starts with {:?}; run troel bench without --only to see their names",
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

/// Name of the CPU, or its architecture where the system does not tell, and of the operating
/// system.
fn machine() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    let name = model.map_or(std::env::consts::ARCH, |(_, name)| name.trim());
    format!("{name}, {}", std::env::consts::OS)
}
