//! Collection: tables played to the end, the learner's decisions recorded.

use rayon::prelude::*;
use troel_agents::network::{Evaluator, NetworkAgent, draw};
use troel_agents::{Agent, Entry};
use troel_env::rng::{Purpose, Stream};
use troel_env::rules::DealMethod;
use troel_env::{
    Action, BySeat, ContractKind, Deals, Observation, Reward, RuleSet, Scenario, Seat, State,
};
use troel_eval::table::{dealer, play_on, skip_forced};
use troel_infer::Input;

/// A recorded decision. Forced moves are not decisions.
#[derive(Clone, Debug)]
pub struct Sample {
    /// What the seat knew, and could do.
    pub input: Input,
    /// The seat.
    pub seat: Seat,
    /// What it did.
    pub action: Action,
    /// Log-probability of that when it was done.
    pub log_prob: f32,
    /// Estimate of the value head when it was done.
    pub value: f32,
    /// What the advantage is measured against: that estimate, or the critic bot's.
    pub baseline: f32,
    /// Generalised advantage estimate.
    pub advantage: f32,
    /// Target of the value head.
    pub ret: f32,
}

/// Who sits at a table and learns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seats {
    /// By seat: `None` learns, `Some(i)` is opponent `i`.
    pub opponent: BySeat<Option<usize>>,
}

/// A kind of table, ready to be seated.
pub struct TableKind {
    /// Share among the kinds.
    pub weight: f32,
    /// Number of learning seats.
    pub learners: u32,
    /// The others, as indices into the opponents; one is drawn for each table.
    pub opponents: Vec<usize>,
}

/// What to collect.
pub struct Plan<'a> {
    /// Rule set.
    pub rules: &'static RuleSet,
    /// Master seed.
    pub seed: u64,
    /// Number of this iteration; deals and draws depend on it.
    pub iteration: u64,
    /// Number of deals.
    pub deals: u64,
    /// Deals in a row at one table where the deck is gathered.
    pub series: u64,
    /// The learner: a network to be sampled from, or a bot to be imitated.
    pub learner: Learner<'a>,
    /// Kinds of tables.
    pub kinds: &'a [TableKind],
    /// Bots that the kinds refer to.
    pub opponents: &'a [Entry],
    /// Scenario on deals, with their shares.
    pub suites: &'a [(Scenario, f32)],
    /// What is rewarded.
    pub reward: Reward,
    /// Points that make up one unit of reward.
    pub reward_scale: f32,
    /// λ of the advantage estimate.
    pub gae_lambda: f32,
    /// Estimates values by playing deals on, instead of the value head.
    pub critic: Option<&'a Entry>,
    /// Positions to start from, drawn at random, instead of fresh deals; in each, the seat to
    /// act learns and the first opponent has the other seats. Empty: fresh deals.
    pub positions: &'a [State],
}

impl<'a> Plan<'a> {
    /// Fresh deals that a network plays with itself for points in tens, everything else as recipes have it.
    pub fn self_play(
        rules: &'static RuleSet,
        evaluator: &'a Evaluator,
        iteration: u64,
        deals: u64,
    ) -> Plan<'a> {
        Plan {
            rules,
            seed: 1,
            iteration,
            deals,
            series: 1,
            learner: Learner::Network(evaluator),
            kinds: &[],
            opponents: &[],
            suites: &[],
            reward: Reward::Points,
            reward_scale: 10.0,
            gae_lambda: 0.95,
            critic: None,
            positions: &[],
        }
    }
}

/// Who makes the recorded decisions.
#[derive(Clone, Copy)]
pub enum Learner<'a> {
    /// A network, sampled from.
    Network(&'a Evaluator),
    /// A bot, recorded.
    Bot(&'a Entry),
}

/// What was collected.
#[derive(Default)]
pub struct Rollout {
    /// Decisions, table by table chunk, in the order made.
    pub samples: Vec<Sample>,
    /// What happened in the deals.
    pub summary: Summary,
}

/// What happened in the deals of a rollout, from the learning seats' side.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Summary {
    /// Deals played.
    pub deals: u64,
    /// Deals without a contract.
    pub void: u64,
    /// Contracts played, by kind.
    pub played: [u64; ContractKind::COUNT],
    /// Of those with a learning declarer: number, and number made.
    pub declared: [u64; ContractKind::COUNT],
    /// Contracts with a learning declarer that were made.
    pub made: [u64; ContractKind::COUNT],
    /// Learning seats, and their points in total.
    pub seats: u64,
    /// Points of the learning seats.
    pub points: i64,
}

/// Tables played by one task. Fixed, so that results do not depend on the number of threads.
const CHUNK: u64 = 128;

/// Tables played by one task where the network is on another device, which wants large batches.
const DEVICE_CHUNK: u64 = 4096;

struct Table {
    state: State,
    seats: Seats,
    deals: Deals,
    number: u64,
    left: u64,
}

/// Collects a rollout on all threads of the current pool; the result does not depend on their
/// number.
pub fn collect(plan: &Plan<'_>) -> Rollout {
    let series = if plan.rules.spec().deal == DealMethod::Gather { plan.series } else { 1 };
    let tables = plan.deals.div_ceil(series);
    let chunk = match plan.learner {
        Learner::Network(Evaluator::Device(..)) => DEVICE_CHUNK,
        _ => CHUNK,
    };
    let parts: Vec<Rollout> = (0..tables.div_ceil(chunk))
        .into_par_iter()
        .map(|number| {
            let from = number * chunk;
            Chunk::new(plan, number, from..(from + chunk).min(tables), series).run()
        })
        .collect();
    let mut rollout = Rollout::default();
    for part in parts {
        rollout.samples.extend(part.samples);
        rollout.summary.merge(&part.summary);
    }
    rollout
}

/// One task's tables and agents.
struct Chunk<'a> {
    plan: &'a Plan<'a>,
    stream: Stream,
    tables: Vec<Table>,
    learner: Seated,
    opponents: Vec<Box<dyn Agent>>,
    critic: Option<Box<dyn Agent>>,
    samples: Vec<Sample>,
    summary: Summary,
}

/// The learner at the tables.
enum Seated {
    Network(Box<NetworkAgent>),
    Bot(Box<dyn Agent>),
}

impl<'a> Chunk<'a> {
    fn new(plan: &'a Plan<'a>, number: u64, range: std::ops::Range<u64>, series: u64) -> Chunk<'a> {
        // More chunks than an iteration can have: no two streams of a run coincide.
        let counter = plan.iteration << 24 | number;
        let mut seating = Stream::new(plan.seed, Purpose::Opponent, counter);
        let tables = range.map(|t| {
            let first = (plan.iteration * plan.deals.div_ceil(series) + t) * series;
            let deals = Deals::new(plan.rules, plan.seed)
                .with_scenario(draw_scenario(plan.suites, &mut seating));
            let (state, seats) = if plan.positions.is_empty() {
                let deal = deals.shuffled(first, dealer(first / series));
                (State::new(plan.rules, &deal), draw_seats(plan.kinds, &mut seating))
            } else {
                let state = plan.positions[seating.below(plan.positions.len() as u32) as usize];
                let opponent = |s| if s == state.turn() { None } else { Some(0) };
                (state, Seats { opponent: BySeat::from_fn(opponent) })
            };
            Table { state, seats, deals, number: first, left: series - 1 }
        });
        let tables = tables.collect();
        let agent_seed = seating.bits();
        Chunk {
            plan,
            stream: Stream::new(plan.seed, Purpose::Action, counter),
            tables,
            learner: match plan.learner {
                Learner::Network(evaluator) => {
                    Seated::Network(Box::new(NetworkAgent::new(evaluator.clone(), None)))
                }
                Learner::Bot(entry) => Seated::Bot(entry.seat(agent_seed)),
            },
            opponents: plan.opponents.iter().map(|e| e.seat(agent_seed)).collect(),
            critic: plan.critic.map(|e| e.seat(agent_seed)),
            samples: Vec::new(),
            summary: Summary::default(),
        }
    }

    fn run(mut self) -> Rollout {
        let mut learning: Vec<usize> = Vec::new();
        let mut others: Vec<Vec<usize>> = vec![Vec::new(); self.opponents.len()];
        // Per table: where its samples of the current deal start.
        let mut open: Vec<usize> = (0..self.tables.len()).collect();
        let mut pending: Vec<Vec<usize>> = vec![Vec::new(); self.tables.len()];
        while !open.is_empty() {
            open.retain(|&i| self.advance(i, &mut pending[i]));
            for &i in &open {
                let table = &self.tables[i];
                match table.seats.opponent[table.state.turn()] {
                    None => learning.push(i),
                    Some(opponent) => others[opponent].push(i),
                }
            }
            self.let_learn(&learning, &mut pending);
            learning.clear();
            for (opponent, waiting) in others.iter_mut().enumerate() {
                self.let_opponent(opponent, waiting);
                waiting.clear();
            }
        }
        Rollout { samples: self.samples, summary: self.summary }
    }

    /// Makes forced moves, settles finished deals and deals on; false once the table is done.
    fn advance(&mut self, i: usize, pending: &mut Vec<usize>) -> bool {
        loop {
            let table = &mut self.tables[i];
            skip_forced(&mut table.state);
            if !table.state.is_done() {
                return true;
            }
            self.settle(i, pending);
            let table = &mut self.tables[i];
            if table.left == 0 {
                return false;
            }
            table.left -= 1;
            table.number += 1;
            let moves = !table.state.is_passed_out() || self.plan.rules.spec().void_moves_dealer;
            let dealer = table.state.dealer().plus(usize::from(moves));
            let deal = table.deals.after(table.number, dealer, &table.state);
            table.state = State::new(self.plan.rules, &deal);
        }
    }

    fn let_learn(&mut self, tables: &[usize], pending: &mut [Vec<usize>]) {
        if tables.is_empty() {
            return;
        }
        let inputs: Vec<Input> = tables.iter().map(|&i| self.tables[i].input()).collect();
        let mut decisions = vec![(Action::PASS, 0.0, 0.0); tables.len()];
        match &mut self.learner {
            Seated::Network(agent) => {
                let stream = &mut self.stream;
                agent.evaluate_inputs(&inputs, |row, evaluation| {
                    let (action, log_prob) = draw(inputs[row].legal, evaluation.logits, stream);
                    decisions[row] = (action, log_prob, evaluation.value);
                });
            }
            Seated::Bot(bot) => {
                let observations: Vec<Observation> =
                    tables.iter().map(|&i| observe(&self.tables[i])).collect();
                let mut actions = vec![Action::PASS; tables.len()];
                bot.act(&observations, &mut actions);
                for (decision, action) in decisions.iter_mut().zip(actions) {
                    decision.0 = action;
                }
            }
        }
        let baselines = self.baselines(tables);
        for (row, (&i, input)) in tables.iter().zip(inputs).enumerate() {
            let (action, log_prob, value) = decisions[row];
            let baseline = baselines.get(row).copied().unwrap_or(value);
            pending[i].push(self.samples.len());
            let (advantage, ret) = (0.0, 0.0);
            self.samples.push(Sample {
                input,
                seat: self.tables[i].state.turn(),
                action,
                log_prob,
                value,
                baseline,
                advantage,
                ret,
            });
            assert!(self.tables[i].state.apply(action).is_ok(), "a sampled action is legal");
        }
    }

    /// What each table's acting seat would get if the critic's bot played the deal on from here
    /// for everybody, with the cards as they lie; empty without such a critic.
    fn baselines(&mut self, tables: &[usize]) -> Vec<f32> {
        let Some(critic) = &mut self.critic else { return Vec::new() };
        let mut states: Vec<State> = tables.iter().map(|&i| self.tables[i].state).collect();
        play_on(&mut states, critic.as_mut());
        let value = |(end, &i): (&State, &usize)| {
            let seat = self.tables[i].state.turn();
            let scores = end.scores().unwrap_or_default();
            rewards(&scores, self.plan.reward, self.plan.reward_scale)[seat]
        };
        states.iter().zip(tables).map(value).collect()
    }

    fn let_opponent(&mut self, opponent: usize, tables: &[usize]) {
        if tables.is_empty() {
            return;
        }
        let observations: Vec<Observation> =
            tables.iter().map(|&i| observe(&self.tables[i])).collect();
        let mut actions = vec![Action::PASS; tables.len()];
        self.opponents[opponent].act(&observations, &mut actions);
        for (&i, action) in tables.iter().zip(actions) {
            assert!(self.tables[i].state.apply(action).is_ok(), "a bot's action is legal");
        }
    }

    /// Turns the points of a finished deal into advantages of each seat's own decisions.
    fn settle(&mut self, i: usize, pending: &mut Vec<usize>) {
        let table = &self.tables[i];
        let Some(scores) = table.state.scores() else { return };
        let rewards = rewards(&scores, self.plan.reward, self.plan.reward_scale);
        let mut next_value = rewards;
        let mut next_advantage = BySeat([0.0; 4]);
        for &at in pending.iter().rev() {
            let sample = &mut self.samples[at];
            let seat = sample.seat;
            let delta = next_value[seat] - sample.baseline;
            let advantage = delta + self.plan.gae_lambda * next_advantage[seat];
            sample.advantage = advantage;
            // The value head learns from the λ-return of its own estimates; where it has no
            // part in the advantages, from the outcome itself.
            let outcome = self.critic.is_some() || matches!(self.learner, Seated::Bot(_));
            sample.ret = if outcome { rewards[seat] } else { advantage + sample.value };
            next_value[seat] = sample.baseline;
            next_advantage[seat] = advantage;
        }
        pending.clear();
        self.summary.add(&table.state, &table.seats);
    }
}

impl Table {
    /// What the seat to act has a network see.
    fn input(&self) -> Input {
        let features = self.state.view(self.state.turn(), &BySeat::default()).pack();
        Input { features, legal: self.state.legal_actions() }
    }
}

fn observe(table: &Table) -> Observation {
    table.state.observe(table.state.turn(), BySeat::default())
}

/// Rewards of a finished deal in units of the value head.
pub fn rewards(scores: &BySeat<i32>, reward: Reward, scale: f32) -> BySeat<f32> {
    let mean = scores.iter().sum::<i32>() as f32 / 4.0;
    let shift = if reward == Reward::Centred { mean } else { 0.0 };
    BySeat::from_fn(|s| (scores[s] as f32 - shift) / scale)
}

fn draw_scenario(suites: &[(Scenario, f32)], stream: &mut Stream) -> Scenario {
    let mut left = stream.unit();
    for &(scenario, share) in suites {
        if left < share {
            return scenario;
        }
        left -= share;
    }
    Scenario::Any
}

fn draw_seats(kinds: &[TableKind], stream: &mut Stream) -> Seats {
    let total: f32 = kinds.iter().map(|k| k.weight).sum();
    let mut left = stream.unit() * total;
    let drawn = kinds.iter().find(|kind| {
        left -= kind.weight;
        left < 0.0
    });
    let mut order = Seat::ALL;
    stream.shuffle(&mut order);
    let mut seats = Seats { opponent: BySeat([None; 4]) };
    if let Some(kind) = drawn.or(kinds.last())
        && !kind.opponents.is_empty()
    {
        let opponent = kind.opponents[stream.below(kind.opponents.len() as u32) as usize];
        for &seat in &order[kind.learners as usize..] {
            seats.opponent[seat] = Some(opponent);
        }
    }
    seats
}

impl Summary {
    fn add(&mut self, state: &State, seats: &Seats) {
        let Some(scores) = state.scores() else { return };
        self.deals += 1;
        let learns = |s: Seat| seats.opponent[s].is_none();
        for seat in Seat::ALL.into_iter().filter(|&s| learns(s)) {
            self.seats += 1;
            self.points += i64::from(scores[seat]);
        }
        match state.contract() {
            None => self.void += 1,
            Some(contract) => {
                let kind = contract.kind.index();
                self.played[kind] += 1;
                if let Some(seat) = contract.declarers.iter().find(|&s| learns(s)) {
                    self.declared[kind] += 1;
                    self.made[kind] += u64::from(scores[seat] > 0);
                }
            }
        }
    }

    fn merge(&mut self, other: &Summary) {
        self.deals += other.deals;
        self.void += other.void;
        self.seats += other.seats;
        self.points += other.points;
        for kind in 0..ContractKind::COUNT {
            self.played[kind] += other.played[kind];
            self.declared[kind] += other.declared[kind];
            self.made[kind] += other.made[kind];
        }
    }
}
