//! Sets of actions, which serve as action masks.

use std::fmt;
use std::iter::FusedIterator;
use std::ops::{BitAnd, BitOr, BitOrAssign};

use rand::{Rng, RngExt};
use serde::{Deserialize, Serialize};

use super::call_set::{CallSet, Calls};
use super::numbering::{Action, FIRST_CALL, N_ACTIONS};
use crate::cards::{CardSet, Cards};
use crate::rng::Stream;

/// A set of actions; as an action mask it holds the legal ones.
#[derive(Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ActionSet {
    /// The cards.
    pub cards: CardSet,
    /// The calls.
    pub calls: CallSet,
}

impl ActionSet {
    /// No actions.
    pub const EMPTY: ActionSet = ActionSet { cards: CardSet::EMPTY, calls: CallSet::EMPTY };

    /// Returns a set of cards.
    #[inline]
    pub const fn from_cards(cards: CardSet) -> ActionSet {
        ActionSet { cards, calls: CallSet::EMPTY }
    }

    /// Returns a set of calls.
    #[inline]
    pub const fn from_calls(calls: CallSet) -> ActionSet {
        ActionSet { cards: CardSet::EMPTY, calls }
    }

    /// Returns whether the action is in the set.
    #[inline]
    pub const fn has(self, action: Action) -> bool {
        if action.0 < FIRST_CALL {
            self.cards.0 >> action.0 & 1 != 0
        } else {
            self.calls.has(action)
        }
    }

    /// Adds an action.
    #[inline]
    pub fn insert(&mut self, action: Action) {
        if action.0 < FIRST_CALL {
            self.cards.0 |= 1 << action.0;
        } else {
            self.calls.insert(action);
        }
    }

    /// Returns the number of actions.
    #[inline]
    pub const fn len(self) -> u32 {
        self.cards.len() + self.calls.len()
    }

    /// Returns whether the set is empty.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.cards.is_empty() && self.calls.is_empty()
    }

    /// Returns the `n`-th action in the order of the numbering, if there are more than `n`.
    #[inline]
    pub fn nth_action(self, n: u32) -> Option<Action> {
        let cards = self.cards.len();
        if n < cards {
            return Some(Action(nth_bit(self.cards.0, n)));
        }
        let (low, n) = (self.calls.0 as u64, n - cards);
        let high = (self.calls.0 >> 64) as u64;
        let in_low = low.count_ones();
        if n < in_low {
            Some(Action(FIRST_CALL + nth_bit(low, n)))
        } else if n - in_low < high.count_ones() {
            Some(Action(FIRST_CALL + 64 + nth_bit(high, n - in_low)))
        } else {
            None
        }
    }

    /// Returns the call of the set that bids nothing: pass, or keep.
    pub fn silent_call(self) -> Option<Action> {
        [Action::PASS, Action::KEEP].into_iter().find(|&call| self.has(call))
    }

    /// Returns an iterator over the set, in the order of the numbering.
    #[inline]
    pub const fn iter(self) -> Actions {
        Actions { cards: self.cards.iter(), calls: self.calls.iter() }
    }

    /// Draws an action uniformly; `None` from the empty set. The numbers are the same in every
    /// version of this crate.
    #[inline]
    pub fn draw(self, stream: &mut Stream) -> Option<Action> {
        self.nth_action(stream.below(self.len()))
    }

    /// Draws an action uniformly with any generator; `None` from the empty set. Its draws differ
    /// from those of [`ActionSet::draw`].
    pub fn sample<R: Rng + ?Sized>(self, rng: &mut R) -> Option<Action> {
        let n = self.len();
        if n == 0 { None } else { self.nth_action(rng.random_range(0..n)) }
    }

    /// Writes the set as an action mask, `true` at the number of each action in it.
    #[inline]
    pub fn write_mask(self, mask: &mut [bool; N_ACTIONS]) {
        let calls = self.calls.0;
        let words = [
            self.cards.0 | (calls as u64) << FIRST_CALL,
            (calls >> (64 - FIRST_CALL)) as u64,
            (calls >> (128 - FIRST_CALL)) as u64,
        ];
        // Chunks of a constant size compile to moves. A variable size would call memcpy.
        let bytes = words.map(u64::to_le_bytes);
        let (pieces, rest) = mask.as_chunks_mut::<8>();
        for (piece, &byte) in pieces.iter_mut().zip(bytes.as_flattened()) {
            *piece = BOOLS_OF_BYTE[usize::from(byte)];
        }
        let last = BOOLS_OF_BYTE[usize::from(bytes.as_flattened()[N_ACTIONS / 8])];
        rest.copy_from_slice(&last[..N_ACTIONS % 8]);
    }
}

/// The bits of each byte, lowest first.
static BOOLS_OF_BYTE: [[bool; 8]; 256] = {
    let mut table = [[false; 8]; 256];
    let mut i = 0;
    while i < 256 * 8 {
        table[i / 8][i % 8] = (i / 8) >> (i % 8) & 1 != 0;
        i += 1;
    }
    table
};

/// Returns the position of the `n`-th lowest set bit; there must be one.
#[inline(always)]
fn nth_bit(bits: u64, n: u32) -> u8 {
    // One instruction replaces a loop, whose number of rounds the processor cannot predict. This
    // saves a fifth of the time of random play.
    // SAFETY: this line is compiled only for processors that have the instruction.
    #[cfg(all(target_arch = "x86_64", target_feature = "bmi2"))]
    #[allow(unsafe_code)]
    let lowest = unsafe { std::arch::x86_64::_pdep_u64(1 << n, bits) };
    #[cfg(not(all(target_arch = "x86_64", target_feature = "bmi2")))]
    let lowest = (0..n).fold(bits, |bits, _| bits & bits.wrapping_sub(1));
    lowest.trailing_zeros() as u8
}

/// Iterator over an [`ActionSet`] in the order of the numbering.
#[derive(Clone, Debug)]
pub struct Actions {
    cards: Cards,
    calls: Calls,
}

impl Iterator for Actions {
    type Item = Action;

    #[inline]
    fn next(&mut self) -> Option<Action> {
        self.cards.next().map(Action::card).or_else(|| self.calls.next())
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.cards.len() + self.calls.len();
        (left, Some(left))
    }
}

impl DoubleEndedIterator for Actions {
    #[inline]
    fn next_back(&mut self) -> Option<Action> {
        self.calls.next_back().or_else(|| self.cards.next_back().map(Action::card))
    }
}

impl ExactSizeIterator for Actions {}

impl FusedIterator for Actions {}

impl IntoIterator for ActionSet {
    type Item = Action;
    type IntoIter = Actions;
    #[inline]
    fn into_iter(self) -> Actions {
        self.iter()
    }
}

impl BitOr for ActionSet {
    type Output = ActionSet;
    fn bitor(self, other: ActionSet) -> ActionSet {
        ActionSet { cards: self.cards | other.cards, calls: self.calls | other.calls }
    }
}

impl BitOrAssign for ActionSet {
    fn bitor_assign(&mut self, other: ActionSet) {
        *self = *self | other;
    }
}

impl BitAnd for ActionSet {
    type Output = ActionSet;
    fn bitand(self, other: ActionSet) -> ActionSet {
        ActionSet { cards: self.cards & other.cards, calls: self.calls & other.calls }
    }
}

impl FromIterator<Action> for ActionSet {
    fn from_iter<I: IntoIterator<Item = Action>>(actions: I) -> ActionSet {
        let mut set = ActionSet::EMPTY;
        actions.into_iter().for_each(|a| set.insert(a));
        set
    }
}

impl fmt::Debug for ActionSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(*self).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_uniform() {
        use crate::rng::{Purpose, Stream};
        let mut stream = Stream::new(1, Purpose::Action, 0);
        let set: ActionSet =
            [3, 51, 52, 77, 132].into_iter().filter_map(Action::from_index).collect();
        let mut counts = [0u32; N_ACTIONS];
        (0..5000).for_each(|_| counts[set.sample(&mut stream).unwrap().index()] += 1);
        assert!(set.iter().all(|a| (850..1150).contains(&counts[a.index()])), "{counts:?}");
        assert_eq!(counts.iter().sum::<u32>(), 5000);
        assert_eq!(ActionSet::EMPTY.sample(&mut stream), None);
    }

    #[test]
    fn nth_agrees_with_iteration() {
        let set: ActionSet =
            [3, 51, 52, 77, 132].into_iter().filter_map(Action::from_index).collect();
        let listed: Vec<Action> = set.iter().collect();
        for (n, &a) in listed.iter().enumerate() {
            assert_eq!(set.nth_action(n as u32), Some(a));
        }
        assert_eq!(set.nth_action(5), None);
        let mut mask = [true; N_ACTIONS];
        set.write_mask(&mut mask);
        for (i, on) in mask.into_iter().enumerate() {
            assert_eq!(on, set.has(Action::from_index(i).unwrap()));
        }
        assert_eq!(set.len(), 5);
    }
}
