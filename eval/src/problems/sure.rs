//! Hands that make a contract alone, however the hidden cards are distributed.

use troel_env::hand::sure_tricks;
use troel_env::rng::{Purpose, Stream};
use troel_env::{
    Action, Card, CardSet, Contract, ContractKind, Deal, Deals, RuleSet, Scenario, Seat, SeatSet,
    State, Suit, scoring,
};

use super::{Problem, Proof, Suite, record};

/// Ranks of a suit.
pub(super) const RANKS: u8 = 13;

/// Numbers of trumps that a generated hand holds.
const TRUMPS: std::ops::RangeInclusive<u8> = 7..=9;

/// Every fifth problem asks for `alone`, where the rule set has that contract.
const ALONE_EVERY: u64 = 5;

/// Whether a hand that is not on lead can never be made to take a trick without trumps.
///
/// In every suit, at most k − 1 of the cards below the hand's k-th lowest card are missing from
/// it. Whenever the suit is led, the hand then holds a card below one that an opponent must play,
/// or follows with nothing.
pub fn is_sure_misere(hand: CardSet) -> bool {
    Suit::ALL.into_iter().all(|suit| {
        hand.of(suit).into_iter().enumerate().all(|(k, card)| usize::from(card.rank()) <= 2 * k)
    })
}

/// Points that a lone declarer gets for certain who makes `tricks` tricks or more; `None` if the
/// rule set lacks the contract, or the tricks do not suffice.
fn guaranteed_points(rules: &RuleSet, call: Action, tricks: u8, seat: Seat) -> Option<i32> {
    let bid = call.as_bid().filter(|bid| !bid.kind.is_pair() && !bid.kind.is_negative())?;
    let row = rules.row_of(bid.kind, bid.level)?;
    let contract = Contract {
        kind: bid.kind,
        level: bid.level,
        trump: bid.trump,
        declarers: SeatSet::single(seat),
        row: row as u8,
    };
    let points = |taken: u8| {
        let mut all = troel_env::BySeat([0; 4]);
        all[seat] = taken;
        scoring::score(rules, &contract, &all)[seat]
    };
    (tricks >= bid.level).then(|| (tricks..=RANKS).map(points).min()).flatten()
}

/// The legal calls of the seat to act that are made for certain and pay the most, the highest
/// call first. The seat must lead in all of them. Empty if there is none.
pub(super) fn best_sure_calls(state: &State) -> Vec<Action> {
    let (rules, seat) = (state.rules(), state.turn());
    let (hand, deck) = (state.hands()[seat], rules.deck());
    // Only what the seat may know: under `wiezen` the card is turned up after the first calls.
    let turn_up = state.observe(seat, Default::default()).turn_up().map(Card::suit);
    let value = |call: Action| {
        let bid = call.as_bid()?;
        let trumps = if bid.kind == ContractKind::SoloSlim { turn_up } else { bid.trump };
        guaranteed_points(rules, call, sure_tricks(hand, deck, trumps?), seat)
    };
    best(state.legal_actions().into_iter().filter_map(|call| Some((call, value(call)?))))
}

/// The legal misères of the seat to act that pay the most.
fn best_misere(state: &State) -> Vec<Action> {
    let rows = state.rules().rows();
    let value = |call: Action| {
        let kind = call.as_bid()?.kind;
        let row = rows.iter().find(|row| row.kind == kind && kind.is_misere())?;
        Some(row.made[0])
    };
    best(state.legal_actions().into_iter().filter_map(|call| Some((call, value(call)?))))
}

/// The calls of the highest value, the highest call first.
fn best(calls: impl Iterator<Item = (Action, i32)>) -> Vec<Action> {
    let calls: Vec<_> = calls.collect();
    let most = calls.iter().map(|&(_, value)| value).max();
    let best = calls.iter().rev().filter(|&&(_, value)| Some(value) == most);
    best.map(|&(call, _)| call).collect()
}

/// A hand of seven to nine trumps that draws all others, with side cards from the top and small
/// ones.
fn solid_hand(stream: &mut Stream, trumps: Suit) -> CardSet {
    let length = TRUMPS.start() + stream.below(3) as u8;
    let top = RANKS - length;
    let mut hand: CardSet = (RANKS - top..RANKS).map(|rank| Card::new(trumps, rank)).collect();
    let mut low: Vec<u8> = (0..RANKS - top).collect();
    stream.shuffle(&mut low);
    low.iter().take(usize::from(length - top)).for_each(|&r| hand.insert(Card::new(trumps, r)));
    let sides: Vec<Suit> = Suit::ALL.into_iter().filter(|&suit| suit != trumps).collect();
    for _ in 0..stream.below(u32::from(RANKS - length) + 1) {
        let suit = sides[stream.below(3) as usize];
        let highest_missing = (suit.cards() - hand).highest();
        highest_missing.into_iter().for_each(|card| hand.insert(card));
    }
    let mut rest: Vec<Card> = (CardSet::FULL - trumps.cards() - hand).collect();
    stream.shuffle(&mut rest);
    rest.into_iter().take(13 - hand.len() as usize).for_each(|card| hand.insert(card));
    hand
}

/// A hand that passes [`is_sure_misere`].
fn low_hand(stream: &mut Stream) -> CardSet {
    loop {
        let mut hand = CardSet::EMPTY;
        for suit in Suit::ALL {
            let mut lowest = 0;
            for k in 0..stream.below(8) as u8 {
                if lowest == RANKS {
                    break;
                }
                let highest = (2 * k).min(RANKS - 1);
                let rank = lowest + stream.below(u32::from(highest - lowest) + 1) as u8;
                hand.insert(Card::new(suit, rank));
                lowest = rank + 1;
            }
        }
        if hand.len() == 13 {
            return hand;
        }
    }
}

/// Deal number `number` of a seed in which `hand` is held by the seat that is `place` seats after
/// eldest hand.
pub(super) fn deal_with(
    rules: &'static RuleSet,
    seed: u64,
    number: u64,
    hand: CardSet,
    place: usize,
) -> Deal {
    let deals = Deals::for_evaluation(rules, seed).with_scenario(Scenario::EldestHolds(hand));
    let dealer = deals.first_dealer(number);
    let mut deal = deals.shuffled(number, dealer);
    let (eldest, holder) = (dealer.next(), dealer.next().plus(place));
    deal.hands.0.swap(eldest.index(), holder.index());
    // The card that is turned up is one of the dealer's, who may hold another hand now.
    if deal.turn_up.is_some_and(|card| !deal.hands[dealer].has(card)) {
        deal.turn_up = deal.hands[dealer].highest();
    }
    deal
}

/// A problem at the state before the seat's decision; `None` if no call is accepted.
fn pose(suite: Suite, state: &State, accept: &[Action], reason: String) -> Option<Problem> {
    (!accept.is_empty()).then(|| Problem {
        suite: suite.name().to_string(),
        record: record(state),
        seat: state.turn(),
        accept: accept.iter().map(ToString::to_string).collect(),
        values: None,
        reason,
        proof: Proof::EveryDistribution,
    })
}

/// Problem number `number` of the suite of sure contracts; `None` if these cards make none.
pub(super) fn contract(rules: &'static RuleSet, seed: u64, number: u64) -> Option<Problem> {
    let mut stream = Stream::new(seed, Purpose::Position, number);
    let trumps = Suit::from_index(stream.below(4) as usize);
    let hand = solid_hand(&mut stream, trumps);
    let mut state = State::new(rules, &deal_with(rules, seed, number, hand, 0));
    let has_alone = rules.rows().iter().any(|row| row.kind == ContractKind::Alone);
    if has_alone && number.is_multiple_of(ALONE_EVERY) {
        // Nobody goes along with an ask.
        state.apply(Action::suit(8, trumps)).ok()?;
        (0..3).try_for_each(|_| state.apply(Action::PASS)).ok()?;
    }
    let tricks = sure_tricks(hand, CardSet::FULL, trumps);
    let reason = format!(
        "eldest hand leads and has {tricks} sure tricks with {} as trumps, however the other cards lie",
        trumps.letter()
    );
    pose(Suite::SureContracts, &state, &best_sure_calls(&state), reason)
}

/// Problem number `number` of the suite of sure misères; `None` if the auction does not come to
/// the hand by passes, or allows no misère.
pub(super) fn misere(rules: &'static RuleSet, seed: u64, number: u64) -> Option<Problem> {
    let mut stream = Stream::new(seed, Purpose::Position, number);
    let hand = low_hand(&mut stream);
    let place = 1 + stream.below(3) as usize;
    let mut state = State::new(rules, &deal_with(rules, seed, number, hand, place));
    (0..place).try_for_each(|_| state.apply(Action::PASS)).ok()?;
    let reason = "in each suit at most k − 1 cards below the k-th lowest are missing: no lead makes it take a trick";
    pose(Suite::SureMiseres, &state, &best_misere(&state), reason.to_string())
}
