//! The observer's legal actions do not depend on the hidden cards.

use std::collections::BTreeSet;

use proptest::prelude::*;
use troel_agents::search::WorldSampler;
use troel_agents::{BotError, Pimc};
use troel_env::rng::{Purpose, Stream};
use troel_env::{Action, ContractKind, Deals, Phase, RuleSet, Scenario, Seat, State};

use crate::{observe, random_action};

/// Plays deals at random, of each kind of contract two and one with announced aces, under the
/// built-in rules and house rules drawn around them, and compares the observer's legal actions with
/// those in sampled worlds. Returns the names of the phases that it met, and `announced` if it met
/// a position after an announcement of aces.
fn check_legal_actions(seed: u64) -> BTreeSet<&'static str> {
    let mut stream = Stream::new(seed, Purpose::Action, 5);
    let mut met = BTreeSet::new();
    let sets =
        RuleSet::all_built_in().into_iter().flat_map(|rules| [rules, rules.variant(seed, 0)]);
    for rules in sets {
        let kinds = rules.rows().iter().map(|row| row.kind);
        let aims = kinds.flat_map(|kind| [(kind.name(), None), (kind.name(), Some(kind))]);
        for (name, aim) in aims.chain([("aces", None)]) {
            let scenario = Scenario::parse(name).expect("a scenario");
            let deals = Deals::new(rules, seed).with_scenario(scenario);
            let mut state = State::new(rules, &deals.shuffled(1, Seat::East));
            while !state.is_done() {
                check_position(&state, &mut stream);
                met.insert(state.phase().name());
                if state.auction().announcer().is_some() {
                    met.insert("announced");
                }
                let aimed = aim.and_then(|kind| aimed_call(&state, kind, &mut stream));
                let action = aimed.unwrap_or_else(|| random_action(&state, &mut stream));
                state.apply(action).expect("legal");
            }
        }
    }
    met
}

/// In the auction, the call of a contract by half of the seats, passes by the others: random calls
/// hardly ever end in some contracts. All call a misère, where rules let several declare it, so
/// that the dealer asks another declarer for a card.
fn aimed_call(state: &State, kind: ContractKind, stream: &mut Stream) -> Option<Action> {
    let legal = state.legal_actions();
    let joins = kind == ContractKind::Misere || stream.below(2) > 0;
    let call = |action: &Action| joins && action.as_bid().is_some_and(|bid| bid.kind == kind);
    let quiet = [Action::PASS, Action::KEEP].into_iter().find(|&action| legal.has(action));
    let aimed = legal.into_iter().find(call).or(quiet);
    aimed.filter(|_| state.phase() == Phase::Auction)
}

fn check_position(state: &State, stream: &mut Stream) {
    let obs = observe(state);
    let world = WorldSampler::new(&obs).sample(stream).expect("a world").state;
    assert_eq!(world.legal_actions(), obs.legal_actions(), "{state:?} and {world:?}");
    for action in obs.legal_actions() {
        let applied = { world }.apply(action);
        assert!(applied.is_ok(), "{action} in {world:?}: {applied:?}");
    }
}

/// Seeds with which the sampler found no world before it placed the hearts of an announcer.
#[test]
fn worlds_of_rare_announcements_are_found() {
    check_legal_actions(9_037_636_048_902_796_518);
    check_legal_actions(16_504_582_818_408_782_983);
}

/// Four aces and the hearts from the top: the holder of a low heart becomes the partner, and no
/// world fits but those in which the announcer holds the hearts above it.
#[test]
fn hearts_above_the_key_card_are_the_announcers() {
    let rules = RuleSet::built_in("wiezen").expect("rules");
    let hand = troel_env::parse_hand("A32.AKQJT9.A2.A2").expect("a hand");
    let deals = Deals::new(rules, 3).with_scenario(Scenario::EldestHolds(hand));
    let mut stream = Stream::new(1, Purpose::Search, 0);
    let mut low = 0;
    for number in 0..20 {
        let mut state = State::new(rules, &deals.shuffled(number, Seat::East));
        while state.phase() == Phase::Auction {
            let legal = state.legal_actions();
            let quiet = [Action::KEEP, Action::PASS].into_iter().find(|&a| legal.has(a));
            state.apply(quiet.expect("keeps or passes")).expect("legal");
            if !state.is_done() {
                check_position(&state, &mut stream);
                let partner = |contract: &troel_env::Contract| contract.declarers.has(state.turn());
                low += u32::from(state.contract().is_some_and(partner));
            }
        }
    }
    assert!(low > 10, "{low}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3, failure_persistence: None, ..Default::default() })]

    #[test]
    fn hidden_cards_forbid_no_action(seed in any::<u64>()) {
        check_legal_actions(seed);
    }
}

/// The deals above reach every phase of every kind of rules.
#[test]
fn hidden_cards_forbid_no_action_in_any_phase() {
    let met: BTreeSet<&str> = (0..2).flat_map(check_legal_actions).collect();
    for phase in ["auction", "trump", "discard", "exchange", "answer", "play", "announced"] {
        assert!(met.contains(phase), "{phase} is not among {met:?}");
    }
}

/// A caller that asks for the value of an action that is not legal gets an error, not a number.
#[test]
fn an_illegal_action_has_no_estimate() {
    let rules = RuleSet::built_in("wiezen").expect("built in");
    let state = State::new(rules, &Deals::new(rules, 1).shuffled(0, Seat::North));
    let obs = observe(&state);
    let card = Action::card(obs.hand().lowest().expect("a hand"));
    let estimates = Pimc::new(4, 1).estimates(&obs, &[Action::PASS, card]);
    assert!(
        matches!(estimates, Err(BotError::Illegal { action, .. }) if action == card),
        "{estimates:?}"
    );
}
