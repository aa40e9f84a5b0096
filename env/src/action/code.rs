//! Codes of actions: how they are written and read.

use std::fmt;

use super::numbering::{Action, N_ACTIONS};
use crate::cards::{Card, Suit};
use crate::phase::Phase;

impl Action {
    /// Reads a code such as `9H`, `solo-6S` or `QD`. `8S` and its like are a call in the
    /// auction and a card everywhere else, so the phase decides.
    pub fn parse(code: &str, phase: Phase) -> Option<Action> {
        let matches = |a: &Action| {
            let mut writer = Matches { rest: code.as_bytes() };
            fmt::write(&mut writer, format_args!("{a}")).is_ok() && writer.rest.is_empty()
        };
        // 133 short codes: a scan costs less than it would take to explain a table.
        let first = if phase == Phase::Auction { 52 } else { 0 };
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
        let suit = |n: u8| Suit::from_index(n as usize).letter();
        let strain = |f: &mut fmt::Formatter<'_>, n: u8| match n {
            4 => f.write_str("NT"),
            n => write!(f, "{}", suit(n)),
        };
        let n = self.0;
        match n {
            0..=51 => write!(f, "{}", Card::from_index(n as usize).ok_or(fmt::Error)?),
            52 => f.write_str("pass"),
            53 => f.write_str("wait"),
            54 => f.write_str("stay"),
            55 => f.write_str("keep"),
            56..=79 => write!(f, "{}{}", 8 + (n - 56) / 4, suit((n - 56) % 4)),
            80..=95 => write!(f, "solo-{}{}", 5 + (n - 80) / 4, suit((n - 80) % 4)),
            96..=111 => write!(f, "abondance-{}{}", 9 + (n - 96) / 4, suit((n - 96) % 4)),
            112 => f.write_str("small-misere"),
            113 => f.write_str("misere"),
            114 => f.write_str("open-misere"),
            115 => f.write_str("piccolo"),
            116..=120 => f.write_str("small-slam-").and_then(|()| strain(f, n - 116)),
            121..=125 => f.write_str("slam-").and_then(|()| strain(f, n - 121)),
            126 => f.write_str("solo-slim"),
            127..=130 => write!(f, "trump-{}", suit(n - 127)),
            131 => f.write_str("give"),
            _ => f.write_str("refuse"),
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
            let phase = if i < 52 { Phase::Play } else { Phase::Auction };
            assert_eq!(Action::parse(code, phase).map(Action::index), Some(i), "{code}");
        }
        for bad in ["", "8", "14S", "solo-9S", "slam", "Pass", "8s", "giver"] {
            assert_eq!(Action::parse(bad, Phase::Auction), None, "{bad}");
        }
    }
}
