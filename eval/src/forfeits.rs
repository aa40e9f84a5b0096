//! Forfeits of the two bots of a comparison.

use std::ops::AddAssign;

use serde::{Deserialize, Serialize};

/// Deals that the bots of a comparison forfeited. A failure of an external program costs it the
/// deal.
///
/// In JSON it is a list of two numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "[u64; 2]", into = "[u64; 2]")]
pub struct Forfeits {
    /// Deals forfeited by the challenger.
    pub challenger: u64,
    /// Deals forfeited by the baseline, at all of its seats.
    pub baseline: u64,
}

/// Maximum number of forfeits in a deal: one for each seat of the bot at the tables of the deal.
const MAX_FORFEITS_PER_DEAL: Forfeits = Forfeits { challenger: 4, baseline: 16 };

/// More forfeits than seats at the tables of the deals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{forfeits} forfeits in {deals} deals, where at most {max} are possible")]
pub struct TooManyForfeits {
    forfeits: u64,
    deals: u64,
    max: u64,
}

impl Forfeits {
    /// Returns the forfeits of both bots together.
    pub const fn total(self) -> u64 {
        self.challenger + self.baseline
    }

    /// Checks that there are no more forfeits than seats at the tables of the deals.
    pub(crate) fn check(self, deals: u64) -> Result<(), TooManyForfeits> {
        let per_deal = MAX_FORFEITS_PER_DEAL;
        let roles = [(self.challenger, per_deal.challenger), (self.baseline, per_deal.baseline)];
        for (forfeits, max_per_deal) in roles {
            let max = deals.saturating_mul(max_per_deal);
            if forfeits > max {
                return Err(TooManyForfeits { forfeits, deals, max });
            }
        }
        Ok(())
    }
}

impl AddAssign for Forfeits {
    fn add_assign(&mut self, other: Forfeits) {
        self.challenger += other.challenger;
        self.baseline += other.baseline;
    }
}

impl From<[u64; 2]> for Forfeits {
    fn from([challenger, baseline]: [u64; 2]) -> Forfeits {
        Forfeits { challenger, baseline }
    }
}

impl From<Forfeits> for [u64; 2] {
    fn from(Forfeits { challenger, baseline }: Forfeits) -> [u64; 2] {
        [challenger, baseline]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forfeits_are_a_list_of_two_in_json() {
        let forfeits = Forfeits { challenger: 3, baseline: 5 };
        assert_eq!(serde_json::to_string(&forfeits).expect("numbers"), "[3,5]");
        assert_eq!(serde_json::from_str::<Forfeits>("[3,5]").expect("two numbers"), forfeits);
        let one = serde_json::from_str::<Forfeits>("[3]").expect_err("one number").to_string();
        assert!(one.starts_with("invalid length 1, expected an array of length 2"), "{one}");
    }
}
