//! Plays deals at random and prints how fast that went.
//!
//! `cargo run --release -p troel-env --example random_play -- luxembourg 10000`

use std::time::Instant;

use troel_env::rng::{Purpose, Stream};
use troel_env::{BySeat, Deals, N_FEATURES, RuleSet, Seat, State};

fn main() {
    let mut args = std::env::args().skip(1);
    let name = args.next().unwrap_or_else(|| "luxembourg".to_string());
    let deals: u64 = args.next().and_then(|n| n.parse().ok()).unwrap_or(10_000);
    let Some(rules) = RuleSet::built_in(&name) else {
        eprintln!("{name} is not a rule set");
        return;
    };
    let source = Deals::new(rules, 1);
    let mut stream = Stream::new(1, Purpose::Action, 0);
    let mut features = vec![0.0; N_FEATURES];
    let totals = BySeat::default();
    for encode in [false, true] {
        let (start, mut decisions, mut sum) = (Instant::now(), 0u64, 0.0f64);
        for n in 0..deals {
            let mut state = State::new(rules, &source.shuffled(n, Seat::North));
            while !state.is_done() {
                if encode {
                    state.view(state.turn(), &totals).encode(&mut features);
                    sum += f64::from(features[0]);
                }
                let legal = state.legal_actions();
                let action = legal.nth_action(stream.below(legal.len()));
                state.apply_unchecked(action.expect("some action is legal"));
                decisions += 1;
            }
        }
        let rate = decisions as f64 / start.elapsed().as_secs_f64() / 1e6;
        let what = if encode { "with features" } else { "bare" };
        println!("{name} {what}: {rate:.2} million decisions/s (check {sum})");
    }
}
