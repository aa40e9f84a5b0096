//! Contracts.

use serde::{Deserialize, Serialize};

use crate::cards::Suit;
use crate::seat::{Seat, SeatSet};

/// Kind of contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[repr(u8)]
pub enum ContractKind {
    /// Eight to thirteen tricks by a pair: one proposes (or asks), the other goes along.
    Suit,
    /// Six to eight tricks alone.
    Solo,
    /// Nine to twelve tricks alone; declarer leads.
    Abondance,
    /// Small misère: no trick, after each seat has laid one card aside.
    SmallMisere,
    /// Misère: no trick.
    Misere,
    /// Open misère: no trick, with open cards.
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
    /// Five tricks alone by a seat whose ask was not answered.
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

    /// Returns the number of the kind, 0 to `COUNT - 1`.
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Returns the name used in records and rule files.
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

    /// Returns whether the aim is to take no trick, or exactly one.
    #[inline]
    pub const fn is_negative(self) -> bool {
        use ContractKind::*;
        matches!(self, SmallMisere | Misere | OpenMisere | Piccolo)
    }

    /// Returns whether the aim is to take no trick.
    #[inline]
    pub const fn is_misere(self) -> bool {
        self.is_negative() && !matches!(self, ContractKind::Piccolo)
    }

    /// Returns the number of tricks of a declarer who makes the contract. It is 1 for a piccolo, or
    /// else 0. Only for negative contracts.
    #[inline]
    pub const fn allowed_tricks(self) -> u8 {
        matches!(self, ContractKind::Piccolo) as u8
    }

    /// Returns whether the contract is an abondance or a slam. The Luxembourg family allows these
    /// only to seats that called one of them on their first turn.
    pub const fn is_abondance_or_slam(self) -> bool {
        use ContractKind::*;
        matches!(self, Abondance | SmallSlam | Slam)
    }

    /// Returns whether the declarer, not eldest, leads.
    pub const fn declarer_leads(self) -> bool {
        use ContractKind::*;
        matches!(self, Abondance | SmallSlam | Slam | SoloSlim)
    }

    /// Returns whether the contract is played by a pair.
    pub const fn is_pair(self) -> bool {
        use ContractKind::*;
        matches!(self, Suit | Trou | Troel)
    }

    /// Returns whether one player makes tricks alone.
    pub const fn is_lone(self) -> bool {
        !self.is_pair() && !self.is_negative()
    }

    /// Returns whether aces decide that the contract is announced, with no choice: trou and troel.
    pub const fn is_announced(self) -> bool {
        matches!(self, ContractKind::Trou | ContractKind::Troel)
    }
}

/// The contract of a deal: all that card play and scoring need to know of the auction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Contract {
    /// Kind.
    pub kind: ContractKind,
    /// Tricks to make; 0 for misères and piccolo. In a troel by house rules (`wiezen`) it is 8
    /// until the first trick has decided between 8 and 9. Where the deck is small it is less than
    /// the level that was bid.
    pub goal: u8,
    /// Trumps. `None` if there are none, or if they are not named yet.
    pub trump: Option<Suit>,
    /// The declarers. Two seats play together in `suit`, `trou` and `troel`; several
    /// declarers of a misère or piccolo each play for themselves.
    pub declarers: SeatSet,
    /// Index of its row in the rule set's contract table.
    pub row: u8,
}

impl Contract {
    /// Returns the kind and the goal, such as `abondance 9`; for misères and piccolo the kind only.
    pub fn label(&self) -> String {
        match self.goal {
            0 => self.kind.name().to_string(),
            goal => format!("{} {goal}", self.kind.name()),
        }
    }

    /// Returns the seat that shares the contract with `seat`. It is the other declarer of a pair,
    /// or the other defender against a pair. `None` where a seat is alone or on a side of three.
    pub fn partner(&self, seat: Seat) -> Option<Seat> {
        if !self.kind.is_pair() {
            return None;
        }
        let side =
            if self.declarers.has(seat) { self.declarers } else { SeatSet::FULL - self.declarers };
        (side - SeatSet::single(seat)).first()
    }

    /// Returns the seats on the same side, itself included. Each declarer of a misère or piccolo is
    /// a side alone.
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
