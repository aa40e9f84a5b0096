//! What happened in the deals of a collection.

use serde::{Deserialize, Serialize};
use troel_env::{ContractKind, SeatSet, State};

/// Summary of deals from the point of view of the recorded seats.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// Deals played.
    pub deals: u64,
    /// Deals that were passed out.
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
}

impl Summary {
    pub(super) fn add(&mut self, state: &State, recorded: SeatSet) {
        let Some(scores) = state.scores() else { return };
        self.deals += 1;
        for seat in recorded.iter() {
            self.seats += 1;
            self.points += i64::from(scores[seat]);
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

    pub(super) fn merge(&mut self, other: &Summary) {
        self.deals += other.deals;
        self.passed_out += other.passed_out;
        self.seats += other.seats;
        self.points += other.points;
        for kind in 0..ContractKind::COUNT {
            self.played[kind] += other.played[kind];
            self.declared[kind] += other.declared[kind];
            self.made[kind] += other.made[kind];
        }
    }

    /// Mean points per recorded seat and deal; 0 without deals.
    pub fn mean_points(&self) -> f64 {
        self.points as f64 / self.seats.max(1) as f64
    }
}
