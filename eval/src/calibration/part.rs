//! Parts of a deal.

use serde::{Deserialize, Serialize};
use troel_env::State;

/// Part of a deal that a decision belongs to. Discards, exchanges and answers belong to the first
/// tricks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Part {
    /// The auction and the choice of trumps.
    Auction,
    /// The first three tricks.
    Tricks1To3,
    /// Tricks 4 to 6.
    Tricks4To6,
    /// Tricks 7 to 9.
    Tricks7To9,
    /// Tricks 10 to 13.
    Tricks10To13,
}

impl Part {
    /// All parts, in the order of a deal.
    pub const ALL: [Part; 5] =
        [Part::Auction, Part::Tricks1To3, Part::Tricks4To6, Part::Tricks7To9, Part::Tricks10To13];

    /// Returns the part of the deal that a state is in.
    pub fn of(state: &State) -> Part {
        if state.phase().is_bidding() {
            return Part::Auction;
        }
        match state.tricks().iter().sum::<u8>() {
            0..3 => Part::Tricks1To3,
            3..6 => Part::Tricks4To6,
            6..9 => Part::Tricks7To9,
            _ => Part::Tricks10To13,
        }
    }

    /// Returns the name in tables.
    pub const fn name(self) -> &'static str {
        ["auction", "tricks 1-3", "tricks 4-6", "tricks 7-9", "tricks 10-13"][self as usize]
    }
}
