//! Duplicate matches: challenger and baseline play the same deals from the same seats.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use troel_agents::driver::{self, DriverError, Recorder, Seating, Table};
use troel_agents::{BotError, Entry};
use troel_env::{BySeat, Deal, Deals, RuleSet, Scenario, Seat, Session, State};
use troel_solver::Solver;

use crate::regret::{self, Regret};
use crate::series::{SERIES, is_gathered, series};
use crate::statistics::{Sum, Tallies, merge_tallies, tally};

/// Which decisions are compared.
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
    /// The name used in results.
    pub const fn name(self) -> &'static str {
        ["full", "bidding", "play"][self as usize]
    }
}

/// How challengers and baselines are seated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Format {
    /// One challenger among three baselines, in each seat in turn.
    #[default]
    OneVsThree,
    /// Two challengers opposite each other against two baselines, in both orientations.
    TwoVsTwo,
}

/// Settings of a match.
#[derive(Clone, Copy, Debug)]
pub struct MatchConfig {
    /// Rule set.
    pub rules: &'static RuleSet,
    /// Range of deals: the first, and one past the last.
    pub deals: (u64, u64),
    /// Seed of the evaluation deals, which no training plays, and of the bots' random draws.
    pub seed: u64,
    /// Scenario that the deals are drawn from.
    pub scenario: Scenario,
    /// Which decisions are compared.
    pub scope: Scope,
    /// How challengers and baselines are seated.
    pub format: Format,
    /// Whether to compute double-dummy regret, which solves every position; slow.
    pub regret: bool,
}

/// Result of a match, with the sums needed to merge it with results over other deals.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MatchResult {
    /// Points of the challenger per deal minus the baseline's, on the same deals and seats.
    pub difference: Sum,
    /// Results of the challenger, by contract and role.
    pub challenger: Tallies,
    /// Results of the baseline at its own table, by contract and role; empty where none is played.
    pub baseline: Tallies,
    /// Double-dummy regret of challenger and baseline, if requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub regret: Option<[Regret; 2]>,
    /// Forfeits of challenger and baseline: failures of external programs, each of which forfeits a deal.
    #[serde(default)]
    pub forfeits: [u64; 2],
}

/// Deals per parallel task. Fixed, so that results do not depend on the number of threads.
const CHUNK: u64 = 64;

/// Chunks per thread between two looks at the results. More threads wait less at the end of a wave; fewer deals are
/// dropped.
const WAVE: usize = 4;

/// Why a match could not be finished.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{name}: {error}")]
pub struct MatchError {
    /// Name of the bot at fault.
    pub name: String,
    /// Its failure.
    pub error: BotError,
}

impl MatchError {
    /// The bot that plays between gathered deals failed.
    pub(crate) fn between_deals(stopped: DriverError) -> MatchError {
        let (DriverError::Bot { error, .. } | DriverError::Recorder(error)) = stopped;
        MatchError { name: "rules, who plays between gathered deals".to_string(), error }
    }

    pub(crate) fn new(stopped: DriverError, entries: [&Entry; 3]) -> MatchError {
        match stopped {
            DriverError::Bot { bot, error } => {
                MatchError { name: entries[bot].name().to_string(), error }
            }
            DriverError::Recorder(error) => MatchError { name: "evaluation".to_string(), error },
        }
    }
}

/// Plays a match. `fixed` does the half that is not compared. `progress` is told, as the match goes on, how many deals more
/// have been played, in parts of deals.
///
/// # Errors
/// A bot failed, for example by choosing an illegal action.
pub fn play_match(
    config: &MatchConfig,
    challenger: &Entry,
    baseline: &Entry,
    fixed: &Entry,
    progress: &(dyn Fn(f64) + Sync),
) -> Result<MatchResult, MatchError> {
    play(config, [challenger, baseline, fixed], progress, usize::MAX, |_| false)
}

/// Plays a match between the first two bots until `is_enough` of its result, or all deals are played; the third bot does
/// the half that is not compared. `is_enough` is asked after every 64 deals, in order, so that where it stops does not depend
/// on the number of threads; deals that others have played by then are dropped.
///
/// # Errors
/// A bot failed, for example by choosing an illegal action.
pub fn play_until(
    config: &MatchConfig,
    bots: [&Entry; 3],
    progress: &(dyn Fn(f64) + Sync),
    is_enough: impl FnMut(&MatchResult) -> bool,
) -> Result<MatchResult, MatchError> {
    play(config, bots, progress, WAVE * rayon::current_num_threads(), is_enough)
}

/// The parallel tasks of a range of deals.
pub(crate) fn chunks((from, to): (u64, u64)) -> Vec<(u64, u64)> {
    let to = to.max(from);
    (from / CHUNK..to.div_ceil(CHUNK))
        .map(|c| ((c * CHUNK).max(from), (c * CHUNK).saturating_add(CHUNK).min(to)))
        .collect()
}

fn play(
    config: &MatchConfig,
    bots: [&Entry; 3],
    progress: &(dyn Fn(f64) + Sync),
    wave: usize,
    mut is_enough: impl FnMut(&MatchResult) -> bool,
) -> Result<MatchResult, MatchError> {
    let mut total = MatchResult::default();
    for wave in chunks(config.deals).chunks(wave) {
        let results: Vec<Result<MatchResult, MatchError>> =
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

impl MatchResult {
    /// Merges the result over other deals.
    pub fn merge(&mut self, other: &MatchResult) {
        self.difference.merge(&other.difference);
        merge_tallies(&mut self.challenger, &other.challenger);
        merge_tallies(&mut self.baseline, &other.baseline);
        if let Some(other) = &other.regret {
            let mine = self.regret.get_or_insert_default();
            mine.iter_mut().zip(other).for_each(|(mine, other)| mine.merge(other));
        }
        self.forfeits.iter_mut().zip(other.forfeits).for_each(|(mine, other)| *mine += other);
    }
}

/// Index of each role in the list of bots.
const CHALLENGER: usize = 0;
const BASELINE: usize = 1;
const FIXED: usize = 2;

/// The challenger's seats, table by table.
fn challenger_seats(format: Format) -> Vec<Vec<Seat>> {
    match format {
        Format::OneVsThree => Seat::ALL.iter().map(|&s| vec![s]).collect(),
        Format::TwoVsTwo => {
            vec![vec![Seat::North, Seat::South], vec![Seat::East, Seat::West]]
        }
    }
}

fn seating(scope: Scope, challengers: &[Seat]) -> Seating {
    let compared =
        BySeat::from_fn(|s| if challengers.contains(&s) { CHALLENGER } else { BASELINE });
    let fixed = BySeat([FIXED; 4]);
    match scope {
        Scope::Full => Seating::full(compared),
        Scope::Bidding => Seating { bidding: compared, play: fixed },
        Scope::Play => Seating { bidding: fixed, play: compared },
    }
}

/// Reports the progress of a chunk of tables.
pub(crate) struct Progress<'a> {
    report: &'a (dyn Fn(f64) + Sync),
    /// Deals of the chunk.
    deals: f64,
    /// Deals reported so far.
    reported: f64,
}

impl<'a> Progress<'a> {
    /// Progress of a chunk with this number of deals, none of which is played yet.
    pub(crate) fn new(report: &'a (dyn Fn(f64) + Sync), deals: usize) -> Progress<'a> {
        Progress { report, deals: deals as f64, reported: 0.0 }
    }

    /// Reports that this share of the chunk is played, 0 to 1.
    pub(crate) fn reach(&mut self, share: f64) {
        let done = self.deals * share;
        if done > self.reported {
            (self.report)(done - self.reported);
            self.reported = done;
        }
    }
}

impl Recorder for Progress<'_> {
    fn moved(&mut self, tables: &[Table]) {
        let tricks = |table: &Table| match table.session.is_deal_over() {
            true => u32::from(table.session.rules().cards_per_hand()),
            false => table.session.state().tricks().iter().map(|&n| u32::from(n)).sum::<u32>(),
        };
        let hand_size = |table: &Table| u32::from(table.session.rules().cards_per_hand());
        let (tricks, all) = tables
            .iter()
            .fold((0, 0), |(sum, all), table| (sum + tricks(table), all + hand_size(table)));
        self.reach(f64::from(tricks) / f64::from(all.max(1)));
    }
}

fn play_chunk(
    config: &MatchConfig,
    range: (u64, u64),
    entries: [&Entry; 3],
    progress: &(dyn Fn(f64) + Sync),
) -> Result<MatchResult, MatchError> {
    let (mut result, differences) = play_tables(config, range, entries, progress)?;
    add_deals(&mut result.difference, config, range, &differences);
    Ok(result)
}

/// Like [`play_match`], with challenger, baseline and the bot for what is not compared as `bots`; also returns the
/// differences deal by deal.
///
/// # Errors
/// A bot failed.
pub fn play_by_deal(
    config: &MatchConfig,
    bots: [&Entry; 3],
    progress: &(dyn Fn(f64) + Sync),
) -> Result<(MatchResult, Vec<f64>), MatchError> {
    let chunks = chunks(config.deals);
    let parts: Vec<_> =
        chunks.par_iter().map(|&range| play_tables(config, range, bots, progress)).collect();
    let (mut total, mut differences) = (MatchResult::default(), Vec::new());
    for part in parts {
        let (result, values) = part?;
        total.merge(&result);
        differences.extend(values);
    }
    add_deals(&mut total.difference, config, config.deals, &differences);
    Ok((total, differences))
}

/// Adds one value per deal of this range to a sum. Deals from one deck follow from each other: a series is one sample.
pub(crate) fn add_deals(sum: &mut Sum, config: &MatchConfig, range: (u64, u64), values: &[f64]) {
    if !is_gathered(config.rules, config.scenario) {
        return values.iter().for_each(|&value| sum.add(value));
    }
    let mut rest = values;
    for n in range.0 / SERIES..range.1.div_ceil(SERIES) {
        let end = ((n + 1) * SERIES).min(range.1) - (n * SERIES).max(range.0);
        let (values, after) = rest.split_at(end as usize);
        sum.add_series(n, SERIES, values);
        rest = after;
    }
}

/// Plays the tables of some deals: the result without its difference, and the differences deal by deal.
fn play_tables(
    config: &MatchConfig,
    range: (u64, u64),
    entries: [&Entry; 3],
    progress: &(dyn Fn(f64) + Sync),
) -> Result<(MatchResult, Vec<f64>), MatchError> {
    let deals = Deals::for_evaluation(config.rules, config.seed).with_scenario(config.scenario);
    let mut bots: Vec<_> =
        (0..3).map(|i| entries[i].seat(config.seed.wrapping_add(i as u64))).collect();
    let seatings = challenger_seats(config.format);
    // With zero-sum points the seats of the baseline's own table sum to zero, so it is not played.
    let needs_baseline = !config.rules.is_zero_sum();
    let dealt = series(&deals, range.0, range.1);
    let dealt = dealt.map_err(MatchError::between_deals)?;
    let mut tables = Vec::new();
    for deal in &dealt {
        let table = |challengers: &[Seat]| Table {
            session: Session::of_deal(config.rules, deal),
            seating: seating(config.scope, challengers),
        };
        tables.extend(seatings.iter().map(|seats| table(seats)));
        tables.extend(needs_baseline.then(|| table(&[])));
    }
    let mut progress = Progress::new(progress, dealt.len());
    driver::run(&mut tables, &mut bots, &mut progress)
        .map_err(|stopped| MatchError::new(stopped, entries))?;
    progress.reach(1.0);
    let forfeits = [CHALLENGER, BASELINE].map(|role| bots[role].forfeits());
    let mut result = MatchResult { forfeits, ..MatchResult::default() };
    let groups = tables.chunks(seatings.len() + usize::from(needs_baseline));
    let mut differences = Vec::with_capacity(dealt.len());
    for group in groups {
        differences.push(add_deal(&mut result, group, &seatings));
    }
    if config.regret && config.scope != Scope::Bidding {
        result.regret = Some(regrets(config.rules, &dealt, &tables));
    }
    Ok((result, differences))
}

/// Double-dummy regret of challenger and baseline.
fn regrets(rules: &'static RuleSet, dealt: &[Deal], tables: &[Table]) -> [Regret; 2] {
    let mut solver = Solver::default();
    let mut regrets = [Regret::default(), Regret::default()];
    let each = tables.len() / dealt.len().max(1);
    for (deal, tables) in dealt.iter().zip(tables.chunks(each.max(1))) {
        let start = State::new(rules, deal);
        for table in tables {
            let whose = |seat| Some(table.seating.play[seat]);
            regret::add_deal(&start, table.session.state(), &mut solver, &mut regrets, whose);
        }
    }
    regrets
}

/// Adds the tables of one deal: one per seating, then the baseline's own if it is played. Returns the challenger's
/// points minus the baseline's.
fn add_deal(result: &mut MatchResult, tables: &[Table], seatings: &[Vec<Seat>]) -> f64 {
    let points = |state: &State, seat: Seat| state.scores().map_or(0, |s| s[seat]);
    let own = tables.get(seatings.len()).map(|table| table.session.state());
    let mut difference = 0.0;
    for (table, seats) in tables.iter().zip(seatings) {
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
