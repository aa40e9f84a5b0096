//! What an auction ends in.

use serde::{Deserialize, Serialize};

use crate::cards::Suit;
use crate::seat::{Seat, SeatSet};

/// Kind of contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[repr(u8)]
pub enum ContractKind {
    /// A pair: propose (or ask) and go along.
    Suit,
    /// Alone, six to eight tricks.
    Solo,
    /// Alone, nine to twelve tricks; declarer leads.
    Abondance,
    /// No trick, after each seat has laid one card aside.
    SmallMisere,
    /// No trick.
    Misere,
    /// No trick, with open cards.
    OpenMisere,
    /// Exactly one trick.
    Piccolo,
    /// Nine tricks by a pair, announced on three aces (Luxembourg).
    Trou,
    /// Eight or nine tricks by a pair, announced on three or four aces (Flanders).
    Troel,
    /// Twelve tricks alone.
    SmallSlam,
    /// Thirteen tricks alone.
    Slam,
    /// An unanswered ask played alone, five tricks.
    Alone,
    /// Thirteen tricks alone in the turn-up suit.
    SoloSlim,
}

impl ContractKind {
    /// Number of kinds.
    pub const COUNT: usize = 13;

    /// All kinds, in the order of their numbers.
    pub const ALL: [ContractKind; Self::COUNT] = {
        use ContractKind::*;
        [
            Suit,
            Solo,
            Abondance,
            SmallMisere,
            Misere,
            OpenMisere,
            Piccolo,
            Trou,
            Troel,
            SmallSlam,
            Slam,
            Alone,
            SoloSlim,
        ]
    };

    /// 0 to `COUNT - 1`.
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The name used in records and rule files.
    pub const fn name(self) -> &'static str {
        [
            "suit",
            "solo",
            "abondance",
            "small-misere",
            "misere",
            "open-misere",
            "piccolo",
            "trou",
            "troel",
            "small-slam",
            "slam",
            "alone",
            "solo-slim",
        ][self as usize]
    }

    /// Contracts to take no trick, or exactly one.
    #[inline]
    pub const fn is_negative(self) -> bool {
        use ContractKind::*;
        matches!(self, SmallMisere | Misere | OpenMisere | Piccolo)
    }

    /// Contracts announced on the first turn or not at all in the Luxembourg family.
    pub const fn is_big(self) -> bool {
        use ContractKind::*;
        matches!(self, Abondance | SmallSlam | Slam)
    }

    /// Whether the declarer, not eldest, leads.
    pub const fn declarer_leads(self) -> bool {
        use ContractKind::*;
        matches!(self, Abondance | SmallSlam | Slam | SoloSlim)
    }

    /// Whether the contract is played by a pair.
    pub const fn is_pair(self) -> bool {
        use ContractKind::*;
        matches!(self, Suit | Trou | Troel)
    }

    /// Whether aces decide that the contract is announced, with no choice: trou and troel.
    pub const fn is_announced(self) -> bool {
        matches!(self, ContractKind::Trou | ContractKind::Troel)
    }

    /// Former name of [`ContractKind::is_announced`].
    #[doc(hidden)]
    pub const fn is_forced(self) -> bool {
        self.is_announced()
    }
}

/// The contract of a deal: all that card play and scoring need to know of the auction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Contract {
    /// Kind.
    pub kind: ContractKind,
    /// Tricks to make; 0 for misères and piccolo. Of a Flemish troel, 8 until the first
    /// trick has settled it.
    pub level: u8,
    /// Trumps. `None` without trumps, and while trumps are not yet known.
    pub trump: Option<Suit>,
    /// Who plays it. Two seats play together in `suit`, `trou` and `troel`; several
    /// declarers of a misère or piccolo each play for themselves.
    pub declarers: SeatSet,
    /// Index of its row in the rule set's contract table.
    pub row: u8,
}

impl Contract {
    /// The seat that shares the contract with `seat`: the other declarer of a pair, and the
    /// other defender against a pair. `None` where a seat is alone or on a side of three.
    pub fn partner(&self, seat: Seat) -> Option<Seat> {
        if !self.kind.is_pair() {
            return None;
        }
        let side =
            if self.declarers.has(seat) { self.declarers } else { SeatSet::FULL - self.declarers };
        (side - SeatSet::single(seat)).first()
    }

    /// The seats whose interest in the tricks is the same as the seat's own, itself included.
    /// Declarers of a misère are each for themselves.
    pub fn side(&self, seat: Seat) -> SeatSet {
        if !self.declarers.has(seat) {
            SeatSet::FULL - self.declarers
        } else if self.kind.is_pair() {
            self.declarers
        } else {
            SeatSet::single(seat)
        }
    }
}
