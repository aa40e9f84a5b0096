//! The phases of a deal.

use std::fmt::{self, Display, Formatter};

use serde::{Serialize, Serializer};

/// The phase of a deal: the kind of action that is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Phase {
    /// A seat calls.
    Auction,
    /// The announcer's partner in a trou names trumps.
    Trump,
    /// A card is laid aside before a small misère.
    Discard,
    /// The dealer may ask for a card in exchange for the turn-up.
    Exchange,
    /// A misère declarer who is asked for a card gives or refuses it.
    Answer,
    /// A card is played.
    Play,
    /// The deal is over.
    Done,
}

impl Phase {
    /// Number of phases in which a seat acts.
    pub const COUNT: usize = 6;

    /// Returns the name used in records.
    pub const fn name(self) -> &'static str {
        ["auction", "trump", "discard", "exchange", "answer", "play", "done"][self as usize]
    }

    /// Returns whether the contract is still being found: the auction and the choice of trumps.
    #[inline]
    pub const fn is_bidding(self) -> bool {
        matches!(self, Phase::Auction | Phase::Trump)
    }
}

impl Display for Phase {
    /// Writes the name used in records.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl Serialize for Phase {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}
