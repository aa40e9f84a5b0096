//! Ranks of calls in the auction.

use super::spec::MAX_CONTRACTS;

/// Number of orders within a row; the largest in use is 4, without trumps.
const ORDERS: u8 = 8;

/// Rank of a bid, or of trou or troel, in the auction. A higher one outranks it.
///
/// Ranks are compared by the row of the contract table, then by the order within the row. The
/// order is that of the suits where they rank, or whether the bid is in the turn-up suit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CallRank(u8);

impl CallRank {
    /// Rank below all others, where there is no bid.
    pub const NONE: CallRank = CallRank(0);

    /// Number of ranks.
    pub(crate) const COUNT: usize = ORDERS as usize * (MAX_CONTRACTS + 1);

    /// Returns the rank of a row of the contract table and an order within the row. There are at
    /// most 24 rows; the order is 0 to 4.
    pub const fn new(row: u8, order: u8) -> CallRank {
        CallRank(ORDERS * (row + 1) + order)
    }

    /// Returns the index of the row in the contract table; `None` for [`CallRank::NONE`].
    pub const fn row(self) -> Option<u8> {
        (self.0 / ORDERS).checked_sub(1)
    }

    /// Returns the order within the row, 0 to 4.
    pub const fn order(self) -> u8 {
        self.0 % ORDERS
    }

    /// Returns the number of lower ranks.
    pub(crate) const fn index(self) -> usize {
        self.0 as usize
    }

    /// Returns the next lower rank; [`CallRank::NONE`] for itself.
    pub(crate) const fn lower(self) -> CallRank {
        CallRank(self.0.saturating_sub(1))
    }
}
