//! `troel bench`.

mod bots;
mod collective;
mod environment;
mod measure;
mod network;
mod peers;
mod solver;
mod table;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use serde::Serialize;

use self::measure::{Bench, Form, Row};
use crate::processes::Processes;
use crate::{commands, output};

/// Measure the speed of environment, network, training, solver and bots on this machine
///
/// Prints one row per measurement. Rates are medians of five rounds. Times of solver and bots are
/// means and 99th percentiles. Measurements run on one thread, except those with `-all` in their
/// name, `collect`, `ppo-update` and `train`: these use all threads (RAYON_NUM_THREADS sets their
/// number). `train` is self-play and learning end to end with the default settings of PPO. `infer`
/// goes from observations to logits. Without --only, `/peak` gives the arithmetic of `infer/256`
/// and `ppo-update` as a share of the rate of `gemm/1024x1024x1024` on each thread. With
/// --distributed, the only measurement is the time that the processes started by mpirun take to add
/// up the gradients of one step of the default network; its name has the number of processes.
///
/// Example: troel bench --only train --table --peer "python train/benches/peer/ppo.py --threads 2"
#[derive(clap::Args)]
pub struct Args {
    /// Run only the measurements whose name starts with this prefix
    #[arg(long, default_value = "")]
    only: String,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Print a table in Markdown, with ratios of values of this run
    #[arg(long, conflicts_with = "json")]
    table: bool,
    /// Also run this shell command, which measures another program, at the end. It prints a JSON
    /// object for each measurement, like {"name": "peer", "beside": "train", "value": 1.5, "unit":
    /// "decisions/s"}; `beside` names the measurement of the same work. Repeat the option for
    /// several
    #[arg(long, value_name = "COMMAND")]
    peer: Vec<String>,
    /// Seconds per measurement
    #[arg(long, default_value_t = 2.0, value_parser = commands::decimal)]
    seconds: f64,
    /// Write the solved positions and their values to this file as JSON lines, for comparison with
    /// other solvers
    #[arg(long, value_name = "FILE")]
    positions: Option<PathBuf>,
    /// Measure the processes that mpirun has started; needs a build with the feature mpi
    /// (docs/cluster.md)
    #[arg(long, conflicts_with_all = ["only", "positions", "peer", "table"])]
    distributed: bool,
}

#[derive(Serialize)]
struct Report {
    machine: String,
    commit: &'static str,
    threads: usize,
    rows: Vec<Row>,
}

/// Longest time for a measurement: an hour.
const MAX_SECONDS: f64 = 3600.0;

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
    let form = match (args.json, args.table) {
        (true, _) => Form::Json,
        (_, true) => Form::Table,
        _ => Form::Lines,
    };
    if form != Form::Json && processes.is_first() {
        let Report { machine, commit, threads, .. } = &report;
        output::line(&format!("{machine} · commit {commit} · {threads} threads"))?;
    }
    let mut bench = Bench {
        only: &args.only,
        form,
        seconds: args.seconds,
        keeps_positions: args.positions.is_some(),
        rows: Vec::new(),
    };
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
    anyhow::ensure!(
        !bench.rows.is_empty(),
        "no measurement starts with {:?}; run troel bench without --only to see their names",
        args.only
    );
    // Peers read the positions.
    if let (Some(path), Some(positions)) = (&args.positions, positions) {
        std::fs::write(path, positions).with_context(|| path.display().to_string())?;
    }
    // A peer that fails loses no other result.
    let mut peers = Ok(());
    for command in &args.peer {
        peers = peers.and(peers::run(&mut bench, command));
    }
    report.rows = bench.rows;
    match form {
        Form::Lines => {}
        Form::Json => output::line(&serde_json::to_string(&report)?)?,
        Form::Table => output::text(&format!("\n{}", table::markdown(&report.rows)))?,
    }
    peers.map(|()| ExitCode::SUCCESS)
}

/// Returns the name of the CPU (its architecture if unknown) and the operating system.
fn machine() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    let name = model.map_or(std::env::consts::ARCH, |(_, name)| name.trim());
    format!("{name}, {}", std::env::consts::OS)
}
