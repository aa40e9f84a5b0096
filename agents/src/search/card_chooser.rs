//! Choice and values of cards by their outcomes in sampled worlds.

use troel_env::{Action, Card, CardSet, Observation, Suit, score_side};
use troel_solver::{Position, Solver};

use super::action_value::{ActionValue, compare};
use super::evaluate::{roll_out_by_heuristic, solved_points};
use super::settings::SearchSettings;
use super::solver_pool::SolverPool;
use super::worlds::WeightedWorld;
use crate::bot::BotError;

/// Points added to the sum of the default action, so that it wins ties. Rules of thumb choose it,
/// and they allow for unseen hands.
const DEFAULT_ACTION_BONUS: f32 = 1e-3;

/// Points added per trick. Of cards with equal scores, the one that keeps more tricks is played.
const TRICK_BONUS_POINTS: f32 = 0.01;

/// Returns the values of legal cards, of which the first is the bot's choice.
///
/// # Errors
/// The search was cancelled.
pub(super) fn card_values(
    obs: &Observation,
    worlds: &[WeightedWorld],
    actions: &[Action],
    settings: &SearchSettings,
    solvers: &mut SolverPool,
) -> Result<Vec<ActionValue>, BotError> {
    let cards: Vec<Card> = actions.iter().filter_map(|action| action.as_card()).collect();
    let outcomes = solvers.map(worlds, |world, solver| {
        Ok(card_outcomes(obs, world, &cards, 0.0, settings, solver))
    })?;
    Ok(compare(actions, worlds, &outcomes))
}

/// Returns the card with the highest expected points, or `default_action` if none is better.
///
/// # Errors
/// The search was cancelled.
pub(super) fn choose_card(
    obs: &Observation,
    worlds: &[WeightedWorld],
    default_action: Action,
    settings: &SearchSettings,
    solvers: &mut SolverPool,
) -> Result<Card, BotError> {
    let default_action = default_action.as_card();
    let cards = distinct(obs, default_action);
    let outcomes = solvers.map(worlds, |world, solver| {
        Ok(card_outcomes(obs, world, &cards, TRICK_BONUS_POINTS, settings, solver))
    })?;
    let (mut best_score, mut best_card) = (f32::MIN, Card::ace(Suit::Spades));
    for (index, &card) in cards.iter().enumerate() {
        let weighted = worlds.iter().zip(&outcomes);
        let mut score: f32 = weighted.map(|(world, of)| world.weight * of[index]).sum();
        if Some(card) == default_action {
            score += DEFAULT_ACTION_BONUS;
        }
        if score > best_score {
            (best_score, best_card) = (score, card);
        }
    }
    Ok(best_card)
}

/// Returns the outcome of each of `cards` in one world. If the world is solved for tricks,
/// `trick_bonus` points per trick are added.
fn card_outcomes(
    obs: &Observation,
    world: &WeightedWorld,
    cards: &[Card],
    trick_bonus: f32,
    settings: &SearchSettings,
    solver: &mut Solver,
) -> Vec<f32> {
    let state = &world.state;
    let Some(contract) = state.contract().copied() else { return vec![0.0; cards.len()] };
    let (value, solves_worlds) = (settings.value(obs), settings.solves_worlds(obs));
    if solves_worlds && !contract.kind.is_negative() && Position::from_state(state).is_ok() {
        let sign = if contract.declarers.has(obs.seat()) { 1.0 } else { -1.0 };
        let tricks = solver.card_values(state).unwrap_or_default();
        let outcome_by_tricks = |card: &Card| {
            let Some(&(_, taken)) = tricks.iter().find(|(legal, _)| legal == card) else {
                return 0.0;
            };
            let points = score_side(state.rules(), &contract, taken);
            value(&points) + trick_bonus * sign * f32::from(taken)
        };
        return cards.iter().map(outcome_by_tricks).collect();
    }
    let outcome_by_points = |&card: &Card| {
        let mut after = *state;
        after.apply_unchecked(Action::card(card));
        let points = match after.contract().copied() {
            Some(contract) if solves_worlds && !after.is_done() => {
                solved_points(&after, &contract, solver)
            }
            _ => roll_out_by_heuristic(after, solver),
        };
        value(&points)
    };
    cards.iter().map(outcome_by_points).collect()
}

/// Returns the legal cards, one of each run of equivalent cards.
///
/// The card of a run is `default_action` if it is in the run, or else the lowest card.
pub(super) fn distinct(obs: &Observation, default_action: Option<Card>) -> Vec<Card> {
    let legal = obs.legal_actions().cards;
    let on_table: CardSet = obs.public().trick().cards().map(|(_, card)| card).collect();
    let others = obs.outstanding() | on_table;
    let mut cards: Vec<Card> = Vec::with_capacity(13);
    for card in legal {
        match cards.last_mut() {
            Some(last)
                if last.suit() == card.suit() && others.above(*last) == others.above(card) =>
            {
                if Some(card) == default_action {
                    *last = card;
                }
            }
            _ => cards.push(card),
        }
    }
    cards
}
