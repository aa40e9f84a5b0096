//! `troel bench`.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use serde::Serialize;
use troel_agents::double_dummy::{Game, Goal, Position, Solver};
use troel_env::rng::{Purpose, Stream};
use troel_env::{BySeat, Card, CardSet, Seat, SeatSet, Suit};

use crate::output;

/// Measure how fast this machine is
///
/// Prints one row for each measurement. Solves are of random deals, each with an empty table, on one thread.
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
    #[arg(long, default_value_t = 5.0)]
    seconds: f64,
}

#[derive(Serialize)]
struct Bench {
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

/// Sides, cards in hand and goal of a measurement of the solver.
const SOLVES: [(&str, u8, usize); 9] = [
    ("opposite-13", 0b0101, 13),
    ("adjacent-13", 0b0011, 13),
    ("one-13", 0b0001, 13),
    ("opposite-9", 0b0101, 9),
    ("adjacent-9", 0b0011, 9),
    ("one-9", 0b0001, 9),
    ("opposite-7", 0b0101, 7),
    ("opposite-5", 0b0101, 5),
    ("one-5", 0b0001, 5),
];

pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    anyhow::ensure!(
        args.seconds.is_finite() && args.seconds > 0.0,
        "--seconds must be more than 0"
    );
    let mut rows = Vec::new();
    for (name, declarers, cards) in SOLVES {
        let name = format!("solve/{name}");
        if name.starts_with(&args.only) {
            solve(&name, declarers, cards, args.seconds, &mut rows);
        }
    }
    anyhow::ensure!(
        !rows.is_empty(),
        "no measurement begins with {:?}; there are those of solve/",
        args.only
    );
    let bench = Bench {
        machine: machine(),
        commit: env!("TROEL_COMMIT"),
        threads: std::thread::available_parallelism().map_or(1, usize::from),
        rows,
    };
    if args.json {
        output::line(&serde_json::to_string(&bench)?)?;
    } else {
        output::line(&format!(
            "{} · commit {} · {} threads",
            bench.machine, bench.commit, bench.threads
        ))?;
        for row in &bench.rows {
            output::line(&format!("{:<28} {:>14} {}", row.name, figure(row.value), row.unit))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn figure(value: f64) -> String {
    if value >= 100.0 { format!("{value:.0}") } else { format!("{value:.3}") }
}

/// The processor's name, where the system tells it.
fn machine() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    let name = model.map_or(std::env::consts::ARCH, |(_, name)| name.trim());
    format!("{name}, {}", std::env::consts::OS)
}

fn random_position(n: u64, declarers: u8, cards: usize) -> Option<Position> {
    let mut stream = Stream::new(1, Purpose::Deal, n);
    let mut deck: Vec<Card> = CardSet::FULL.collect();
    stream.shuffle(&mut deck);
    let hands = BySeat::from_fn(|s| deck[s.index() * cards..][..cards].iter().copied().collect());
    let strain = stream.below(5) as usize;
    let trump = (strain < 4).then(|| Suit::from_index(strain));
    let game = Game { declarers: SeatSet(declarers), trump, goal: Goal::Most };
    Position::new(game, hands, Seat::from_index(stream.below(4) as usize)).ok()
}

/// Solves per second, positions per second, median and 99th percentile.
fn solve(name: &str, declarers: u8, cards: usize, seconds: f64, rows: &mut Vec<Row>) {
    let mut solver = Solver::default();
    let mut times: Vec<Duration> = Vec::new();
    let mut spent = Duration::ZERO;
    for n in 0.. {
        let Some(position) = random_position(n, declarers, cards) else { return };
        let start = Instant::now();
        solver.clear();
        std::hint::black_box(solver.value(&position));
        let time = start.elapsed();
        times.push(time);
        spent += time;
        if spent.as_secs_f64() >= seconds {
            break;
        }
    }
    times.sort_unstable();
    let at =
        |share: usize| times[(times.len() * share / 100).min(times.len() - 1)].as_secs_f64() * 1e3;
    let mut row = |suffix: &str, value: f64, unit, better| {
        rows.push(Row { name: format!("{name}{suffix}"), value, unit, better });
    };
    row("", times.len() as f64 / spent.as_secs_f64(), "solves/s", "higher");
    row("/nodes", solver.nodes() as f64 / spent.as_secs_f64(), "positions/s", "higher");
    row("/p50", at(50), "ms", "lower");
    row("/p99", at(99), "ms", "lower");
}
