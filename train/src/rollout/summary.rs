//! Result of a collection: samples, and a summary of the deals.

use serde::{Deserialize, Serialize};
use troel_env::{ContractKind, Seat, SeatSet, State};

use crate::sample::Sample;

/// Result of a collection.
#[derive(Default, Serialize, Deserialize)]
pub struct Rollout {
    /// Samples, chunk by chunk of tables, in the order of the decisions.
    pub samples: Vec<Sample>,
    /// Summary of the ordinary deals.
    pub ordinary: DealSummary,
    /// Summary of the scenario deals.
    pub scenarios: DealSummary,
}

/// Summary of deals from the point of view of the recorded seats.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DealSummary {
    /// Number of deals.
    pub deals: u64,
    /// Number of deals that were passed out.
    pub passed_out: u64,
    /// Contracts played, by kind.
    pub played: [u64; ContractKind::COUNT],
    /// Contracts with a recorded declarer, by kind.
    pub declared: [u64; ContractKind::COUNT],
    /// Contracts with a recorded declarer that were made, by kind.
    pub made: [u64; ContractKind::COUNT],
    /// Number of recorded seats, summed over the deals.
    pub seats: u64,
    /// Total points of the recorded seats.
    pub points: i64,
    /// Number of other seats, summed over the deals.
    pub other_seats: u64,
    /// Total points of the other seats.
    pub other_points: i64,
}

impl DealSummary {
    /// Adds a finished deal.
    pub(super) fn add(&mut self, state: &State, recorded: SeatSet) {
        let Some(scores) = state.scores() else { return };
        self.deals += 1;
        for seat in Seat::ALL {
            let points = i64::from(scores[seat]);
            let (seats, sum) = if recorded.has(seat) {
                (&mut self.seats, &mut self.points)
            } else {
                (&mut self.other_seats, &mut self.other_points)
            };
            *seats += 1;
            *sum += points;
        }
        match state.contract() {
            None => self.passed_out += 1,
            Some(contract) => {
                let kind = contract.kind.index();
                self.played[kind] += 1;
                if let Some(seat) = contract.declarers.iter().find(|&s| recorded.has(s)) {
                    self.declared[kind] += 1;
                    self.made[kind] += u64::from(scores[seat] > 0);
                }
            }
        }
    }

    /// Adds the deals of another summary.
    pub(super) fn merge(&mut self, other: &DealSummary) {
        self.deals += other.deals;
        self.passed_out += other.passed_out;
        self.seats += other.seats;
        self.points += other.points;
        self.other_seats += other.other_seats;
        self.other_points += other.other_points;
        for kind in 0..ContractKind::COUNT {
            self.played[kind] += other.played[kind];
            self.declared[kind] += other.declared[kind];
            self.made[kind] += other.made[kind];
        }
    }

    /// Returns the mean points per recorded seat and deal; 0 without deals.
    pub fn mean_points(&self) -> f64 {
        self.points as f64 / self.seats.max(1) as f64
    }

    /// Returns the mean points per deal of the seats that are not recorded. It is `None` if all
    /// seats are recorded.
    pub fn mean_points_of_others(&self) -> Option<f64> {
        (self.other_seats > 0).then(|| self.other_points as f64 / self.other_seats as f64)
    }
}

#[cfg(test)]
mod tests {
    use troel_env::{Deals, RuleSet};

    use super::*;

    /// Under zero-sum rules, the points of one seat and of the three others add up to zero.
    #[test]
    fn points_of_others_are_counted_apart() {
        let rules = RuleSet::built_in("wiezen").unwrap();
        let mut summary = DealSummary::default();
        assert_eq!(summary.mean_points_of_others(), None);
        for deal in 0..50 {
            let mut state = State::new(rules, &Deals::new(rules, 1).shuffled(deal, Seat::North));
            while let Some(action) = state.legal_actions().iter().next_back() {
                state.apply_unchecked(action);
            }
            let all: SeatSet = Seat::ALL.into_iter().collect();
            summary.add(&state, if deal % 2 == 0 { SeatSet::single(Seat::East) } else { all });
        }
        assert_ne!(summary.points, 0);
        assert_eq!(summary.points + summary.other_points, 0);
        assert_eq!((summary.seats, summary.other_seats), (25 + 4 * 25, 3 * 25));
        assert_eq!(summary.mean_points_of_others(), Some(-summary.points as f64 / 75.0));
    }
}
