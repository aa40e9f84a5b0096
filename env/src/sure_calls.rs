//! Calls that a hand is certain to make, however the other cards are distributed.

use crate::action::Action;
use crate::auction::StandingContract;
use crate::cards::CardSet;
use crate::contract::{Contract, ContractKind};
use crate::hand::{never_wins_a_trick, never_wins_a_trick_with_lead};
use crate::observation::Observation;
use crate::scoring::{score, score_side};
use crate::seat::{BySeat, SeatSet};

/// Returns the legal calls of the observing seat that are made for certain and pay the most. Empty
/// if there is none.
///
/// These are contracts alone for tricks, and misères. For tricks, the seat must lead to the first
/// trick: as eldest hand, or as declarer where declarers lead. A misère counts with the points it
/// pays if no further seat joins. A small misère counts for a seat that does not lead: others may
/// lay aside the cards that would beat its lead.
///
/// Calls with trumps come first, since they are easier to play, then the higher call.
pub fn best_sure_calls(obs: &Observation) -> Vec<Action> {
    let legal = obs.legal_actions().iter();
    let points = |call: Action| Some((call, sure_points(obs, call)?));
    let calls: Vec<_> = legal.filter_map(points).collect();
    let most = calls.iter().map(|&(_, points)| points).max();
    let best = calls.iter().rev().filter(|&&(_, points)| Some(points) == most);
    let mut best: Vec<Action> = best.map(|&(call, _)| call).collect();
    best.sort_by_key(|&call| obs.lone_contract(call).is_none_or(|c| c.trump.is_none()));
    best
}

/// Returns [`best_sure_calls`], or none if one of them is a solo or a small misère.
///
/// These pay so little that a bolder call can be worth more.
pub fn sure_calls_worth_bidding(obs: &Observation) -> Vec<Action> {
    let calls = best_sure_calls(obs);
    let pays_little = |call: &Action| {
        use ContractKind::{SmallMisere, Solo};
        call.as_bid().is_some_and(|bid| matches!(bid.kind, Solo | SmallMisere))
    };
    if calls.iter().any(pays_little) { Vec::new() } else { calls }
}

/// Returns the points of a call that the hand is certain to make. `None` if it is not certain.
fn sure_points(obs: &Observation, call: Action) -> Option<i32> {
    let (rules, seat) = (obs.public().rules(), obs.seat());
    let contract = obs.lone_contract(call)?;
    if contract.kind.is_misere() {
        return sure_misere_points(obs, call, contract);
    }
    if !contract.kind.is_lone() {
        return None;
    }
    let tricks = obs.lone_sure_tricks(&contract);
    if tricks < contract.goal {
        return None;
    }
    let outcomes = tricks..=rules.cards_per_hand();
    outcomes.map(|taken| score_side(rules, &contract, taken)[seat]).min()
}

/// Returns the points of a misère if all its declarers make it and no further seat joins. `None` if
/// the hand is not certain to take no trick.
fn sure_misere_points(obs: &Observation, call: Action, contract: Contract) -> Option<i32> {
    let (public, seat, hand) = (obs.public(), obs.seat(), obs.hand());
    let deck = public.rules().deck();
    let is_sure = match (contract.kind, obs.leads_as_declarer(contract.kind)) {
        (ContractKind::SmallMisere, true) => false,
        (ContractKind::SmallMisere, false) => hand.into_iter().any(|card| {
            let aside = CardSet::single(card);
            never_wins_a_trick(hand - aside, deck - aside)
        }),
        (_, true) => never_wins_a_trick_with_lead(hand, deck),
        (_, false) => never_wins_a_trick(hand, deck),
    };
    let auction = public.auction();
    let joins = auction.standing_contract() == StandingContract::Call(call);
    let joined = if joins { auction.standing_seats() } else { SeatSet::EMPTY };
    let contract = Contract { declarers: contract.declarers | joined, ..contract };
    is_sure.then(|| score(public.rules(), &contract, &BySeat::default())[seat])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::deal::parse_hand;
    use crate::{Card, Deals, Phase, RuleSet, Scenario, State, Suit};

    /// Returns the best sure calls of the seat `place` seats after eldest hand. All seats before it
    /// have passed.
    fn calls(hand: &str, place: usize) -> Vec<String> {
        best_calls(&state(hand, place))
    }

    /// Returns the best sure calls after the seat proposed spades and nobody went along.
    fn calls_after_proposal(hand: &str, place: usize) -> Vec<String> {
        best_calls(&state_after_proposal(hand, place))
    }

    fn state_after_proposal(hand: &str, place: usize) -> State {
        let mut state = state(hand, place);
        state.apply(Action::suit_call(8, Suit::Spades)).unwrap();
        (place..3).for_each(|_| state.apply(Action::PASS).unwrap());
        state
    }

    fn best_calls(state: &State) -> Vec<String> {
        let calls = best_sure_calls(&state.observe(state.turn(), BySeat::default()));
        calls.iter().map(ToString::to_string).collect()
    }

    /// Returns the state at the first decision of that seat, which holds `hand`.
    fn state(hand: &str, place: usize) -> State {
        let rules = RuleSet::built_in("luxembourg").unwrap();
        let hand = parse_hand(hand).unwrap();
        let deals = Deals::new(rules, 1).with_scenario(Scenario::EldestHolds(hand));
        // A seat before it may hold three aces, and cannot pass then.
        let after_passes = |number| {
            let dealer = deals.first_dealer(number);
            let mut deal = deals.shuffled(number, dealer);
            let eldest = dealer.next().index();
            deal.hands.0.swap(eldest, (eldest + place) % 4);
            let mut state = State::new(rules, &deal);
            (0..place).try_for_each(|_| state.apply(Action::PASS)).ok().map(|()| state)
        };
        (0..).find_map(after_passes).unwrap()
    }

    #[test]
    fn the_best_call_with_sure_tricks_is_found() {
        assert_eq!(calls("AKQJT98765432...", 0), ["slam-S", "slam-NT"]);
        // Twelve sure tricks make no slam.
        let twelve = calls("AKQJT9876543..2.", 0);
        assert!(!twelve.is_empty() && !twelve.contains(&"slam-S".to_string()), "{twelve:?}");
        assert_eq!(calls("5432.5432.543.32", 0), [""; 0]);
        assert_eq!(calls("AKQJT.AKQ.AKQ.AK", 0), ["slam-NT"]);
        assert_eq!(calls("AKQJT98.AKQ.AK.A", 0), ["slam-S", "slam-NT"]);
    }

    #[test]
    fn trumps_of_a_hidden_turn_up_are_not_certain() {
        let rules = RuleSet::built_in("wiezen").unwrap();
        let hand = parse_hand("AKQJT987.A.A.AKQ").unwrap();
        let deals = Deals::new(rules, 1).with_scenario(Scenario::EldestHolds(hand));
        // The hand announces troel, and the turn-up stays hidden.
        let mut deal = deals.shuffled(0, deals.first_dealer(0));
        deal.turn_up = deal.hands[deal.dealer].highest().filter(|card| card.suit() != Suit::Spades);
        assert!(deal.turn_up.is_some_and(|card: Card| card.suit() != Suit::Spades));
        let calls = best_calls(&State::new(rules, &deal));
        assert!(calls.iter().all(|call| call.starts_with("slam-")), "{calls:?}");
    }

    #[test]
    fn a_misere_that_pays_more_than_the_sure_tricks_is_best() {
        // Eleven tricks pay 60, the open misère 75; the two of hearts is led.
        let eleven = "AKQJT986532.2.2.";
        assert_eq!(calls(eleven, 0), ["open-misere"]);
        assert_eq!(calls(eleven, 1), ["open-misere"]);
        assert_eq!(calls("AKQJT98765432...", 1)[0], "slam-S");
        // Another seat holds the two of spades.
        assert_eq!(calls("AKQJT987653.2.2.", 1), ["abondance-11S"]);
        // The king is laid aside, which no other misère allows.
        assert_eq!(calls("K642.642.642.642", 1), ["small-misere"]);
        assert_eq!(calls("K642.642.642.642", 0), [""; 0]);
    }

    #[test]
    fn a_misere_that_is_joined_is_shared() {
        let joined = |rules: &str| {
            let rules = RuleSet::built_in(rules).unwrap();
            let hand = parse_hand("AKQJT986532.2.2.").unwrap();
            let deals = Deals::new(rules, 1).with_scenario(Scenario::EldestHolds(hand));
            let dealer = deals.first_dealer(0);
            let mut deal = deals.shuffled(0, dealer);
            let eldest = dealer.next();
            deal.hands.0.swap(eldest.index(), eldest.next().index());
            let mut state = State::new(rules, &deal);
            let misere = Action::parse("open-misere", Phase::Auction).unwrap();
            state.apply(misere).unwrap();
            sure_points(&state.observe(state.turn(), BySeat::default()), misere)
        };
        assert_eq!(joined("luxembourg"), Some(75));
        // Each of the three others pays 14. The other declarer makes it too, and receives 14.
        assert_eq!(joined("wiezen"), Some(28));
    }

    #[test]
    fn contracts_that_pay_little_are_left_out() {
        let of = |state: State| {
            let calls = sure_calls_worth_bidding(&state.observe(state.turn(), BySeat::default()));
            calls.iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        let eight = "AKQJT987.2.32.32";
        assert_eq!(calls_after_proposal(eight, 0), ["solo-8S"]);
        assert_eq!(of(state_after_proposal(eight, 0)), [""; 0]);
        assert_eq!(of(state("AKQJT9876.2.32.3", 0)), ["abondance-9S"]);
    }

    #[test]
    fn a_seat_that_does_not_lead_is_certain_of_less() {
        assert_eq!(calls("AKQJT98765432...", 1)[0], "slam-S", "the declarer of a slam leads");
        // Eight sure tricks are a solo, in which eldest hand leads.
        let eight = "AKQJT987.2.32.32";
        assert_eq!(calls_after_proposal(eight, 0), ["solo-8S"]);
        assert_eq!(calls_after_proposal(eight, 1), [""; 0]);
    }
}
