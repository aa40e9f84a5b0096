//! Tests of renamed suits, on their own and with networks.

use troel_env::rng::{Purpose, Stream};
use troel_env::{BySeat, Card, Deal, Deals, RuleSet, Seat, State};

use super::*;
use crate::{CpuNetwork, NetworkConfig, NetworkInput, Weights};

#[test]
fn permutations_are_all_orders() {
    for number in 0..N_ORDERS as u8 {
        let places = SuitPermutation(number).places();
        assert_eq!(SuitPermutation::from_places(places), SuitPermutation(number));
        let mut sorted = places;
        sorted.sort();
        assert_eq!(sorted, [0, 1, 2, 3]);
        for map in [
            SuitPermutation(number).features().to_vec(),
            SuitPermutation(number).actions().map(u16::from).to_vec(),
        ] {
            let mut sorted = map.clone();
            sorted.sort();
            assert!(sorted.iter().enumerate().all(|(i, &place)| i == usize::from(place)));
        }
    }
    assert!(
        SuitPermutation::default().features().iter().enumerate().all(|(i, &p)| i == usize::from(p))
    );
}

#[test]
fn only_the_numbers_of_permutations_are_read() {
    let read = |number| toml::Value::Integer(number).try_into::<SuitPermutation>();
    for permutation in SuitPermutation::all() {
        let written = toml::Value::try_from(permutation).expect("a number");
        assert_eq!(written, toml::Value::Integer(permutation.number().into()));
        assert_eq!(read(permutation.number().into()), Ok(permutation));
    }
    for number in [24, 255] {
        let error = read(number).expect_err("no permutation").to_string();
        assert!(error.contains("must be 0 to 23"), "{error}");
    }
}

/// Plays a deal, and the same deal with suits renamed, to the end. Checks that renamed features are
/// those of the renamed position, and that a network with canonical suits plays both alike.
#[test]
fn positions_that_differ_in_the_names_of_suits_are_one() {
    for rules in RuleSet::all_built_in() {
        positions_are_one(rules);
    }
}

fn positions_are_one(rules: &'static RuleSet) {
    let mut stream = Stream::new(5, Purpose::Action, 0);
    let config = NetworkConfig {
        hidden: 24,
        canonical_suits: true,
        rule_features: true,
        ..Default::default()
    };
    let network = CpuNetwork::new(&Weights::init(config, 1));
    let (mut compared, mut kinds) = (0, std::collections::BTreeSet::new());
    for n in 0..600 {
        let permutation = SuitPermutation((n % 24) as u8);
        let places = permutation.places();
        let rename = |card: Card| {
            Card::new(Suit::from_index_wrapping(places[card.suit().index()]), card.rank())
        };
        let deal = Deals::new(rules, 3).shuffled(n, Seat::North);
        let mut state = State::new(rules, &deal);
        let hands = BySeat::from_fn(|s| deal.hands[s].iter().map(rename).collect());
        let mut twin =
            State::new(rules, &Deal { hands, turn_up: deal.turn_up.map(rename), ..deal });
        while !state.is_done() {
            let obs = state.observe(state.turn(), BySeat::default());
            let twin_obs = twin.observe(twin.turn(), BySeat::default());
            if matches!(state.phase(), Phase::Play | Phase::Discard) {
                let is_same = compare(&obs, &twin_obs, permutation);
                if is_same && !tied(&obs) {
                    let mut scratch = crate::forward::Scratch::default();
                    network.evaluate(
                        &[NetworkInput::from(&obs), NetworkInput::from(&twin_obs)],
                        &mut scratch,
                    );
                    let [a, b]: [_; 2] = scratch.logits().collect::<Vec<_>>().try_into().unwrap();
                    for action in state.legal_actions() {
                        let place = permutation.actions()[action.index()];
                        // Sums run in another order.
                        let difference = a[action.index()] - b[usize::from(place)];
                        assert!(difference.abs() < 1e-5, "{action}: {difference}");
                    }
                    compared += 1;
                    kinds.insert(state.contract().map(|c| c.kind.name()));
                }
            }
            let legal = state.legal_actions();
            let action = legal.draw(&mut stream).unwrap();
            let place = permutation.actions()[action.index()];
            let twins = Action::from_index(place.into()).unwrap();
            state.apply(action).unwrap();
            // In the auction the order of suits matters: not every call has a twin.
            if twin.apply(twins).is_err() || twin.turn() != state.turn() {
                break;
            }
        }
    }
    assert!(compared > 3000 && kinds.len() > 2, "{}: {compared} {kinds:?}", rules.id());
}

/// Equal ranks of two suits of one kind leave the order open.
fn tied(obs: &Observation) -> bool {
    let cards = obs.hand() | obs.played(obs.seat());
    let ranks = |suit: Suit| cards.of(suit).0 >> (13 * suit.index());
    let pairs = (0..4).flat_map(|a| (0..a).map(move |b| (a, b)));
    pairs
        .into_iter()
        .any(|(a, b)| ranks(Suit::from_index_wrapping(a)) == ranks(Suit::from_index_wrapping(b)))
}

/// Returns whether the highest call is equal too; everything else must be equal.
fn compare(obs: &Observation, other_obs: &Observation, permutation: SuitPermutation) -> bool {
    let [mut plain, mut renamed, mut twin] = [const { [0.0; N_FEATURES] }; 3];
    obs.encode(&mut plain);
    other_obs.encode(&mut twin);
    for (&place, &value) in permutation.features().iter().zip(&plain) {
        renamed[usize::from(place)] = value;
    }
    let (mut at, mut is_same) = (0, true);
    for block in BLOCKS {
        let equal = renamed[at..at + block.len] == twin[at..at + block.len];
        // Which call is the highest depends on the order of suits.
        assert!(equal || block.name.starts_with("HIGHEST_CALL"), "{}", block.name);
        is_same &= equal;
        at += block.len;
    }
    is_same
}

#[test]
fn renaming_is_undone_by_the_inverse() {
    let mut stream = Stream::new(1, Purpose::Action, 0);
    for suits in SuitPermutation::all() {
        let features: Vec<f32> = (0..troel_env::N_FULL_FEATURES).map(|_| stream.unit()).collect();
        let mut renamed = features.clone();
        suits.rename_features(&mut renamed);
        assert_eq!(renamed == features, suits == SuitPermutation::default());
        suits.inverse().rename_features(&mut renamed);
        assert_eq!(renamed, features);
        for action in (0..N_ACTIONS).filter_map(Action::from_index) {
            assert_eq!(suits.inverse().rename_action(suits.rename_action(action)), action);
        }
    }
}
