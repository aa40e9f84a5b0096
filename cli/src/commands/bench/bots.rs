//! Benchmarks of bots: time per decision.

use std::time::{Duration, Instant};

use troel_agents::registry::{ReleasedFor, released_for};
use troel_agents::{DecisionDetail, NamedBot, decide_one};
use troel_env::{BySeat, Deals, Phase, RuleSet, Seat, State};

use super::measure::{Bench, Better};

/// Bots whose decisions are timed, by the name of the measurement. `BOT` is the released bot of a
/// rule set.
const BOTS: [(&str, &str); 6] = [
    ("rules", "rules"),
    ("expert", "expert"),
    ("pimc-20", "pimc:worlds=20"),
    ("network", "BOT"),
    ("search-20", "search:BOT:worlds=20"),
    ("search-20ms", "search:BOT:ms=20"),
];

pub fn run(bench: &mut Bench<'_>) -> anyhow::Result<()> {
    for (name, bot) in BOTS {
        let name = format!("bot/{name}");
        if bench.wants(&name) {
            decide(bench, &name, bot)?;
        }
    }
    Ok(())
}

/// Measures the milliseconds per call and per card of a bot in all seats. Reports mean and 99th
/// percentile. The rule sets take turns, and only decisions with a choice count.
fn decide(bench: &mut Bench<'_>, name: &str, bot_pattern: &str) -> anyhow::Result<()> {
    let sets = RuleSet::all_built_in();
    let find = |rules: &'static RuleSet| {
        let released = released_for(ReleasedFor::Points(rules.id())).unwrap_or_default();
        NamedBot::find(&bot_pattern.replace("BOT", released), rules)
    };
    let bots = sets.iter().map(|&rules| find(rules)).collect::<Result<Vec<_>, _>>()?;
    let mut times: [Vec<Duration>; 2] = Default::default();
    let mut spent = Duration::ZERO;
    for n in 0.. {
        let nth = n as usize % sets.len();
        let mut bot = bots[nth].instantiate(1);
        let mut state = State::new(sets[nth], &Deals::new(sets[nth], 1).shuffled(n, Seat::North));
        while !state.is_done() {
            let obs = state.observe(state.turn(), BySeat::default());
            let kind = usize::from(state.phase() == Phase::Play);
            let start = Instant::now();
            let decision = decide_one(bot.as_mut(), &obs, DecisionDetail::Action)?;
            let time = start.elapsed();
            if state.legal_actions().len() > 1 {
                times[kind].push(time);
                spent += time;
            }
            state.apply(decision.action)?;
        }
        // Whole rounds, so that each rule set counts alike.
        if nth + 1 == sets.len() && spent.as_secs_f64() >= bench.seconds {
            break;
        }
    }
    for (times, what) in times.iter_mut().zip(["call", "card"]) {
        times.sort_unstable();
        let ms = |time: Duration| time.as_secs_f64() * 1e3;
        let mean = times.iter().sum::<Duration>() / times.len().max(1) as u32;
        let tail = times.get(times.len() * 99 / 100).copied().unwrap_or_default();
        bench.row(format!("{name}/{what}"), ms(mean), "ms", Better::Lower)?;
        bench.row(format!("{name}/{what}/p99"), ms(tail), "ms", Better::Lower)?;
    }
    Ok(())
}
