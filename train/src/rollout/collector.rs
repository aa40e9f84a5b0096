//! The recorder that turns the learner's decisions into samples.

use troel_agents::driver::{Batch, Recorder, Table};
use troel_agents::{Bot, BotError, Decision, Detail, decide};
use troel_env::rng::{Purpose, Stream};
use troel_env::{Action, ActionSet, BySeat, Observation, Phase, Session, sure_calls_without_solos};
use troel_nn::Input;
use troel_solver::Solver;

use super::open::Role;
use super::plan::{Baselines, LEARNER, Learner, Plan};
use super::summary::Rollout;
use crate::advantage::{self, Step};
use crate::baseline::{Baseline, FullCritic, NoBaseline, RolloutBaseline, ValueHead, others};
use crate::defence;
use crate::sample::Sample;
use crate::vine::Vine;

/// Memory of the solver that teaches, in bytes.
const SOLVER_MEMORY: usize = 8 << 20;

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
pub(super) struct Collector<'a> {
    plan: &'a Plan<'a>,
    baseline: Box<dyn Baseline>,
    anchor: Option<Box<dyn Bot>>,
    /// Whether the last fault was the anchor's.
    pub anchor_failed: bool,
    /// The teacher of misère defence.
    solver: Option<Solver>,
    roles: Vec<Role>,
    /// Decisions with calls to try.
    pub vines: Vec<Vine>,
    /// Draws the decisions.
    pub vine_stream: Stream,
    /// By table: the samples of its current deal.
    pending: Vec<Vec<Pending>>,
    pub rollout: Rollout,
}

impl<'a> Collector<'a> {
    /// Returns a collector without samples, for tables with these roles. Draws depend on `seed` and
    /// on `counter`, the number of the chunk within the run.
    pub(super) fn new(
        plan: &'a Plan<'a>,
        roles: Vec<Role>,
        seed: u64,
        counter: u64,
    ) -> Collector<'a> {
        let baseline: Box<dyn Baseline> = match (plan.learner, plan.baselines) {
            (Learner::Bot(_), _) => Box::new(NoBaseline),
            (_, Baselines::Bot(entry)) => {
                Box::new(RolloutBaseline::new(entry.clone(), seed, plan.reward, plan.reward_scale))
            }
            (_, Baselines::FullCritic(critic)) => Box::new(FullCritic::new(critic.clone())),
            (_, Baselines::ValueHead) => Box::new(ValueHead { reward_scale: plan.reward_scale }),
        };
        let pending = roles.iter().map(|_| Vec::new()).collect();
        let rollout = Rollout::default();
        let anchor = plan.anchor.map(|entry| entry.instantiate(seed));
        let anchor_failed = false;
        let solver = plan.defence_nodes.map(|_| Solver::new(SOLVER_MEMORY));
        let (vines, vine_stream) = (Vec::new(), Stream::new(plan.seed, Purpose::Vine, counter));
        Collector {
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
        }
    }

    /// Draws whether the calls of a decision are tried.
    fn has_vine(&mut self, observation: &Observation, table: usize) -> bool {
        let shares = self.plan.vine;
        let is_scenario = self.roles[table].is_scenario;
        let share = if is_scenario { shares.scenarios } else { shares.ordinary };
        let is_auction = observation.state().phase() == Phase::Auction;
        share > 0.0 && is_auction && self.vine_stream.unit() < share
    }

    /// Asks the anchor for its calls at these observations. A call is `None` outside the auction
    /// and the choice of trumps, and without an anchor.
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
            let taught = if has_lesson {
                sure_calls_without_solos(observation).into_iter().collect()
            } else {
                ActionSet::EMPTY
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
                // Certain results need not be learnt from the noise of outcomes.
                for_policy: taught.is_empty(),
                for_value: true,
            });
        }
        Ok(())
    }

    fn deal_over(&mut self, table: usize, Table { session, .. }: &Table) {
        let Some(rewards) = self.plan.reward.of_deal(session) else { return };
        let rewards = BySeat::from_fn(|s| rewards[s] / self.plan.reward_scale);
        let samples = &mut self.rollout.samples;
        if let (Some(nodes), Some(solver)) = (self.plan.defence_nodes, &mut self.solver) {
            for (number, cards) in defence::lessons(session.state(), solver, nodes) {
                let decision = self.pending[table].iter().find(|p| p.number == number);
                if let Some(&Pending { at, .. }) = decision {
                    samples[at].taught = ActionSet::from_cards(cards);
                    // Lessons of the solver need not be learnt from the noise of outcomes.
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
        let summary =
            if role.is_scenario { &mut self.rollout.scenarios } else { &mut self.rollout.ordinary };
        summary.add(session.state(), role.recorded);
    }
}
