//! `rules`: a sound bot by rules of thumb, for every contract and every rule set.
//!
//! It bids what its hand is worth in expected points, draws trumps, cashes winners, wins
//! cheaply, ducks in misères and gives misère declarers their tricks. It counts what was
//! played, and reads nothing into how the others play.

mod bidding;
mod expectation;
mod judgement;
mod negative;
mod positive;

use troel_env::{Action, Card, CardSet, Contract, Observation, Phase};

use crate::bot::deterministic_bot;
pub(crate) use judgement::Judgement;

/// The bot called `rules`. It has no randomness and no memory: the same observation always gives
/// the same action.
#[derive(Clone, Copy, Debug, Default)]
pub struct Heuristic;

deterministic_bot!(Heuristic, |_: &mut Heuristic, observation: &Observation| Ok(choose(
    observation
)));

/// The action that the bot `rules` takes. The observation must be of the seat whose turn it is.
pub fn choose(observation: &Observation) -> Action {
    choose_by(observation, &Judgement::GUESSED)
}

/// The action of a bot that judges its hands in its own way.
pub(crate) fn choose_by(observation: &Observation, judgement: &Judgement) -> Action {
    let legal = observation.legal_actions();
    if legal.len() == 1
        && let Some(action) = legal.into_iter().next()
    {
        return action;
    }
    let action = match observation.state().phase() {
        Phase::Auction | Phase::Done => bidding::call(observation, judgement),
        Phase::Trump => bidding::trumps(observation),
        Phase::Discard => negative::lay_aside(observation),
        Phase::Exchange => negative::exchange(observation),
        Phase::Answer => negative::answer(observation),
        Phase::Play => play(observation),
    };
    debug_assert!(legal.has(action), "{action} of {legal:?}");
    action
}

/// The actions worth a closer look outside of card play; of announcements the `most` with the
/// highest expected gain.
pub(crate) fn candidates(observation: &Observation, most: usize) -> Vec<Action> {
    match observation.state().phase() {
        Phase::Auction => bidding::candidates(observation, most),
        Phase::Exchange => vec![choose(observation), Action::KEEP],
        _ => observation.legal_actions().into_iter().collect(),
    }
}

/// The actions of the bots `rules` and `expert` without their search of endings; often the same.
pub(crate) fn suggestions(observation: &Observation) -> [Action; 2] {
    [&Judgement::GUESSED, &Judgement::FITTED].map(|judgement| choose_by(observation, judgement))
}

/// The probability, 0 to 1, that a seat which bids much like this bot makes a call.
pub(crate) fn likelihood(observation: &Observation, call: Action) -> f32 {
    bidding::likelihood(observation, call)
}

fn play(observation: &Observation) -> Action {
    let Some(contract) = observation.state().contract() else { return Action::PASS };
    let cards = observation.legal_actions().cards;
    let card = if contract.kind.is_negative() {
        negative::card(observation, contract, cards)
    } else {
        positive::card(observation, contract, cards)
    };
    Action::card(card)
}

/// The card of the set with the least cost; ties go to the lowest number.
fn cheapest(cards: CardSet, mut cost: impl FnMut(Card) -> i32) -> Card {
    let mut best = (i32::MAX, None);
    for card in cards {
        let cost = cost(card);
        if cost < best.0 {
            best = (cost, Some(card));
        }
    }
    // The sets passed here are legal cards in play: there is always one.
    best.1.unwrap_or(Card::ace(troel_env::Suit::Spades))
}

/// Whether no outstanding card can beat `card` when it is led.
fn is_master(observation: &Observation, contract: &Contract, card: Card) -> bool {
    let outstanding = observation.outstanding();
    let ruffed = contract.trump.is_some_and(|t| t != card.suit() && !outstanding.of(t).is_empty());
    outstanding.above(card).is_empty() && !ruffed
}
