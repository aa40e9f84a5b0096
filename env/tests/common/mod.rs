//! Deals and random play shared by the tests.

#![allow(dead_code, reason = "not every test uses everything")]

use troel_env::conformance::Explorer;
use troel_env::rng::{Purpose, Stream};
use troel_env::{Action, BySeat, Deals, N_FEATURES, Phase, RuleSet, Scenario, Seat, State};

/// The deal that [`play_pinned`] plays; some seeds deal what is rare.
pub fn deal(rules: &'static RuleSet, seed: u64) -> State {
    let kinds: Vec<_> = rules.rows().iter().map(|r| r.kind).collect();
    let kind = kinds[(seed / 4) as usize % kinds.len()];
    let scenario = match seed % 4 {
        0 => Scenario::parse(kind.name()).expect("a kind is a scenario"),
        1 => Scenario::Aces,
        _ => Scenario::Any,
    };
    let deals = Deals::new(rules, seed).with_scenario(scenario);
    State::new(rules, &deals.shuffled(0, Seat::from_index_wrapping(seed as usize)))
}

/// A random legal action; passes and low calls are likelier, so that all contracts come up.
pub fn random_action(state: &State, stream: &mut Stream) -> Action {
    let legal = state.legal_actions();
    if state.phase() == Phase::Auction && stream.below(3) > 0 {
        return legal.nth_action(stream.below(legal.len().min(6))).expect("some action is legal");
    }
    legal.draw(stream).expect("some action is legal")
}

/// Plays a deal of this seed such that rare contracts come up, calling `visit` before each action,
/// and returns its end.
pub fn play(rules: &'static RuleSet, seed: u64, mut visit: impl FnMut(&State)) -> State {
    let mut explorer = Explorer::new(rules, seed, 0);
    let mut state = explorer.deal(rules, seed, seed % 4);
    while let Some(action) = explorer.choose(&state) {
        visit(&state);
        state.apply(action).expect("legal");
    }
    state
}

/// Plays a deal at random, calling `visit` before each action, and returns its end.
pub fn play_pinned(rules: &'static RuleSet, seed: u64, mut visit: impl FnMut(&State)) -> State {
    let mut state = deal(rules, seed);
    let mut stream = Stream::new(seed, Purpose::Action, 9);
    while !state.is_done() {
        visit(&state);
        let action = random_action(&state, &mut stream);
        state.apply(action).expect("legal");
    }
    state
}

pub fn features(state: &State, seat: Seat) -> Vec<f32> {
    let mut features = vec![f32::NAN; N_FEATURES];
    state.observe(seat, BySeat([10, -20, 30, 400])).encode(&mut features);
    features
}
