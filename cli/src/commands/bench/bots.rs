//! Benchmarks of bots: time per decision.

use std::time::{Duration, Instant};

use troel_agents::{Detail, Entry, decide_one};
use troel_env::{BySeat, Deals, Phase, Seat, State};

use super::{Bench, rule_sets};

/// Bots whose decisions are timed.
const BOTS: [&str; 3] = ["rules", "expert", "pimc:worlds=20"];

pub fn run(bench: &mut Bench<'_>) -> anyhow::Result<()> {
    for bot in BOTS {
        let name = format!("bot/{}", bot.replace(":worlds=", "-"));
        if bench.wants(&name) {
            decide(bench, &name, bot)?;
        }
    }
    Ok(())
}

/// Milliseconds per call and per card of a bot that plays all seats, over the rule sets in turn
/// (decisions with a choice only).
fn decide(bench: &mut Bench<'_>, name: &str, name_of_bot: &str) -> anyhow::Result<()> {
    let sets = rule_sets();
    let mut spent = [Duration::ZERO; 2];
    let mut decisions = [0u32; 2];
    for n in 0.. {
        let rules = sets[n as usize % sets.len()];
        let mut bot = Entry::find(name_of_bot, rules)?.seat(1);
        let mut state = State::new(rules, &Deals::new(rules, 1).shuffled(n, Seat::North));
        while !state.is_done() {
            let observation = state.observe(state.turn(), BySeat::default());
            let kind = usize::from(state.phase() == Phase::Play);
            let start = Instant::now();
            let decision = decide_one(bot.as_mut(), &observation, Detail::Action)?;
            let time = start.elapsed();
            if state.legal_actions().len() > 1 {
                spent[kind] += time;
                decisions[kind] += 1;
            }
            state.apply(decision.action)?;
        }
        // Whole rounds, so that each rule set counts alike.
        let round = (n as usize + 1).is_multiple_of(sets.len());
        if round && (spent[0] + spent[1]).as_secs_f64() >= bench.args.seconds {
            break;
        }
    }
    for (kind, what) in ["call", "card"].into_iter().enumerate() {
        let value = spent[kind].as_secs_f64() * 1e3 / f64::from(decisions[kind].max(1));
        bench.row(format!("{name}/{what}"), value, "ms", "lower")?;
    }
    Ok(())
}
