//! Fingerprints and information states: equal exactly where a seat knows the same.

mod common;

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use common::play;
use troel_env::conformance::redeal;
use troel_env::rng::{Purpose, Stream};
use troel_env::{BySeat, Card, CardSet, Deal, N_ACTIONS, Observation, RuleSet, Seat, State};

/// Two independent 64-bit hashes of a value.
fn digest(value: impl Hash) -> (u64, u64) {
    let hash = |salt: u8| {
        let mut hasher = DefaultHasher::new();
        (salt, &value).hash(&mut hasher);
        hasher.finish()
    };
    (hash(0), hash(1))
}

/// Features of an observation, its history with the cards and seats that start it, and the totals.
fn encoded(obs: &Observation) -> (Vec<u32>, Vec<u64>, [i32; 4]) {
    let packed = obs.pack();
    let mut features: Vec<u32> = packed.ones().map(|i| i as u32).collect();
    features.extend(packed.numbers().flat_map(|(i, value)| [i as u32, value.to_bits()]));
    let (public, seat) = (obs.public(), obs.seat());
    let laid_aside: CardSet = obs.laid_aside().into_iter().collect();
    let dealt = obs.hand() | obs.played(seat) | laid_aside;
    let announcer = public.auction().announcer().map_or(4, Seat::index);
    let turn_up = obs.turn_up().map_or(52, |card| card.index());
    let mut facts = vec![dealt.0];
    facts.extend([public.dealer().index(), announcer, turn_up].map(|fact| fact as u64));
    // A card laid aside by another seat has no number.
    facts.extend(obs.history().iter().map(|(seat, action)| {
        let action = action.map_or(N_ACTIONS, |action| action.index());
        (seat.index() << 8 | action) as u64
    }));
    (features, facts, obs.totals().0)
}

#[test]
fn fingerprints_tell_apart_what_differs() {
    let mut by_fingerprint = HashMap::new();
    let mut by_information = HashMap::new();
    let mut by_encoding = HashMap::new();
    let mut stream = Stream::new(5, Purpose::Action, 0);
    let (mut observations, mut redealt) = (0, 0);
    for rules in RuleSet::all_built_in() {
        for seed in 0..240 {
            play(rules, seed, |state| {
                for seat in Seat::ALL {
                    // Two deals that the seat cannot tell apart, at the same totals and at others.
                    let other = redeal(state, seat, &mut stream);
                    redealt += u32::from(other.is_some_and(|other| other.hands() != state.hands()));
                    let mut positions = vec![(*state, 0), (*state, 3 * seed as i32)];
                    positions.extend(other.map(|other| (other, 0)));
                    for (state, totals) in positions {
                        let obs = state.observe(seat, BySeat([totals, 0, -totals, 7]));
                        let line = obs.information_state();
                        let information = digest(&line);
                        let encoding = digest((rules.hash(), seat, encoded(&obs)));
                        let print = obs.fingerprint();
                        let known = *by_fingerprint.entry(print).or_insert(information);
                        assert_eq!(known, information, "two information states: {line}");
                        let known = *by_information.entry(information).or_insert(print);
                        assert_eq!(known, print, "two fingerprints: {line}");
                        let known = *by_encoding.entry(encoding).or_insert(print);
                        assert_eq!(known, print, "equal features and histories: {line}");
                        observations += 1;
                    }
                }
            });
        }
    }
    assert!(observations > 300_000, "{observations}");
    assert!(redealt > observations / 6, "{redealt} of {observations}");
    assert!(by_fingerprint.len() > 200_000, "{}", by_fingerprint.len());
}

/// Thirteen deals that differ in nothing but the open turn-up.
#[test]
fn an_open_turn_up_counts() {
    let rules = RuleSet::built_in("wiezen").expect("built in");
    let hands = troel_env::parse_hands(
        "N:AKQJT98765432... .AKQJT98765432.. ..AKQJT98765432. ...AKQJT98765432",
    )
    .expect("hands");
    let hands = BySeat::from_fn(|s| hands[s].expect("all four"));
    let mut prints = Vec::new();
    let mut lines = Vec::new();
    for turn_up in hands[Seat::North] {
        let deal = Deal { dealer: Seat::North, hands, turn_up: Some(turn_up) };
        let obs = State::new(rules, &deal).observe(Seat::East, BySeat::default());
        prints.push(obs.fingerprint());
        lines.push(obs.information_state());
    }
    prints.sort_unstable();
    prints.dedup();
    assert_eq!(prints.len(), 13);
    lines.sort();
    lines.dedup();
    assert_eq!(lines.len(), 13);
}

#[test]
fn totals_and_rules_count() {
    let [luxembourg, horesca] =
        ["luxembourg", "horesca"].map(|name| RuleSet::built_in(name).expect("built in"));
    let deal = troel_env::Deals::new(luxembourg, 3).shuffled(0, Seat::West);
    let print = |rules, totals| State::new(rules, &deal).observe(Seat::East, totals).fingerprint();
    let zero = print(luxembourg, BySeat::default());
    assert_eq!(zero, print(luxembourg, BySeat([0; 4])));
    for seat in Seat::ALL {
        let mut totals = BySeat::default();
        totals[seat] = -1;
        assert_ne!(zero, print(luxembourg, totals));
    }
    assert_ne!(zero, print(horesca, BySeat::default()));
}

#[test]
fn an_information_state_can_be_read() {
    let rules = RuleSet::built_in("wiezen").expect("built in");
    let hands = troel_env::parse_hands(
        "N:752.7.AQT7.AT976 AJ984.AK9.2.KQ83 QT6.QT854.K83.J2 K3.J632.J9654.54",
    )
    .expect("hands");
    let deal = Deal {
        dealer: Seat::North,
        hands: BySeat::from_fn(|s| hands[s].expect("all four")),
        turn_up: Card::parse("7D"),
    };
    let mut state = State::new(rules, &deal);
    for code in ["8D", "pass", "8D", "pass", "AS"] {
        let action = troel_env::Action::parse(code, state.phase()).expect("a code");
        state.apply(action).expect("legal");
    }
    assert_eq!(
        state.observe(Seat::South, BySeat([1, -1, 2, -2])).information_state(),
        format!(
            "rules=wiezen:{} seat=S dealer=N totals=1,-1,2,-2 hand=QT6.QT854.K83.J2 turn_up=7D \
             shown=N:..7. phase=play turn=S contract=suit/8/D/EW \
             history=E:8D,S:pass,W:8D,N:pass,E:AS",
            rules.hash()
        )
    );
}
