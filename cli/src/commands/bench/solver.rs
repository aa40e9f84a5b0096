//! Benchmarks of the solver: double-dummy solves of random deals. Each has an empty transposition
//! table, except those of a batch.

use std::num::NonZeroUsize;
use std::time::{Duration, Instant};

use troel_agents::heuristic;
use troel_env::rng::{Purpose, Stream};
use troel_env::{BySeat, Card, CardSet, Deals, Phase, RuleSet, Seat, SeatSet, State, Suit};
use troel_solver::{DEFAULT_MEMORY, Goal, Objective, Position, Solver, solve_batch};

use super::measure::{Bench, Better};

/// Values of random positions: name, declarers as a bit set of seats, cards per hand.
const VALUES: [(&str, u8, usize); 9] = [
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
/// Number of positions after which the solver gives up a misère. They take some seconds.
const MAX_BENCH_NODES: u64 = 20_000_000;
/// Number of full deals in a batch.
const BATCH: u64 = 100;

/// Runs the measurements; returns the solved positions as JSON lines, if they are requested.
pub fn run(bench: &mut Bench<'_>) -> anyhow::Result<Option<String>> {
    let mut written = bench.keeps_positions.then(String::new);
    for (name, declarers, cards) in VALUES {
        let mut positions = (0..).map_while(|n| random_position(n, declarers, cards, Goal::Most));
        solve(bench, name, &mut positions, written.as_mut(), &Solver::value)?;
    }
    // Misères that the rules of thumb bid: can they be made? The search stops after
    // `MAX_BENCH_NODES` positions.
    let can_be_set = |solver: &mut Solver, position: &Position| {
        u8::from(solver.reaches_within(position, 1, MAX_BENCH_NODES) == Some(true))
    };
    solve(bench, "misere-13", &mut bid_miseres(), None, &can_be_set)?;
    // The fewest tricks that a hand can take.
    let mut endings = (0..).map_while(|n| random_position(n, 0b0001, 9, Goal::Fewest));
    solve(bench, "fewest-9", &mut endings, None, &Solver::value)?;
    let full = || (0..).map_while(|n| random_position(n, 0b0101, 13, Goal::Most));
    let number = |solver: &mut Solver, position: &Position| solver.values(position).len() as u8;
    solve(bench, "cards-13", &mut full(), None, &number)?;
    let threads = NonZeroUsize::new(rayon::current_num_threads()).unwrap_or(NonZeroUsize::MIN);
    let mut deals = full();
    bench.rate("solve/cards-13-all".into(), "solves/s", || {
        let batch: Vec<Position> = deals.by_ref().take(BATCH as usize).collect();
        solve_batch(&batch, threads, DEFAULT_MEMORY).len() as u64
    })?;
    Ok(written)
}

/// Returns misères and open misères of random deals, bid by rules of thumb, for each declarer.
fn bid_miseres() -> impl Iterator<Item = Position> {
    let rules = RuleSet::all_built_in()[0];
    let deals = Deals::new(rules, 1);
    (0..).flat_map(move |n| {
        let mut state = State::new(rules, &deals.shuffled(n, Seat::North));
        while !matches!(state.phase(), Phase::Play | Phase::Done) {
            let obs = state.observe(state.turn(), BySeat::default());
            state.apply_unchecked(heuristic::choose(&obs));
        }
        let objective = state.contract().map(Objective::of).filter(|o| o.goal == Goal::Fewest);
        let declarers = objective.map_or(SeatSet::EMPTY, |objective| objective.declarers);
        declarers.iter().filter_map(move |seat| {
            let objective = Objective { declarers: SeatSet::single(seat), ..objective? };
            Position::from_state_for(&state, objective).ok()
        })
    })
}

fn random_position(n: u64, declarers: u8, cards: usize, goal: Goal) -> Option<Position> {
    let mut stream = Stream::new(1, Purpose::Deal, n);
    let mut deck: Vec<Card> = CardSet::FULL.iter().collect();
    stream.shuffle(&mut deck);
    let hands = BySeat::from_fn(|s| deck[s.index() * cards..][..cards].iter().copied().collect());
    let strain = stream.below(5) as usize;
    let trump = (strain < 4 && goal == Goal::Most).then(|| Suit::from_index_wrapping(strain));
    let objective = Objective { declarers: SeatSet(declarers), trump, goal };
    Position::new(objective, hands, stream.pick(&Seat::ALL)).ok()
}

/// Formats a position as `troel solve` reads it, with the name of its measurement and its value.
fn as_line(name: &str, position: &Position, value: u8) -> String {
    let hands = position.hands();
    let hands: Vec<String> = Seat::ALL.iter().map(|&s| hands[s].to_string()).collect();
    let declarers: String = position.objective().declarers.iter().map(Seat::letter).collect();
    let contract = serde_json::json!({
        "declarers": declarers,
        "trump": position.objective().trump,
        "goal": "most",
        "leader": position.leader(),
    });
    let deal = format!("N:{}", hands.join(" "));
    serde_json::json!({"deal": deal, "contract": contract, "bench": format!("solve/{name}"), "value": value})
        .to_string()
}

/// Measures solves per second, positions per second, median and percentiles. Each solve has an
/// empty transposition table. Writes positions and answers to `written`.
fn solve(
    bench: &mut Bench<'_>,
    name: &str,
    positions: &mut dyn Iterator<Item = Position>,
    mut written: Option<&mut String>,
    ask: &dyn Fn(&mut Solver, &Position) -> u8,
) -> anyhow::Result<()> {
    let title = format!("solve/{name}");
    if !bench.wants(&title) {
        return Ok(());
    }
    let mut solver = Solver::default();
    let mut times: Vec<Duration> = Vec::new();
    let mut spent = Duration::ZERO;
    for position in positions {
        let start = Instant::now();
        solver.clear();
        let answer = std::hint::black_box(ask(&mut solver, &position));
        let time = start.elapsed();
        if let Some(written) = &mut written {
            **written += &as_line(name, &position, answer);
            written.push('\n');
        }
        times.push(time);
        spent += time;
        if spent.as_secs_f64() >= bench.seconds {
            break;
        }
    }
    times.sort_unstable();
    let at =
        |share: usize| times[(times.len() * share / 100).min(times.len() - 1)].as_secs_f64() * 1e3;
    let mut row = |suffix: &str, value: f64, unit, better| {
        bench.row(format!("{title}{suffix}"), value, unit, better)
    };
    row("", times.len() as f64 / spent.as_secs_f64(), "solves/s", Better::Higher)?;
    row("/nodes", solver.nodes() as f64 / spent.as_secs_f64(), "positions/s", Better::Higher)?;
    row("/p50", at(50), "ms", Better::Lower)?;
    row("/p90", at(90), "ms", Better::Lower)?;
    row("/p99", at(99), "ms", Better::Lower)?;
    row("/max", at(100), "ms", Better::Lower)
}
