//! Checks that a report, which may come from anywhere, holds together.

use super::error::MergeError;
use super::types::{MatchReport, Report};
use crate::regret::Regret;
use crate::series::MAX_DEALS;
use crate::statistics::Tallies;

/// Forfeits that challenger and baseline can have in a deal: one for each of their seats at its
/// tables.
const MAX_FORFEITS: [u64; 2] = [4, 16];

/// Maximum points of a seat in a deal, far beyond those that a rule file allows.
pub(crate) const MAX_POINTS: u64 = 100_000_000;

impl Report {
    /// Checks that the numbers of a report agree with each other.
    pub(super) fn check(&self) -> Result<(), MergeError> {
        let refuse = |found: String| Err(MergeError::Damaged { found });
        let is_bad = |range: &&(u64, u64)| range.0 >= range.1 || range.1 > MAX_DEALS;
        if let Some(range) = self.ranges.iter().find(is_bad) {
            return refuse(format!("a range of deals {} to {}", range.0, range.1));
        }
        let in_ranges = self.ranges.iter().map(|range| range.1 - range.0);
        let in_ranges = in_ranges.fold(0u64, u64::saturating_add);
        if in_ranges != self.deals {
            return refuse(format!("{} deals, but ranges of {in_ranges}", self.deals));
        }
        for m in &self.matches {
            for deals in [m.deals, m.detail.difference.n] {
                if deals != self.deals {
                    return refuse(format!("a match of {deals} deals among {}", self.deals));
                }
            }
            m.check().or_else(refuse)?;
        }
        Ok(())
    }
}

impl MatchReport {
    fn check(&self) -> Result<(), String> {
        let detail = &self.detail;
        if !detail.difference.is_consistent() {
            return Err("sums of clusters of deals that cannot be".to_string());
        }
        let counted = MatchReport::new("", "", "", detail.clone());
        let ends = |a: [Option<f64>; 2], b: [Option<f64>; 2]| {
            a.into_iter().zip(b).all(|(a, b)| match (a, b) {
                (Some(a), Some(b)) => near(a, b),
                (a, b) => a == b,
            })
        };
        if !near(self.points_per_deal, counted.points_per_deal) || !ends(self.ci95, counted.ci95) {
            return Err(format!(
                "{:+.2} points per deal, but sums of {:+.2}",
                self.points_per_deal, counted.points_per_deal
            ));
        }
        check_forfeits(detail.forfeits, self.deals)?;
        if let Some(control) = &self.control {
            if control.more_deals > MAX_DEALS {
                return Err(format!("a control of {} deals", control.more_deals));
            }
            check_forfeits(control.forfeits, self.deals + control.more_deals)?;
        }
        let own = points(&detail.challenger, self.deals)?;
        // The baseline's own table is played only where the points of a deal do not add up to zero.
        let base =
            if detail.baseline.is_empty() { 0 } else { points(&detail.baseline, self.deals)? };
        if !near(4.0 * detail.difference.sum, (own - base) as f64) {
            return Err(format!(
                "contracts that add up to {:+.2} points per deal, but sums of {:+.2}",
                (own - base) as f64 / (4.0 * self.deals as f64),
                counted.points_per_deal
            ));
        }
        let mut regrets = detail.regret.iter().flatten();
        regrets.try_for_each(|regret| check_regret(regret, self.deals))
    }
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * (1.0 + a.abs())
}

/// Checks that there are no more forfeits than seats at the tables of the deals.
pub(crate) fn check_forfeits(forfeits: [u64; 2], deals: u64) -> Result<(), String> {
    for (forfeits, most) in forfeits.into_iter().zip(MAX_FORFEITS) {
        if forfeits > deals.saturating_mul(most) {
            return Err(format!("{forfeits} forfeits in {deals} deals"));
        }
    }
    Ok(())
}

/// Returns the points of all seats in a table of contracts, which has each of four seats in each
/// deal.
fn points(tallies: &Tallies, deals: u64) -> Result<i128, String> {
    let (mut seats, mut points) = (0u128, 0i128);
    for (key, tally) in tallies {
        let most = u128::from(tally.deals) * u128::from(MAX_POINTS);
        if tally.made > tally.deals || u128::from(tally.points.unsigned_abs()) > most {
            return Err(format!(
                "contract {key:?} at {} seats, made at {}, for {} points",
                tally.deals, tally.made, tally.points
            ));
        }
        seats += u128::from(tally.deals);
        points += i128::from(tally.points);
    }
    if seats == 4 * u128::from(deals) {
        Ok(points)
    } else {
        Err(format!("contracts of {seats} seats, but four in each of {deals} deals"))
    }
}

fn check_regret(regret: &Regret, deals: u64) -> Result<(), String> {
    // At most five tables of 52 cards, each judged for at most three declarers of a misère.
    let most = deals.saturating_mul(5 * 52 * 3);
    let choices = regret.tricks.iter().chain([&regret.outcomes]);
    let mut lost_and_cards = choices.map(|choices| (choices.lost / 13, choices.cards));
    let is_possible = regret.tricks.len() <= 13
        && regret.unsolved <= most
        && lost_and_cards.all(|(lost, cards)| lost <= cards && cards <= most);
    if is_possible {
        Ok(())
    } else {
        Err(format!("regret of more cards or tricks than {deals} deals have"))
    }
}
