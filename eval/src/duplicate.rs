//! Duplicate comparisons: challenger and baseline play the same deals from the same seats.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use troel_agents::NamedBot;
use troel_agents::driver::{BotTable, Seating};
use troel_env::{BySeat, Deals, RuleSet, Scenario, Seat, State};
use troel_solver::Solver;

use crate::chunks::{chunks, play_chunks, play_seatings};
use crate::deal_range::DealRange;
use crate::error::EvalError;
use crate::forfeits::Forfeits;
use crate::progress::{ChunkProgress, ProgressFn};
use crate::regret::{Regret, add_regret};
use crate::series::{DEALS_PER_SERIES, is_gathered};
use crate::statistics::{ClusteredMean, Tallies, merge_tallies, tally};

/// Decisions that are compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// Bidding and play.
    #[default]
    Full,
    /// Only the bidding; a fixed bot plays all the cards.
    Bidding,
    /// Only the play of the cards; a fixed bot bids for all seats.
    Play,
}

impl Scope {
    /// Returns the name used in results.
    pub const fn name(self) -> &'static str {
        ["full", "bidding", "play"][self as usize]
    }
}

/// Numbers of challengers and baselines at a table, and their seats.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Lineup {
    /// One challenger against three copies of the baseline, in each seat in turn.
    #[default]
    OneVsThree,
    /// Two challengers opposite each other against two baselines, in both orientations.
    TwoVsTwo,
}

/// Settings of a duplicate comparison.
#[derive(Clone, Copy, Debug)]
pub struct DuplicateConfig {
    /// Rule set.
    pub rules: &'static RuleSet,
    /// Deals to play.
    pub deals: DealRange,
    /// Seed of the evaluation deals, which no training plays, and of the bots' random draws.
    pub seed: u64,
    /// Scenario that the deals are drawn from.
    pub scenario: Scenario,
    /// Decisions that are compared.
    pub scope: Scope,
    /// Numbers and seats of challengers and baselines.
    pub lineup: Lineup,
    /// Whether to compute double-dummy regret, which solves every position; slow.
    pub regret: bool,
}

impl DuplicateConfig {
    /// Creates the settings of a comparison of all decisions. One challenger plays against three
    /// copies of the baseline, on deals of any scenario, without regret.
    pub fn new(rules: &'static RuleSet, deals: impl Into<DealRange>, seed: u64) -> DuplicateConfig {
        DuplicateConfig {
            rules,
            deals: deals.into(),
            seed,
            scenario: Scenario::Any,
            scope: Scope::Full,
            lineup: Lineup::OneVsThree,
            regret: false,
        }
    }
}

/// Bots of a duplicate comparison.
#[derive(Clone, Copy, Debug)]
pub struct DuplicateBots<'a> {
    /// Bot that is measured.
    pub challenger: &'a NamedBot,
    /// Bot that it is compared with.
    pub baseline: &'a NamedBot,
    /// Bot that makes the decisions which are not compared.
    pub fixed: &'a NamedBot,
}

/// Index of each bot in [`DuplicateBots::by_index`].
const CHALLENGER: usize = 0;
const BASELINE: usize = 1;
const FIXED: usize = 2;

impl<'a> DuplicateBots<'a> {
    /// Creates the bots of a comparison of all decisions ([`Scope::Full`]).
    pub const fn full(challenger: &'a NamedBot, baseline: &'a NamedBot) -> DuplicateBots<'a> {
        DuplicateBots { challenger, baseline, fixed: baseline }
    }

    const fn by_index(self) -> [&'a NamedBot; 3] {
        [self.challenger, self.baseline, self.fixed]
    }
}

/// Result of a duplicate comparison. Its sums can be merged with those of other deals.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DuplicateResult {
    /// Points of the challenger per deal minus the baseline's, on the same deals and seats.
    pub difference: ClusteredMean,
    /// Results of the challenger, by contract and role.
    pub challenger: Tallies,
    /// Results of the baseline at its own table, by contract and role; empty where none is played.
    pub baseline: Tallies,
    /// Double-dummy regret of challenger and baseline, if requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub regret: Option<[Regret; 2]>,
    /// Deals that challenger and baseline forfeited.
    #[serde(default)]
    pub forfeits: Forfeits,
}

/// Chunks per thread that are played before the results are checked. With more, threads wait less
/// for each other. With fewer, fewer chunks are played and dropped.
const CHUNKS_PER_CHECK: usize = 4;

/// Plays a duplicate comparison.
///
/// # Errors
/// A bot failed, for example by choosing an illegal action.
pub fn play_duplicate(
    config: &DuplicateConfig,
    bots: DuplicateBots<'_>,
    progress: ProgressFn<'_>,
) -> Result<DuplicateResult, EvalError> {
    play_waves(config, bots, progress, usize::MAX, |_| false)
}

/// Plays a duplicate comparison until `is_enough` accepts its result, or all deals are played.
///
/// `is_enough` is called after every chunk of [`DEALS_PER_CHUNK`](crate::DEALS_PER_CHUNK) deals, in
/// order, so that the end does not depend on the number of threads. Later chunks that other threads
/// have played by then are dropped.
///
/// # Errors
/// A bot failed, for example by choosing an illegal action.
pub fn play_until(
    config: &DuplicateConfig,
    bots: DuplicateBots<'_>,
    progress: ProgressFn<'_>,
    is_enough: impl FnMut(&DuplicateResult) -> bool,
) -> Result<DuplicateResult, EvalError> {
    play_waves(config, bots, progress, CHUNKS_PER_CHECK * rayon::current_num_threads(), is_enough)
}

fn play_waves(
    config: &DuplicateConfig,
    bots: DuplicateBots<'_>,
    progress: ProgressFn<'_>,
    chunks_per_check: usize,
    mut is_enough: impl FnMut(&DuplicateResult) -> bool,
) -> Result<DuplicateResult, EvalError> {
    let mut total = DuplicateResult::default();
    for wave in chunks(config.deals).chunks(chunks_per_check) {
        let results: Vec<Result<DuplicateResult, EvalError>> =
            wave.par_iter().map(|&range| play_chunk(config, range, bots, progress)).collect();
        for result in results {
            total.merge(&result?);
            if is_enough(&total) {
                return Ok(total);
            }
        }
    }
    Ok(total)
}

impl DuplicateResult {
    /// Merges the result over other deals.
    pub fn merge(&mut self, other: &DuplicateResult) {
        self.difference.merge(&other.difference);
        merge_tallies(&mut self.challenger, &other.challenger);
        merge_tallies(&mut self.baseline, &other.baseline);
        if let Some(other) = &other.regret {
            let mine = self.regret.get_or_insert_default();
            mine.iter_mut().zip(other).for_each(|(mine, other)| mine.merge(other));
        }
        self.forfeits += other.forfeits;
    }
}

/// Returns the challenger's seats, table by table.
fn challenger_seats(lineup: Lineup) -> Vec<Vec<Seat>> {
    match lineup {
        Lineup::OneVsThree => Seat::ALL.iter().map(|&s| vec![s]).collect(),
        Lineup::TwoVsTwo => {
            vec![vec![Seat::North, Seat::South], vec![Seat::East, Seat::West]]
        }
    }
}

fn seating(scope: Scope, seats_of_challenger: &[Seat]) -> Seating {
    let compared =
        BySeat::from_fn(|s| if seats_of_challenger.contains(&s) { CHALLENGER } else { BASELINE });
    let fixed = BySeat([FIXED; 4]);
    match scope {
        Scope::Full => Seating::full(compared),
        Scope::Bidding => Seating { bidding: compared, play: fixed },
        Scope::Play => Seating { bidding: fixed, play: compared },
    }
}

fn play_chunk(
    config: &DuplicateConfig,
    range: DealRange,
    bots: DuplicateBots<'_>,
    progress: ProgressFn<'_>,
) -> Result<DuplicateResult, EvalError> {
    let (mut result, differences) = play_range(config, range, bots, progress)?;
    add_values(&mut result.difference, config, range, &differences);
    Ok(result)
}

/// Plays a duplicate comparison like [`play_duplicate`]; also returns the differences deal by deal.
///
/// # Errors
/// A bot failed.
pub fn play_by_deal(
    config: &DuplicateConfig,
    bots: DuplicateBots<'_>,
    progress: ProgressFn<'_>,
) -> Result<(DuplicateResult, Vec<f64>), EvalError> {
    let parts =
        play_chunks(&chunks(config.deals), |range| play_range(config, range, bots, progress))?;
    let (mut total, mut differences) = (DuplicateResult::default(), Vec::new());
    for (result, values) in parts {
        total.merge(&result);
        differences.extend(values);
    }
    add_values(&mut total.difference, config, config.deals, &differences);
    Ok((total, differences))
}

/// Adds one value per deal of this range to a sum. Deals from one deck follow from each other: a
/// series is one sample.
pub(crate) fn add_values(
    sum: &mut ClusteredMean,
    config: &DuplicateConfig,
    range: DealRange,
    values: &[f64],
) {
    if !is_gathered(config.rules, config.scenario) {
        return values.iter().for_each(|&value| sum.add(value));
    }
    let mut rest = values;
    for n in range.first / DEALS_PER_SERIES..range.end.div_ceil(DEALS_PER_SERIES) {
        let first = (n * DEALS_PER_SERIES).max(range.first);
        let end = ((n + 1) * DEALS_PER_SERIES).min(range.end);
        let (values, after) = rest.split_at((end - first) as usize);
        sum.add_series(n, DEALS_PER_SERIES, values);
        rest = after;
    }
}

/// Plays a range of deals. Returns the result without its difference, and the differences deal by
/// deal.
fn play_range(
    config: &DuplicateConfig,
    range: DealRange,
    bots: DuplicateBots<'_>,
    progress: ProgressFn<'_>,
) -> Result<(DuplicateResult, Vec<f64>), EvalError> {
    let deals = Deals::for_evaluation(config.rules, config.seed).with_scenario(config.scenario);
    let seats_of_challenger = challenger_seats(config.lineup);
    let mut seatings: Vec<Seating> =
        seats_of_challenger.iter().map(|seats| seating(config.scope, seats)).collect();
    // With zero-sum points the seats of the baseline's own table sum to zero, so it is not played.
    if !config.rules.is_zero_sum() {
        seatings.push(seating(config.scope, &[]));
    }
    let mut progress = ChunkProgress::new(progress, range.len());
    let bots = bots.by_index();
    let (tables, forfeits) =
        play_seatings(&deals, range, &seatings, bots, config.seed, &mut progress)?;
    progress.reach(1.0);
    let mut result = DuplicateResult {
        forfeits: [forfeits[CHALLENGER], forfeits[BASELINE]].into(),
        ..DuplicateResult::default()
    };
    let mut differences = Vec::with_capacity(range.len() as usize);
    for tables_of_deal in tables.chunks(seatings.len()) {
        differences.push(score_deal(&mut result, tables_of_deal, &seats_of_challenger));
    }
    if config.regret && config.scope != Scope::Bidding {
        result.regret = Some(regrets(&tables));
    }
    Ok((result, differences))
}

/// Returns the double-dummy regret of challenger and baseline.
fn regrets(tables: &[BotTable]) -> [Regret; 2] {
    let mut solver = Solver::default();
    let mut regrets = [Regret::default(), Regret::default()];
    for table in tables {
        let end = table.session.state();
        let start = State::new(end.rules(), &end.deal());
        let whose = |seat| Some(table.seating.play[seat]);
        add_regret(&start, end, &mut solver, &mut regrets, whose);
    }
    regrets
}

/// Adds the results of one deal to the tallies. Returns the challenger's points minus the
/// baseline's. There is one table per seating of the challenger, then the baseline's own if it is
/// played.
fn score_deal(
    result: &mut DuplicateResult,
    tables: &[BotTable],
    seats_of_challenger: &[Vec<Seat>],
) -> f64 {
    let points = |end: &State, seat: Seat| end.scores().expect("a finished deal")[seat];
    let own = tables.get(seats_of_challenger.len()).map(|table| table.session.state());
    let mut difference = 0.0;
    for (table, seats) in tables.iter().zip(seats_of_challenger) {
        let state = table.session.state();
        for &seat in seats {
            let base = own.map_or(0, |state| points(state, seat));
            difference += f64::from(points(state, seat) - base) / 4.0;
            tally(&mut result.challenger, state, seat);
        }
    }
    if let Some(state) = own {
        Seat::ALL.iter().for_each(|&seat| tally(&mut result.baseline, state, seat));
    }
    difference
}
