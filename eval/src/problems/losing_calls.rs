//! Calls that lose: lone contracts whose highest trumps are in the other hands, and slams that lack
//! one trick, against a defender who keeps the ace.

use troel_env::hand::max_tricks_against_aces;
use troel_env::rng::{Purpose, Stream};
use troel_env::scenario::{near_slam_hand, with_sides};
use troel_env::{
    Action, BySeat, Card, CardSet, Contract, RANKS_PER_SUIT, RuleSet, State, Suit, best_sure_calls,
    score_side,
};

use super::position::{passing_can_be_free, position_with};
use super::types::{AnswerBasis, Problem, Suite};

/// Returns the most tricks that a lone declarer with this hand can take. This holds however the
/// other cards are distributed and played.
///
/// A trick in which a trump above the declarer's highest is played is lost. At most three of these
/// k trumps fall in one trick, so at least k/3 tricks are lost.
pub fn max_tricks(hand: CardSet, trumps: Suit) -> u8 {
    let highest = hand.of(trumps).highest().map_or(0, |card| card.rank() + 1);
    RANKS_PER_SUIT - (RANKS_PER_SUIT - highest).div_ceil(3)
}

/// Returns the contract of a call for tricks if its caller plays it alone.
fn lone_contract_for_tricks(state: &State, call: Action) -> Option<Contract> {
    // The true turn-up, also where the seat does not see it yet: it decides the trumps that are
    // played in a solo slim.
    let turn_up = state.deal().turn_up.map(Card::suit);
    let contract = state.rules().lone_contract(call, state.turn(), turn_up)?;
    contract.kind.is_lone().then_some(contract)
}

/// Returns whether a call loses points if it is played and its caller takes at most as many tricks
/// as `most` returns. `None` means that no bound is known.
fn loses(state: &State, call: Action, most: impl Fn(CardSet, &Contract) -> Option<u8>) -> bool {
    let seat = state.turn();
    let Some(contract) = lone_contract_for_tricks(state, call) else { return false };
    let Some(most) = most(state.hands()[seat], &contract) else { return false };
    let points = |taken: u8| score_side(state.rules(), &contract, taken)[seat];
    most < contract.goal && (0..=most).all(|taken| points(taken) < 0)
}

/// Draws a hand with seven to eleven trumps without the ace, or without ace and king. The other
/// cards are side cards from the top, and small ones.
fn headless_hand(stream: &mut Stream, trumps: Suit) -> CardSet {
    let length = 7 + stream.below(5) as usize;
    let missing = 1 + stream.below(2) as u8;
    let mut ranks: Vec<u8> = (0..RANKS_PER_SUIT - missing).collect();
    // Most ranks come from the top, so that the hand tempts a bot to bid.
    let solid = length.min(5);
    let mut hand: CardSet =
        ranks.split_off(ranks.len() - solid).iter().map(|&r| Card::new(trumps, r)).collect();
    stream.shuffle(&mut ranks);
    ranks.iter().take(length - solid).for_each(|&rank| hand.insert(Card::new(trumps, rank)));
    with_sides(stream, hand, trumps)
}

/// Returns problem number `number` of calls that are never right. `None` if no call loses for
/// certain, or passing cannot be shown to be better.
pub(super) fn losing_call(rules: &'static RuleSet, seed: u64, number: u64) -> Option<Problem> {
    let mut stream = Stream::new(seed, Purpose::Position, number);
    let trumps = stream.pick(&Suit::ALL);
    let hand = headless_hand(&mut stream, trumps);
    let state = position_with(rules, seed, number, hand, 0)?;
    let most = |hand, contract: &Contract| contract.trump.map(|trumps| max_tricks(hand, trumps));
    let reason = "fails if it is played, however the other cards lie: the others hold its highest \
                  trumps, three of them at most fall in one trick; passing can cost nothing";
    problem_without(Suite::Never, &state, most, reason)
}

/// Returns problem number `number` of the suite of near slams. `None` if the auction does not come
/// to the hand by passes, no call loses, or passing cannot be shown to be better.
pub(super) fn near_slam(rules: &'static RuleSet, seed: u64, number: u64) -> Option<Problem> {
    let mut stream = Stream::new(seed, Purpose::Position, number);
    let hand = near_slam_hand(&mut stream);
    let place = stream.below(4) as usize;
    let state = position_with(rules, seed, number, hand, place)?;
    let most = |hand, _: &Contract| Some(max_tricks_against_aces(hand, CardSet::FULL));
    let reason = "fails if it is played and the ace above the hand's last card is kept, however \
                  the other cards lie; passing can cost nothing";
    problem_without(Suite::NearSlams, &state, most, reason)
}

/// Returns the problem that accepts every call except those that lose. `None` if no call loses, or
/// if passing can cost points.
fn problem_without(
    suite: Suite,
    state: &State,
    most: impl Fn(CardSet, &Contract) -> Option<u8>,
    reason: &str,
) -> Option<Problem> {
    let silent = state.legal_actions().silent_call()?;
    if !passing_can_be_free(state, state.turn()) {
        return None;
    }
    let (never, others): (Vec<Action>, Vec<Action>) =
        state.legal_actions().into_iter().partition(|&call| loses(state, call, &most));
    if never.is_empty() {
        return None;
    }
    // The best one first: the best sure call if there is one, else passing.
    let obs = state.observe(state.turn(), BySeat::default());
    let best = best_sure_calls(&obs).first().copied().unwrap_or(silent);
    let accept: Vec<Action> =
        [best].into_iter().chain(others.into_iter().filter(|&call| call != best)).collect();
    let codes: Vec<String> = never.iter().map(ToString::to_string).collect();
    let reason = format!("{} {reason}", codes.join(" or "));
    Problem::with_answers(suite, state, &accept, reason, AnswerBasis::EveryDistribution)
}
