//! The deals of an evaluation, the same for all bots compared on them.

use troel_agents::heuristic;
use troel_env::rules::DealMethod;
use troel_env::{Deal, Deals, Episode, RuleSet, Scenario, Seat, Session, SessionConfig};

/// Consecutive deals from one gathered deck before a fresh shuffle.
pub const SERIES: u64 = 8;

/// Dealer of deal `n`: the seats deal in turn.
pub fn dealer(n: u64) -> Seat {
    Seat::from_index((n % 4) as usize)
}

/// Whether consecutive deals come from one gathered deck, so that they are not independent samples.
pub fn is_gathered(rules: &RuleSet, scenario: Scenario) -> bool {
    rules.spec().deal == DealMethod::Gather && scenario == Scenario::Any
}

/// Deals `from..to` of a source. Where the deck is gathered ([`is_gathered`]), every eighth deal is shuffled and the
/// heuristic bot plays the deals in between, so that the cards clump as in real play.
pub fn series(deals: &Deals, scenario: Scenario, from: u64, to: u64) -> Vec<Deal> {
    if !is_gathered(deals.rules(), scenario) {
        return (from..to).map(|n| deals.shuffled(n, dealer(n))).collect();
    }
    let mut dealt = Vec::new();
    for first in (from / SERIES * SERIES..to).step_by(SERIES as usize) {
        let config =
            SessionConfig { episode: Episode::Deals(SERIES as u32), ..SessionConfig::default() };
        let mut session = Session::new(deals.clone(), config, first, dealer(first));
        for n in first..to.min(first + SERIES) {
            if n >= from {
                dealt.push(session.state().deal());
            }
            while !session.is_deal_over() {
                let action = heuristic::choose(&session.observe());
                session.apply(action).expect("the heuristic bot plays legally, as its tests show");
            }
            // Fails after the last deal of a series, where a new session begins.
            let _ = session.next_deal();
        }
    }
    dealt
}
