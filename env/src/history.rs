//! The actions of a deal in the order made.

use crate::action::{Action, N_ACTIONS};
use crate::seat::Seat;

/// Marks an action whose content is hidden from the observer (a card laid aside).
const HIDDEN_CODE: u8 = u8::MAX;

/// The actions of a deal, with their seats.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct History {
    actions: [u8; History::CAPACITY],
    /// Two bits for each action.
    seats: [u8; History::CAPACITY / 4],
    len: u8,
}

impl Default for History {
    fn default() -> History {
        History { actions: [0; History::CAPACITY], seats: [0; History::CAPACITY / 4], len: 0 }
    }
}

impl History {
    /// Number of actions that there is room for. It is at least
    /// [`RuleSet::max_actions`](crate::RuleSet::max_actions) of any rule file, however many
    /// contracts it lists.
    pub const CAPACITY: usize = 176;

    /// Number of different tokens of [`History::tokens`]: padding, and each action of each seat.
    pub const N_TOKENS: usize = 1 + 4 * Self::TOKENS_PER_SEAT;

    /// The actions, and one token for an action that the observer may not see.
    const TOKENS_PER_SEAT: usize = N_ACTIONS + 1;

    /// Token of the rows after the last action.
    pub const PADDING_TOKEN: u16 = 0;

    /// Returns the number of actions so far.
    #[inline]
    pub fn len(&self) -> usize {
        usize::from(self.len)
    }

    /// Returns whether no action was taken yet.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the seat and the action of each step. The action is `None` if the observer may not
    /// see it.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (Seat, Option<Action>)> + '_ {
        (0..self.len()).map(|i| {
            let code = self.actions[i];
            (
                self.seat(i),
                if code == HIDDEN_CODE { None } else { Action::from_index(usize::from(code)) },
            )
        })
    }

    /// Returns the actions as tokens for a sequence model, oldest first, with
    /// [`History::PADDING_TOKEN`] after the last one.
    ///
    /// The token of an action is `1 + 134 * seat + number`. `seat` counts clockwise from
    /// `observer`, which is 0. `number` is the number of the action after `rename`, or 133 if the
    /// observer may not see it.
    pub fn tokens(
        &self,
        observer: Seat,
        rename: impl Fn(Action) -> Action,
    ) -> [u16; History::CAPACITY] {
        let mut tokens = [History::PADDING_TOKEN; History::CAPACITY];
        for (token, (seat, action)) in tokens.iter_mut().zip(self.iter()) {
            let number = action.map_or(N_ACTIONS, |action| rename(action).index());
            *token = (1 + History::TOKENS_PER_SEAT * seat.relative_to(observer) + number) as u16;
        }
        tokens
    }

    /// Returns the seat of a step. Four seats are packed into a byte.
    #[inline]
    fn seat(&self, step: usize) -> Seat {
        Seat::from_index_wrapping(usize::from(self.seats[step / 4] >> (2 * (step % 4))))
    }

    /// Returns the actions and seats so far as numbers. Histories of the same length are equal if
    /// and only if their numbers are.
    pub(crate) fn words(&self) -> impl Iterator<Item = u64> + '_ {
        let word = |bytes: &[u8]| bytes.iter().rev().fold(0, |sum, &b| sum << 8 | u64::from(b));
        let actions = self.actions[..self.len()].chunks(8).map(word);
        actions.chain(self.seats[..self.len().div_ceil(4)].chunks(8).map(word))
    }

    #[inline]
    pub(crate) fn push(&mut self, seat: Seat, action: Action) {
        let i = self.len();
        self.actions[i] = action.index() as u8;
        self.seats[i / 4] |= (seat as u8) << (2 * (i % 4));
        self.len += 1;
    }

    /// Hides the actions at these steps of the seats for which `hidden` is true.
    pub(crate) fn hide(&mut self, steps: std::ops::Range<usize>, hidden: impl Fn(Seat) -> bool) {
        for i in steps {
            if hidden(self.seat(i)) {
                self.actions[i] = HIDDEN_CODE;
            }
        }
    }
}

impl std::fmt::Debug for History {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}
