//! `search:BOT`: a network that looks ahead. It samples worlds in which it would have called and played as the others did, has the
//! network play each promising action on to the end for everybody, and takes the best, with respect for what it would play without
//! looking (Tesauro & Galperin 1996; Lerer et al., "SPARTA", 2020; Jacob et al., "piKL", 2022).

use troel_env::rng::{Purpose, Stream};
use troel_env::{Action, BySeat, Deal, Observation, Phase, State};
use troel_nn::{likeliest, probabilities};
use troel_solver::{Solver, solve_each};

use super::belief::{World, draw, resample};
use super::evaluate::solved_points;
use super::pimc::CardChooser;
use crate::bot::{Bot, BotError, Decision, Detail, deterministic_bot};
use crate::cancel::Current;
use crate::network::{Choice, Evaluator, NetworkBot};
use crate::threads::threads;
use crate::utility::utility;

/// Worlds drawn for each one that is kept.
const DRAWS: usize = 4;
/// How often others are taken to do anything that is legal, whatever the network would do.
const OTHERWISE: f32 = 0.1;
/// From this probability on an action is taken without looking.
const SURE: f32 = 0.98;
/// Less probable actions are not looked at.
const LEAST: f32 = 0.02;
/// Actions looked at.
const MOST: usize = 5;
/// Points for which an action may be less probable by a factor of e.
const PRIOR: f32 = 1.0;
/// Cards in hand from which on worlds are solved.
const SOLVE: u32 = 5;
/// Worlds that are played on together, so that the network gets batches.
const GROUP: usize = 16;
/// Bytes of a solver's table: endings need little.
const MEMORY: usize = 4 << 20;

/// The bot called `search:BOT`. Its draws depend on its seed and on what it sees, nothing else.
pub struct Lookahead {
    evaluator: Evaluator,
    reward_scale: f32,
    worlds: usize,
    seed: u64,
    /// For endings.
    cards: CardChooser,
    /// For what lines of play lead to; one for each thread that was used so far.
    solvers: Vec<Solver>,
}

/// What follows an action in a world.
struct Line {
    state: State,
    points: Option<BySeat<i32>>,
}

impl Lookahead {
    /// A network that looks at so many worlds (1 at least); `reward_scale` is the number of points per unit of its value.
    pub fn new(evaluator: Evaluator, reward_scale: f32, worlds: usize, seed: u64) -> Lookahead {
        let cards = CardChooser::new(MEMORY, SOLVE);
        let worlds = worlds.max(1);
        Lookahead { evaluator, reward_scale, worlds, seed, cards, solvers: Vec::new() }
    }

    fn network(&self) -> NetworkBot {
        NetworkBot::new(self.evaluator.clone(), Choice::Likeliest, self.reward_scale)
    }

    fn choose(&mut self, obs: &Observation) -> Result<Action, BotError> {
        let Decision { action, mut policy, .. } = self
            .network()
            .decide(std::slice::from_ref(obs), Detail::Policy)?
            .pop()
            .ok_or(BotError::Count { wanted: 1, found: 0 })?;
        policy.sort_by(|(_, a), (_, b)| b.total_cmp(a));
        if policy.first().is_none_or(|&(_, p)| p >= SURE) {
            return Ok(action);
        }
        let worlds = self.worlds(obs)?;
        if obs.state().phase() == Phase::Play && obs.hand().len() <= SOLVE {
            return Ok(Action::card(self.cards.choose(obs, &worlds, action)?));
        }
        policy.retain(|&(_, p)| p >= LEAST);
        policy.truncate(MOST);
        let points = self.expected_points(obs, &worlds, &policy)?;
        let score = |((_, prior), points): (&(Action, f32), &f32)| points + PRIOR * prior.ln();
        let scores = policy.iter().zip(&points).map(score);
        let best = scores.zip(&policy).max_by(|(a, _), (b, _)| a.total_cmp(b));
        Ok(best.map_or(action, |(_, &(action, _))| action))
    }

    /// Worlds in which the network would have done what the others did.
    fn worlds(&mut self, obs: &Observation) -> Result<Vec<World>, BotError> {
        let mut stream = Stream::new(self.seed, Purpose::Search, obs.fingerprint());
        let drawn = draw(obs, DRAWS * self.worlds, &mut stream)?;
        let groups: Vec<&[(Deal, State)]> = drawn.chunks(GROUP).collect();
        let logs: Vec<f32> = self
            .in_each(&groups, |group, network, _| {
                let of = |(deal, state): &(Deal, State)| likelihood(network, obs, deal, state);
                group.iter().map(of).collect::<Vec<f32>>()
            })?
            .concat();
        let most = logs.iter().copied().fold(f32::MIN, f32::max);
        let weighed = drawn.iter().zip(&logs);
        let worlds: Vec<World> = weighed
            .map(|((_, state), log)| World { state: *state, weight: (log - most).exp() })
            .collect();
        Ok(resample(&worlds, self.worlds, &mut stream))
    }

    /// What each action comes to in the mean over the worlds, if the network plays on for everybody.
    fn expected_points(
        &mut self,
        obs: &Observation,
        worlds: &[World],
        actions: &[(Action, f32)],
    ) -> Result<Vec<f32>, BotError> {
        let groups: Vec<&[World]> = worlds.chunks(GROUP).collect();
        let sums = self.in_each(&groups, |group, network, solver| {
            let start = |(world, action): (&World, Action)| {
                let mut state = world.state;
                // Only what hides in a world can forbid an action; it says nothing then.
                let points = state.apply(action).is_err().then(BySeat::default);
                Line { state, points }
            };
            let all =
                group.iter().flat_map(|w| actions.iter().map(move |&(action, _)| (w, action)));
            let mut lines: Vec<Line> = all.map(start).collect();
            play_on(network, &mut lines, obs, solver);
            let mut sums = vec![0.0; actions.len()];
            for (world, lines) in group.iter().zip(lines.chunks(actions.len())) {
                for (sum, line) in sums.iter_mut().zip(lines) {
                    let points = line.points.unwrap_or_default();
                    let rules = obs.state().rules();
                    *sum += world.weight * utility(rules, obs.totals(), &points, obs.seat());
                }
            }
            sums
        })?;
        let total: f32 = worlds.iter().map(|world| world.weight).sum();
        let of = |at: usize| sums.iter().map(|group| group[at]).sum::<f32>() / total;
        Ok((0..actions.len()).map(of).collect())
    }

    /// What `work` finds in each group, in their order, by as many threads as this work may use.
    fn in_each<T: Sync, R: Send>(
        &mut self,
        groups: &[T],
        work: impl Fn(&T, &mut NetworkBot, &mut Solver) -> R + Sync,
    ) -> Result<Vec<R>, BotError> {
        let threads = threads().min(groups.len()).max(1);
        while self.solvers.len() < threads {
            self.solvers.push(Solver::new(MEMORY));
        }
        let (current, mut solvers) = (Current::get(), std::mem::take(&mut self.solvers));
        let found = solve_each(groups, &mut solvers[..threads], |group, solver| {
            current.check()?;
            Ok(work(group, &mut self.network(), solver))
        });
        self.solvers = solvers;
        found.into_iter().collect()
    }
}

/// Logarithm of the probability that the network does what the others did, were this the deal.
fn likelihood(network: &mut NetworkBot, obs: &Observation, deal: &Deal, world: &State) -> f32 {
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
        log += ((1.0 - OTHERWISE) * of + OTHERWISE / policy.len() as f32).ln();
    });
    log
}

/// Plays lines on, everybody by the network, until the last tricks, which are solved.
fn play_on(network: &mut NetworkBot, lines: &mut [Line], obs: &Observation, solver: &mut Solver) {
    let mut open: Vec<usize> = (0..lines.len()).collect();
    let mut seen: Vec<Observation> = Vec::new();
    let mut actions: Vec<Action> = Vec::new();
    loop {
        open.retain(|&i| lines[i].points.is_none() && lines[i].go_on(solver));
        if open.is_empty() {
            return;
        }
        seen.clear();
        let states = open.iter().map(|&i| &lines[i].state);
        seen.extend(states.map(|state| state.observe(state.turn(), *obs.totals())));
        actions.clear();
        network.evaluate(&seen, |at, evaluation| {
            actions.push(likeliest(seen[at].legal_actions(), evaluation.logits));
        });
        for (&i, &action) in open.iter().zip(&actions) {
            lines[i].state.apply_unchecked(action);
        }
    }
}

impl Line {
    /// Plays what there is no choice about; false once the points are known.
    fn go_on(&mut self, solver: &mut Solver) -> bool {
        let state = &mut self.state;
        loop {
            if state.is_done() {
                self.points = Some(state.scores().unwrap_or_default());
                return false;
            }
            if state.phase() == Phase::Play
                && state.trick().is_empty()
                && state.hands()[state.turn()].len() <= SOLVE
                && let Some(contract) = state.contract().copied()
            {
                self.points = Some(solved_points(state, &contract, solver));
                return false;
            }
            let legal = state.legal_actions();
            match legal.into_iter().next() {
                Some(only) if legal.len() == 1 => state.apply_unchecked(only),
                _ => return true,
            }
        }
    }
}

deterministic_bot!(Lookahead, |bot: &mut Lookahead, observation: &Observation| bot
    .choose(observation));
