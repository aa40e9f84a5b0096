//! Settings of a collection: deals, tables, advantages and lessons.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use troel_agents::NamedBot;
use troel_agents::driver::DriverError;
use troel_agents::network::Evaluator;
use troel_env::rules::DealMethod;
use troel_env::{RuleSet, Scenario, State};
use troel_nn::CpuCritic;

use crate::config::{BidLessonsConfig, DEFAULT_TABLES_PER_CHUNK, VineConfig};
use crate::error::CollectError;
use crate::reward::DealReward;
use crate::rule_set_pool::RuleSetPool;

/// Index of the learner among the bots of a chunk. The opponents follow in the order of
/// [`TableSettings::opponents`].
pub(super) const LEARNER: usize = 0;

/// Tables per parallel task if the network runs on a device other than the CPU. Such a device needs
/// large batches.
const TABLES_PER_DEVICE_CHUNK: u64 = 4096;

/// A kind of table: the number of learning seats, and their opponents.
#[derive(Clone, Debug)]
pub struct TableKind {
    /// Relative frequency among the kinds.
    pub weight: f32,
    /// Number of learning seats.
    pub learners: u32,
    /// Bots for the other seats, as indices into [`TableSettings::opponents`]. One is drawn for
    /// each table and takes all of them. Empty: all four seats learn.
    pub opponents: Vec<usize>,
}

/// Deals to play, and the positions and match totals that they start from.
#[derive(Clone, Copy)]
pub struct DealSettings<'a> {
    /// Rule set.
    pub rules: &'static RuleSet,
    /// Rule sets that tables draw theirs from, instead of `rules`.
    pub rule_set_pool: Option<&'a RuleSetPool>,
    /// Master seed.
    pub seed: u64,
    /// Number of the iteration; deals and random draws depend on it.
    pub iteration: u64,
    /// Number of deals.
    pub count: u64,
    /// Number of consecutive deals at one table if the deck is gathered. Otherwise a table plays
    /// one deal. With a rule set pool, also the number of deals under the same rules.
    pub series: u64,
    /// Approximate number of tables that are played together, by one thread. The result depends on
    /// it, but not on the number of threads.
    pub tables_per_chunk: u64,
    /// Scenarios, with their shares of the tables; the other tables play ordinary deals.
    pub scenarios: &'a [(Scenario, f32)],
    /// Positions to start from, drawn at random. Empty: fresh deals.
    ///
    /// At each position the seat to act learns, and the first opponent plays the other seats. Tests
    /// compare advantages and policies with exact answers, which only such small games have.
    pub positions: &'a [State],
    /// Share of the tables that start at random match totals instead of zeros, 0 to 1.
    pub random_totals: f32,
}

impl<'a> DealSettings<'a> {
    /// Returns settings of `count` fresh deals with seed 1, one per table. There are no scenarios,
    /// and match totals are zero.
    pub fn new(rules: &'static RuleSet, iteration: u64, count: u64) -> DealSettings<'a> {
        DealSettings {
            rules,
            rule_set_pool: None,
            seed: 1,
            iteration,
            count,
            series: 1,
            tables_per_chunk: DEFAULT_TABLES_PER_CHUNK,
            scenarios: &[],
            positions: &[],
            random_totals: 0.0,
        }
    }
}

/// Players at the tables.
#[derive(Clone, Copy)]
pub struct TableSettings<'a> {
    /// Player whose decisions are recorded.
    pub recorded_player: RecordedPlayer<'a>,
    /// Kinds of tables. Empty: all four seats learn at each.
    pub kinds: &'a [TableKind],
    /// Bots that the kinds refer to by index.
    pub opponents: &'a [NamedBot],
}

impl<'a> TableSettings<'a> {
    /// Returns settings of tables at which this player takes all four seats.
    pub fn self_play(recorded_player: RecordedPlayer<'a>) -> TableSettings<'a> {
        TableSettings { recorded_player, kinds: &[], opponents: &[] }
    }
}

/// Reward of the seats, and estimation of advantages from it.
#[derive(Clone, Copy)]
pub struct AdvantageSettings<'a> {
    /// Reward of the seats.
    pub reward: DealReward,
    /// Points that make up one unit of reward.
    pub reward_scale: f32,
    /// λ of generalised advantage estimation, 0 to 1.
    pub gae_lambda: f32,
    /// Source of the baselines of advantages.
    pub baselines: BaselineSource<'a>,
}

impl Default for AdvantageSettings<'_> {
    fn default() -> Self {
        AdvantageSettings {
            reward: DealReward::Points,
            reward_scale: 10.0,
            gae_lambda: 0.95,
            baselines: BaselineSource::ValueHead,
        }
    }
}

/// Sources of training targets other than advantages. The default has none.
#[derive(Clone, Copy, Default)]
pub struct LessonSettings<'a> {
    /// Shares of the auction decisions at which all plausible calls are tried. `coef` is not used.
    pub vine: Option<&'a VineConfig>,
    /// Bot that is asked at each decision of the learner in the auction and the choice of trumps.
    pub anchor: Option<&'a NamedBot>,
    /// Largest number of positions that the solver visits for a card. It is set if the solver
    /// teaches the defence of open misères (`defence`).
    pub defence_nodes: Option<u64>,
    /// Settings of the lessons in bidding. `coef` is not used.
    pub bids: Option<&'a BidLessonsConfig>,
}

/// Settings of a collection.
#[derive(Clone, Copy)]
pub struct CollectSettings<'a> {
    /// Deals to play.
    pub deals: DealSettings<'a>,
    /// Players at the tables.
    pub tables: TableSettings<'a>,
    /// Reward and advantages.
    pub advantages: AdvantageSettings<'a>,
    /// Other training targets.
    pub lessons: LessonSettings<'a>,
    /// Flag that interrupts the collection: once it is set, no further chunk of tables is started.
    pub stop: Option<&'a AtomicBool>,
}

impl<'a> CollectSettings<'a> {
    /// Returns settings for self-play of a network in all four seats.
    ///
    /// Other settings have the defaults of [`DealSettings::new`], [`AdvantageSettings`] and
    /// [`LessonSettings`].
    pub fn self_play(
        rules: &'static RuleSet,
        evaluator: &'a Evaluator,
        iteration: u64,
        deals: u64,
    ) -> CollectSettings<'a> {
        CollectSettings {
            deals: DealSettings::new(rules, iteration, deals),
            tables: TableSettings::self_play(RecordedPlayer::Learner(evaluator)),
            advantages: AdvantageSettings::default(),
            lessons: LessonSettings::default(),
            stop: None,
        }
    }
}

/// Source of the baselines of advantages; see `baseline`.
#[derive(Clone, Copy)]
pub enum BaselineSource<'a> {
    /// The learner's value head.
    ValueHead,
    /// A bot that plays each deal to its end from every decision.
    Bot(&'a NamedBot),
    /// A critic that sees all four hands.
    FullCritic(&'a Arc<CpuCritic>),
}

/// Player of the recorded decisions.
#[derive(Clone, Copy)]
pub enum RecordedPlayer<'a> {
    /// A network, whose policy is sampled from.
    Learner(&'a Evaluator),
    /// A bot to imitate.
    Teacher(&'a NamedBot),
}

impl DealSettings<'_> {
    /// Returns the number of consecutive deals under one rule set. One table plays them if the deck
    /// is gathered; otherwise each deal has its own table.
    pub(super) fn deals_per_group(&self) -> u64 {
        let is_gathered = self.rules.spec().deal == DealMethod::Gather;
        if is_gathered || self.rule_set_pool.is_some() { self.series } else { 1 }
    }

    /// Returns the number of groups of deals under one rule set.
    pub(super) fn groups(&self) -> u64 {
        self.count.div_ceil(self.deals_per_group())
    }
}

impl CollectSettings<'_> {
    /// Returns the number of groups in a parallel task.
    pub(super) fn groups_per_chunk(&self) -> u64 {
        let tables = match self.tables.recorded_player {
            RecordedPlayer::Learner(evaluator) if evaluator.wants_large_batches() => {
                TABLES_PER_DEVICE_CHUNK
            }
            _ => self.deals.tables_per_chunk,
        };
        // With a pool of rule sets, most groups have as many tables as deals.
        let tables_per_group =
            if self.deals.rule_set_pool.is_some() { self.deals.series } else { 1 };
        tables.div_ceil(tables_per_group)
    }

    /// Returns the number of a chunk within the run, which tells its random streams from others.
    pub(super) fn chunk_in_run(&self, chunk: u64) -> u64 {
        // An iteration has fewer than 2²⁴ chunks: no two streams of a run coincide.
        self.deals.iteration << 24 | chunk
    }

    /// Returns the number of parallel tasks.
    pub(crate) fn chunks(&self) -> u64 {
        self.deals.groups().div_ceil(self.groups_per_chunk())
    }

    /// Returns the error of a collection that stopped.
    pub(super) fn collect_error<E: Into<CollectError>>(
        &self,
        stopped: DriverError<E>,
    ) -> CollectError {
        let learner = || match self.tables.recorded_player {
            RecordedPlayer::Learner(_) => "the learner".to_string(),
            RecordedPlayer::Teacher(bot) => bot.name().to_string(),
        };
        match stopped {
            DriverError::Bot { bot, error } => {
                let opponents = self.tables.opponents;
                let opponent = bot.checked_sub(LEARNER + 1).and_then(|i| opponents.get(i));
                let name = opponent.map_or_else(learner, |bot| bot.name().to_string());
                CollectError { name, place: None, error }
            }
            DriverError::Recorder(error) => error.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use troel_nn::{NetworkConfig, Weights};

    use super::*;

    #[test]
    fn parts_of_a_collection_depend_on_tables() {
        let config = NetworkConfig { hidden: 8, blocks: 0, ..NetworkConfig::default() };
        let evaluator = Evaluator::new(&Weights::init(config, 1));
        let parts = |name, tables_per_chunk| {
            let rules = RuleSet::built_in(name).expect("built in");
            let mut settings = CollectSettings::self_play(rules, &evaluator, 1, 512);
            settings.deals = DealSettings { series: 8, tables_per_chunk, ..settings.deals };
            settings.chunks()
        };
        assert_eq!([128, 64, 1].map(|tables| parts("luxembourg", tables)), [4, 8, 512]);
        // A table plays eight deals, because the deck is gathered.
        assert_eq!([128, 64, 16].map(|tables| parts("iwwa", tables)), [1, 1, 4]);
    }
}
