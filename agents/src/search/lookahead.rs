//! `search:BOT`: adds look-ahead to a network.
//!
//! It samples worlds consistent with the bidding and play, and plays each promising action out with
//! the network. The last tricks are solved with open cards. It takes the best action, with a bonus
//! for actions that the network prefers (Tesauro & Galperin 1996; Lerer et al., "SPARTA", 2020;
//! Jacob et al., "piKL", 2022). With few cards in hand it solves the worlds, as `pimc` does.

use troel_env::rng::Stream;
use troel_env::{Action, Observation, Phase};

use super::action_value::{ActionValue, best_index, compare_in_rounds};
use super::budget::{Clock, SearchBudget};
use super::card_chooser::{card_values, choose_card};
use super::rollout::{NETWORK_MAX_SOLVED_CARDS, roll_out_actions};
use super::settings::SearchSettings;
use super::solver_pool::{SolverMemory, SolverPool};
use super::worlds::network_likelihood::{self, WORLDS_PER_BATCH};
use super::worlds::{WeightedMean, WeightedWorld, world_stream};
use crate::bot::{BotError, Decision, DecisionDetail, decide_one, deterministic_bot};
use crate::deal_value::match_gain;
use crate::heuristic;
use crate::network::{ActionSelection, Evaluator, NetworkBot};
use crate::threads::threads;

/// In an ending: probability from which the only candidate is played without solving.
const CERTAIN_PROBABILITY: f32 = 0.98;
/// Smallest probability of an action that the network suggests. Calls that the rule-based bots
/// suggest count as at least this probable.
pub(super) const MIN_ACTION_PROBABILITY: f32 = 0.02;
/// Maximum number of actions that the network suggests.
const MAX_ACTIONS: usize = 5;
/// Weight of the log prior, in points.
const PRIOR_WEIGHT: f32 = 0.5;
/// Number of worlds per round of a search with a time limit; more with many threads.
const WORLDS_PER_ROUND: usize = 16;
/// Maximum number of rounds of a search with a time limit.
const MAX_ROUNDS: u32 = 1000;
/// Memory of a solver's table, in bytes.
const SOLVER_BYTES: usize = 4 << 20;

/// The bot `search:BOT`.
///
/// Its draws depend only on its seed and on the observation. Their number may depend on time
/// ([`SearchBudget::Time`]).
pub struct Lookahead {
    evaluator: Evaluator,
    budget: SearchBudget,
    seed: u64,
    settings: SearchSettings,
    /// Whether the network decides without search before the ending.
    endings_only: bool,
    solvers: SolverPool,
}

impl Lookahead {
    /// Creates a bot that adds look-ahead to a network.
    pub fn new(evaluator: Evaluator, budget: SearchBudget, seed: u64) -> Lookahead {
        Lookahead {
            evaluator,
            budget,
            seed,
            settings: SearchSettings::new(NETWORK_MAX_SOLVED_CARDS),
            endings_only: false,
            solvers: SolverPool::new(SolverMemory::PerSolver(SOLVER_BYTES)),
        }
    }

    /// Restricts the search to decisions with at most `max_solved_cards` cards in hand.
    ///
    /// Their worlds are solved. The network makes the other decisions without search.
    #[must_use]
    pub fn endings_only(mut self, max_solved_cards: u32) -> Lookahead {
        self.settings.max_solved_cards = max_solved_cards;
        self.endings_only = true;
        self
    }

    /// Maximises the share of the match instead of points.
    #[must_use]
    pub fn maximising_match_share(mut self) -> Lookahead {
        self.settings.deal_value = match_gain;
        self
    }

    fn choose(&mut self, obs: &Observation) -> Result<Action, BotError> {
        let mut player = most_probable_player(&self.evaluator);
        let mut decision = decide_one(&mut player, obs, DecisionDetail::Policy)?;
        decision.sort_policy();
        let Decision { action, policy, .. } = decision;
        let is_sure = policy.first().is_none_or(|&(_, p)| p >= CERTAIN_PROBABILITY);
        let candidates = candidates(obs, &policy);
        let is_ending = self.is_ending(obs);
        if self.endings_only && !is_ending || candidates.len() < 2 && (is_sure || !is_ending) {
            return Ok(action);
        }
        let actions: Vec<Action> = candidates.iter().map(|&(action, _)| action).collect();
        let mut stream = world_stream(self.seed, obs);
        let (mut worlds, mut outcomes) = (Vec::new(), Vec::new());
        let clock = Clock::new(self.budget);
        for round in 1..=MAX_ROUNDS {
            let more = self.worlds(obs, &mut stream)?;
            if !is_ending {
                outcomes.extend(self.outcomes(obs, &more, &actions)?);
            }
            worlds.extend(more);
            // Solving an ending takes less time than sampling its worlds.
            if !clock.has_time_after(round, if is_ending { 2 } else { 1 }) {
                break;
            }
        }
        if is_ending {
            let (settings, solvers) = (&self.settings, &mut self.solvers);
            return Ok(Action::card(choose_card(obs, &worlds, action, settings, solvers)?));
        }
        let score = |index: usize| {
            let gains = outcomes.iter().map(|outcome| outcome[index] - outcome[0]);
            WeightedMean::over(&worlds, gains).lower_bound()
                + PRIOR_WEIGHT * (candidates[index].1 / candidates[0].1).ln()
        };
        // Not empty: outside an ending, fewer than two candidates have returned above.
        Ok(actions[best_index(actions.len(), score)])
    }

    /// Returns whether the hand is small enough for worlds to be solved.
    pub(super) fn is_ending(&self, obs: &Observation) -> bool {
        obs.public().phase() == Phase::Play && self.settings.solves_worlds(obs)
    }

    /// Returns the values of legal actions, of which the first is the bot's choice.
    pub(super) fn action_values(
        &mut self,
        obs: &Observation,
        actions: &[Action],
    ) -> Result<Vec<ActionValue>, BotError> {
        let mut stream = world_stream(self.seed, obs);
        if self.is_ending(obs) {
            let worlds = self.worlds(obs, &mut stream)?;
            return card_values(obs, &worlds, actions, &self.settings, &mut self.solvers);
        }
        compare_in_rounds(obs, actions, || {
            let worlds = self.worlds(obs, &mut stream)?;
            let outcomes = self.outcomes(obs, &worlds, actions)?;
            Ok((worlds, outcomes))
        })
    }

    /// Samples worlds, weighted by the probability that the network acts as the others did.
    ///
    /// With a time limit, these are the worlds of one round.
    fn worlds(
        &self,
        obs: &Observation,
        stream: &mut Stream,
    ) -> Result<Vec<WeightedWorld>, BotError> {
        let count = match self.budget {
            SearchBudget::Worlds(count) => count.max(1),
            SearchBudget::Time(_) => WORLDS_PER_ROUND.max(WORLDS_PER_BATCH * threads()),
        };
        network_likelihood::draw_weighted_worlds(&self.evaluator, obs, count, stream)
    }

    /// Returns the outcome of each action in each world, if the network plays on for all seats.
    fn outcomes(
        &mut self,
        obs: &Observation,
        worlds: &[WeightedWorld],
        actions: &[Action],
    ) -> Result<Vec<Vec<f32>>, BotError> {
        let batches: Vec<&[WeightedWorld]> = worlds.chunks(WORLDS_PER_BATCH).collect();
        let (value, evaluator) = (self.settings.value(obs), &self.evaluator);
        let outcomes_by_batch = self.solvers.map(&batches, |batch, solver| {
            let network = most_probable_player(evaluator);
            let points = roll_out_actions(obs, batch, actions, network, solver)?;
            let outcomes: Vec<f32> = points.iter().map(&value).collect();
            let by_world = outcomes.chunks(actions.len());
            Ok(by_world.map(<[f32]>::to_vec).collect::<Vec<_>>())
        })?;
        Ok(outcomes_by_batch.concat())
    }
}

/// Creates a bot that plays the network's most probable action.
fn most_probable_player(evaluator: &Evaluator) -> NetworkBot {
    NetworkBot::new(evaluator.clone(), ActionSelection::MostProbable, None)
}

/// Returns the actions worth playing out and their probabilities, the most probable one first.
///
/// A network can be blind to a call for which it saw too few good hands. The calls of the
/// rule-based bots are therefore candidates too.
fn candidates(obs: &Observation, policy: &[(Action, f32)]) -> Vec<(Action, f32)> {
    let is_promising = |&&(_, p): &&(Action, f32)| p >= MIN_ACTION_PROBABILITY;
    let mut candidates: Vec<_> =
        policy.iter().take(MAX_ACTIONS).filter(is_promising).copied().collect();
    if obs.public().phase().is_bidding() {
        for call in heuristic::choices_of_both_models(obs) {
            if candidates.iter().all(|&(action, _)| action != call) {
                candidates.push((call, MIN_ACTION_PROBABILITY));
            }
        }
    }
    candidates
}

deterministic_bot!(Lookahead, Lookahead::choose);
