//! Properties of the engine under random legal play, for every rule set.

mod common;

use common::{features, play, play_pinned};
use proptest::prelude::*;
use troel_env::conformance::redeal;
use troel_env::features::{BLOCKS, OLD_N_FEATURES};
use troel_env::rng::{Purpose, Stream};
use troel_env::{
    Action, ActionSet, BySeat, CardSet, Deals, FEATURE_VERSION, History, N_ACTIONS, N_FEATURES,
    N_FULL_FEATURES, Phase, Record, RuleSet, Scenario, Seat, State,
};

/// Deals under each rule set: 200, or as many as `TROEL_CASES` says; 42,000 are ten million
/// decisions.
fn cases() -> u32 {
    std::env::var("TROEL_CASES").map_or(200, |cases| cases.parse().expect("a number"))
}

/// A seat's view of a record gives the observation of the state that the record leads to.
fn check_views(seed: u64) -> Result<(), TestCaseError> {
    for rules in RuleSet::all_built_in() {
        let (record, states) = recorded(rules, seed);
        for (n, state) in states.iter().enumerate() {
            let mut so_far = record.clone();
            so_far.actions.truncate(n);
            for seat in Seat::ALL {
                let view = so_far.view(rules, seat).expect("a good record");
                let hidden = view.deal.matches('-').count();
                prop_assert!(hidden >= 2 || state.contract().is_some());
                let obs = view.observe(rules, seat);
                let obs = obs.map_err(|e| TestCaseError::fail(format!("{e}: {view:?}")))?;
                let truth = state.observe(seat, BySeat([10, -20, 30, 400]));
                prop_assert_eq!(obs.information_state(), truth.information_state());
                prop_assert_eq!(obs.fingerprint(), truth.fingerprint());
                prop_assert!(obs == truth);
                prop_assert_eq!(obs.legal_actions(), truth.legal_actions());
                prop_assert_eq!(&Record::from_observation(&truth), &view);
                prop_assert_eq!(obs.pack(), truth.pack(), "{} {:?}", rules.id(), view);
            }
        }
    }

    Ok(())
}

/// A troel with four aces: whether 8 or 9 are to be made says whether the heart that called the
/// partner was led.
#[test]
fn the_level_of_a_troel_tells_the_card_that_was_led() {
    check_views(15_055_053_356_406_563_697).expect("the same observation");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, ..Default::default() })]

    #[test]
    fn mask_is_what_is_accepted(seed in any::<u64>()) {
        for rules in RuleSet::all_built_in() {
            play(rules, seed, |state| {
                let legal = state.legal_actions();
                assert!(!legal.is_empty(), "{state:?}");
                for action in (0..N_ACTIONS).filter_map(Action::from_index) {
                    let mut after = *state;
                    assert_eq!(after.apply(action).is_ok(), legal.has(action), "{action} {state:?}");
                }
            });
        }
    }

    #[test]
    fn legal_actions_follow_from_the_observation(seed in any::<u64>()) {
        for rules in RuleSet::all_built_in() {
            play(rules, seed, |state| {
                let legal = state.observe(state.turn(), BySeat::default()).legal_actions();
                assert_eq!(legal, state.legal_actions(), "{state:?}");
                let idle = state.turn().next();
                assert_eq!(state.observe(idle, BySeat::default()).legal_actions(), ActionSet::EMPTY);
            });
        }
    }

    #[test]
    fn features_are_tame(seed in any::<u64>()) {
        for rules in RuleSet::all_built_in() {
            play(rules, seed, |state| {
                for seat in Seat::ALL {
                    let features = features(state, seat);
                    assert!(features.iter().all(|f| (-2.0..=2.0).contains(f)), "{state:?}");
                    let hand: f32 = features[..BLOCKS[0].len].iter().sum();
                    assert_eq!(hand, state.hands()[seat].len() as f32);
                }
                let mut full = vec![f32::NAN; N_FULL_FEATURES];
                state.observe_full(state.turn(), BySeat::default()).encode_full(&mut full);
                let others: f32 = full[N_FEATURES..].iter().sum();
                let held: u32 = state.hands().iter().map(|h| h.len()).sum();
                assert_eq!(others, (held - state.hands()[state.turn()].len()) as f32);
            });
        }
    }

    #[test]
    fn scores_and_tricks_add_up(seed in any::<u64>()) {
        for rules in RuleSet::all_built_in() {
            let end = play(rules, seed, |state| assert_eq!(state.scores(), None));
            let scores = end.scores().expect("over");
            let tricks: u8 = end.tricks().iter().sum();
            if end.is_passed_out() {
                prop_assert_eq!(scores, BySeat([0; 4]));
                prop_assert_eq!(tricks, 0);
            } else {
                let small = end.contract().is_some_and(|c| c.kind.name() == "small-misere");
                prop_assert_eq!(tricks, if small { 12 } else { 13 });
            }
            if rules.is_zero_sum() {
                prop_assert_eq!(scores.iter().sum::<i32>(), 0);
            }
            let mut gathered = end.gathered();
            gathered.sort();
            prop_assert!(gathered.iter().copied().eq(CardSet::FULL));
        }
    }

    #[test]
    fn stopping_early_changes_no_score(seed in any::<u64>()) {
        for rules in RuleSet::all_built_in() {
            let mut spec = rules.spec().clone();
            spec.stop_when_decided = true;
            let text = toml::to_string(&spec).expect("plain data");
            let early = RuleSet::from_toml(&text, "early").expect("valid");
            let end = play(rules, seed, |_| {});
            let mut stopped = State::new(early, &end.deal());
            for (_, action) in end.history().iter() {
                if stopped.is_done() {
                    break;
                }
                stopped.apply(action.expect("nothing is hidden in a full state")).expect("legal");
            }
            prop_assert_eq!(stopped.scores(), end.scores());
        }
    }
}

/// The view of a seat does not depend on cards that it does not see, aces and a hidden turn-up
/// included.
#[test]
fn nothing_hidden_leaks() {
    let mut stream = Stream::new(3, Purpose::Action, 3);
    let (mut seen, mut dealt_again, mut aces_moved) = (0, 0, 0);
    for rules in RuleSet::all_built_in() {
        for seed in 0..u64::from(cases()) * 3 / 4 {
            play(rules, seed, |state| {
                for seat in Seat::ALL {
                    seen += 1;
                    let Some(other) = redeal(state, seat, &mut stream) else { continue };
                    let aces = |state: &State| BySeat::from_fn(|s| state.hands()[s].aces());
                    dealt_again += u32::from(other.hands() != state.hands());
                    aces_moved += u32::from(aces(&other) != aces(state));
                    assert_same_view(state, &other, seat);
                }
            });
        }
    }
    // Late in a deal no card may be left to redeal.
    assert!(dealt_again > seen / 2, "{dealt_again} of {seen} positions dealt again");
    assert!(aces_moved > seen / 5, "aces moved in {aces_moved} of {seen} positions");
}

/// Asserts that a seat is shown the same of two states.
fn assert_same_view(a: &State, b: &State, seat: Seat) {
    let [x, y] = [a, b].map(|state| state.observe(seat, BySeat::default()));
    assert_eq!(x.information_state(), y.information_state());
    let [left, right] = [a, b].map(|state| features(state, seat));
    let differ = left.iter().zip(&right).position(|(l, r)| l != r);
    assert_eq!(differ, None, "feature of {seat:?} {a:?} and {b:?}");
    assert_eq!(x.legal_actions(), y.legal_actions());
    assert_eq!(x.fingerprint(), y.fingerprint());
    assert!(x == y);
}

#[test]
fn turn_up_and_key_card_stay_hidden_in_a_wiezen_troel() {
    let rules = RuleSet::built_in("wiezen").expect("built in");
    let deals = Deals::new(rules, 5).with_scenario(Scenario::Aces);
    for n in 0..50 {
        let state = State::new(rules, &deals.shuffled(n, Seat::North));
        let announcer = state.auction().announcer().expect("somebody has three aces");
        for seat in Seat::ALL {
            let obs = state.observe(seat, BySeat::default());
            assert_eq!(obs.turn_up().is_some(), seat == state.dealer());
            let holds_ace = !obs.hand().aces().is_empty();
            assert_eq!(obs.key_card().is_some(), seat == announcer || holds_ace, "{seat:?}");
        }
    }
}

#[test]
fn a_card_laid_aside_is_seen_by_its_owner_alone() {
    let rules = RuleSet::built_in("luxembourg").expect("built in");
    let deals = Deals::new(rules, 2);
    let starts = (0..100).map(|n| State::new(rules, &deals.shuffled(n, Seat::West)));
    let mut state =
        starts.into_iter().find(|s| s.auction().announcer().is_none()).expect("no trou");
    for call in [Action::SMALL_MISERE, Action::PASS, Action::PASS, Action::PASS] {
        state.apply(call).expect("legal");
    }
    assert_eq!(state.phase(), Phase::Discard);
    let card = state.hands()[state.turn()].lowest().expect("thirteen cards");
    state.apply(Action::card(card)).expect("own card");
    for seat in Seat::ALL {
        let obs = state.observe(seat, BySeat::default());
        let last = obs.history().iter().last().expect("five actions");
        assert_eq!(last.1.is_some(), seat == Seat::North);
        assert_eq!(obs.laid_aside().is_some(), seat == Seat::North);
        assert_eq!(obs.unseen().has(card), seat != Seat::North);
    }
}

#[test]
fn redealing_refuses_other_cards() {
    let rules = RuleSet::built_in("wiezen").expect("built in");
    let state = State::new(rules, &Deals::new(rules, 2).shuffled(1, Seat::West));
    let mut hands = *state.hands();
    let card = hands[Seat::North].lowest().expect("thirteen cards");
    hands[Seat::North].remove(card);
    assert!(state.with_hands(hands).is_err());
    let twice = hands[Seat::East].lowest().expect("thirteen cards");
    hands[Seat::North].insert(twice);
    assert!(state.with_hands(hands).is_err());
}

/// A layout that has been published does not change: of 48 deals of all rule sets, every feature of
/// every seat. Those of old versions are the first of this one.
#[test]
fn features_of_this_version_stay_as_they_are() {
    // FNV-1a over the bits of the values.
    let add =
        |sum: u64, value: &f32| (sum ^ u64::from(value.to_bits())).wrapping_mul(0x0100_0000_01b3);
    let (mut sum, mut old_sums) = (0u64, [0u64; 2]);
    for rules in RuleSet::all_built_in() {
        for seed in 0..12 {
            play_pinned(rules, seed, |state| {
                for seat in Seat::ALL {
                    let features = features(state, seat);
                    sum = features.iter().fold(sum, add);
                    for (sum, len) in old_sums.iter_mut().zip(OLD_N_FEATURES) {
                        *sum = features[..len].iter().fold(*sum, add);
                    }
                }
            });
        }
    }
    assert_eq!((FEATURE_VERSION, sum), (3, 0x7bfe_cd30_22e5_3224), "{sum:#x}");
    assert_eq!(old_sums, [0xae9d_2a71_b8b4_5524, 0xff4a_1679_c6ef_de74]);
}

/// A record of a deal of this seed, played at random, and its states before each action.
fn recorded(rules: &'static RuleSet, seed: u64) -> (Record, Vec<State>) {
    let mut states = Vec::new();
    let end = play(rules, seed, |state| states.push(*state));
    let record = Record::from_state(&end, &BySeat([10, -20, 30, 400]));
    (record, states)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, failure_persistence: None, ..Default::default() })]

    /// A seat's view of a record holds exactly the information that the seat had in the deal.
    #[test]
    fn views_of_records_are_observations(seed in any::<u64>()) {
        check_views(seed)?;
    }

    /// Without the facts that only a view has, the turn and the legal actions still follow from the
    /// record.
    #[test]
    fn bare_views_still_find_their_turn(seed in any::<u64>()) {
        for rules in RuleSet::all_built_in() {
            let (record, states) = recorded(rules, seed);
            for (n, state) in states.iter().enumerate() {
                let mut so_far = record.clone();
                so_far.actions.truncate(n);
                let seat = state.turn();
                let mut view = so_far.view(rules, seat).expect("a good record");
                let has_extra = !view.extra.is_empty();
                view.extra.clear();
                let truth = state.observe(seat, BySeat([10, -20, 30, 400]));
                match view.observe(rules, seat) {
                    Ok(obs) if !has_extra => prop_assert_eq!(obs.pack(), truth.pack()),
                    Ok(_) => {}
                    Err(error) => prop_assert!(has_extra, "{error}: {view:?}"),
                }
            }
        }
    }
}

/// A seat that has seen the turn-up needs it in its record: its legal calls depend on it.
#[test]
fn a_view_without_the_turn_up_that_its_seat_has_seen_is_refused() {
    for name in ["wiezen", "iwwa"] {
        let rules = RuleSet::built_in(name).expect("built in");
        let mut refused = 0;
        for seed in 0..100 {
            let (record, states) = recorded(rules, seed);
            let is_troel = states[0].auction().announcer().is_some();
            for (n, state) in states.iter().enumerate().take(5) {
                let mut so_far = record.clone();
                so_far.actions.truncate(n);
                for seat in Seat::ALL {
                    let mut view = so_far.view(rules, seat).expect("a good record");
                    if view.turn_up.take().is_none() {
                        continue;
                    }
                    match view.observe(rules, seat) {
                        Ok(_) => assert!(is_troel, "{seat:?} after {n} actions: {view:?}"),
                        Err(error) => {
                            let message = &error.message;
                            assert!(message.contains("turn_up is missing"), "{error}: {state:?}");
                            refused += 1;
                        }
                    }
                }
            }
        }
        assert!(refused > 1000, "{name}: {refused}");
    }
}

/// Plays the longest deal of house rules with every contract of the family and misère on top. Each
/// call is the lowest one that is higher, all seats join every misère, and every card is asked for
/// and refused.
#[test]
fn the_longest_deal_has_room() {
    for (name, wanted, kinds) in [
        (
            "wiezen",
            163,
            "alone solo piccolo small-misere abondance open-misere small-slam slam solo-slim",
        ),
        ("luxembourg", 86, "solo abondance small-misere open-misere piccolo small-slam slam"),
    ] {
        let built_in = RuleSet::built_in(name).expect("built in");
        let mut spec = built_in.spec().clone();
        let row = |kind: &str, level: u8| {
            let mut row = built_in.rows()[0].clone();
            row.kind = serde_json::from_value(serde_json::Value::from(kind)).expect("a kind");
            (row.level, row.made) = (level, vec![1]);
            (row.overtrick, row.no_trumps) = (0, kind.ends_with("slam"));
            row
        };
        let mut contracts = Vec::new();
        let suits = if built_in.has_turn_up() { 8..=8 } else { 8..=13 };
        contracts.extend(suits.map(|level| row("suit", level)));
        for kind in kinds.split(' ') {
            let levels = match kind {
                "alone" => 5..=5,
                "solo" => 6..=8,
                "abondance" => 9..=12,
                "small-slam" => 12..=12,
                "slam" | "solo-slim" => 13..=13,
                _ => 0..=0,
            };
            contracts.extend(levels.map(|level| row(kind, level)));
        }
        contracts.push(row("misere", 0));
        spec.contract = contracts;
        spec.share_miseres = true;
        spec.exchange = built_in.has_turn_up();
        (spec.misere_ends_proposals, spec.solo_needs_proposal) = (false, false);
        let rules = RuleSet::from_spec(spec, "club").expect("valid");
        let mut longest = 0;
        for n in 0..200 {
            let mut state = State::new(
                rules,
                &Deals::new(rules, 3).shuffled(n, Seat::from_index_wrapping(n as usize)),
            );
            let mut stream = Stream::new(n, Purpose::Action, 0);
            while !state.is_done() {
                let legal = state.legal_actions();
                let bids = legal.iter().filter(|a| a.as_bid().is_some());
                // A fourth declarer would end the auction.
                let rank = |a: &Action| {
                    let mut after = state;
                    after.apply_unchecked(*a);
                    let ends = after.phase() != Phase::Auction && *a != Action::MISERE;
                    (ends, after.auction().highest_rank())
                };
                let action = match state.phase() {
                    Phase::Auction => bids.min_by_key(rank),
                    Phase::Exchange => {
                        let declarers = state.contract().expect("a misere").declarers;
                        let theirs = declarers.iter().map(|s| state.hands()[s]);
                        let theirs = theirs.collect::<CardSet>();
                        (legal.cards & theirs).lowest().map(Action::card)
                    }
                    Phase::Answer => Some(Action::REFUSE),
                    _ => None,
                };
                let action = action.or_else(|| legal.sample(&mut stream)).expect("some action");
                state.apply(action).expect("legal");
            }
            longest = longest.max(state.history().len());
        }
        assert_eq!(longest, wanted, "{name}");
        let bound = rules.max_actions();
        assert!(longest <= bound && bound <= History::CAPACITY, "{name}: {bound}");
    }
}

/// A troel that was outbid is not played: which card would have called the partner stays unknown to
/// the others.
#[test]
fn the_key_card_of_an_outbid_troel_stays_hidden() {
    let rules = RuleSet::built_in("iwwa").expect("built in");
    let deals = Deals::new(rules, 3).with_scenario(Scenario::Aces);
    let mut outbid = 0;
    for n in 0..60 {
        let mut state = State::new(rules, &deals.shuffled(n, Seat::North));
        let Some(announcer) = state.auction().announcer() else { continue };
        while state.contract().is_none() && !state.is_done() {
            let legal = state.legal_actions();
            let slim = legal.has(Action::SOLO_SLIM) && state.turn() != announcer;
            let quiet = if legal.has(Action::PASS) { Action::PASS } else { Action::KEEP };
            state.apply(if slim { Action::SOLO_SLIM } else { quiet }).expect("legal");
        }
        for seat in Seat::ALL.into_iter().filter(|&s| s != announcer) {
            let obs = state.observe(seat, BySeat::default());
            let holds_ace = !state.deal().hands[seat].aces().is_empty();
            assert!(obs.key_card().is_none() || holds_ace, "{seat:?} {state:?}");
        }
        outbid += 1;
    }
    assert!(outbid > 20);
}
