//! Ranges of deals.

use std::fmt::{self, Display, Formatter};
use std::ops::Range;

use serde::{Deserialize, Serialize};

/// Largest end of a range of deals: deal numbers are below it, so that no sum over deals overflows.
pub const MAX_DEALS: u64 = 1 << 40;

/// Range of consecutive deals of a source, by number. In JSON it is the list of both fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(from = "(u64, u64)", into = "(u64, u64)")]
pub struct DealRange {
    /// The first deal.
    pub first: u64,
    /// One past the last deal.
    pub end: u64,
}

impl DealRange {
    /// Creates the range of deals `first` to `end - 1`.
    pub const fn new(first: u64, end: u64) -> DealRange {
        DealRange { first, end }
    }

    /// Returns the number of deals.
    pub const fn len(self) -> u64 {
        self.end.saturating_sub(self.first)
    }

    /// Returns whether the range has no deal.
    pub const fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// Returns the numbers of the deals.
    pub const fn numbers(self) -> Range<u64> {
        self.first..self.end
    }

    /// Returns whether all deals of `other` are in this range.
    pub const fn covers(self, other: DealRange) -> bool {
        self.first <= other.first && other.end <= self.end
    }

    /// Returns whether the ranges overlap, and neither contains the other.
    pub const fn crosses(self, other: DealRange) -> bool {
        self.first < other.first && other.first < self.end && self.end < other.end
            || other.first < self.first && self.first < other.end && other.end < self.end
    }
}

impl From<Range<u64>> for DealRange {
    fn from(numbers: Range<u64>) -> DealRange {
        DealRange::new(numbers.start, numbers.end)
    }
}

impl From<(u64, u64)> for DealRange {
    fn from((first, end): (u64, u64)) -> DealRange {
        DealRange { first, end }
    }
}

impl From<DealRange> for (u64, u64) {
    fn from(range: DealRange) -> (u64, u64) {
        (range.first, range.end)
    }
}

impl Display for DealRange {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}..{}", self.first, self.end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_cross_if_each_has_deals_that_the_other_lacks() {
        let range = DealRange::new;
        assert!(range(0, 6).crosses(range(4, 9)) && range(4, 9).crosses(range(0, 6)));
        assert!(!range(0, 6).crosses(range(6, 9)), "no common deal");
        assert!(!range(0, 9).crosses(range(4, 6)) && range(0, 9).covers(range(4, 6)));
        assert!(!range(0, 9).crosses(range(0, 9)) && range(0, 9).covers(range(0, 9)));
        assert_eq!((range(4, 9).len(), range(9, 4).len()), (5, 0));
    }

    #[test]
    fn a_range_is_a_list_of_two_in_json() {
        let text = serde_json::to_string(&DealRange::new(3, 7)).expect("JSON");
        assert_eq!(text, "[3,7]");
        assert_eq!(serde_json::from_str::<DealRange>(&text).expect("a range"), (3..7).into());
    }
}
