//! The recorder that turns the learner's decisions into samples.

use troel_agents::driver::{Batch, BotTable, DriverError, Recorder};
use troel_agents::{Bot, BotError, Decision, DecisionDetail, best_lone_bids, decide};
use troel_env::rng::{Purpose, Stream};
use troel_env::{
    Action, ActionSet, BySeat, CardSet, Observation, Phase, Session, sure_calls_worth_bidding,
};
use troel_nn::NetworkInput;
use troel_solver::Solver;

use super::advantage::{self, DecisionWithBaseline};
use super::baseline::{Baseline, FullCritic, NoBaseline, RolloutBaseline, ValueHead, hidden_hands};
use super::defence;
use super::open::RecordingSettings;
use super::settings::{
    AdvantageSettings, BaselineSource, CollectSettings, LEARNER, RecordedPlayer,
};
use super::summary::{DealSummary, Rollout};
use super::vine::{self, Vine};
use crate::error::{CollectError, FailedBatch};
use crate::sample::{RecordedDecision, Sample, Targets};

/// Memory of the solver that teaches misère defence, in bytes.
const SOLVER_MEMORY: usize = 8 << 20;

/// A decision of a deal that is not over.
struct Pending {
    /// Its index in [`Collector::decisions`].
    index: usize,
    /// Its number in the history of the deal.
    number_in_deal: usize,
    /// Baseline of its advantage.
    baseline: f32,
    /// Call of the anchor, if it was asked.
    anchor: Option<Action>,
    /// Bids to teach; may be empty.
    taught_bids: ActionSet,
}

/// Records the learner's decisions, and adds their targets once their deal is over.
pub(super) struct Collector<'a> {
    settings: &'a CollectSettings<'a>,
    /// Number of the chunk of tables within the iteration.
    chunk: u64,
    baseline: Box<dyn Baseline>,
    anchor: Option<Box<dyn Bot>>,
    /// The teacher of misère defence.
    solver: Option<Solver>,
    recordings: Vec<RecordingSettings>,
    /// Decisions with calls to try.
    vines: Vec<Vine>,
    /// Draws the decisions with vines, and the calls to try.
    vine_stream: Stream,
    /// Draws the decisions whose bids are judged by rollouts, and the worlds of these.
    bid_stream: Stream,
    /// Decisions of the current deal, by table.
    pending: Vec<Vec<Pending>>,
    /// All decisions, in order.
    decisions: Vec<RecordedDecision>,
    /// Targets of the decisions; `None` while the deal is not over.
    targets: Vec<Option<Targets>>,
    ordinary: DealSummary,
    scenarios: DealSummary,
}

impl<'a> Collector<'a> {
    /// Returns a collector without decisions, for the tables of a chunk: one recording each. The
    /// draws of its bots depend on `bot_seed`, those of vines on the chunk.
    pub(super) fn new(
        settings: &'a CollectSettings<'a>,
        chunk: u64,
        recordings: Vec<RecordingSettings>,
        bot_seed: u64,
    ) -> Collector<'a> {
        let AdvantageSettings { reward, reward_scale, baselines, .. } = settings.advantages;
        let baseline: Box<dyn Baseline> = match (settings.tables.recorded_player, baselines) {
            (RecordedPlayer::Teacher(_), _) => Box::new(NoBaseline),
            (_, BaselineSource::Bot(bot)) => {
                Box::new(RolloutBaseline::new(bot.clone(), bot_seed, reward, reward_scale))
            }
            (_, BaselineSource::FullCritic(critic)) => Box::new(FullCritic::new(critic.clone())),
            (_, BaselineSource::ValueHead) => Box::new(ValueHead { reward_scale }),
        };
        let counter = settings.chunk_in_run(chunk);
        let stream = |purpose| Stream::new(settings.deals.seed, purpose, counter);
        Collector {
            settings,
            chunk,
            baseline,
            anchor: settings.lessons.anchor.map(|bot| bot.instantiate(bot_seed)),
            solver: settings.lessons.defence_nodes.map(|_| Solver::new(SOLVER_MEMORY)),
            pending: recordings.iter().map(|_| Vec::new()).collect(),
            recordings,
            vines: Vec::new(),
            vine_stream: stream(Purpose::Vine),
            bid_stream: stream(Purpose::BidLesson),
            decisions: Vec::new(),
            targets: Vec::new(),
            ordinary: DealSummary::default(),
            scenarios: DealSummary::default(),
        }
    }

    /// Plays the vines with the bots of the tables, and returns the rollout.
    ///
    /// # Errors
    /// A bot failed.
    pub(super) fn finish(mut self, bots: &mut [Box<dyn Bot + '_>]) -> Result<Rollout, DriverError> {
        let AdvantageSettings { reward, reward_scale, .. } = self.settings.advantages;
        let tried = vine::grow(self.vines, bots, reward, reward_scale, &mut self.vine_stream)?;
        for (index, call) in tried {
            self.targets[index].as_mut().expect("all deals are over").vine.push(call);
        }
        let sample = |(decision, targets): (RecordedDecision, Option<Targets>)| Sample {
            decision,
            targets: targets.expect("all deals are over"),
        };
        let samples = self.decisions.into_iter().zip(self.targets).map(sample).collect();
        Ok(Rollout { samples, ordinary: self.ordinary, scenarios: self.scenarios })
    }

    /// Draws whether the calls of a decision are tried.
    fn has_vine(&mut self, obs: &Observation, table: usize) -> bool {
        let Some(vine) = self.settings.lessons.vine else { return false };
        let is_scenario = self.recordings[table].is_scenario;
        let share = if is_scenario { vine.scenario_share } else { vine.share };
        let is_auction = obs.public().phase() == Phase::Auction;
        share > 0.0 && is_auction && self.vine_stream.unit() < share
    }

    /// Returns the bids to teach at a decision of the auction. They are those that are sure, or
    /// else those that rollouts find best, at a share of the decisions.
    fn taught_bids(&mut self, obs: &Observation) -> Result<ActionSet, BotError> {
        let is_auction = obs.public().phase() == Phase::Auction;
        let Some(lessons) = self.settings.lessons.bids.filter(|_| is_auction) else {
            return Ok(ActionSet::EMPTY);
        };
        let mut bids = sure_calls_worth_bidding(obs);
        if bids.is_empty() && lessons.worlds > 0 && self.bid_stream.unit() < lessons.share {
            bids = best_lone_bids(obs, lessons.worlds as usize, &mut self.bid_stream)?;
        }
        Ok(bids.into_iter().collect())
    }

    /// Returns the baselines of the decisions in these rows of a batch.
    fn estimate_baselines(
        &mut self,
        batch: &Batch<'_>,
        rows: &[usize],
    ) -> Result<Vec<f32>, CollectError> {
        let name = match self.settings.advantages.baselines {
            BaselineSource::Bot(bot) => bot.name(),
            _ => "the baseline",
        };
        let decisions: Vec<(&Session, &Decision)> = rows
            .iter()
            .map(|&row| (&batch.games[batch.game_indices[row]].session, &batch.decisions[row]))
            .collect();
        let estimates = self.baseline.estimate(&decisions);
        estimates.map_err(|error| batch_error(name, self.chunk, batch, rows, error))
    }

    /// Asks the anchor for its calls in these rows of a batch. A call is `None` outside the auction
    /// and the choice of trumps, and without an anchor.
    fn ask_anchor(
        &mut self,
        batch: &Batch<'_>,
        rows: &[usize],
    ) -> Result<Vec<Option<Action>>, CollectError> {
        let mut calls = vec![None; rows.len()];
        let (Some(anchor), Some(named)) = (&mut self.anchor, self.settings.lessons.anchor) else {
            return Ok(calls);
        };
        let is_asked = |&i: &usize| batch.observations[rows[i]].public().phase().is_bidding();
        let asked: Vec<usize> = (0..rows.len()).filter(is_asked).collect();
        if asked.is_empty() {
            return Ok(calls);
        }
        let observations: Vec<Observation> =
            asked.iter().map(|&i| batch.observations[rows[i]]).collect();
        let decisions =
            decide(anchor.as_mut(), &observations, DecisionDetail::Action).map_err(|error| {
                let rows: Vec<usize> = asked.iter().map(|&i| rows[i]).collect();
                batch_error(named.name(), self.chunk, batch, &rows, error)
            })?;
        for (i, decision) in asked.into_iter().zip(decisions) {
            calls[i] = Some(decision.action);
        }
        Ok(calls)
    }

    /// Returns the cards that the solver teaches in a finished deal. They come with the numbers of
    /// the decisions in its history.
    fn defence_lessons(&mut self, session: &Session) -> Vec<(usize, CardSet)> {
        match (self.settings.lessons.defence_nodes, &mut self.solver) {
            (Some(nodes), Some(solver)) => defence::lessons(session.state(), solver, nodes),
            _ => Vec::new(),
        }
    }
}

/// Returns the error of a bot or a lesson at these rows of a batch.
fn batch_error(
    name: &str,
    chunk: u64,
    batch: &Batch<'_>,
    rows: &[usize],
    error: BotError,
) -> CollectError {
    let place = rows.first().map(|&row| FailedBatch {
        chunk,
        table: batch.game_indices[row],
        seat: batch.observations[row].seat(),
        decisions: rows.len(),
    });
    CollectError { name: name.to_string(), place, error }
}

impl Recorder for Collector<'_> {
    type Error = CollectError;

    fn decided(&mut self, batch: &Batch<'_>) -> Result<(), CollectError> {
        if batch.bot != LEARNER {
            return Ok(());
        }
        let is_recorded = |&row: &usize| {
            let table = batch.game_indices[row];
            self.recordings[table].recorded.has(batch.observations[row].seat())
        };
        let rows: Vec<usize> = (0..batch.game_indices.len()).filter(is_recorded).collect();
        let baselines = self.estimate_baselines(batch, &rows)?;
        let anchors = self.ask_anchor(batch, &rows)?;
        for ((row, baseline), anchor) in rows.into_iter().zip(baselines).zip(anchors) {
            let (obs, decision) = (&batch.observations[row], &batch.decisions[row]);
            let table = batch.game_indices[row];
            let BotTable { session, seating } = &batch.games[table];
            let index = self.decisions.len();
            if self.has_vine(obs, table) {
                let session = session.ending_with_deal();
                let chosen = decision.action;
                self.vines.push(Vine { index, session, seating: *seating, chosen });
            }
            let taught_bids = self
                .taught_bids(obs)
                .map_err(|error| batch_error("[bid_lessons]", self.chunk, batch, &[row], error))?;
            let number_in_deal = session.state().history().len();
            let pending = Pending { index, number_in_deal, baseline, anchor, taught_bids };
            self.pending[table].push(pending);
            // A teacher may have no values, and imitation does not use them.
            let value = decision.value.unwrap_or(0.0) / self.settings.advantages.reward_scale;
            self.decisions.push(RecordedDecision {
                input: NetworkInput::from(obs),
                hidden_hands: hidden_hands(session.state().hands(), obs.seat()),
                seat: obs.seat(),
                contract: session.state().contract().map(|contract| contract.kind),
                action: decision.action,
                log_prob: decision.log_prob,
                value,
            });
            self.targets.push(None);
        }
        Ok(())
    }

    fn deal_over(&mut self, table: usize, BotTable { session, .. }: &BotTable) {
        let AdvantageSettings { reward, reward_scale, gae_lambda, .. } = self.settings.advantages;
        let rewards = reward.of_deal(session).expect("the deal is over");
        let rewards = BySeat::from_fn(|s| rewards[s] / reward_scale);
        let lessons = self.defence_lessons(session);
        let pending = std::mem::take(&mut self.pending[table]);
        let seat_of = |p: &Pending| self.decisions[p.index].seat;
        let decision =
            |p: &Pending| DecisionWithBaseline { seat: seat_of(p), baseline: p.baseline };
        let decisions: Vec<DecisionWithBaseline> = pending.iter().map(decision).collect();
        let target = self.baseline.value_target();
        let estimates = advantage::estimate(&decisions, &rewards, gae_lambda, target);
        for (pending, estimate) in pending.into_iter().zip(estimates) {
            let lesson = lessons.iter().find(|(number, _)| *number == pending.number_in_deal);
            let taught =
                lesson.map_or(pending.taught_bids, |&(_, cards)| ActionSet::from_cards(cards));
            self.targets[pending.index] = Some(Targets {
                advantage: estimate.advantage,
                value_target: estimate.value_target,
                deal_return: rewards[seat_of(&pending)],
                anchor: pending.anchor,
                taught,
                vine: Vec::new(),
                // Taught decisions have no policy gradient: the return of one deal is noisier than
                // a lesson. A lesson without cards counts too. Either all cards do equally well, or
                // the solver gave up in an ending, where the learner does not explore.
                for_policy: lesson.is_none() && taught.is_empty(),
                for_value: true,
            });
        }
        let recording = &self.recordings[table];
        let summary = if recording.is_scenario { &mut self.scenarios } else { &mut self.ordinary };
        summary.add(session.state(), recording.recorded);
    }
}
