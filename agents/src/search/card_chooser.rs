//! Choice and values of cards by their outcomes in sampled worlds.

use troel_env::scoring::score_side;
use troel_env::{Action, BySeat, Card, CardSet, Observation, Suit};
use troel_solver::{Position, Solver};

use super::action_value::{ActionValue, compare};
use super::evaluate::{roll_out_by_heuristic, solved_points};
use super::solver_pool::{SolverMemory, SolverPool};
use super::worlds::WeightedWorld;
use crate::bot::BotError;
use crate::deal_value::{DealValue, points_with_match_bonus};

/// Points added to the sum of the default action, so that it wins ties. Rules of thumb choose it,
/// and they allow for unseen hands.
const DEFAULT_ACTION_BONUS: f32 = 1e-3;

/// Points added per trick. Of cards with equal scores, the one that keeps more tricks is played.
const TRICK_BONUS_POINTS: f32 = 0.01;

/// Chooses cards by their outcomes in sampled worlds.
pub(super) struct CardChooser {
    /// Solvers of worlds.
    pub solvers: SolverPool,
    /// Maximum number of cards in hand at which worlds are solved.
    pub solve_at_most: u32,
    /// Value of a deal by which cards are judged.
    pub deal_value: DealValue,
}

impl CardChooser {
    /// Creates a chooser that solves worlds with at most `solve_at_most` cards in hand.
    ///
    /// `memory` is the number of bytes of the first solver's table. The tables of further threads
    /// share the same amount.
    pub fn new(memory: usize, solve_at_most: u32) -> CardChooser {
        let solvers = SolverPool::new(SolverMemory::FirstAndOthers(memory));
        CardChooser { solvers, solve_at_most, deal_value: points_with_match_bonus }
    }

    /// Replaces the value of a deal by which cards are judged. The default is
    /// [`points_with_match_bonus`].
    pub fn with_deal_value(self, deal_value: DealValue) -> CardChooser {
        CardChooser { deal_value, ..self }
    }

    /// Replaces the maximum number of cards in hand at which worlds are solved.
    pub fn with_solve_at_most(self, solve_at_most: u32) -> CardChooser {
        CardChooser { solve_at_most, ..self }
    }

    /// Returns the outcomes of legal cards in each world. `trick` points per trick are added to the
    /// score.
    fn outcomes(
        &mut self,
        obs: &Observation,
        worlds: &[WeightedWorld],
        cards: &[Card],
        trick: f32,
    ) -> Result<Vec<Vec<f32>>, BotError> {
        let (solve_at_most, deal_value) = (self.solve_at_most, self.deal_value);
        let value = |points: &BySeat<i32>| {
            deal_value(obs.state().rules(), obs.totals(), points, obs.seat())
        };
        let worth = Worth { points: &value, trick };
        self.solvers.map(worlds, |world, solver| {
            Ok(card_outcomes(obs, world, cards, solve_at_most, &worth, solver))
        })
    }

    /// Returns the values of legal cards, of which the first is the bot's choice.
    ///
    /// # Errors
    /// The search was cancelled.
    pub fn action_values(
        &mut self,
        obs: &Observation,
        worlds: &[WeightedWorld],
        actions: &[Action],
    ) -> Result<Vec<ActionValue>, BotError> {
        let cards: Vec<Card> = actions.iter().filter_map(|action| action.as_card()).collect();
        let outcomes = self.outcomes(obs, worlds, &cards, 0.0)?;
        Ok(compare(actions, worlds, &outcomes))
    }

    /// Returns the card with the highest expected points, or `default_action` if none is better.
    ///
    /// # Errors
    /// The search was cancelled.
    pub fn choose(
        &mut self,
        obs: &Observation,
        worlds: &[WeightedWorld],
        default_action: Action,
    ) -> Result<Card, BotError> {
        let default_action = default_action.as_card();
        let cards = distinct(obs, default_action);
        let outcomes = self.outcomes(obs, worlds, &cards, TRICK_BONUS_POINTS)?;
        let (mut best_score, mut best_card) = (f32::MIN, Card::ace(Suit::Spades));
        for (nth, &card) in cards.iter().enumerate() {
            let weighted = worlds.iter().zip(&outcomes);
            let mut score: f32 = weighted.map(|(world, of)| world.weight * of[nth]).sum();
            if Some(card) == default_action {
                score += DEFAULT_ACTION_BONUS;
            }
            if score > best_score {
                (best_score, best_card) = (score, card);
            }
        }
        Ok(best_card)
    }
}

/// Value of a deal to the observer.
struct Worth<'a> {
    /// Value of the points of all seats.
    points: &'a (dyn Fn(&BySeat<i32>) -> f32 + Sync),
    /// Points added per trick if a world is solved for tricks.
    trick: f32,
}

/// Returns the outcome of each of `cards` in one world.
fn card_outcomes(
    obs: &Observation,
    world: &WeightedWorld,
    cards: &[Card],
    solve_at_most: u32,
    worth: &Worth<'_>,
    solver: &mut Solver,
) -> Vec<f32> {
    let state = &world.state;
    let Some(contract) = state.contract().copied() else { return vec![0.0; cards.len()] };
    let is_solved = obs.hand().len() <= solve_at_most;
    if is_solved && !contract.kind.is_negative() && Position::from_state(state).is_some() {
        let sign = if contract.declarers.has(obs.seat()) { 1.0 } else { -1.0 };
        let tricks = solver.card_values(state).unwrap_or_default();
        let outcome_by_tricks = |card: &Card| {
            let Some(&(_, taken)) = tricks.iter().find(|(legal, _)| legal == card) else {
                return 0.0;
            };
            let points = score_side(state.rules(), &contract, taken);
            (worth.points)(&points) + worth.trick * sign * f32::from(taken)
        };
        return cards.iter().map(outcome_by_tricks).collect();
    }
    let outcome_by_points = |&card: &Card| {
        let mut after = *state;
        after.apply_unchecked(Action::card(card));
        let points = match after.contract().copied() {
            Some(contract) if is_solved && !after.is_done() => {
                solved_points(&after, &contract, solver)
            }
            _ => roll_out_by_heuristic(after, solver),
        };
        (worth.points)(&points)
    };
    cards.iter().map(outcome_by_points).collect()
}

/// Returns the legal cards, one of each run of equivalent cards.
///
/// The card of a run is `default_action` if it is in the run, or else the lowest card.
pub(super) fn distinct(obs: &Observation, default_action: Option<Card>) -> Vec<Card> {
    let legal = obs.legal_actions().cards;
    let on_table: CardSet = obs.state().trick().cards().map(|(_, card)| card).collect();
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
