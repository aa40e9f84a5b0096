//! Hands that make a contract alone, however the hidden cards are distributed.

use troel_env::hand::{never_wins_a_trick, sure_tricks, sure_tricks_without_trumps};
use troel_env::rng::{Purpose, Stream};
use troel_env::scenario::{long_hand, long_low_hand, solid_hand, top_hand};
use troel_env::{
    Action, BySeat, Card, CardSet, ContractKind, RANKS_PER_SUIT, RuleSet, State, Suit,
    best_sure_calls, sure_calls_worth_bidding,
};

use super::position::position_with;
use super::types::{AnswerBasis, Problem, Suite};

/// Every fifth problem asks for `alone`, where the rule set has that contract.
const ALONE_EVERY: u64 = 5;

/// Every fifth hand drawn for the sure misères has ten to thirteen cards of one suit.
const LONG_MISERE_EVERY: u64 = 5;

/// Reason that a misère is certain.
const MISERE_REASON: &str = "in each suit at most k − 1 cards below the k-th lowest are missing, \
                             apart from a first lead that is beaten: no lead makes it take a trick";

/// Returns whether a call bids a misère.
fn is_misere(call: &Action) -> bool {
    call.as_bid().is_some_and(|bid| bid.kind.is_misere())
}

/// Draws a hand of [`never_wins_a_trick`].
fn sure_misere_hand(stream: &mut Stream) -> CardSet {
    loop {
        let mut hand = CardSet::EMPTY;
        for suit in Suit::ALL {
            let mut lowest = 0;
            for k in 0..stream.below(8) as u8 {
                if lowest == RANKS_PER_SUIT {
                    break;
                }
                let highest = (2 * k).min(RANKS_PER_SUIT - 1);
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

/// Draws a hand of [`never_wins_a_trick`] with ten to thirteen cards of one suit.
fn long_sure_misere_hand(stream: &mut Stream) -> CardSet {
    let suit = stream.pick(&Suit::ALL);
    loop {
        let hand = long_low_hand(stream, suit);
        if never_wins_a_trick(hand, CardSet::FULL) {
            return hand;
        }
    }
}

/// Returns problem number `number` of the suite of sure contracts. It is `None` if no call is
/// certain to make its contract.
pub(super) fn contract(rules: &'static RuleSet, seed: u64, number: u64) -> Option<Problem> {
    let mut stream = Stream::new(seed, Purpose::Position, number);
    let trumps = stream.pick(&Suit::ALL);
    let hand = solid_hand(&mut stream, trumps);
    let mut state = position_with(rules, seed, number, hand, 0)?;
    let has_alone = rules.rows().iter().any(|row| row.kind == ContractKind::Alone);
    if has_alone && number.is_multiple_of(ALONE_EVERY) {
        // Nobody goes along with an ask.
        state.apply(Action::suit_call(8, trumps)).ok()?;
        (0..3).try_for_each(|_| state.apply(Action::PASS)).ok()?;
    }
    let reason = format!("eldest hand leads and {}", sure_tricks_reason(hand, trumps));
    sure_problem(Suite::SureContracts, &state, reason)
}

/// Returns problem number `number` of the suite of long trumps. `None` if the auction does not come
/// to the hand by passes, or no call is certain to make its contract.
pub(super) fn long_trumps(rules: &'static RuleSet, seed: u64, number: u64) -> Option<Problem> {
    let mut stream = Stream::new(seed, Purpose::Position, number);
    let trumps = stream.pick(&Suit::ALL);
    let hand = long_hand(&mut stream, trumps);
    let place = stream.below(4) as usize;
    let state = position_with(rules, seed, number, hand, place)?;
    let reason = format!("declarer leads and {}", sure_tricks_reason(hand, trumps));
    sure_problem(Suite::LongTrumps, &state, reason)
}

/// Returns problem number `number` of the suite of top cards. `None` if the auction does not come
/// to the hand by passes, or no call is certain to make its contract.
pub(super) fn top_cards(rules: &'static RuleSet, seed: u64, number: u64) -> Option<Problem> {
    let mut stream = Stream::new(seed, Purpose::Position, number);
    let hand = top_hand(&mut stream);
    let place = stream.below(4) as usize;
    let state = position_with(rules, seed, number, hand, place)?;
    let tricks = sure_tricks_without_trumps(hand, CardSet::FULL);
    let reason = format!(
        "declarer leads and has {tricks} sure tricks from the top, however the other cards lie"
    );
    sure_problem(Suite::TopCards, &state, reason)
}

/// Returns the second half of the reason of a problem whose hand leads.
fn sure_tricks_reason(hand: CardSet, trumps: Suit) -> String {
    let tricks = sure_tricks(hand, CardSet::FULL, trumps);
    let trumps = trumps.letter();
    format!("has {tricks} sure tricks with {trumps} as trumps, however the other cards lie")
}

/// Returns the problem that accepts the sure contracts that pay the most, if there are any.
/// `reason` is that of contracts for tricks.
fn sure_problem(suite: Suite, state: &State, reason: String) -> Option<Problem> {
    let accept = sure_calls_worth_bidding(&state.observe(state.turn(), BySeat::default()));
    let reason = if accept.iter().any(is_misere) { MISERE_REASON.to_string() } else { reason };
    Problem::with_answers(suite, state, &accept, reason, AnswerBasis::EveryDistribution)
}

/// Returns problem number `number` of the suite of sure misères. `None` if the auction does not
/// come to the hand by passes, allows no misère, or another sure contract pays more.
pub(super) fn misere(rules: &'static RuleSet, seed: u64, number: u64) -> Option<Problem> {
    let mut stream = Stream::new(seed, Purpose::Position, number);
    let is_long = number.is_multiple_of(LONG_MISERE_EVERY);
    let hand =
        if is_long { long_sure_misere_hand(&mut stream) } else { sure_misere_hand(&mut stream) };
    let place = 1 + stream.below(3) as usize;
    let state = position_with(rules, seed, number, hand, place)?;
    let accept = best_sure_calls(&state.observe(state.turn(), BySeat::default()));
    if !accept.iter().all(is_misere) {
        return None;
    }
    let basis = AnswerBasis::EveryDistribution;
    Problem::with_answers(Suite::SureMiseres, &state, &accept, MISERE_REASON.to_string(), basis)
}
