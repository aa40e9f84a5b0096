//! Node of the search tree: the cards still held by the four hands, and the current trick.
//!
//! The bounds and the move order read nodes; the search makes and undoes moves on one.

use crate::lanes::{self, Cards};

/// Goal: the declarers want as many tricks as possible. Goals are const parameters of the search,
/// so that each one is compiled separately.
pub(crate) const MOST_TRICKS: u8 = 0;
/// Goal: the declarers want as few tricks as possible.
pub(crate) const FEWEST_TRICKS: u8 = 1;
/// Goal: the declarers want exactly one trick.
pub(crate) const ONE_TRICK: u8 = 2;

/// Ranks that an answer depends on: in each suit those of the highest cards and of the lowest ones.
///
/// The answer is the same in every position that agrees on the holders of these cards. The number
/// of cards of each hand in each suit must be the same, too.
///
/// The highest ranks show the winner of a trick: the card that wins, and all above it. The lowest
/// ranks show that a lone declarer of a misère can stay below the others.
#[derive(Clone, Copy, Default)]
pub(crate) struct Ranks {
    /// The lowest card of a suit in this set and all above it matter.
    pub high: Cards,
    /// The highest card of a suit in this set and all below it matter.
    pub low: Cards,
}

impl Ranks {
    /// No rank matters.
    pub const NONE: Ranks = Ranks { high: 0, low: 0 };

    /// Creates ranks of high cards.
    #[inline(always)]
    pub fn high(cards: Cards) -> Ranks {
        Ranks { high: cards, low: 0 }
    }

    /// Creates ranks of low cards.
    #[inline(always)]
    pub fn low(cards: Cards) -> Ranks {
        Ranks { high: 0, low: cards }
    }
}

impl std::ops::BitOr for Ranks {
    type Output = Ranks;

    #[inline(always)]
    fn bitor(self, other: Ranks) -> Ranks {
        Ranks { high: self.high | other.high, low: self.low | other.low }
    }
}

impl std::ops::BitOrAssign for Ranks {
    #[inline(always)]
    fn bitor_assign(&mut self, other: Ranks) {
        *self = *self | other;
    }
}

/// Answer to a question about the declarers' tricks.
#[derive(Clone, Copy)]
pub(crate) struct Answer {
    /// Whether the declarers reach the target.
    pub reached: bool,
    /// Ranks that the answer depends on.
    pub ranks: Ranks,
}

impl Answer {
    /// Creates an answer that depends on `ranks`.
    #[inline(always)]
    pub fn new(reached: bool, ranks: Ranks) -> Answer {
        Answer { reached, ranks }
    }
}

/// The current trick.
#[derive(Clone, Copy)]
pub(crate) struct Trick {
    /// Lane of the suit led.
    pub led: Cards,
    /// Card that wins so far.
    pub best: Cards,
    /// Seat of that card.
    pub winner: usize,
    /// Cards of the trick.
    pub cards: Cards,
}

/// Hands, and properties of the position that do not change in a search.
pub(crate) struct Node {
    /// Cards held by each seat.
    pub hands: [Cards; 4],
    /// Number of cards of each seat in each suit, four bits each. Suit `s` of seat `p` is at bit
    /// `16 p + 4 s`.
    pub shape: u64,
    /// Lane of trumps; 0 without trumps.
    pub trump: Cards,
    /// Declarers, one bit for each seat.
    pub declarers: u8,
    /// Cards that must be played whenever they are legal: a forced ace in the first trick.
    pub forced: Cards,
}

impl Node {
    /// Returns whether a seat is a declarer.
    #[inline(always)]
    pub fn declares(&self, seat: usize) -> bool {
        self.declarers >> seat & 1 != 0
    }

    /// Returns the side of a seat, one bit for each seat, including the seat itself.
    #[inline(always)]
    pub fn side(&self, seat: usize) -> u8 {
        if self.declares(seat) { self.declarers } else { 15 & !self.declarers }
    }

    /// Returns the cards held by a set of seats, given as one bit for each seat.
    #[inline(always)]
    pub fn held_by(&self, seats: u8) -> Cards {
        (0..4).filter(|seat| seats >> seat & 1 != 0).fold(0, |held, seat| held | self.hands[seat])
    }

    /// Returns the cards still held.
    #[inline(always)]
    pub fn all(&self) -> Cards {
        self.hands[0] | self.hands[1] | self.hands[2] | self.hands[3]
    }

    /// Returns the cards that `seat` may play when `led` is the lane of the suit led.
    #[inline(always)]
    pub fn legal(&self, seat: usize, led: Cards) -> Cards {
        let suit = self.hands[seat] & led;
        if suit == 0 {
            self.hands[seat]
        } else if suit & self.forced != 0 {
            suit & self.forced
        } else {
            suit
        }
    }

    /// Removes a card from a hand.
    #[inline(always)]
    pub fn take(&mut self, seat: usize, card: Cards) {
        self.hands[seat] &= !card;
        self.shape -= 1 << (16 * seat + 4 * lanes::suit_of(card));
    }

    /// Returns a removed card to a hand.
    #[inline(always)]
    pub fn put_back(&mut self, seat: usize, card: Cards) {
        self.hands[seat] |= card;
        self.shape += 1 << (16 * seat + 4 * lanes::suit_of(card));
    }
}

/// Returns whether `card` beats `best`.
#[inline(always)]
pub(crate) fn beats(card: Cards, best: Cards, trump: Cards) -> bool {
    let same_suit = lanes::suit_of(card) == lanes::suit_of(best);
    if same_suit { card < best } else { card & trump != 0 }
}
