//! Collection of training samples: a recorder of the driver that turns the learner's decisions into samples.

mod open;
mod summary;

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use troel_agents::driver::{self, Batch, DriverError, Recorder, Table};
use troel_agents::network::{Choice, Evaluator};
use troel_agents::{Bot, BotError, Decision, Detail, Entry, NetworkBot, decide};
use troel_env::rng::{Purpose, Stream};
use troel_env::rules::DealMethod;
use troel_env::{
    Action, ActionSet, BySeat, Observation, Phase, Reward, RuleSet, Scenario, Session, State,
    sure_calls_without_solos,
};
use troel_nn::{ForwardCritic, Input};
use troel_solver::Solver;

use crate::advantage::{self, Step};
use crate::baseline::{Baseline, FullCritic, NoBaseline, PlayOn, ValueHead, others};
use crate::defence;
pub use crate::error::CollectError;
use crate::house_rules::HouseRules;
use crate::reward::rewards;
use crate::sample::Sample;
use crate::vine::{self, Vine};

use open::{Role, open_table};
pub use summary::Summary;

/// A kind of table: how many seats learn, against which opponents.
#[derive(Clone, Debug)]
pub struct TableKind {
    /// Relative frequency among the kinds.
    pub weight: f32,
    /// Number of learning seats.
    pub learners: u32,
    /// Bots for the other seats, as indices into [`Plan::opponents`]; one is drawn for each table and takes all of
    /// them. Empty: all four seats learn.
    pub opponents: Vec<usize>,
}

/// Shares of the learner's decisions in the auction at which all plausible calls are tried
/// ([`crate::vine`]), 0 to 1.
#[derive(Clone, Copy, Debug, Default)]
pub struct VineShares {
    /// Of the decisions at ordinary tables.
    pub ordinary: f32,
    /// Of the decisions at scenario tables.
    pub scenarios: f32,
}

/// Settings of a collection.
pub struct Plan<'a> {
    /// Rule set.
    pub rules: &'static RuleSet,
    /// Rule sets that tables draw theirs from, instead of `rules`.
    pub house_rules: Option<&'a HouseRules>,
    /// Master seed.
    pub seed: u64,
    /// Number of the iteration; deals and random draws depend on it.
    pub iteration: u64,
    /// Number of deals.
    pub deals: u64,
    /// Consecutive deals at one table where the deck is gathered, elsewhere a table plays one deal; where tables draw their rules, so many
    /// deals are under the same ones.
    pub series: u64,
    /// The learner: a network to sample from, or a bot to imitate.
    pub learner: Learner<'a>,
    /// Kinds of tables. Empty: all four seats learn at each.
    pub kinds: &'a [TableKind],
    /// Bots that the kinds refer to by index.
    pub opponents: &'a [Entry],
    /// Scenarios, with their shares of the tables; the other tables play ordinary deals.
    pub scenarios: &'a [(Scenario, f32)],
    /// Share of the tables that start at random match totals instead of zeros, 0 to 1.
    pub random_totals: f32,
    /// Which reward the seats get.
    pub reward: Reward,
    /// Points that make up one unit of reward.
    pub reward_scale: f32,
    /// λ of generalised advantage estimation, 0 to 1.
    pub gae_lambda: f32,
    /// What advantages are measured against.
    pub baselines: Baselines<'a>,
    /// Where all plausible calls are tried.
    pub vine: VineShares,
    /// A bot that is asked what it would call in the learner's place, in the auction and the choice of trumps.
    pub anchor: Option<&'a Entry>,
    /// Positions that the solver may look at for a card, if it teaches the defence of open misères ([`crate::defence`]).
    pub defence_nodes: Option<u64>,
    /// Whether calls that a hand is certain to make are taught ([`sure_calls_without_solos`]).
    pub sure_calls: bool,
    /// Positions to start from, drawn at random, instead of fresh deals; at each the seat to act learns and the first
    /// opponent plays the other seats. Empty: fresh deals.
    pub positions: &'a [State],
    /// Once it is set, tables that are not open yet are left out.
    pub stop: Option<&'a AtomicBool>,
}

impl<'a> Plan<'a> {
    /// Self-play of a network in all four seats on fresh deals: seed 1, reward in tens of points, λ 0.95, no scenarios
    /// and no random match totals.
    pub fn self_play(
        rules: &'static RuleSet,
        evaluator: &'a Evaluator,
        iteration: u64,
        deals: u64,
    ) -> Plan<'a> {
        Plan {
            rules,
            house_rules: None,
            seed: 1,
            iteration,
            deals,
            series: 1,
            learner: Learner::Network(evaluator),
            kinds: &[],
            opponents: &[],
            scenarios: &[],
            random_totals: 0.0,
            reward: Reward::Points,
            reward_scale: 10.0,
            gae_lambda: 0.95,
            baselines: Baselines::ValueHead,
            vine: VineShares::default(),
            anchor: None,
            defence_nodes: None,
            sure_calls: false,
            positions: &[],
            stop: None,
        }
    }
}

/// What advantages are measured against; see [`crate::baseline`].
#[derive(Clone, Copy)]
pub enum Baselines<'a> {
    /// The learner's value head.
    ValueHead,
    /// A bot that plays deals on.
    PlayOn(&'a Entry),
    /// A critic that sees all four hands.
    FullCritic(&'a Arc<ForwardCritic>),
}

/// What makes the recorded decisions.
#[derive(Clone, Copy)]
pub enum Learner<'a> {
    /// A network, whose policy is sampled from.
    Network(&'a Evaluator),
    /// A bot to imitate.
    Bot(&'a Entry),
}

/// Result of a collection.
#[derive(Default, Serialize, Deserialize)]
pub struct Rollout {
    /// Samples, chunk by chunk of tables, in the order of the decisions.
    pub samples: Vec<Sample>,
    /// Summary of the ordinary deals.
    pub ordinary: Summary,
    /// Summary of the scenario deals.
    pub scenarios: Summary,
}

/// Tables per parallel task, about. Fixed, so that results do not depend on the number of threads.
const CHUNK: u64 = 128;

/// Tables per parallel task where the network runs on a device other than the CPU, which needs large batches.
const DEVICE_CHUNK: u64 = 4096;

/// Memory of the solver that teaches, in bytes.
const SOLVER_MEMORY: usize = 8 << 20;

/// Index of the learner among the bots of a chunk; the opponents follow.
const LEARNER: usize = 0;

impl Plan<'_> {
    /// Consecutive deals under one rule set, which one table plays if the deck is gathered, and each a table of its own if not.
    fn deals_of_group(&self) -> u64 {
        let is_gathered = self.rules.spec().deal == DealMethod::Gather;
        if is_gathered || self.house_rules.is_some() { self.series } else { 1 }
    }

    fn groups(&self) -> u64 {
        self.deals.div_ceil(self.deals_of_group())
    }

    fn groups_of_chunk(&self) -> u64 {
        let tables = match self.learner {
            Learner::Network(evaluator) if evaluator.wants_large_batches() => DEVICE_CHUNK,
            _ => CHUNK,
        };
        // Most groups of drawn rules are as many tables as deals.
        let tables_of_group = if self.house_rules.is_some() { self.series } else { 1 };
        tables.div_ceil(tables_of_group)
    }

    /// Number of parallel tasks.
    pub(crate) fn chunks(&self) -> u64 {
        self.groups().div_ceil(self.groups_of_chunk())
    }

    /// The bot at fault. `by_anchor` says whether the recorder stopped because of the anchor.
    fn blame(&self, stopped: DriverError, by_anchor: bool) -> CollectError {
        let learner = || match self.learner {
            Learner::Network(_) => "the learner".to_string(),
            Learner::Bot(entry) => entry.name().to_string(),
        };
        let (name, error) = match stopped {
            DriverError::Bot { bot, error } => {
                let opponent = bot.checked_sub(LEARNER + 1).and_then(|i| self.opponents.get(i));
                (opponent.map_or_else(learner, |entry| entry.name().to_string()), error)
            }
            DriverError::Recorder(error) => match (self.baselines, self.anchor) {
                (_, Some(entry)) if by_anchor => (entry.name().to_string(), error),
                (Baselines::PlayOn(entry), _) => (entry.name().to_string(), error),
                _ => (learner(), error),
            },
        };
        CollectError { name, error }
    }
}

/// Collects a rollout on all threads of the current pool; the result does not depend on their number.
///
/// # Errors
/// A bot failed.
pub fn collect(plan: &Plan<'_>) -> Result<Rollout, CollectError> {
    collect_chunks(plan, 0..plan.chunks()).map(Chunks::merged)
}

/// Some chunks of a rollout; all together are the rollout.
#[derive(Default, Serialize, Deserialize)]
pub(crate) struct Chunks {
    /// By number.
    parts: Vec<(u64, Rollout)>,
    /// Threads that collected them.
    pub threads: usize,
    /// Mean seconds of a thread for a whole chunk; NaN without any. A smaller one says little, as batches of any size have their cost.
    pub seconds_of_one: f64,
}

impl Chunks {
    /// Adds chunks of another process.
    pub fn add(&mut self, others: Chunks) {
        self.parts.extend(others.parts);
    }

    /// The rollout of these chunks, in the order of their numbers.
    pub fn merged(mut self) -> Rollout {
        self.parts.sort_by_key(|&(number, _)| number);
        let mut rollout = Rollout::default();
        for (_, part) in self.parts {
            rollout.samples.extend(part.samples);
            rollout.ordinary.merge(&part.ordinary);
            rollout.scenarios.merge(&part.scenarios);
        }
        rollout
    }
}

/// The part of a rollout that one of several processes collects: the chunks of these numbers.
///
/// # Errors
/// A bot failed.
pub(crate) fn collect_chunks(plan: &Plan<'_>, numbers: Range<u64>) -> Result<Chunks, CollectError> {
    let (groups, chunk) = (plan.groups(), plan.groups_of_chunk());
    let of = |number: u64| number * chunk..(number * chunk + chunk).min(groups);
    let collect = |number| {
        if plan.stop.is_some_and(|stop| stop.load(Ordering::Relaxed)) {
            return Ok((number, Rollout::default(), 0.0));
        }
        let start = Instant::now();
        let rollout = collect_chunk(plan, number, of(number))?;
        Ok((number, rollout, start.elapsed().as_secs_f64()))
    };
    let collected: Vec<_> =
        numbers.clone().into_par_iter().map(collect).collect::<Result<_, CollectError>>()?;
    let is_whole = |&(number, _, _): &(u64, Rollout, f64)| of(number).count() as u64 == chunk;
    let times: Vec<f64> =
        collected.iter().filter(|one| is_whole(one)).map(|&(_, _, seconds)| seconds).collect();
    Ok(Chunks {
        threads: rayon::current_num_threads(),
        seconds_of_one: times.iter().sum::<f64>() / times.len() as f64,
        parts: collected.into_iter().map(|(number, rollout, _)| (number, rollout)).collect(),
    })
}

fn collect_chunk(
    plan: &Plan<'_>,
    number: u64,
    groups: Range<u64>,
) -> Result<Rollout, CollectError> {
    // More chunks than an iteration can have: no two streams of a run coincide.
    let counter = plan.iteration << 24 | number;
    let mut stream = Stream::new(plan.seed, Purpose::Opponent, counter);
    let (mut tables, mut roles) = (Vec::new(), Vec::new());
    let deals = plan.deals_of_group();
    for group in groups {
        let first = (plan.iteration * plan.groups() + group) * deals;
        let rules = plan.house_rules.map_or(plan.rules, |house| house.draw(&mut stream));
        let series = if rules.spec().deal == DealMethod::Gather { deals } else { 1 };
        for first in (first..first + deals).step_by(series as usize) {
            let (table, role) = open_table(plan, rules, first, series, &mut stream);
            tables.push(table);
            roles.push(role);
        }
    }
    let seed = stream.bits();
    let learner: Box<dyn Bot> = match plan.learner {
        Learner::Network(evaluator) => {
            let stream = Stream::new(plan.seed, Purpose::Action, counter);
            let choice = match plan.defence_nodes {
                Some(_) => Choice::DrawnUnless(stream, defence::is_ending),
                None => Choice::Drawn(stream),
            };
            Box::new(NetworkBot::new(evaluator.clone(), choice, plan.reward_scale))
        }
        Learner::Bot(entry) => entry.seat(seed),
    };
    let mut bots = vec![learner];
    bots.extend(plan.opponents.iter().map(|entry| entry.seat(seed)));
    let baseline: Box<dyn Baseline> = match (plan.learner, plan.baselines) {
        (Learner::Bot(_), _) => Box::new(NoBaseline),
        (_, Baselines::PlayOn(entry)) => {
            Box::new(PlayOn::new(entry.clone(), seed, plan.reward_scale))
        }
        (_, Baselines::FullCritic(critic)) => Box::new(FullCritic::new(critic.clone())),
        (_, Baselines::ValueHead) => Box::new(ValueHead { reward_scale: plan.reward_scale }),
    };
    let pending = tables.iter().map(|_| Vec::new()).collect();
    let rollout = Rollout::default();
    let anchor = plan.anchor.map(|entry| entry.seat(seed));
    let anchor_failed = false;
    let solver = plan.defence_nodes.map(|_| Solver::new(SOLVER_MEMORY));
    let (vines, vine_stream) = (Vec::new(), Stream::new(plan.seed, Purpose::Vine, counter));
    let mut collector = Collector {
        plan,
        baseline,
        anchor,
        anchor_failed,
        solver,
        roles,
        pending,
        vines,
        vine_stream,
        rollout,
    };
    let played = driver::run(&mut tables, &mut bots, &mut collector);
    played.map_err(|stopped| plan.blame(stopped, collector.anchor_failed))?;
    let Collector { vines, mut vine_stream, mut rollout, .. } = collector;
    let scale = plan.reward_scale;
    vine::grow(vines, &mut rollout.samples, &mut bots, scale, &mut vine_stream)
        .map_err(|stopped| plan.blame(stopped, false))?;
    Ok(rollout)
}

/// A sample of a deal that is not over.
struct Pending {
    /// Its index.
    at: usize,
    /// Baseline of the decision.
    baseline: f32,
    /// Number of the decision in the history of the deal.
    number: usize,
}

/// Records the learner's decisions, and completes the samples once their deal is over.
struct Collector<'a> {
    plan: &'a Plan<'a>,
    baseline: Box<dyn Baseline>,
    anchor: Option<Box<dyn Bot>>,
    /// Whether the last fault was the anchor's.
    anchor_failed: bool,
    /// The teacher of misère defence.
    solver: Option<Solver>,
    roles: Vec<Role>,
    /// Decisions whose calls are to be tried.
    vines: Vec<Vine>,
    /// Draws the decisions.
    vine_stream: Stream,
    /// By table: the samples of its current deal.
    pending: Vec<Vec<Pending>>,
    rollout: Rollout,
}

impl Collector<'_> {
    /// Draws whether the calls of a decision are tried.
    fn has_vine(&mut self, observation: &Observation, table: usize) -> bool {
        let shares = self.plan.vine;
        let is_scenario = self.roles[table].is_scenario;
        let share = if is_scenario { shares.scenarios } else { shares.ordinary };
        let is_auction = observation.state().phase() == Phase::Auction;
        share > 0.0 && is_auction && self.vine_stream.unit() < share
    }

    /// What the anchor would call at these observations; `None` outside the auction and the choice of trumps, and without
    /// an anchor.
    fn ask_anchor(
        &mut self,
        rows: &[usize],
        observations: &[Observation],
    ) -> Result<Vec<Option<Action>>, BotError> {
        let mut answers = vec![None; rows.len()];
        let Some(anchor) = &mut self.anchor else { return Ok(answers) };
        let is_call = |&at: &usize| observations[rows[at]].state().phase().is_bidding();
        let calls: Vec<usize> = (0..rows.len()).filter(is_call).collect();
        if calls.is_empty() {
            return Ok(answers);
        }
        let asked: Vec<Observation> = calls.iter().map(|&at| observations[rows[at]]).collect();
        let decisions = decide(anchor.as_mut(), &asked, Detail::Action);
        self.anchor_failed = decisions.is_err();
        let decisions = decisions?;
        for (at, decision) in calls.into_iter().zip(decisions) {
            answers[at] = Some(decision.action);
        }
        Ok(answers)
    }
}

impl Recorder for Collector<'_> {
    fn decided(&mut self, batch: &Batch<'_>) -> Result<(), BotError> {
        if batch.bot != LEARNER {
            return Ok(());
        }
        let is_recorded = |&row: &usize| {
            let table = batch.at[row];
            self.roles[table].recorded.has(batch.observations[row].seat())
        };
        let rows: Vec<usize> = (0..batch.at.len()).filter(is_recorded).collect();
        let decisions: Vec<(&Session, &Decision)> = rows
            .iter()
            .map(|&row| (&batch.games[batch.at[row]].session, &batch.decisions[row]))
            .collect();
        let baselines = self.baseline.estimate(&decisions)?;
        let anchors = self.ask_anchor(&rows, batch.observations)?;
        for ((row, baseline), anchor) in rows.into_iter().zip(baselines).zip(anchors) {
            let (observation, decision) = (&batch.observations[row], &batch.decisions[row]);
            let session = &batch.games[batch.at[row]].session;
            let number = session.state().history().len();
            let has_lesson = self.plan.sure_calls && observation.state().phase() == Phase::Auction;
            let taught = match has_lesson {
                true => sure_calls_without_solos(observation).into_iter().collect(),
                false => ActionSet::EMPTY,
            };
            let at = self.rollout.samples.len();
            if self.has_vine(observation, batch.at[row]) {
                let Table { session, seating } = &batch.games[batch.at[row]];
                let (session, seating) = (session.ending_with_deal(), *seating);
                self.vines.push(Vine { at, session, seating });
            }
            self.pending[batch.at[row]].push(Pending { at, baseline, number });
            self.rollout.samples.push(Sample {
                input: Input::from(observation),
                others: others(session.state().hands(), observation.seat()),
                seat: observation.seat(),
                contract: session.state().contract().map(|contract| contract.kind),
                action: decision.action,
                anchor,
                taught,
                vine: Vec::new(),
                log_prob: decision.log_prob,
                value: decision.value.unwrap_or(0.0) / self.plan.reward_scale,
                advantage: 0.0,
                value_target: 0.0,
                outcome: 0.0,
                // What is certain need not be learnt from the noise of outcomes.
                for_policy: taught.is_empty(),
                for_value: true,
            });
        }
        Ok(())
    }

    fn deal_over(&mut self, table: usize, Table { session, .. }: &Table) {
        let Some(rewards) = rewards(session) else { return };
        let rewards = BySeat::from_fn(|s| rewards[s] / self.plan.reward_scale);
        let samples = &mut self.rollout.samples;
        if let (Some(nodes), Some(solver)) = (self.plan.defence_nodes, &mut self.solver) {
            for (number, cards) in defence::lessons(session.state(), solver, nodes) {
                let decision = self.pending[table].iter().find(|p| p.number == number);
                if let Some(&Pending { at, .. }) = decision {
                    samples[at].taught = ActionSet::from_cards(cards);
                    // What the solver knows need not be learnt from the noise of outcomes.
                    samples[at].for_policy = false;
                }
            }
        }
        let step = |p: &Pending| Step { seat: samples[p.at].seat, baseline: p.baseline };
        let steps: Vec<Step> = self.pending[table].iter().map(step).collect();
        let target = self.baseline.value_target();
        let estimates = advantage::estimate(&steps, &rewards, self.plan.gae_lambda, target);
        for (Pending { at, .. }, estimate) in self.pending[table].drain(..).zip(estimates) {
            samples[at].advantage = estimate.advantage;
            samples[at].value_target = estimate.value_target;
            samples[at].outcome = rewards[samples[at].seat];
        }
        let role = &self.roles[table];
        let summary = match role.is_scenario {
            true => &mut self.rollout.scenarios,
            false => &mut self.rollout.ordinary,
        };
        summary.add(session.state(), role.recorded);
    }
}
