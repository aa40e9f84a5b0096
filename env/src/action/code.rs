//! Codes of actions: formatting and parsing.

use std::fmt::{self, Write};

use super::numbering::{Action, FIRST_CALL, Meaning, N_ACTIONS};
use crate::cards::Suit;
use crate::phase::Phase;

impl Action {
    /// Reads a code such as `9H`, `solo-6S` or `QD`.
    ///
    /// A code such as `8S` is a call in the auction and a card in every other phase.
    pub fn parse(code: &str, phase: Phase) -> Option<Action> {
        let matches = |a: &Action| {
            let mut writer = Matches { rest: code.as_bytes() };
            fmt::write(&mut writer, format_args!("{a}")).is_ok() && writer.rest.is_empty()
        };
        // A scan over all codes is fast enough: there are only 133.
        let first = if phase == Phase::Auction { FIRST_CALL } else { 0 };
        let from = |start: u8, end: u8| (start..end).map(Action).find(matches);
        from(first, N_ACTIONS as u8).or_else(|| from(0, first))
    }
}

/// A writer that compares instead of storing, so that parsing allocates nothing.
struct Matches<'a> {
    rest: &'a [u8],
}

impl fmt::Write for Matches<'_> {
    fn write_str(&mut self, s: &str) -> fmt::Result {
        self.rest = self.rest.strip_prefix(s.as_bytes()).ok_or(fmt::Error)?;
        Ok(())
    }
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.meaning() {
            Meaning::Card(card) => write!(f, "{card}"),
            Meaning::Pass => f.write_str("pass"),
            Meaning::Wait => f.write_str("wait"),
            Meaning::Stay => f.write_str("stay"),
            Meaning::Keep => f.write_str("keep"),
            Meaning::SuitCall(level, suit) => write!(f, "{level}{}", suit.letter()),
            Meaning::Solo(level, suit) => write!(f, "solo-{level}{}", suit.letter()),
            Meaning::Abondance(level, suit) => write!(f, "abondance-{level}{}", suit.letter()),
            Meaning::Negative(kind) => f.write_str(kind.name()),
            Meaning::SmallSlam(trump) => write!(f, "small-slam-{}", Strain(trump)),
            Meaning::Slam(trump) => write!(f, "slam-{}", Strain(trump)),
            Meaning::SoloSlim => f.write_str("solo-slim"),
            Meaning::Trump(suit) => write!(f, "trump-{}", suit.letter()),
            Meaning::Give => f.write_str("give"),
            Meaning::Refuse => f.write_str("refuse"),
        }
    }
}

/// Trumps of a slam in its code: the suit's letter, or `NT` without trumps.
struct Strain(Option<Suit>);

impl fmt::Display for Strain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(suit) => f.write_char(suit.letter()),
            None => f.write_str("NT"),
        }
    }
}

impl fmt::Debug for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::action::Bid;
    use crate::contract::ContractKind;

    #[test]
    fn bids_name_their_calls() {
        for action in (0..N_ACTIONS).filter_map(Action::from_index) {
            if let Some(bid) = action.as_bid() {
                assert_eq!(Action::from_bid(bid), Some(action), "{action}");
            }
        }
        let troel = Bid { kind: ContractKind::Troel, level: 8, trump: None };
        assert_eq!(Action::from_bid(troel), None, "aces announce it");
    }

    #[test]
    fn the_numbering_is_pinned() {
        let codes: Vec<String> =
            (0..N_ACTIONS).map(|i| Action::from_index(i).unwrap().to_string()).collect();
        assert_eq!(codes[0], "2S");
        assert_eq!(codes[51], "AH");
        assert_eq!(codes[52..57], ["pass", "wait", "stay", "keep", "8S"]);
        assert_eq!(codes[79..81], ["13H", "solo-5S"]);
        assert_eq!(codes[95..97], ["solo-8H", "abondance-9S"]);
        assert_eq!(
            codes[111..117],
            ["abondance-12H", "small-misere", "misere", "open-misere", "piccolo", "small-slam-S"]
        );
        assert_eq!(
            codes[120..128],
            [
                "small-slam-NT",
                "slam-S",
                "slam-C",
                "slam-D",
                "slam-H",
                "slam-NT",
                "solo-slim",
                "trump-S"
            ]
        );
        assert_eq!(codes[131..], ["give", "refuse"]);
        for (i, code) in codes.iter().enumerate() {
            let phase = if i < usize::from(FIRST_CALL) { Phase::Play } else { Phase::Auction };
            assert_eq!(Action::parse(code, phase).map(Action::index), Some(i), "{code}");
        }
        for bad in ["", "8", "14S", "solo-9S", "slam", "Pass", "8s", "giver"] {
            assert_eq!(Action::parse(bad, Phase::Auction), None, "{bad}");
        }
    }
}
