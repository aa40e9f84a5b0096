//! The deals of an evaluation, the same for all bots compared on them.

use std::convert::Infallible;

use troel_agents::Heuristic;
use troel_agents::driver::{self, BotTable, DriverError, Recorder, Seating};
use troel_env::rules::DealMethod;
use troel_env::{Deal, Deals, Episode, RuleSet, Scenario, Seat, Session, SessionConfig};

use crate::deal_range::DealRange;

/// Deals in a row that come from one gathered deck, before a fresh shuffle.
pub(crate) const DEALS_PER_SERIES: u64 = 8;

/// Returns whether consecutive deals come from one gathered deck. They are then not independent
/// samples.
pub(crate) fn is_gathered(rules: &RuleSet, scenario: Scenario) -> bool {
    rules.spec().deal == DealMethod::Gather && scenario == Scenario::Any
}

/// Returns a range of the deals of a source.
///
/// Where the rule set never shuffles, every eighth deal is shuffled. The heuristic bot plays the
/// deals in between, so that the cards clump as they do at a table.
///
/// # Errors
/// The heuristic bot failed.
pub fn deals_in(deals: &Deals, range: DealRange) -> Result<Vec<Deal>, DriverError> {
    if !is_gathered(deals.rules(), deals.scenario()) {
        return Ok(range.numbers().map(|n| deals.shuffled(n, Seat::dealer(n))).collect());
    }
    let config = SessionConfig {
        episode: Episode::Deals(DEALS_PER_SERIES as u32),
        ..SessionConfig::default()
    };
    let open = |first: u64| BotTable {
        session: Session::new(deals.clone(), config, first, Seat::dealer(first)),
        seating: Seating::all(0),
    };
    let before = range.first % DEALS_PER_SERIES;
    let firsts = (range.first - before..range.end).step_by(DEALS_PER_SERIES as usize);
    let mut tables: Vec<BotTable> = firsts.map(open).collect();
    let mut dealt = Dealt(vec![Vec::new(); tables.len()]);
    driver::run(&mut tables, &mut [Box::new(Heuristic)], &mut dealt)?;
    let all = dealt.0.into_iter().flatten();
    Ok(all.skip(before as usize).take(range.len() as usize).collect())
}

/// Deals that were dealt at each table.
struct Dealt(Vec<Vec<Deal>>);

impl Recorder for Dealt {
    type Error = Infallible;

    fn deal_over(&mut self, at: usize, table: &BotTable) {
        self.0[at].push(table.session.state().deal());
    }
}
