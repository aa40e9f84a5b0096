//! Positions in the auction with a given hand, and their states after an auction without bids.

use troel_env::{Action, CardSet, Deal, Deals, Phase, RuleSet, Scenario, Seat, State};

/// Returns deal number `number` of a seed, with `hand` in a given seat. That seat is `place` seats
/// after eldest hand.
fn deal_with(rules: &'static RuleSet, seed: u64, number: u64, hand: CardSet, place: usize) -> Deal {
    let deals = Deals::for_evaluation(rules, seed).with_scenario(Scenario::EldestHolds(hand));
    let dealer = deals.first_dealer(number);
    let mut deal = deals.shuffled(number, dealer);
    let (eldest, holder) = (dealer.next(), dealer.next().plus(place));
    deal.hands.0.swap(eldest.index(), holder.index());
    // The turn-up must be a card of the dealer, who may hold another hand after the swap.
    if deal.turn_up.is_some_and(|card| !deal.hands[dealer].has(card)) {
        deal.turn_up = deal.hands[dealer].highest();
    }
    deal
}

/// Returns the position of a deal in which a given seat holds `hand` and is to call, after passes.
/// The deal is number `number` of a seed; the seat is `place` seats after eldest hand. `None` if a
/// seat before it cannot pass.
pub(super) fn position_with(
    rules: &'static RuleSet,
    seed: u64,
    number: u64,
    hand: CardSet,
    place: usize,
) -> Option<State> {
    let mut state = State::new(rules, &deal_with(rules, seed, number, hand, place));
    (0..place).try_for_each(|_| state.apply(Action::PASS)).ok()?;
    Some(state)
}

/// Returns the state after the auction if nobody bids anything more. `None` if somebody must.
pub(super) fn after_silence(mut state: State) -> Option<State> {
    while state.phase() == Phase::Auction {
        state.apply(state.legal_actions().silent_call()?).ok()?;
    }
    Some(state)
}

/// Returns whether the deal costs the seat nothing if it passes and nobody calls anything.
pub(super) fn passing_can_be_free(state: &State, seat: Seat) -> bool {
    let Some(state) = after_silence(*state).filter(State::is_done) else { return false };
    state.scores().is_none_or(|scores| scores[seat] >= 0)
}
