//! States, sessions and environments as files: they go on as if they had never been away.

mod common;

use common::play;
use proptest::prelude::*;
use serde_json::{Value, json};
use troel_env::rng::{Purpose, Stream};
use troel_env::{
    Action, BySeat, ContractKind, Deals, Env, EnvConfig, Episode, Phase, Record, Reward, RuleSet,
    Scenario, Seat, Session, SessionConfig, State,
};

fn again<T: serde::Serialize + serde::de::DeserializeOwned>(value: &T) -> T {
    let text = serde_json::to_string(value).expect("serialises");
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[test]
fn states_come_back_in_every_phase() {
    let mut phases = std::collections::BTreeSet::new();
    for rules in RuleSet::all_built_in() {
        for seed in 0..120 {
            let mut check = |state: &State| {
                phases.insert(state.phase() as u8);
                assert!(again(state) == *state, "{state:?}");
                let record = Record::from_state(state, &BySeat([1, 2, 3, -6]));
                assert!(record.play(rules, |_, _| {}).expect("a record") == *state);
                let start = State::new(rules, &state.deal());
                assert_eq!(start.deal(), state.deal());
                assert_eq!(state.deal().check(rules), Ok(()));
            };
            let end = play(rules, seed, &mut check);
            check(&end);
        }
        // Trou or troel is played if nobody calls anything else.
        let deals = Deals::new(rules, 1).with_scenario(Scenario::Aces);
        for n in 0..20 {
            let mut state = State::new(rules, &deals.shuffled(n, Seat::East));
            let mut stream = Stream::new(n, Purpose::Action, 7);
            while !state.is_done() {
                phases.insert(state.phase() as u8);
                assert!(again(&state) == state, "{state:?}");
                let legal = state.legal_actions();
                let action =
                    legal.silent_call().or_else(|| legal.sample(&mut stream)).expect("some action");
                state.apply(action).expect("legal");
            }
        }
    }
    for phase in [Phase::Auction, Phase::Trump, Phase::Discard, Phase::Exchange, Phase::Done] {
        assert!(phases.contains(&(phase as u8)), "no state of phase {phase:?} was saved");
    }
}

/// An exchange that is refused, and one that takes place.
#[test]
fn states_come_back_amid_an_exchange() {
    let rules = RuleSet::built_in("iwwa").expect("built in");
    let deals = Deals::new(rules, 4);
    let mut answers = 0;
    for n in 0..20 {
        let mut state = State::new(rules, &deals.shuffled(n, Seat::North));
        if state.auction().announcer().is_some() {
            continue;
        }
        // Everybody plays misère.
        for _ in 0..4 {
            state.apply(Action::MISERE).expect("legal");
        }
        assert_eq!(state.phase(), Phase::Exchange);
        let start = state.deal();
        let mut stream = Stream::new(n, Purpose::Action, 0);
        while !state.is_done() {
            let action = match state.phase() {
                Phase::Exchange if state.history().len() < 9 => {
                    let cards = state.legal_actions().cards;
                    Action::card(cards.iter().next_back().expect("cards to ask for"))
                }
                Phase::Answer if n % 2 == 0 && state.history().len() < 7 => Action::REFUSE,
                _ => state.legal_actions().sample(&mut stream).expect("some action"),
            };
            answers += u32::from(state.phase() == Phase::Answer);
            state.apply(action).expect("legal");
            assert!(again(&state) == state);
            assert_eq!(state.deal(), start);
            for seat in Seat::ALL {
                let obs = state.observe(seat, BySeat::default());
                let record = Record::from_observation(&obs);
                let read = record.observe(rules, seat).expect("a view");
                assert_eq!(read.information_state(), obs.information_state(), "{record:?}");
            }
        }
    }
    assert!(answers > 20, "{answers}");
}

/// Sources of deals of all sorts.
fn sources(rules: &'static RuleSet, seed: u64) -> Vec<Deals> {
    let listed =
        (0..3).map(|n| Deals::new(rules, n).shuffled(n, Seat::from_index_wrapping(n as usize)));
    vec![
        Deals::new(rules, seed),
        Deals::for_evaluation(rules, seed),
        Deals::new(rules, seed).with_scenario(Scenario::Aces).with_focus(Seat::West),
        Deals::new(rules, seed).with_scenario(Scenario::Promising(ContractKind::OpenMisere)),
        Deals::new(rules, seed)
            .with_scenario(Scenario::EldestHolds(troel_env::Suit::Clubs.cards())),
        Deals::listed(rules, listed.collect()).expect("a list"),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 5, failure_persistence: None, ..Default::default() })]

    #[test]
    fn saved_sessions_go_on_as_they_would_have(seed in any::<u64>(), kind in 0..4u8) {
        let episode = match kind {
            0 => Episode::Deal,
            1 => Episode::Deals(4),
            2 => Episode::Match,
            _ => Episode::UntilTarget,
        };
        for rules in RuleSet::all_built_in() {
            for (i, deals) in sources(rules, seed).into_iter().enumerate() {
                let config = SessionConfig {
                    episode,
                    reward: [Reward::Points, Reward::Centred, Reward::Match][i % 3],
                    totals: BySeat([7, -3, 0, 60]),
                    stride: 1 + i as u64,
                };
                let mut session = Session::new(deals, config, seed / 2, Seat::South);
                let mut stream = Stream::new(seed, Purpose::Action, i as u64);
                let mut saved = again(&session);
                for step in 0..300 {
                    prop_assert_eq!(&saved, &session);
                    prop_assert_eq!(saved.legal_actions(), session.legal_actions());
                    prop_assert_eq!(saved.outcome(), session.outcome());
                    if step % 29 == 0 {
                        saved = again(&saved);
                    }
                    if session.is_over() {
                        session.restart();
                        saved.restart();
                    } else if session.is_deal_over() {
                        session.next_deal().expect("another deal");
                        saved.next_deal().expect("another deal");
                    } else {
                        let action = session.legal_actions().sample(&mut stream).expect("some");
                        session.apply(action).expect("legal");
                        saved.apply(action).expect("legal");
                    }
                }
            }
        }
    }

    #[test]
    fn saved_environments_go_on_as_they_would_have(seed in any::<u64>()) {
        for rules in RuleSet::all_built_in() {
            let config = EnvConfig { episode: Episode::Deals(3), ..EnvConfig::default() };
            let mut env = Env::new(rules, config, seed);
            let mut stream = Stream::new(seed, Purpose::Action, 1);
            let mut saved = again(&env);
            for step in 0..500 {
                if step % 37 == 0 {
                    saved = again(&saved);
                    prop_assert_eq!(&saved, &env);
                    prop_assert_eq!(saved.config(), config);
                }
                if env.is_over() {
                    env.reset(None);
                    saved.reset(None);
                }
                let action = env.legal_actions().sample(&mut stream).expect("some");
                prop_assert_eq!(env.step(action), saved.step(action));
            }
        }
    }
}

#[test]
fn house_rules_travel_with_the_state() {
    let mut spec = RuleSet::built_in("wiezen").expect("built in").spec().clone();
    spec.contract[0].made = vec![3];
    let rules = RuleSet::from_spec(spec, "club").expect("valid");
    let state = State::new(rules, &Deals::new(rules, 1).shuffled(0, Seat::North));
    let value = serde_json::to_value(state).expect("serialises");
    assert_eq!(value["rules"]["spec"]["contract"][0]["made"], json!([3]));
    assert!(serde_json::from_value::<State>(value.clone()).expect("valid") == state);
    let mut without = value;
    without["rules"].as_object_mut().expect("a table").remove("spec");
    let error = serde_json::from_value::<State>(without).expect_err("not the built-in rules");
    assert!(error.to_string().contains("the rules differ"), "{error}");
}

/// A session in the middle of its second deal.
fn session() -> Session {
    let rules = RuleSet::built_in("horesca").expect("built in");
    let config = SessionConfig { episode: Episode::Deals(4), ..SessionConfig::default() };
    let mut session = Session::new(Deals::new(rules, 6), config, 0, Seat::North);
    let mut stream = Stream::new(2, Purpose::Action, 0);
    while session.deals_dealt() < 2 || session.state().history().len() < 20 {
        if session.is_deal_over() {
            session.next_deal().expect("another deal");
        }
        let action = session.legal_actions().sample(&mut stream).expect("some");
        session.apply(action).expect("legal");
    }
    session
}

#[test]
fn files_that_contradict_themselves_are_refused() {
    let good = serde_json::to_value(session()).expect("serialises");
    type Change = fn(&mut Value);
    let cases: [(&str, Change); 15] = [
        ("action 19", |v| v["state"]["record"]["actions"][19] = json!("AS")),
        ("not an action code", |v| v["state"]["record"]["actions"][3] = json!("9X")),
        ("dealt twice", |v| {
            let hands = v["state"]["record"]["deal"].as_str().expect("text").to_string();
            let (_, rest) = hands.split_once(' ').expect("four hands");
            let second = rest.split(' ').next().expect("four hands");
            v["state"]["record"]["deal"] = json!(format!("N:{second} {rest}"));
        }),
        ("unknown", |v| v["state"]["record"]["deal"] = json!("N:- - - -")),
        ("is_over", |v| v["is_over"] = json!(true)),
        ("dealt", |v| v["dealt"] = json!(0)),
        ("stride is 0", |v| v["config"]["stride"] = json!(0)),
        ("totals", |v| {
            v["dealt"] = json!(1);
            v["totals"] = json!([1, 2, 3, 4]);
        }),
        ("another rule set", |v| v["state"]["record"]["rules"] = json!("iwwa")),
        ("different rules", |v| {
            let rules = RuleSet::built_in("luxembourg").expect("built in");
            v["deals"]["rules"] = json!({ "id": rules.id(), "hash": rules.hash() });
        }),
        ("the rules differ", |v| v["deals"]["rules"]["hash"] = json!("0123456789abcdef")),
        ("not a built-in rule set", |v| v["deals"]["rules"]["id"] = json!("bridge")),
        ("purpose", |v| v["deals"]["purpose"] = json!("weights")),
        ("the list of deals is empty", |v| v["deals"]["listed"] = json!([])),
        ("missing field", |v| {
            v.as_object_mut().expect("a table").remove("number");
        }),
    ];
    assert!(serde_json::from_value::<Session>(good.clone()).is_ok());
    for (reason, change) in cases {
        let mut bad = good.clone();
        change(&mut bad);
        let error = serde_json::from_value::<Session>(bad).expect_err(reason).to_string();
        assert!(error.contains(reason), "{reason}: {error}");
    }
}

#[test]
fn damaged_files_never_panic() {
    let good = serde_json::to_string(&session()).expect("serialises");
    let mut stream = Stream::new(1, Purpose::Action, 0);
    let letters: Vec<char> = "AKQJT98765432SHDCNEW.-:\"{}[],".chars().collect();
    let mut refused = 0;
    for _ in 0..5_000 {
        let mut text: Vec<char> = good.chars().collect();
        for _ in 0..1 + stream.below(3) {
            let at = stream.below(text.len() as u32) as usize;
            match stream.below(3) {
                0 => text[at] = letters[stream.below(letters.len() as u32) as usize],
                1 => drop(text.remove(at)),
                _ => {
                    let next = (at + 1) % text.len();
                    text.swap(at, next);
                }
            }
        }
        let text: String = text.into_iter().collect();
        refused += u32::from(serde_json::from_str::<Session>(&text).is_err());
    }
    assert!(refused > 4_000, "{refused}");
}
