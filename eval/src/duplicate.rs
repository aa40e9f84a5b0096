//! Duplicate matches: the challenger and the baseline on the same deals and seats.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use troel_agents::double_dummy::Solver;
use troel_agents::{Entry, RuleBased};
use troel_env::{BySeat, Condition, Deal, Deals, RuleSet, Seat, State};

use crate::regret::{self, Regret};
use crate::stats::{Sum, Tallies, merge_tallies, tally};
use crate::table::{Seating, play_out, series};

/// What is compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// Bidding and play.
    #[default]
    Full,
    /// Only the bidding; a fixed bot plays all the cards.
    Bidding,
    /// Only the play of the cards; a fixed bot bids for everybody.
    Play,
}

impl Scope {
    /// The name used in results.
    pub const fn name(self) -> &'static str {
        ["full", "bidding", "play"][self as usize]
    }
}

/// Who sits with whom.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Format {
    /// One challenger among three baselines, in each seat in turn.
    #[default]
    OneVsThree,
    /// Two challengers opposite each other against two baselines, both ways.
    TwoVsTwo,
}

/// Which deals, and how they are used.
#[derive(Clone, Copy, Debug)]
pub struct MatchConfig {
    /// Rule set.
    pub rules: &'static RuleSet,
    /// First deal, and the one after the last.
    pub deals: (u64, u64),
    /// Seed of the deals and of agents that draw.
    pub seed: u64,
    /// Which deals are dealt.
    pub condition: Condition,
    /// What is compared.
    pub scope: Scope,
    /// Who sits with whom.
    pub format: Format,
    /// Whether to solve every position and say what the cards gave away; slow.
    pub regret: bool,
}

/// Result of a match, complete enough to be joined with the results of other deals.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MatchResult {
    /// Points of the challenger per deal beyond the baseline's on the same deals and seats.
    pub difference: Sum,
    /// How the challenger fared, by contract and role.
    pub challenger: Tallies,
    /// How the baseline fared in its own table; empty where there is none.
    pub baseline: Tallies,
    /// What the cards of challenger and baseline gave away, where that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub regret: Option<[Regret; 2]>,
    /// Tables at which challenger and baseline forfeited the deal: programs from outside that failed.
    #[serde(default)]
    pub forfeits: [u64; 2],
}

/// Deals that one task plays. Fixed, so that results do not depend on the number of threads.
const CHUNK: u64 = 64;

/// Plays a match. `fixed` does the half that is not compared. `progress` is told of every
/// finished chunk, with its number of deals.
pub fn play_match(
    config: &MatchConfig,
    challenger: &Entry,
    baseline: &Entry,
    fixed: &Entry,
    progress: &(dyn Fn(u64) + Sync),
) -> MatchResult {
    let (from, to) = config.deals;
    let chunks: Vec<(u64, u64)> = (from / CHUNK..to.div_ceil(CHUNK))
        .map(|c| ((c * CHUNK).max(from), ((c + 1) * CHUNK).min(to)))
        .collect();
    let results: Vec<MatchResult> = chunks
        .into_par_iter()
        .map(|range| {
            let result = play_chunk(config, range, [challenger, baseline, fixed]);
            progress(range.1 - range.0);
            result
        })
        .collect();
    let mut total = MatchResult::default();
    for result in &results {
        total.merge(result);
    }
    total
}

impl MatchResult {
    /// Joins the result of other deals.
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

/// Index of each role in the list of agents.
const CHALLENGER: usize = 0;
const BASELINE: usize = 1;
const FIXED: usize = 2;

/// The seats that the challenger takes, table by table.
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

fn play_chunk(config: &MatchConfig, range: (u64, u64), entries: [&Entry; 3]) -> MatchResult {
    let deals = Deals::new(config.rules, config.seed).with_condition(config.condition);
    let mut agents: Vec<_> =
        (0..3).map(|i| entries[i].seat(config.seed.wrapping_add(i as u64))).collect();
    let seatings = challenger_seats(config.format);
    // With zero-sum points the baseline's own table adds up to nothing over the seats.
    let needs_baseline = !config.rules.is_zero_sum();
    let mut tables = Vec::new();
    let gatherer = &mut RuleBased;
    for deal in series(&deals, config.condition, range.0, range.1, gatherer) {
        for seats in &seatings {
            tables.push((deal, seating(config.scope, seats)));
        }
        if needs_baseline {
            tables.push((deal, seating(config.scope, &[])));
        }
    }
    let states = play_out(config.rules, &tables, &mut agents);
    let forfeits = [CHALLENGER, BASELINE].map(|role| agents[role].forfeits());
    let mut result = MatchResult { forfeits, ..MatchResult::default() };
    for group in states.chunks(seatings.len() + usize::from(needs_baseline)) {
        add_deal(&mut result, group, &seatings);
    }
    if config.regret && config.scope != Scope::Bidding {
        result.regret = Some(regrets(config.rules, &tables, &states));
    }
    result
}

/// What the cards of challenger and baseline gave away.
fn regrets(rules: &'static RuleSet, tables: &[(Deal, Seating)], states: &[State]) -> [Regret; 2] {
    let mut solver = Solver::default();
    let mut regrets = [Regret::default(), Regret::default()];
    for ((deal, seating), end) in tables.iter().zip(states) {
        let start = State::new(rules, deal);
        regret::add_deal(&start, end, &mut solver, &mut regrets, |seat| Some(seating.play[seat]));
    }
    regrets
}

/// Adds the tables of one deal: one per seating, then the baseline's own if there is one.
fn add_deal(result: &mut MatchResult, tables: &[State], seatings: &[Vec<Seat>]) {
    let points = |state: &State, seat: Seat| state.scores().map_or(0, |s| s[seat]);
    let own = tables.get(seatings.len());
    let mut difference = 0.0;
    for (state, seats) in tables.iter().zip(seatings) {
        for &seat in seats {
            let base = own.map_or(0, |state| points(state, seat));
            difference += f64::from(points(state, seat) - base) / 4.0;
            tally(&mut result.challenger, state, seat);
        }
    }
    if let Some(state) = own {
        Seat::ALL.iter().for_each(|&seat| tally(&mut result.baseline, state, seat));
    }
    result.difference.add(difference);
}
