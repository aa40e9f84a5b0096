//! Checks that the numbers of a report, which may be from an untrusted source, are consistent.

use super::error::{MergeError, ReportError};
use super::types::{ComparisonReport, MAX_STORED_POINTS, Report};
use crate::deal_range::{DealRange, MAX_DEALS};
use crate::duplicate::Scope;
use crate::regret::Regret;
use crate::statistics::Tallies;

impl Report {
    /// Checks that the numbers of a report agree with each other.
    pub(super) fn check(&self) -> Result<(), MergeError> {
        let is_bad = |range: &&DealRange| range.is_empty() || range.end > MAX_DEALS;
        if let Some(&range) = self.ranges.iter().find(is_bad) {
            return Err(ReportError::Range(range).into());
        }
        let in_ranges = self.ranges.iter().map(|range| range.len());
        let in_ranges = in_ranges.fold(0u64, u64::saturating_add);
        if in_ranges != self.deals {
            return Err(ReportError::Deals { deals: self.deals, in_ranges }.into());
        }
        for comparison in &self.comparisons {
            for found in [comparison.deals, comparison.detail.difference.n] {
                if found != self.deals {
                    return Err(ReportError::ComparisonDeals { found, deals: self.deals }.into());
                }
            }
            comparison.check()?;
        }
        Ok(())
    }
}

impl ComparisonReport {
    fn check(&self) -> Result<(), ReportError> {
        let detail = &self.detail;
        if !detail.difference.is_consistent() {
            return Err(ReportError::Clusters);
        }
        let counted = ComparisonReport::new("", "", Scope::Full, detail.clone());
        let sums = counted.points_per_deal;
        let mut ends = self.ci95.ends().into_iter().zip(counted.ci95.ends());
        let is_same = |(a, b): (f64, f64)| a == b || (a.is_finite() && near(a, b));
        if !near(self.points_per_deal, sums) || !ends.all(is_same) {
            return Err(ReportError::Points { points: self.points_per_deal, sums });
        }
        detail.forfeits.check(self.deals)?;
        if let Some(control) = &self.control {
            if control.more_deals > MAX_DEALS {
                return Err(ReportError::Control(control.more_deals));
            }
            control.forfeits.check(self.deals + control.more_deals)?;
        }
        let own = points(&detail.challenger, self.deals)?;
        // The baseline's own table is played only where the points of a deal do not add up to zero.
        let base =
            if detail.baseline.is_empty() { 0 } else { points(&detail.baseline, self.deals)? };
        if !near(4.0 * detail.difference.sum, (own - base) as f64) {
            let contracts = (own - base) as f64 / (4.0 * self.deals as f64);
            return Err(ReportError::ContractPoints { contracts, sums });
        }
        let mut regrets = detail.regret.iter().flatten();
        regrets.try_for_each(|regret| check_regret(regret, self.deals))
    }
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * (1.0 + a.abs())
}

/// Returns the points of all seats in a table of contracts. The table has each of four seats in
/// each deal.
fn points(tallies: &Tallies, deals: u64) -> Result<i128, ReportError> {
    let (mut seats, mut points) = (0u128, 0i128);
    for (key, tally) in tallies {
        let max_points = u128::from(tally.deals) * u128::from(MAX_STORED_POINTS);
        if tally.made > tally.deals || u128::from(tally.points.unsigned_abs()) > max_points {
            return Err(ReportError::Contract {
                key: key.clone(),
                seats: tally.deals,
                made: tally.made,
                points: tally.points,
            });
        }
        seats += u128::from(tally.deals);
        points += i128::from(tally.points);
    }
    if seats == 4 * u128::from(deals) {
        Ok(points)
    } else {
        Err(ReportError::Seats { seats, deals })
    }
}

fn check_regret(regret: &Regret, deals: u64) -> Result<(), ReportError> {
    // At most five tables of 52 cards, each judged for at most three declarers of a misère.
    let max_cards = deals.saturating_mul(5 * 52 * 3);
    let counts = regret.tricks.iter().chain([&regret.outcomes]);
    let mut lost_and_cards = counts.map(|count| (count.lost / 13, count.cards));
    let is_possible = regret.tricks.len() <= 13
        && regret.unsolved <= max_cards
        && lost_and_cards.all(|(lost, cards)| lost <= cards && cards <= max_cards);
    if is_possible { Ok(()) } else { Err(ReportError::Regret(deals)) }
}
