//! `pimc`: perfect-information Monte Carlo.
//!
//! Samples worlds, evaluates every action in each of them, and takes the one with the highest
//! expected points (Levy 1989; Ginsberg, "GIB", 2001).

use troel_env::{Action, Observation, Phase};
use troel_solver::DEFAULT_MEMORY;

use super::action_value::{ActionValue, compare, compare_in_rounds};
use super::card_chooser::{card_values, choose_card};
use super::evaluate::roll_out_by_heuristic;
use super::settings::SearchSettings;
use super::solver_pool::{SolverMemory, SolverPool};
use super::worlds::{WeightedWorld, call_likelihood, world_stream};
use crate::bot::{BotError, check_legal, deterministic_bot};
use crate::heuristic::{self, TrickModel};

/// Maximum number of calls to search, the most promising by rules of thumb first.
pub(super) const MAX_CALLS: usize = 6;
/// Number of worlds drawn for a call per world drawn for a card.
const CALL_WORLDS_FACTOR: usize = 4;

/// The bot `pimc`. Its draws depend only on its seed and on the observation.
pub struct Pimc {
    worlds: usize,
    seed: u64,
    settings: SearchSettings,
    solvers: SolverPool,
}

/// Mean and spread of the outcome of an action over sampled worlds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PointsEstimate {
    /// Mean points of the deal for the seat.
    pub points: f32,
    /// Standard deviation of the points over the worlds.
    pub spread: f32,
}

impl PointsEstimate {
    /// Estimates the points after the action with this index. `outcomes` has a row for each world,
    /// with the value of each action in order.
    fn new(worlds: &[WeightedWorld], outcomes: &[Vec<f32>], index: usize) -> PointsEstimate {
        // `WeightedMean` rounds differently: with it, equal recipes would make other corpora than
        // before.
        let total: f32 = worlds.iter().map(|world| world.weight).sum();
        let mean = |value: &dyn Fn(f32) -> f32| {
            let weighted = worlds.iter().zip(outcomes);
            let sum: f32 = weighted.map(|(world, row)| world.weight * value(row[index])).sum();
            sum / total.max(f32::MIN_POSITIVE)
        };
        let points = mean(&|outcome| outcome);
        let variance = mean(&|outcome| (outcome - points).powi(2));
        PointsEstimate { points, spread: variance.sqrt() }
    }
}

impl Pimc {
    /// Default of the maximum number of cards in hand at which worlds are solved.
    pub(crate) const DEFAULT_MAX_SOLVED_CARDS: u32 = 9;

    /// Creates a bot that samples `worlds` worlds (at least 1) for each card. It samples four times
    /// as many for each call, and solves worlds from 9 cards in hand downwards.
    pub fn new(worlds: usize, seed: u64) -> Pimc {
        Pimc {
            worlds: worlds.max(1),
            seed,
            settings: SearchSettings::new(Pimc::DEFAULT_MAX_SOLVED_CARDS),
            solvers: SolverPool::new(SolverMemory::FirstAndOthers(DEFAULT_MEMORY)),
        }
    }

    /// Solves worlds with at most `max_solved_cards` cards in hand. Longer hands are played out by
    /// rules of thumb.
    #[must_use]
    pub(crate) fn with_max_solved_cards(mut self, max_solved_cards: u32) -> Pimc {
        self.settings.max_solved_cards = max_solved_cards;
        self
    }

    /// Estimates the points of the observing seat after each of these actions, in their order.
    ///
    /// The worlds are the same for all actions. Towards the end of a match, points count by their
    /// effect on the match ([`crate::points_with_match_bonus`]).
    ///
    /// # Errors
    /// One of the actions is not legal, or no deal of the hidden cards fits the observation.
    pub fn estimates(
        &mut self,
        obs: &Observation,
        actions: &[Action],
    ) -> Result<Vec<PointsEstimate>, BotError> {
        actions.iter().try_for_each(|&action| check_legal(obs, action))?;
        let mut stream = world_stream(self.seed, obs);
        let worlds = call_likelihood::draw_weighted_worlds(obs, self.worlds, &mut stream)?;
        let outcomes = self.outcomes(obs, &worlds, actions)?;
        let estimate = |index| PointsEstimate::new(&worlds, &outcomes, index);
        Ok((0..actions.len()).map(estimate).collect())
    }

    /// Returns the values of legal actions, of which the first is the bot's choice.
    pub(super) fn action_values(
        &mut self,
        obs: &Observation,
        actions: &[Action],
    ) -> Result<Vec<ActionValue>, BotError> {
        let mut stream = world_stream(self.seed, obs);
        if obs.public().phase() == Phase::Play {
            let worlds = call_likelihood::draw_weighted_worlds(obs, self.worlds, &mut stream)?;
            return card_values(obs, &worlds, actions, &self.settings, &mut self.solvers);
        }
        compare_in_rounds(obs, actions, || {
            let worlds = call_likelihood::draw_weighted_worlds(obs, self.worlds, &mut stream)?;
            let outcomes = self.outcomes(obs, &worlds, actions)?;
            Ok((worlds, outcomes))
        })
    }

    fn choose(&mut self, obs: &Observation) -> Result<Action, BotError> {
        let legal = obs.legal_actions();
        let default_action = heuristic::choose_by(obs, &TrickModel::FITTED);
        if legal.len() <= 1 {
            return Ok(default_action);
        }
        let mut stream = world_stream(self.seed, obs);
        if obs.public().phase() == Phase::Play {
            let worlds = call_likelihood::draw_weighted_worlds(obs, self.worlds, &mut stream)?;
            let (settings, solvers) = (&self.settings, &mut self.solvers);
            let card = choose_card(obs, &worlds, default_action, settings, solvers)?;
            return Ok(Action::card(card));
        }
        let count = CALL_WORLDS_FACTOR * self.worlds;
        let worlds = call_likelihood::draw_weighted_worlds(obs, count, &mut stream)?;
        self.choose_call(obs, &worlds, default_action)
    }

    /// Chooses an action outside of card play: a call, a discard, a request or an answer.
    fn choose_call(
        &mut self,
        obs: &Observation,
        worlds: &[WeightedWorld],
        default_action: Action,
    ) -> Result<Action, BotError> {
        let mut actions = vec![default_action];
        let candidates = heuristic::candidates(obs, MAX_CALLS);
        actions.extend(candidates.into_iter().filter(|&action| action != default_action));
        let outcomes = self.outcomes(obs, worlds, &actions)?;
        let judged = compare(&actions, worlds, &outcomes);
        Ok(judged.first().map_or(default_action, |best| best.action))
    }

    /// Returns, for each world, the value of the deal to the observer after each of `actions`.
    fn outcomes(
        &mut self,
        obs: &Observation,
        worlds: &[WeightedWorld],
        actions: &[Action],
    ) -> Result<Vec<Vec<f32>>, BotError> {
        let value = self.settings.value(obs);
        self.solvers.map(worlds, |world, solver| {
            let outcome = |&action: &Action| {
                let mut state = world.state;
                // The observer's legal actions are the same in every world.
                state.apply_unchecked(action);
                value(&roll_out_by_heuristic(state, solver))
            };
            Ok(actions.iter().map(outcome).collect())
        })
    }
}

deterministic_bot!(Pimc, Pimc::choose);

#[cfg(test)]
mod tests {
    use troel_env::{BySeat, Deals, RuleSet, State};

    use super::*;

    /// Searches calls of many deals with few worlds, whose weights differ. A call must gain one
    /// standard error, as the effective sample size has it; in some positions the number of worlds
    /// would have let a call through.
    #[test]
    fn a_call_must_gain_a_standard_error_of_the_effective_sample() {
        let rules = RuleSet::built_in("luxembourg").unwrap();
        let (mut pimc, mut closer) = (Pimc::new(2, 1), 0);
        for deal in 0..200 {
            let deals = Deals::new(rules, 3);
            let mut state = State::new(rules, &deals.shuffled(deal, troel_env::Seat::North));
            // The calls of the other seats determine the weights of worlds.
            for _ in 0..2 {
                let obs = state.observe(state.turn(), BySeat::default());
                state.apply(heuristic::choose_by(&obs, &TrickModel::FITTED)).unwrap();
            }
            let obs = state.observe(state.turn(), BySeat::default());
            if state.phase() != Phase::Auction || obs.legal_actions().len() < 2 {
                continue;
            }
            let default_action = heuristic::choose_by(&obs, &TrickModel::FITTED);
            let mut stream = world_stream(1, &obs);
            let worlds = call_likelihood::draw_weighted_worlds(&obs, 8, &mut stream).unwrap();
            let weights: Vec<f32> = worlds.iter().map(|world| world.weight).collect();
            let sum: f32 = weights.iter().sum();
            let kish = sum * sum / weights.iter().map(|w| w * w).sum::<f32>();
            let mut gains = Vec::new();
            for action in heuristic::candidates(&obs, MAX_CALLS) {
                let outcomes = pimc.outcomes(&obs, &worlds, &[action, default_action]).unwrap();
                let gain: Vec<f32> = outcomes.iter().map(|row| row[0] - row[1]).collect();
                let mean = |value: &dyn Fn(f32) -> f32| {
                    weights.iter().zip(&gain).map(|(w, &g)| w * value(g)).sum::<f32>() / sum
                };
                let points = mean(&|g| g);
                let variance = mean(&|g| (g - points).powi(2));
                gains.push((action, points, variance));
            }
            let chosen = pimc.choose_call(&obs, &worlds, default_action).unwrap();
            let gain_of_chosen = gains.iter().find(|(action, ..)| *action == chosen);
            if let Some(&(_, points, variance)) =
                gain_of_chosen.filter(|_| chosen != default_action)
            {
                assert!(
                    points > (variance / kish).sqrt(),
                    "{chosen}: {points}, {variance}, {kish}"
                );
            } else {
                let by_number = |&(_, points, variance): &(Action, f32, f32)| {
                    points > (variance / worlds.len() as f32).sqrt()
                };
                closer += usize::from(gains.iter().any(by_number));
            }
        }
        assert!(closer > 0, "no position tells the two sizes apart");
    }
}
