//! Settings of a collection: learner, opponents, tables, deals and lessons.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use troel_agents::Entry;
use troel_agents::driver::DriverError;
use troel_agents::network::Evaluator;
use troel_env::rules::DealMethod;
use troel_env::{RuleSet, Scenario, State};
use troel_nn::ForwardCritic;

use crate::error::CollectError;
use crate::house_rules::HouseRules;
use crate::reward::DealReward;

/// Index of the learner among the bots of a chunk. The opponents follow in the order of
/// [`Plan::opponents`].
pub(super) const LEARNER: usize = 0;

/// Approximate number of tables per parallel task. Fixed, so that results do not depend on the
/// number of threads.
const TABLES_PER_CHUNK: u64 = 128;

/// Tables per parallel task if the network runs on a device other than the CPU, which needs large
/// batches.
const TABLES_PER_DEVICE_CHUNK: u64 = 4096;

/// A kind of table: the number of learning seats, and their opponents.
#[derive(Clone, Debug)]
pub struct TableKind {
    /// Relative frequency among the kinds.
    pub weight: f32,
    /// Number of learning seats.
    pub learners: u32,
    /// Bots for the other seats, as indices into [`Plan::opponents`]; one is drawn for each table
    /// and takes all of them. Empty: all four seats learn.
    pub opponents: Vec<usize>,
}

/// Shares of the learner's auction decisions at which all plausible calls are tried, 0 to 1.
#[derive(Clone, Copy, Debug, Default)]
pub struct VineShares {
    /// Share of the decisions at ordinary tables.
    pub ordinary: f32,
    /// Share of the decisions at scenario tables.
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
    /// Number of consecutive deals at one table where the deck is gathered; elsewhere a table plays
    /// one deal. With house rules also the number of deals under the same rules.
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
    /// Reward of the seats.
    pub reward: DealReward,
    /// Points that make up one unit of reward.
    pub reward_scale: f32,
    /// λ of generalised advantage estimation, 0 to 1.
    pub gae_lambda: f32,
    /// Source of the baselines of advantages.
    pub baselines: Baselines<'a>,
    /// Shares of the decisions at which all plausible calls are tried.
    pub vine: VineShares,
    /// A bot that is asked for its call at each of the learner's decisions in the auction and the
    /// choice of trumps.
    pub anchor: Option<&'a Entry>,
    /// Largest number of positions that the solver visits for a card, if it teaches the defence of
    /// open misères (`defence`).
    pub defence_nodes: Option<u64>,
    /// Whether calls that a hand is certain to make are taught
    /// ([`troel_env::sure_calls_without_solos`]).
    pub sure_calls: bool,
    /// Positions to start from, drawn at random, instead of fresh deals; at each the seat to act
    /// learns and the first opponent plays the other seats. Empty: fresh deals.
    pub positions: &'a [State],
    /// Once it is set, tables that are not open yet are left out.
    pub stop: Option<&'a AtomicBool>,
}

impl<'a> Plan<'a> {
    /// Returns a plan of self-play of a network in all four seats on fresh deals: seed 1, reward in
    /// tens of points, λ 0.95, no scenarios and no random match totals.
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
            reward: DealReward::Points,
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

/// Source of the baselines of advantages; see `baseline`.
#[derive(Clone, Copy)]
pub enum Baselines<'a> {
    /// The learner's value head.
    ValueHead,
    /// A bot that plays each deal to its end from every decision.
    Bot(&'a Entry),
    /// A critic that sees all four hands.
    FullCritic(&'a Arc<ForwardCritic>),
}

/// Player of the recorded decisions.
#[derive(Clone, Copy)]
pub enum Learner<'a> {
    /// A network, whose policy is sampled from.
    Network(&'a Evaluator),
    /// A bot to imitate.
    Bot(&'a Entry),
}

impl Plan<'_> {
    /// Returns the number of consecutive deals under one rule set. One table plays them if the deck
    /// is gathered; otherwise each deal has its own table.
    pub(super) fn deals_of_group(&self) -> u64 {
        let is_gathered = self.rules.spec().deal == DealMethod::Gather;
        if is_gathered || self.house_rules.is_some() { self.series } else { 1 }
    }

    pub(super) fn groups(&self) -> u64 {
        self.deals.div_ceil(self.deals_of_group())
    }

    pub(super) fn groups_of_chunk(&self) -> u64 {
        let tables = match self.learner {
            Learner::Network(evaluator) if evaluator.wants_large_batches() => {
                TABLES_PER_DEVICE_CHUNK
            }
            _ => TABLES_PER_CHUNK,
        };
        // Most groups of drawn rules are as many tables as deals.
        let tables_of_group = if self.house_rules.is_some() { self.series } else { 1 };
        tables.div_ceil(tables_of_group)
    }

    /// Returns the number of parallel tasks.
    pub(crate) fn chunks(&self) -> u64 {
        self.groups().div_ceil(self.groups_of_chunk())
    }

    /// Returns the error of the bot at fault. `by_anchor` is whether the anchor stopped the
    /// recorder.
    pub(super) fn blame(&self, stopped: DriverError, by_anchor: bool) -> CollectError {
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
                (Baselines::Bot(entry), _) => (entry.name().to_string(), error),
                _ => (learner(), error),
            },
        };
        CollectError { name, error }
    }
}
