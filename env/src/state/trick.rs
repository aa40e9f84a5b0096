//! The cards on the table.

use crate::cards::{Card, CardSet, Suit};
use crate::seat::Seat;

/// The current trick.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trick {
    /// Seat that leads it.
    pub leader: Seat,
    cards: [u8; 4],
    len: u8,
    pub(super) winner: Seat,
}

impl Trick {
    pub(super) fn led_by(leader: Seat) -> Trick {
        Trick { leader, cards: [0; 4], len: 0, winner: leader }
    }

    /// Returns the number of cards on the table, 0 to 3 between actions.
    #[inline]
    pub fn len(&self) -> usize {
        usize::from(self.len)
    }

    /// Returns whether nobody has led yet.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the cards on the table with their seats, in the order played.
    pub fn cards(&self) -> impl Iterator<Item = (Seat, Card)> + '_ {
        (0..self.len()).filter_map(|i| {
            Some((self.leader.plus(i), Card::from_index(usize::from(self.cards[i]))?))
        })
    }

    /// Returns the cards on the table as a set.
    #[inline]
    pub fn card_set(&self) -> CardSet {
        // Without a branch on the number of cards.
        let bit = |i: usize| u64::from(i < self.len()) << self.cards[i];
        CardSet(bit(0) | bit(1) | bit(2) | bit(3))
    }

    /// Returns the card led.
    #[inline]
    pub fn lead(&self) -> Option<Card> {
        if self.len == 0 { None } else { Card::from_index(usize::from(self.cards[0])) }
    }

    /// Returns the seat that wins the trick so far, and its card.
    #[inline]
    pub fn winning(&self) -> Option<(Seat, Card)> {
        if self.len == 0 {
            return None;
        }
        let card = self.cards[self.winner.relative_to(self.leader)];
        Some((self.winner, Card::from_index(usize::from(card))?))
    }

    #[inline]
    pub(super) fn push(&mut self, seat: Seat, card: Card, trump: Option<Suit>) {
        if self.winning().is_none_or(|(_, best)| card.beats(best, trump)) {
            self.winner = seat;
        }
        self.cards[self.len()] = card.index() as u8;
        self.len += 1;
    }
}
