//! Searching bots: the worlds that they sample, and their decisions in these worlds.

mod cancel;
mod legal;
mod lookahead;
mod par;
mod worlds;

use std::num::NonZeroUsize;

use proptest::prelude::*;
use troel_agents::search::WorldSampler;
use troel_agents::{
    Bot, BotError, DecisionDetail, Expert, NamedBot, Pimc, decide, points_with_match_bonus,
    with_threads,
};
use troel_env::rng::{Purpose, Stream};
use troel_env::{
    Action, BySeat, Deals, N_FEATURES, Observation, Phase, Record, RuleSet, Scenario, Seat, State,
};

fn observe(state: &State) -> Observation {
    state.observe(state.turn(), BySeat([3, -1, 4, 90]))
}

fn looks(obs: &Observation) -> (Vec<f32>, u64) {
    let mut features = vec![0.0; N_FEATURES];
    obs.encode(&mut features);
    (features, obs.fingerprint())
}

/// A random legal action; passes and low calls are likelier, so that all contracts come up.
fn random_action(state: &State, stream: &mut Stream) -> Action {
    let legal = state.legal_actions();
    let low = state.phase() == Phase::Auction && stream.below(3) > 0;
    let among = if low { legal.len().min(6) } else { legal.len() };
    legal.nth_action(stream.below(among)).expect("some action is legal")
}

/// Plays deals of all scenarios at random, and checks that each position has a world that looks the
/// same to the observer.
fn check_worlds(seed: u64) {
    let mut stream = Stream::new(seed, Purpose::Action, 1);
    for rules in RuleSet::all_built_in() {
        let kinds = rules.rows().iter().map(|row| row.kind.name());
        for name in kinds.chain(["any", "aces"]) {
            let scenario = Scenario::parse(name).expect("a scenario");
            let deals = Deals::new(rules, seed).with_scenario(scenario);
            let mut state = State::new(rules, &deals.shuffled(0, Seat::South));
            while !state.is_done() {
                if state.legal_actions().len() > 1 {
                    let obs = observe(&state);
                    let world = WorldSampler::new(&obs).sample(&mut stream);
                    let world = world.unwrap_or_else(|e| panic!("seed {seed} {name}: {e}")).state;
                    assert_eq!(looks(&observe(&world)), looks(&obs), "seed {seed}: {state:?}");
                    assert_eq!(world.legal_actions(), state.legal_actions());
                }
                let action = random_action(&state, &mut stream);
                state.apply(action).expect("legal");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..Default::default() })]

    #[test]
    fn worlds_look_like_what_was_seen(seed in any::<u64>()) {
        check_worlds(seed);
    }
}

/// The sampler once found no world for these seeds: an exchange of an announced ace, and outbid
/// troels whose key card was revealed by observations.
#[test]
fn worlds_of_seeds_that_once_had_none() {
    [13_008_316_709_108_680_509, 128, 620, 1550, 1953].into_iter().for_each(check_worlds);
}

#[test]
fn searching_bots_play_legally_and_repeat_themselves() {
    for rules in RuleSet::all_built_in() {
        let mut kinds: Vec<&str> = rules.rows().iter().map(|row| row.kind.name()).collect();
        kinds.dedup();
        for (n, name) in kinds.into_iter().enumerate() {
            let scenario = Scenario::parse(name).expect("a kind");
            let deals = Deals::new(rules, 5).with_scenario(scenario);
            let mut state = State::new(rules, &deals.shuffled(n as u64, Seat::West));
            let mut bots: [Box<dyn Bot>; 2] = [Box::new(Pimc::new(2, 1)), Box::new(Expert::new(1))];
            while !state.is_done() {
                let observations = [observe(&state), observe(&state)];
                let ask = |bot: &mut dyn Bot| {
                    decide(bot, &observations, DecisionDetail::Action).expect("legal")
                };
                for bot in &mut bots {
                    let twice = ask(bot.as_mut());
                    assert_eq!(twice[0], twice[1]);
                }
                // A bot that has just been seated decides as one that has played before.
                let bot = NamedBot::find("pimc:worlds=2", rules).expect("a bot");
                let decisions = ask(bot.instantiate(1).as_mut());
                assert_eq!(decisions, ask(bots[0].as_mut()));
                // Nor does it matter how many threads share its worlds.
                let three = NonZeroUsize::new(3).expect("not 0");
                let many = || {
                    ask(NamedBot::find("pimc:worlds=2", rules)
                        .expect("a bot")
                        .instantiate(1)
                        .as_mut())
                };
                assert_eq!(decisions, with_threads(three, many));
                state.apply(decisions[0].action).expect("legal");
            }
        }
    }
}

#[test]
fn the_end_of_a_match_counts() {
    let rules = RuleSet::built_in("luxembourg").expect("built in");
    let value = |totals, points, seat| {
        points_with_match_bonus(rules, &BySeat(totals), &BySeat(points), seat)
    };
    assert_eq!(value([0; 4], [7, 7, 0, 0], Seat::North), 7.0);
    assert!(value([95, 0, 0, 0], [7, 7, 0, 0], Seat::North) > 7.0, "wins the match");
    assert!(value([95, 0, 0, 0], [7, 7, 0, 0], Seat::East) < 7.0, "helps another to win it");
    assert!(value([95, 0, 0, 0], [7, 0, 0, 0], Seat::South) < 0.0, "loses it");
    assert!(value([95, 0, 0, 0], [0, 7, 0, 7], Seat::South) == 0.0, "it goes on");
    let endless = RuleSet::built_in("wiezen").expect("built in");
    assert_eq!(
        points_with_match_bonus(endless, &BySeat([999; 4]), &BySeat([2, -2, 2, -2]), Seat::East),
        -2.0
    );
}

/// Returns North's observation of an impossible record: nobody else follows to its spades, so
/// twelve of them, and later six, are in no hand.
fn impossible(tricks: usize) -> Observation {
    let rules = RuleSet::built_in("luxembourg").expect("built in");
    let mut actions: Vec<String> =
        ["abondance-9S", "pass", "pass", "pass"].map(String::from).into();
    let others = "23456789TJQKA".chars().map(|rank| [rank, rank, rank]);
    for (rank, discards) in "AKQJT98".chars().zip(others).take(tricks) {
        actions.push(format!("{rank}S"));
        let suits = ['H', 'D', 'C'];
        actions.extend(discards.iter().zip(suits).map(|(rank, suit)| format!("{rank}{suit}")));
    }
    let record = Record {
        rules: rules.id().to_string(),
        dealer: Seat::West,
        deal: "N:AKQJT98.AK.AK.AK - - -".to_string(),
        turn_up: None,
        actions,
        scores_before: None,
        extra: Default::default(),
    };
    record.observe(rules, Seat::North).expect("each action by itself is possible")
}

#[test]
fn what_cannot_be_is_an_error_and_no_move() {
    let mut stream = Stream::new(1, Purpose::Action, 4);
    for tricks in [1, 7] {
        let obs = impossible(tricks);
        assert_eq!((obs.public().phase(), obs.legal_actions().is_empty()), (Phase::Play, false));
        let fault = WorldSampler::new(&obs).sample(&mut stream).expect_err("there is no world");
        assert!(
            fault.to_string().starts_with("no deal of the unseen cards is consistent"),
            "{fault}"
        );
        let mut bots: Vec<Box<dyn Bot>> = vec![Box::new(Pimc::new(4, 1))];
        if tricks == 7 {
            // The expert samples worlds for the last cards only.
            bots.push(Box::new(Expert::new(1)));
        }
        for bot in &mut bots {
            let answer = bot.decide(&[obs], DecisionDetail::Action);
            assert!(matches!(answer, Err(BotError::Failed(_))), "{answer:?}");
        }
        let legal: Vec<Action> = obs.legal_actions().into_iter().collect();
        let values = Pimc::new(4, 1).estimates(&obs, &legal);
        assert!(matches!(values, Err(BotError::Failed(_))), "{values:?}");
    }
}
