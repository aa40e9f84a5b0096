//! `search:BOT`: adds look-ahead to a network.
//!
//! It samples worlds consistent with the bidding and play, and plays each promising action out with
//! the network. The last tricks are solved with open cards. It takes the best action, with a bonus
//! for actions that the network prefers (Tesauro & Galperin 1996; Lerer et al., "SPARTA", 2020;
//! Jacob et al., "piKL", 2022). With few cards in hand it solves the worlds, as `pimc` does.

use std::cell::RefCell;
use std::time::{Duration, Instant};

use troel_env::rng::{Purpose, Stream};
use troel_env::{Action, BySeat, Deal, Observation, Phase, State};
use troel_nn::probabilities;
use troel_solver::Solver;

use super::card_chooser::CardChooser;
use super::evaluate::solved_points;
use super::judged::{Judged, compare};
use super::solver_pool::{SolverMemory, SolverPool};
use super::weighted::{REQUIRED_STANDARD_ERRORS, effective_sample_size, mean_and_error};
use super::world_sampling::{World, draw, resample};
use crate::bot::{Bot, BotError, Decision, Detail, deterministic_bot};
use crate::cancel::Current;
use crate::driver::{self, Batch, Game, Recorder};
use crate::heuristic;
use crate::network::{Choice, Evaluator, NetworkBot};
use crate::threads::threads;
use crate::utility::{Utility, match_gain, utility};

/// Number of worlds drawn for each world that is kept.
const DRAWS_PER_WORLD: usize = 4;
/// Probability that another seat plays a uniformly random legal action.
const RANDOM_ACTION_PROBABILITY: f32 = 0.1;
/// Probability from which on an action is taken without search.
const CERTAIN_PROBABILITY: f32 = 0.98;
/// Smallest probability of an action that the network suggests. Calls that the rule-based bots
/// suggest count as at least this probable.
pub(super) const MIN_ACTION_PROBABILITY: f32 = 0.02;
/// Maximum number of actions that the network suggests.
const MAX_ACTIONS: usize = 5;
/// Weight of the log prior, in points.
const PRIOR_WEIGHT: f32 = 0.5;
/// Maximum number of cards in hand at which worlds are solved.
const MAX_SOLVED_CARDS: u32 = 5;
/// Number of worlds that a thread plays on together. More worlds make larger batches for the
/// network and give work to fewer threads.
const WORLDS_PER_BATCH: usize = 8;
/// Number of bisection steps that find how far to flatten weights.
const FLATTENING_STEPS: u32 = 12;
/// Number of worlds per round of a search with a time limit; more with many threads.
const WORLDS_PER_ROUND: usize = 16;
/// Maximum number of rounds of a search with a time limit.
const MAX_ROUNDS: u32 = 1000;
/// Memory of a solver's table, in bytes.
const SOLVER_BYTES: usize = 4 << 20;

/// Amount of search per decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// Number of worlds to sample (at least 1).
    Worlds(usize),
    /// Time limit.
    ///
    /// Worlds are sampled in at most 1000 rounds of 16 worlds, or of 8 worlds per thread with more
    /// than two threads. A decision takes at least one round and ends at about the time limit, so
    /// it depends on the machine. Not available in WebAssembly, which has no clock.
    Time(Duration),
}

/// The bot `search:BOT`.
///
/// Its draws depend only on its seed and on the observation. Their number may depend on time
/// ([`Effort::Time`]).
pub struct Lookahead {
    evaluator: Evaluator,
    effort: Effort,
    seed: u64,
    /// Utility by which actions are judged.
    utility: Utility,
    /// Chooses cards in endings.
    cards: CardChooser,
    /// Maximum number of cards in hand at which worlds are solved.
    solve: u32,
    /// Whether the network decides without search before the ending.
    endings_only: bool,
    /// Solvers of rollouts.
    solvers: SolverPool,
}

/// Clock of a decision.
struct Clock {
    /// Start of the decision and its time limit. `None` without a limit: a page has no clock.
    limit: Option<(Instant, Duration)>,
}

impl Clock {
    fn new(effort: Effort) -> Clock {
        let limit = match effort {
            Effort::Worlds(_) => None,
            Effort::Time(limit) => Some((Instant::now(), limit)),
        };
        Clock { limit }
    }

    /// Returns whether another round is likely to end in time, if each world takes `times` as long
    /// as before.
    fn has_time_after(&self, rounds: u32, times: u32) -> bool {
        let is_left = |(begun, limit): (Instant, Duration)| {
            begun.elapsed() * times * (rounds + 1) / rounds < limit
        };
        self.limit.is_some_and(is_left)
    }
}

/// Outcome of playing an action in one sampled world.
struct Rollout<'a> {
    state: State,
    /// Totals of the match.
    totals: &'a BySeat<i32>,
    /// Solver of the last tricks.
    solver: &'a RefCell<&'a mut Solver>,
    /// Points of the deal, once they are known.
    points: Option<BySeat<i32>>,
}

impl Lookahead {
    /// Creates a bot that adds look-ahead to a network.
    pub fn new(evaluator: Evaluator, effort: Effort, seed: u64) -> Lookahead {
        let cards = CardChooser::new(SOLVER_BYTES, MAX_SOLVED_CARDS);
        Lookahead {
            evaluator,
            effort,
            seed,
            utility,
            cards,
            solve: MAX_SOLVED_CARDS,
            endings_only: false,
            solvers: SolverPool::new(SolverMemory::PerSolver(SOLVER_BYTES)),
        }
    }

    /// Restricts the search to decisions with at most `cards` cards in hand. The network makes the
    /// others without search.
    #[must_use]
    pub fn endings_only(self, cards: u32) -> Lookahead {
        let chooser = CardChooser::new(SOLVER_BYTES, cards).by(self.utility);
        Lookahead { cards: chooser, solve: cards, endings_only: true, ..self }
    }

    /// Maximises shares of the match instead of points.
    pub fn winning_matches(self) -> Lookahead {
        Lookahead { utility: match_gain, cards: self.cards.by(match_gain), ..self }
    }

    fn choose(&mut self, obs: &Observation) -> Result<Action, BotError> {
        let Decision { action, mut policy, .. } = most_probable_player(&self.evaluator)
            .decide(std::slice::from_ref(obs), Detail::Policy)?
            .pop()
            .ok_or(BotError::Count { wanted: 1, found: 0 })?;
        policy.sort_by(|(_, a), (_, b)| b.total_cmp(a));
        let is_sure = policy.first().is_none_or(|&(_, p)| p >= CERTAIN_PROBABILITY);
        let candidates = candidates(obs, &policy);
        let is_ending = self.is_ending(obs);
        if self.endings_only && !is_ending || candidates.len() < 2 && (is_sure || !is_ending) {
            return Ok(action);
        }
        let policy = candidates;
        let actions: Vec<Action> = policy.iter().map(|&(action, _)| action).collect();
        let mut stream = Stream::new(self.seed, Purpose::Search, obs.fingerprint());
        let (mut worlds, mut outcomes) = (Vec::new(), Vec::new());
        let clock = Clock::new(self.effort);
        for round in 1..=MAX_ROUNDS {
            let more = self.worlds(obs, &mut stream)?;
            if !is_ending {
                outcomes.extend(self.outcomes(obs, &more, &actions)?);
            }
            worlds.extend(more);
            // To solve worlds of an ending takes less than to find them.
            if !clock.has_time_after(round, if is_ending { 2 } else { 1 }) {
                break;
            }
        }
        if is_ending {
            return Ok(Action::card(self.cards.choose(obs, &worlds, action)?));
        }
        let score = |nth: usize| {
            if nth == 0 {
                return 0.0;
            }
            let gains = outcomes.iter().map(|outcome| outcome[nth] - outcome[0]);
            let (gain, error) = mean_and_error(&worlds, gains);
            gain - REQUIRED_STANDARD_ERRORS * error
                + PRIOR_WEIGHT * (policy[nth].1 / policy[0].1).ln()
        };
        let best = (0..policy.len()).max_by(|&a, &b| score(a).total_cmp(&score(b)).then(b.cmp(&a)));
        Ok(best.map_or(action, |nth| policy[nth].0))
    }

    /// Returns whether the hand is small enough for worlds to be solved.
    pub(super) fn is_ending(&self, obs: &Observation) -> bool {
        obs.state().phase() == Phase::Play && obs.hand().len() <= self.solve
    }

    /// Returns the values of legal actions, of which the first is the bot's choice.
    pub(super) fn judge(
        &mut self,
        obs: &Observation,
        actions: &[Action],
    ) -> Result<Vec<Judged>, BotError> {
        let mut stream = Stream::new(self.seed, Purpose::Search, obs.fingerprint());
        let worlds = self.worlds(obs, &mut stream)?;
        if self.is_ending(obs) {
            return self.cards.judge(obs, &worlds, actions);
        }
        let outcomes = self.outcomes(obs, &worlds, actions)?;
        Ok(compare(actions, &worlds, |world, nth| outcomes[world][nth]))
    }

    /// Samples worlds, weighted by the probability that the network acts as the others did.
    ///
    /// With a time limit, these are the worlds of one round.
    pub(super) fn worlds(
        &mut self,
        obs: &Observation,
        stream: &mut Stream,
    ) -> Result<Vec<World>, BotError> {
        let wanted = match self.effort {
            Effort::Worlds(n) => n.max(1),
            Effort::Time(_) => WORLDS_PER_ROUND.max(WORLDS_PER_BATCH * threads()),
        };
        let others = obs.state().history().iter().any(|(seat, _)| seat != obs.seat());
        let draws = if others { DRAWS_PER_WORLD } else { 1 };
        let drawn = draw(obs, draws * wanted, stream)?;
        let groups: Vec<&[(Deal, State)]> = drawn.chunks(WORLDS_PER_BATCH).collect();
        let evaluator = &self.evaluator;
        let logs: Vec<f32> = self
            .solvers
            .map(&groups, |group, _| {
                let mut network = most_probable_player(evaluator);
                let of = |(deal, state): &(Deal, State)| likelihood(&mut network, obs, deal, state);
                group.iter().map(of).collect::<Result<Vec<f32>, BotError>>()
            })?
            .concat();
        let weighed = drawn.iter().zip(weights(&logs, wanted as f32));
        let worlds: Vec<World> =
            weighed.map(|((_, state), weight)| World { state: *state, weight }).collect();
        Ok(resample(&worlds, wanted, stream))
    }

    /// Returns the outcome of each action in each world, if the network plays on for all seats.
    fn outcomes(
        &mut self,
        obs: &Observation,
        worlds: &[World],
        actions: &[Action],
    ) -> Result<Vec<Vec<f32>>, BotError> {
        let groups: Vec<&[World]> = worlds.chunks(WORLDS_PER_BATCH).collect();
        let (utility, evaluator) = (self.utility, &self.evaluator);
        let found = self.solvers.map(&groups, |group, solver| {
            let solver = RefCell::new(solver);
            let start = |(world, action): (&World, Action)| {
                let mut state = world.state;
                // The observer's legal actions are the same in every world.
                state.apply_unchecked(action);
                Rollout { state, totals: obs.totals(), solver: &solver, points: None }
            };
            let all = group.iter().flat_map(|w| actions.iter().map(move |&action| (w, action)));
            let mut rollouts: Vec<Rollout> = all.map(start).collect();
            // Everybody plays by the network.
            let mut cancelled = StopIfCancelled(Current::get());
            let network = most_probable_player(evaluator);
            driver::run(&mut rollouts, &mut [Box::new(network)], &mut cancelled)?;
            let worth = |rollout: &Rollout| {
                let points = rollout.points.unwrap_or_default();
                utility(obs.state().rules(), obs.totals(), &points, obs.seat())
            };
            let of_world = |rollouts: &[Rollout]| rollouts.iter().map(worth).collect();
            Ok(rollouts.chunks(actions.len()).map(of_world).collect::<Vec<Vec<f32>>>())
        })?;
        Ok(found.into_iter().flatten().collect())
    }
}

/// Creates a bot that plays the network's most probable action.
fn most_probable_player(evaluator: &Evaluator) -> NetworkBot {
    NetworkBot::new(evaluator.clone(), Choice::Likeliest, None)
}

/// Actions worth playing out, the network's most probable one first, with their probabilities.
///
/// A network can be blind to a call for which it saw too few good hands. The calls of the
/// rule-based bots are therefore candidates too.
fn candidates(obs: &Observation, policy: &[(Action, f32)]) -> Vec<(Action, f32)> {
    let is_promising = |&&(_, p): &&(Action, f32)| p >= MIN_ACTION_PROBABILITY;
    let mut candidates: Vec<_> =
        policy.iter().take(MAX_ACTIONS).filter(is_promising).copied().collect();
    if obs.state().phase().is_bidding() {
        for call in heuristic::suggestions(obs) {
            if candidates.iter().all(|&(action, _)| action != call) {
                candidates.push((call, MIN_ACTION_PROBABILITY));
            }
        }
    }
    candidates
}

/// Weights of worlds by the logarithms of their likelihoods, flattened as far as it takes for their
/// effective sample size to be `wanted` or more: otherwise a few of many would be all that is left.
fn weights(logs: &[f32], wanted: f32) -> Vec<f32> {
    let most = logs.iter().copied().fold(f32::MIN, f32::max);
    let flattened = |by: f32| logs.iter().map(|log| (by * (log - most)).exp()).collect::<Vec<_>>();
    let count = |weights: Vec<f32>| effective_sample_size(weights.into_iter());
    let (mut least, mut by) = (0.0, 1.0);
    if count(flattened(by)) < wanted {
        for _ in 0..FLATTENING_STEPS {
            let middle = f32::midpoint(least, by);
            match count(flattened(middle)) < wanted {
                true => by = middle,
                false => least = middle,
            }
        }
        by = least;
    }
    flattened(by)
}

/// Logarithm of the probability that the network does what the others did, were this the deal.
fn likelihood(
    network: &mut NetworkBot,
    obs: &Observation,
    deal: &Deal,
    world: &State,
) -> Result<f32, BotError> {
    Current::get().check()?;
    let mut state = State::new(world.rules(), deal);
    let (mut seen, mut done) = (Vec::new(), Vec::new());
    for (seat, action) in world.history().iter() {
        let Some(action) = action else { break };
        if seat != obs.seat() && state.legal_actions().len() > 1 {
            seen.push(state.observe(seat, *obs.totals()));
            done.push(action);
        }
        state.apply_unchecked(action);
    }
    let mut log = 0.0;
    network.evaluate(&seen, |at, evaluation| {
        let policy = probabilities(seen[at].legal_actions(), evaluation.logits);
        let of = policy.iter().find(|(action, _)| *action == done[at]).map_or(0.0, |(_, p)| *p);
        log += ((1.0 - RANDOM_ACTION_PROBABILITY) * of
            + RANDOM_ACTION_PROBABILITY / policy.len() as f32)
            .ln();
    });
    if log.is_finite() { Ok(log) } else { Err(BotError::NotFinite("policy")) }
}

/// Stops the driver when the search is cancelled.
struct StopIfCancelled(Current);

impl<G> Recorder<G> for StopIfCancelled {
    fn decided(&mut self, _batch: &Batch<'_, G>) -> Result<(), BotError> {
        self.0.check()
    }
}

impl Game for Rollout<'_> {
    /// Ends with the last tricks, which are solved.
    fn next_bot(&mut self, _deal_over: &mut dyn FnMut(&Self)) -> Option<usize> {
        if self.points.is_some() {
            return None;
        }
        let state = &mut self.state;
        loop {
            if state.is_done() {
                self.points = Some(state.scores().unwrap_or_default());
                return None;
            }
            if state.phase() == Phase::Play
                && state.trick().is_empty()
                && state.hands()[state.turn()].len() <= MAX_SOLVED_CARDS
                && let Some(contract) = state.contract().copied()
            {
                self.points = Some(solved_points(state, &contract, &mut self.solver.borrow_mut()));
                return None;
            }
            let legal = state.legal_actions();
            match legal.into_iter().next() {
                Some(only) if legal.len() == 1 => state.apply_unchecked(only),
                _ => return Some(0),
            }
        }
    }

    fn observe(&self) -> Observation {
        self.state.observe(self.state.turn(), *self.totals)
    }

    fn apply(&mut self, action: Action) -> Result<(), BotError> {
        // The driver has checked it.
        self.state.apply_unchecked(action);
        Ok(())
    }
}

deterministic_bot!(Lookahead, |bot: &mut Lookahead, observation: &Observation| bot
    .choose(observation));

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_flattened_as_far_as_it_takes() {
        let count = |weights: &[f32]| effective_sample_size(weights.iter().copied());
        // Enough as they are.
        let logs = [0.0f32, -0.5, -1.0, -1.5];
        assert_eq!(weights(&logs, 2.0), logs.map(f32::exp));
        // One towers above all others; those keep their order.
        let flat = weights(&[-400.0, -3.0, -90.0, -80.0], 2.0);
        assert!(count(&flat) >= 2.0 && count(&flat) < 2.1, "{flat:?}");
        assert!(flat[1] > flat[3] && flat[3] > flat[2] && flat[2] > flat[0]);
        // As many as there are can be had only of equal ones.
        assert_eq!(weights(&[-1.0; 3], 3.0), [1.0; 3]);
        assert_eq!(weights(&[-7.0], 1.0), [1.0]);
    }
}
