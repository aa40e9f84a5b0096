//! Means, intervals, and what happened per contract.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use troel_env::{Seat, State};

/// A running sum of one value per deal. Seats of one deal are averaged before they come here,
/// so that intervals are clustered by deal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Sum {
    /// Number of deals.
    pub n: u64,
    /// Sum of the values.
    pub sum: f64,
    /// Sum of their squares.
    pub squares: f64,
}

impl Sum {
    /// Adds a deal.
    pub fn add(&mut self, value: f64) {
        self.n += 1;
        self.sum += value;
        self.squares += value * value;
    }

    /// Joins two sums over different deals.
    pub fn merge(&mut self, other: &Sum) {
        self.n += other.n;
        self.sum += other.sum;
        self.squares += other.squares;
    }

    /// The mean; 0 without deals.
    pub fn mean(&self) -> f64 {
        if self.n == 0 { 0.0 } else { self.sum / self.n as f64 }
    }

    /// Half the width of the 95 % interval of the mean (normal approximation); infinite for
    /// fewer than two deals.
    pub fn half_width(&self) -> f64 {
        if self.n < 2 {
            return f64::INFINITY;
        }
        let n = self.n as f64;
        let variance = (self.squares - self.sum * self.sum / n).max(0.0) / (n - 1.0);
        1.959_964 * (variance / n).sqrt()
    }

    /// The 95 % interval of the mean.
    pub fn ci95(&self) -> [f64; 2] {
        [self.mean() - self.half_width(), self.mean() + self.half_width()]
    }
}

/// How an agent fared with a contract in a role.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// Deals.
    pub deals: u64,
    /// Deals in which the contract was made (by the agent, if it declared alone).
    pub made: u64,
    /// Points of the agent in total.
    pub points: i64,
}

/// Tallies by contract and role: `"solo 7 declarer"`, `"suit 8 defender"`, `"void"`.
pub type Tallies = BTreeMap<String, Tally>;

/// Counts a finished deal for one seat.
pub fn tally(tallies: &mut Tallies, state: &State, seat: Seat) {
    let Some(scores) = state.scores() else { return };
    let (key, made) = match state.contract() {
        None => ("void".to_string(), false),
        Some(contract) => {
            let declares = contract.declarers.has(seat);
            let judged = if declares { Some(seat) } else { contract.declarers.first() };
            let role = if declares { "declarer" } else { "defender" };
            let level =
                if contract.level > 0 { format!(" {}", contract.level) } else { String::new() };
            let made = judged.is_some_and(|s| scores[s] > 0);
            (format!("{}{level} {role}", contract.kind.name()), made)
        }
    };
    let entry = tallies.entry(key).or_default();
    entry.deals += 1;
    entry.made += u64::from(made);
    entry.points += i64::from(scores[seat]);
}

/// Joins tallies over different deals.
pub fn merge_tallies(into: &mut Tallies, other: &Tallies) {
    for (key, tally) in other {
        let entry = into.entry(key.clone()).or_default();
        entry.deals += tally.deals;
        entry.made += tally.made;
        entry.points += tally.points;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interval_matches_a_textbook_case() {
        let mut sum = Sum::default();
        [1.0, 2.0, 3.0, 4.0, 5.0].into_iter().for_each(|v| sum.add(v));
        assert_eq!(sum.mean(), 3.0);
        // s = sqrt(2.5), s / sqrt(5) = 0.7071.
        assert!((sum.half_width() - 1.959_964 * 0.5f64.sqrt()).abs() < 1e-12);
        let (mut left, mut right) = (Sum::default(), Sum::default());
        [1.0, 2.0].into_iter().for_each(|v| left.add(v));
        [3.0, 4.0, 5.0].into_iter().for_each(|v| right.add(v));
        left.merge(&right);
        assert_eq!(left, sum);
    }
}
