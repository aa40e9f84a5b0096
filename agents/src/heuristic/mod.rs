//! `rules`: a sound bot by rules of thumb, for every contract and every rule set.
//!
//! It bids by expected points, draws trumps, cashes winners, wins cheaply, ducks in misères and
//! forces tricks on misère declarers. It counts the cards played, but does not infer hands from the
//! play of others.

mod bidding;
mod negative;
mod positive;
mod ranking;
#[cfg(test)]
mod tests;
mod trick_distribution;
mod trick_model;

use troel_env::{Action, BySeat, Observation, Phase, State};

use crate::bot::deterministic_bot;
pub(crate) use trick_model::TrickModel;

/// The bot `rules`. It is deterministic and has no memory: equal observations get equal actions.
#[derive(Clone, Copy, Debug, Default)]
pub struct Heuristic;

deterministic_bot!(Heuristic, |_, obs| Ok(choose(obs)));

/// Returns the action of the bot `rules`. The observation must be of the seat whose turn it is.
pub fn choose(obs: &Observation) -> Action {
    choose_by(obs, &TrickModel::GUESSED)
}

/// Plays a deal to its end with `rules` in all seats.
pub fn roll_out(mut state: State) -> State {
    while !state.is_done() {
        state.apply_unchecked(choose(&state.observe(state.turn(), BySeat::default())));
    }
    state
}

/// Returns the action of a bot that expects tricks by this model.
pub(crate) fn choose_by(obs: &Observation, model: &TrickModel) -> Action {
    let legal = obs.legal_actions();
    if legal.len() == 1
        && let Some(action) = legal.into_iter().next()
    {
        return action;
    }
    let action = match obs.public().phase() {
        Phase::Auction | Phase::Done => bidding::choose_call(obs, model),
        Phase::Trump => bidding::choose_trumps(obs),
        Phase::Discard => negative::lay_aside(obs),
        Phase::Exchange => negative::exchange(obs),
        Phase::Answer => negative::answer(obs),
        Phase::Play => play(obs),
    };
    debug_assert!(legal.has(action), "{action} of {legal:?}");
    action
}

/// Returns the actions worth searching outside of card play. Of bids, these are the `most` with the
/// highest expected gain.
pub(crate) fn candidates(obs: &Observation, most: usize) -> Vec<Action> {
    match obs.public().phase() {
        Phase::Auction => bidding::candidates(obs, most),
        Phase::Exchange => vec![choose(obs), Action::KEEP],
        _ => obs.legal_actions().into_iter().collect(),
    }
}

/// Returns the actions of the bots `rules` and `expert` without search. They are often equal.
pub(crate) fn choices_of_both_models(obs: &Observation) -> [Action; 2] {
    [&TrickModel::GUESSED, &TrickModel::FITTED].map(|model| choose_by(obs, model))
}

/// Returns the probability, 0 to 1, that a seat with similar bidding makes a call.
pub(crate) fn likelihood(obs: &Observation, call: Action) -> f32 {
    bidding::likelihood(obs, call)
}

fn play(obs: &Observation) -> Action {
    let Some(contract) = obs.public().contract() else { return Action::PASS };
    let cards = obs.legal_actions().cards;
    let card = if contract.kind.is_negative() {
        negative::choose_card(obs, contract, cards)
    } else {
        positive::choose_card(obs, contract, cards)
    };
    Action::card(card)
}
