//! Sets of calls.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::numbering::{Action, FIRST_CALL};
use crate::bit_set::bit_set;
use crate::cards::Suit;

/// A set of calls; bit `n` is the action numbered `52 + n`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[repr(transparent)]
#[serde(transparent)]
pub struct CallSet(pub(crate) u128);

impl CallSet {
    /// No calls.
    pub const EMPTY: CallSet = CallSet(0);

    /// Returns the set that holds only this call. The action must not be a card; debug builds check
    /// it.
    #[inline]
    pub const fn single(call: Action) -> CallSet {
        debug_assert!(call.0 >= FIRST_CALL, "the action is a card");
        CallSet(1 << (call.0 - FIRST_CALL))
    }

    /// Returns the calls with these action numbers.
    pub(crate) const fn numbered(numbers: Range<u8>) -> CallSet {
        CallSet((1 << (numbers.end - FIRST_CALL)) - (1 << (numbers.start - FIRST_CALL)))
    }

    /// Returns the suit calls in a suit: six levels, each four numbers above the one before.
    #[inline]
    pub(crate) const fn suit_calls(suit: Suit) -> CallSet {
        CallSet(0x11_1111 * CallSet::single(Action::suit_call(8, suit)).0)
    }

    /// Returns the calls in either set, for constants.
    pub(crate) const fn union(self, other: CallSet) -> CallSet {
        CallSet(self.0 | other.0)
    }

    /// Returns whether the action is in the set; `false` for a card.
    #[inline]
    pub const fn has(self, action: Action) -> bool {
        action.0 >= FIRST_CALL && self.0 >> (action.0 - FIRST_CALL) & 1 != 0
    }

    /// Adds a call. The action must not be a card; debug builds check it.
    #[inline]
    pub fn insert(&mut self, call: Action) {
        *self |= CallSet::single(call);
    }

    /// Returns the set that holds only the call with the lowest number; empty if there is none.
    #[inline]
    pub const fn lowest_bit(self) -> CallSet {
        CallSet(self.0 & self.0.wrapping_neg())
    }
}

bit_set!(
    /// Iterator over a [`CallSet`] in the order of the numbering.
    Calls,
    CallSet,
    Action,
    |number| Action(FIRST_CALL + number)
);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::action::N_ACTIONS;

    #[test]
    fn a_set_of_calls_holds_no_card() {
        let all_calls = CallSet::numbered(FIRST_CALL..N_ACTIONS as u8);
        for action in (0..N_ACTIONS).filter_map(Action::from_index) {
            assert_eq!(all_calls.has(action), action.as_card().is_none(), "{action}");
        }
    }
}
