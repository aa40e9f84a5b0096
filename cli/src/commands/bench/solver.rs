//! Benchmarks of the solver: double-dummy solves of random deals, each with an empty transposition table.

use std::time::{Duration, Instant};

use troel_env::rng::{Purpose, Stream};
use troel_env::{BySeat, Card, CardSet, Seat, SeatSet, Suit, deal};
use troel_solver::{Goal, Objective, Position, Solver};

use super::Bench;

/// Measurements of the solver: name, declarers as a bit set of seats, cards per hand.
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

/// Runs the measurements; returns the solved positions as JSON lines, if they are requested.
pub fn run(bench: &mut Bench<'_>) -> anyhow::Result<Option<String>> {
    let mut positions = bench.args.positions.as_ref().map(|_| String::new());
    for (name, declarers, cards) in SOLVES {
        let name = format!("solve/{name}");
        if bench.wants(&name) {
            solve(bench, &name, declarers, cards, &mut positions)?;
        }
    }
    Ok(positions)
}

fn random_position(n: u64, declarers: u8, cards: usize) -> Option<Position> {
    let mut stream = Stream::new(1, Purpose::Deal, n);
    let mut deck: Vec<Card> = CardSet::FULL.collect();
    stream.shuffle(&mut deck);
    let hands = BySeat::from_fn(|s| deck[s.index() * cards..][..cards].iter().copied().collect());
    let strain = stream.below(5) as usize;
    let trump = (strain < 4).then(|| Suit::from_index(strain));
    let objective = Objective { declarers: SeatSet(declarers), trump, goal: Goal::Most };
    Position::new(objective, hands, Seat::from_index(stream.below(4) as usize)).ok()
}

/// A position as `troel solve` reads it, with the name of its measurement and its value.
fn written(name: &str, position: &Position, value: u8) -> String {
    let hands = position.hands();
    let hands: Vec<String> = Seat::ALL.iter().map(|&s| deal::format_hand(hands[s])).collect();
    let declarers: String = position.objective().declarers.iter().map(Seat::letter).collect();
    let contract = serde_json::json!({
        "declarers": declarers,
        "trump": position.objective().trump,
        "goal": "most",
        "leader": position.leader(),
    });
    let deal = format!("N:{}", hands.join(" "));
    serde_json::json!({"deal": deal, "contract": contract, "bench": name, "value": value})
        .to_string()
}

/// Solves per second, positions per second, median and 99th percentile.
fn solve(
    bench: &mut Bench<'_>,
    name: &str,
    declarers: u8,
    cards: usize,
    positions: &mut Option<String>,
) -> anyhow::Result<()> {
    let mut solver = Solver::default();
    let mut times: Vec<Duration> = Vec::new();
    let mut spent = Duration::ZERO;
    for n in 0.. {
        let Some(position) = random_position(n, declarers, cards) else { break };
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
        if spent.as_secs_f64() >= bench.args.seconds {
            break;
        }
    }
    times.sort_unstable();
    let at =
        |share: usize| times[(times.len() * share / 100).min(times.len() - 1)].as_secs_f64() * 1e3;
    let mut row = |suffix: &str, value: f64, unit, better| {
        bench.row(format!("{name}{suffix}"), value, unit, better)
    };
    row("", times.len() as f64 / spent.as_secs_f64(), "solves/s", "higher")?;
    row("/nodes", solver.nodes() as f64 / spent.as_secs_f64(), "positions/s", "higher")?;
    row("/p50", at(50), "ms", "lower")?;
    row("/p99", at(99), "ms", "lower")
}
