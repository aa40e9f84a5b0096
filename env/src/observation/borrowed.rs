//! Observations that borrow the state of the deal.

use crate::cards::{Card, CardSet};
use crate::seat::{BySeat, Seat};
use crate::state::{PublicState, State};

/// A borrowed observation: the same knowledge without the copy, for encoding features in place.
/// Every public accessor leaves out the cards that the seat may not know.
#[derive(Clone, Copy)]
pub struct ObservationRef<'a> {
    state: &'a State,
    seat: Seat,
    totals: &'a BySeat<i32>,
}

impl State {
    /// Returns the observation of `seat`, borrowed.
    #[inline]
    pub fn observe_ref<'a>(&'a self, seat: Seat, totals: &'a BySeat<i32>) -> ObservationRef<'a> {
        ObservationRef { state: self, seat, totals }
    }
}

impl<'a> ObservationRef<'a> {
    /// Returns the facts that every seat knows. Those that only the observer knows have accessors
    /// here.
    #[inline]
    pub(crate) fn public(&self) -> &'a PublicState {
        &self.state.public
    }

    #[inline]
    pub(crate) fn seat(&self) -> Seat {
        self.seat
    }

    #[inline]
    pub(crate) fn hand(&self) -> CardSet {
        self.state.hands[self.seat]
    }

    /// Returns the cards that a seat holds and everybody knows; of the observer, too, only those.
    #[inline]
    pub(crate) fn shown(&self, seat: Seat) -> CardSet {
        self.public().shown[seat] - self.public().played[seat]
    }

    /// Returns whether the observer knows all cards that another seat still holds, at least one.
    /// These are the cards of a hand that lies open, or a last card that was shown before.
    #[inline]
    pub(crate) fn knows_hand(&self, seat: Seat) -> bool {
        let shown = self.shown(seat);
        let hand_size = u32::from(self.public().rules.cards_per_hand());
        let n_seen = shown.len() + self.public().played[seat].len();
        seat != self.seat && !shown.is_empty() && n_seen == hand_size
    }

    /// Returns the cards that the others may still play.
    #[inline]
    pub(crate) fn outstanding(&self) -> CardSet {
        let played: CardSet = self.public().played.iter().copied().collect();
        self.public().rules.deck() - played - self.hand() - self.state.laid_aside[self.seat]
    }

    #[inline]
    pub(crate) fn turn_up(&self) -> Option<Card> {
        let sees = self.public().turn_up_open || self.seat == self.public().dealer;
        self.state.turn_up.filter(|_| sees)
    }

    #[inline]
    pub(crate) fn totals(&self) -> &'a BySeat<i32> {
        self.totals
    }
}
