//! `troel bench`.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::Context;
use serde::Serialize;
use troel_agents::Entry;
use troel_agents::double_dummy::{Game, Goal, Position, Solver};
use troel_env::rng::{Purpose, Stream};
use troel_env::{
    Action, BySeat, Card, CardSet, Deals, Phase, RuleSet, Seat, SeatSet, State, Suit, deal,
};

use crate::output;

/// Measure how fast this machine is
///
/// Prints one row for each measurement, each on one thread: solves of random deals, each with an empty table;
/// time per call and per card of bots, in deals that four of them play (decisions with a choice only).
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
    /// Write the solved positions here, one JSON line each with its value, for other solvers to be run on
    #[arg(long, value_name = "FILE")]
    positions: Option<PathBuf>,
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

/// Bots whose decisions are timed.
const BOTS: [&str; 3] = ["rules", "expert", "pimc:worlds=20"];

pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    anyhow::ensure!(
        args.seconds.is_finite() && args.seconds > 0.0,
        "--seconds must be more than 0"
    );
    let mut rows = Vec::new();
    let mut positions = args.positions.as_ref().map(|_| String::new());
    for (name, declarers, cards) in SOLVES {
        let name = format!("solve/{name}");
        if name.starts_with(&args.only) {
            solve(&name, declarers, cards, args.seconds, &mut rows, &mut positions);
        }
    }
    for bot in BOTS {
        let name = format!("bot/{}", bot.replace(":worlds=", "-"));
        if name.starts_with(&args.only) {
            decide(&name, bot, args.seconds, &mut rows)?;
        }
    }
    anyhow::ensure!(
        !rows.is_empty(),
        "no measurement begins with {:?}; there are those of solve/ and bot/",
        args.only
    );
    if let (Some(path), Some(positions)) = (&args.positions, positions) {
        std::fs::write(path, positions).with_context(|| path.display().to_string())?;
    }
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

/// A position as `troel solve` reads it, with the measurement it is of and its value.
fn written(name: &str, position: &Position, value: u8) -> String {
    let hands = position.hands();
    let hands: Vec<String> = Seat::ALL.iter().map(|&s| deal::format_hand(hands[s])).collect();
    let declarers: String = position.game.declarers.iter().map(Seat::letter).collect();
    let contract = serde_json::json!({
        "declarers": declarers,
        "trump": position.game.trump,
        "goal": "most",
        "leader": position.leader(),
    });
    let deal = format!("N:{}", hands.join(" "));
    serde_json::json!({"deal": deal, "contract": contract, "bench": name, "value": value})
        .to_string()
}

/// Milliseconds per call and per card of a bot that plays all seats, over the rule sets in turn.
fn decide(name: &str, bot: &str, seconds: f64, rows: &mut Vec<Row>) -> anyhow::Result<()> {
    let sets: Vec<_> = RuleSet::names().filter_map(RuleSet::built_in).collect();
    let mut spent = [Duration::ZERO; 2];
    let mut decisions = [0u32; 2];
    for n in 0.. {
        let rules = sets[n as usize % sets.len()];
        let mut agent = Entry::find(bot, rules)?.seat(1);
        let mut state = State::new(rules, &Deals::new(rules, 1).shuffled(n, Seat::North));
        while !state.is_done() {
            let mut action = [Action::PASS];
            let observation = [state.observe(state.turn(), BySeat::default())];
            let kind = usize::from(state.phase() == Phase::Play);
            let start = Instant::now();
            agent.act(&observation, &mut action);
            if state.legal_actions().len() > 1 {
                spent[kind] += start.elapsed();
                decisions[kind] += 1;
            }
            state.apply(action[0])?;
        }
        // Whole rounds, so that each rule set counts alike.
        let round = (n as usize + 1).is_multiple_of(sets.len());
        if round && (spent[0] + spent[1]).as_secs_f64() >= seconds {
            break;
        }
    }
    for (kind, what) in ["call", "card"].into_iter().enumerate() {
        let value = spent[kind].as_secs_f64() * 1e3 / f64::from(decisions[kind].max(1));
        rows.push(Row { name: format!("{name}/{what}"), value, unit: "ms", better: "lower" });
    }
    Ok(())
}

/// Solves per second, positions per second, median and 99th percentile.
fn solve(
    name: &str,
    declarers: u8,
    cards: usize,
    seconds: f64,
    rows: &mut Vec<Row>,
    positions: &mut Option<String>,
) {
    let mut solver = Solver::default();
    let mut times: Vec<Duration> = Vec::new();
    let mut spent = Duration::ZERO;
    for n in 0.. {
        let Some(position) = random_position(n, declarers, cards) else { return };
        let start = Instant::now();
        solver.clear();
        let value = std::hint::black_box(solver.value(&position));
        let time = start.elapsed();
        if let Some(positions) = positions {
            *positions += &written(name, &position, value);
            positions.push('\n');
        }
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
