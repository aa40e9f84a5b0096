//! Parts of a deal.

use serde::{Deserialize, Serialize};
use troel_env::PublicState;

/// Part of the deals that a row of a calibration is about.
///
/// Every decision belongs to one of [`DealPart::FINEST`]; [`DealPart::All`] and [`DealPart::Play`]
/// contain several of these. Discards, exchanges and answers belong to the first tricks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum DealPart {
    /// All decisions.
    #[serde(rename = "all")]
    All,
    /// The auction and the choice of trumps.
    #[serde(rename = "auction")]
    Auction,
    /// Everything after the auction and the choice of trumps.
    #[serde(rename = "play")]
    Play,
    /// The first three tricks.
    #[serde(rename = "tricks 1-3")]
    Tricks1To3,
    /// Tricks 4 to 6.
    #[serde(rename = "tricks 4-6")]
    Tricks4To6,
    /// Tricks 7 to 9.
    #[serde(rename = "tricks 7-9")]
    Tricks7To9,
    /// Tricks 10 to 13.
    #[serde(rename = "tricks 10-13")]
    Tricks10To13,
}

impl DealPart {
    /// Parts that do not contain each other, in the order of a deal.
    pub const FINEST: [DealPart; 5] = [
        DealPart::Auction,
        DealPart::Tricks1To3,
        DealPart::Tricks4To6,
        DealPart::Tricks7To9,
        DealPart::Tricks10To13,
    ];

    /// Returns the finest part of the deal that a state is in.
    pub fn of(public: &PublicState) -> DealPart {
        if public.phase().is_bidding() {
            return DealPart::Auction;
        }
        match public.tricks().iter().sum::<u8>() {
            0..3 => DealPart::Tricks1To3,
            3..6 => DealPart::Tricks4To6,
            6..9 => DealPart::Tricks7To9,
            _ => DealPart::Tricks10To13,
        }
    }

    /// Returns whether this part contains one of [`DealPart::FINEST`].
    pub fn contains(self, finest: DealPart) -> bool {
        match self {
            DealPart::All => true,
            DealPart::Play => finest != DealPart::Auction,
            part => part == finest,
        }
    }

    /// Returns the name in tables and files.
    pub const fn name(self) -> &'static str {
        match self {
            DealPart::All => "all",
            DealPart::Auction => "auction",
            DealPart::Play => "play",
            DealPart::Tricks1To3 => "tricks 1-3",
            DealPart::Tricks4To6 => "tricks 4-6",
            DealPart::Tricks7To9 => "tricks 7-9",
            DealPart::Tricks10To13 => "tricks 10-13",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_have_the_names_of_tables() {
        for part in DealPart::FINEST.into_iter().chain([DealPart::All, DealPart::Play]) {
            let text = serde_json::to_string(&part).expect("JSON");
            assert_eq!(text, format!("{:?}", part.name()));
            assert_eq!(serde_json::from_str::<DealPart>(&text).expect("a part"), part);
        }
    }
}
