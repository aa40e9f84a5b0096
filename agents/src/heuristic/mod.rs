//! `rules`: a sound bot by rules of thumb, for every contract and every rule set.
//!
//! It bids by expected points, draws trumps, cashes winners, wins cheaply, ducks in misères and
//! forces tricks on misère declarers. It counts the cards played, and infers nothing from how the
//! others play.

mod bidding;
mod expectation;
mod negative;
mod positive;
mod ranking;
#[cfg(test)]
mod tests;
mod trick_model;

use troel_env::{Action, BySeat, Observation, Phase, State};

use crate::bot::deterministic_bot;
pub(crate) use trick_model::TrickModel;

/// The bot `rules`. It is deterministic and has no memory: equal observations get equal actions.
#[derive(Clone, Copy, Debug, Default)]
pub struct Heuristic;

deterministic_bot!(Heuristic, |_, observation| Ok(choose(observation)));

/// Returns the action of the bot `rules`. The observation must be of the seat whose turn it is.
pub fn choose(observation: &Observation) -> Action {
    choose_by(observation, &TrickModel::GUESSED)
}

/// Plays a deal to its end with `rules` in all seats.
pub fn roll_out(mut state: State) -> State {
    while !state.is_done() {
        state.apply_unchecked(choose(&state.observe(state.turn(), BySeat::default())));
    }
    state
}

/// Returns the action of a bot that expects tricks by this model.
pub(crate) fn choose_by(observation: &Observation, model: &TrickModel) -> Action {
    let legal = observation.legal_actions();
    if legal.len() == 1
        && let Some(action) = legal.into_iter().next()
    {
        return action;
    }
    let action = match observation.state().phase() {
        Phase::Auction | Phase::Done => bidding::call(observation, model),
        Phase::Trump => bidding::trumps(observation),
        Phase::Discard => negative::lay_aside(observation),
        Phase::Exchange => negative::exchange(observation),
        Phase::Answer => negative::answer(observation),
        Phase::Play => play(observation),
    };
    debug_assert!(legal.has(action), "{action} of {legal:?}");
    action
}

/// Returns the actions worth searching outside of card play; of bids the `most` with the highest
/// expected gain.
pub(crate) fn candidates(observation: &Observation, most: usize) -> Vec<Action> {
    match observation.state().phase() {
        Phase::Auction => bidding::candidates(observation, most),
        Phase::Exchange => vec![choose(observation), Action::KEEP],
        _ => observation.legal_actions().into_iter().collect(),
    }
}

/// Returns the actions of the bots `rules` and `expert` without their search of endings; they are
/// often equal.
pub(crate) fn choices_of_both_models(observation: &Observation) -> [Action; 2] {
    [&TrickModel::GUESSED, &TrickModel::FITTED].map(|model| choose_by(observation, model))
}

/// Returns the probability, 0 to 1, that a seat with similar bidding makes a call.
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
