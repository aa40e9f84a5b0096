//! Strong hands that make no contract for certain, with their best bids by rollouts.

use std::ops::Range;

use troel_agents::best_lone_bids;
use troel_env::hand::trick_estimate;
use troel_env::rng::{Purpose, Stream};
use troel_env::{BySeat, Card, CardSet, RuleSet, Suit, sure_calls_worth_bidding};

use super::position::position_with;
use super::types::{AnswerBasis, Problem, Suite};

/// Number of sampled worlds in which the calls of a hand are played out.
const ROLLOUT_WORLDS: usize = 200;

/// Smallest estimate of a strong hand, in tricks.
const MIN_TRICKS: f32 = 8.0;

/// Numbers of trumps of a strong hand.
const TRUMP_COUNTS: Range<u32> = 6..10;

/// Draws a strong hand: six to nine trumps, and an estimate of eight tricks or more. Hands with the
/// same number of trumps are equally likely.
fn strong_hand(stream: &mut Stream, trumps: Suit) -> CardSet {
    let length = (TRUMP_COUNTS.start + stream.below(TRUMP_COUNTS.len() as u32)) as usize;
    let mut own: Vec<Card> = trumps.cards().iter().collect();
    let mut sides: Vec<Card> = (CardSet::FULL - trumps.cards()).iter().collect();
    loop {
        stream.shuffle(&mut own);
        stream.shuffle(&mut sides);
        let hand: CardSet = own.iter().take(length).chain(&sides[length..13]).copied().collect();
        if trick_estimate(hand, Some(trumps)) >= MIN_TRICKS {
            return hand;
        }
    }
}

/// Returns problem number `number` of the suite of strong contracts. `None` if a contract is sure,
/// or if [`best_lone_bids`] finds no bids.
pub(super) fn contract(rules: &'static RuleSet, seed: u64, number: u64) -> Option<Problem> {
    let mut stream = Stream::new(seed, Purpose::Position, number);
    let trumps = stream.pick(&Suit::ALL);
    let hand = strong_hand(&mut stream, trumps);
    let state = position_with(rules, seed, number, hand, 0)?;
    let obs = state.observe(state.turn(), BySeat::default());
    if !sure_calls_worth_bidding(&obs).is_empty() {
        return None;
    }
    let accept = best_lone_bids(&obs, ROLLOUT_WORLDS, &mut stream).ok()?;
    let reason = format!(
        "rollouts with rules in {ROLLOUT_WORLDS} worlds find the other calls clearly worse"
    );
    Problem::with_answers(Suite::StrongContracts, &state, &accept, reason, AnswerBasis::Rollouts)
}
