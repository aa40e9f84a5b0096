//! Prints a deal as text, or as SVG: `all` with all hands open, or as one seat sees it.
//!
//! `cargo run --release -p troel-env --example render -- luxembourg 7 20 S svg > deal.svg`

use troel_env::conformance::Explorer;
use troel_env::render::Scene;
use troel_env::{BySeat, RuleSet, Seat};

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let text = |i: usize, default: &str| args.get(i).map_or(default.to_string(), String::clone);
    let Some(rules) = RuleSet::built_in(&text(0, "luxembourg")) else {
        eprintln!("{} is not a rule set", text(0, ""));
        return;
    };
    let seed = text(1, "1").parse().unwrap_or(1);
    let mut explorer = Explorer::new(rules, seed, 0);
    let mut state = explorer.deal(rules, seed, 0);
    for _ in 0..text(2, "20").parse().unwrap_or(20) {
        let Some(action) = explorer.choose(&state) else { break };
        state.apply_unchecked(action);
    }
    let totals = BySeat([12, -7, 30, 4]);
    let seat = text(3, "all").chars().next().and_then(Seat::from_letter);
    let scene = match seat {
        Some(seat) => Scene::from_observation(&state.observe(seat, totals)),
        None => Scene::from_state(&state, totals),
    };
    print!("{}", if text(4, "text") == "svg" { scene.to_svg() } else { scene.to_text(true) });
}
