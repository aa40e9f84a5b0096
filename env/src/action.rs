//! The one flat action numbering of all rule sets.
//!
//! The table is public and versioned ([`ACTION_VERSION`]): checkpoints and exported bots
//! depend on it. Cards first, then calls:
//!
//! | numbers | actions |
//! |---|---|
//! | 0–51 | cards, `13 * suit + rank`, suits S C D H, ranks 2 to A |
//! | 52–55 | `pass`, `wait`, `stay`, `keep` |
//! | 56–79 | `8S 8C 8D 8H 9S … 13H` |
//! | 80–95 | `solo-5S … solo-8H` |
//! | 96–111 | `abondance-9S … abondance-12H` |
//! | 112–115 | `small-misere`, `misere`, `open-misere`, `piccolo` |
//! | 116–120 | `small-slam-S … small-slam-H`, `small-slam-NT` |
//! | 121–125 | `slam-S … slam-H`, `slam-NT` |
//! | 126 | `solo-slim` |
//! | 127–130 | `trump-S … trump-H` |
//! | 131–132 | `give`, `refuse` |

use std::fmt;
use std::ops::{BitAnd, BitOr, BitOrAssign};

use crate::cards::{Card, CardSet, Suit};
use crate::state::Phase;

/// Version of the numbering; raised whenever a number changes its meaning.
pub const ACTION_VERSION: u32 = 1;

/// Number of actions, cards and calls together.
pub const N_ACTIONS: usize = 133;

/// Number of actions that are not cards.
pub const N_CALLS: usize = N_ACTIONS - 52;

const SUIT_CALLS: u8 = 56;
const SOLO_CALLS: u8 = 80;
const ABONDANCE_CALLS: u8 = 96;
const SMALL_SLAM_CALLS: u8 = 116;
const SLAM_CALLS: u8 = 121;
const TRUMP_CALLS: u8 = 127;

/// An action: a card played, discarded or asked for, or a call.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Action(u8);

impl Action {
    /// Out of the auction for good.
    pub const PASS: Action = Action(52);
    /// Eldest's "I wait".
    pub const WAIT: Action = Action(53);
    /// The proposer's "ech bleiwen".
    pub const STAY: Action = Action(54);
    /// The announcer leaves trou or troel at that; the dealer keeps the turn-up.
    pub const KEEP: Action = Action(55);
    /// No trick, after each seat has laid one card aside.
    pub const SMALL_MISERE: Action = Action(112);
    /// No trick.
    pub const MISERE: Action = Action(113);
    /// No trick, with open cards.
    pub const OPEN_MISERE: Action = Action(114);
    /// Exactly one trick.
    pub const PICCOLO: Action = Action(115);
    /// All tricks with the turn-up's suit as trumps.
    pub const SOLO_SLIM: Action = Action(126);
    /// Yes to the dealer's exchange request.
    pub const GIVE: Action = Action(131);
    /// No to the dealer's exchange request.
    pub const REFUSE: Action = Action(132);

    /// The action with this number, if there is one.
    #[inline]
    pub const fn from_index(index: usize) -> Option<Action> {
        if index < N_ACTIONS { Some(Action(index as u8)) } else { None }
    }

    /// 0 to `N_ACTIONS - 1`.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Playing, discarding or asking for a card.
    #[inline]
    pub const fn card(card: Card) -> Action {
        Action(card.index() as u8)
    }

    /// The card, if the action is one.
    #[inline]
    pub const fn as_card(self) -> Option<Card> {
        Card::from_index(self.0 as usize)
    }

    /// A suit contract, level 8 to 13: proposed, gone along with or raised to.
    #[inline]
    pub const fn suit(level: u8, suit: Suit) -> Action {
        debug_assert!(level >= 8 && level <= 13);
        Action(SUIT_CALLS + (level - 8) * 4 + suit as u8)
    }

    /// Solo, level 5 to 8.
    #[inline]
    pub const fn solo(level: u8, suit: Suit) -> Action {
        debug_assert!(level >= 5 && level <= 8);
        Action(SOLO_CALLS + (level - 5) * 4 + suit as u8)
    }

    /// Abondance, level 9 to 12.
    #[inline]
    pub const fn abondance(level: u8, suit: Suit) -> Action {
        debug_assert!(level >= 9 && level <= 12);
        Action(ABONDANCE_CALLS + (level - 9) * 4 + suit as u8)
    }

    /// Twelve tricks alone; `None` for no trumps.
    pub const fn small_slam(trump: Option<Suit>) -> Action {
        Action(SMALL_SLAM_CALLS + strain(trump))
    }

    /// Thirteen tricks alone; `None` for no trumps.
    pub const fn slam(trump: Option<Suit>) -> Action {
        Action(SLAM_CALLS + strain(trump))
    }

    /// The fourth ace's holder names trumps.
    #[inline]
    pub const fn trump(suit: Suit) -> Action {
        Action(TRUMP_CALLS + suit as u8)
    }

    /// Level and suit of a suit contract.
    #[inline]
    pub const fn as_suit(self) -> Option<(u8, Suit)> {
        if self.0 >= SUIT_CALLS && self.0 < SOLO_CALLS {
            let n = self.0 - SUIT_CALLS;
            Some((8 + n / 4, Suit::from_index((n % 4) as usize)))
        } else {
            None
        }
    }

    /// The suit of a trump choice.
    #[inline]
    pub const fn as_trump(self) -> Option<Suit> {
        if self.0 >= TRUMP_CALLS && self.0 < TRUMP_CALLS + 4 {
            Some(Suit::from_index((self.0 - TRUMP_CALLS) as usize))
        } else {
            None
        }
    }

    /// What a bid bids: `None` for cards, `pass`, `wait`, trump choices and the like.
    pub fn as_bid(self) -> Option<Bid> {
        use crate::contract::ContractKind as K;
        let suit = |n: u8| Some(Suit::from_index(n as usize));
        let strain = |n: u8| if n < 4 { suit(n) } else { None };
        let (kind, level, trump) = match self.0 {
            56..=79 => (K::Suit, 8 + (self.0 - 56) / 4, suit((self.0 - 56) % 4)),
            // `solo-5` is the Flemish "alleen"; the name `solo` starts at six.
            80..=83 => (K::Alone, 5, suit(self.0 - 80)),
            84..=95 => (K::Solo, 5 + (self.0 - 80) / 4, suit((self.0 - 80) % 4)),
            96..=111 => (K::Abondance, 9 + (self.0 - 96) / 4, suit((self.0 - 96) % 4)),
            112 => (K::SmallMisere, 0, None),
            113 => (K::Misere, 0, None),
            114 => (K::OpenMisere, 0, None),
            115 => (K::Piccolo, 0, None),
            116..=120 => (K::SmallSlam, 12, strain(self.0 - 116)),
            121..=125 => (K::Slam, 13, strain(self.0 - 121)),
            126 => (K::SoloSlim, 13, None),
            _ => return None,
        };
        Some(Bid { kind, level, trump })
    }

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

/// What a bid bids.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bid {
    /// Kind of contract.
    pub kind: crate::contract::ContractKind,
    /// Tricks to make, 0 for misères and piccolo.
    pub level: u8,
    /// Trumps; `None` without trumps, or for solo slim (the turn-up decides).
    pub trump: Option<Suit>,
}

const fn strain(trump: Option<Suit>) -> u8 {
    match trump {
        Some(suit) => suit as u8,
        None => 4,
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

/// A set of actions; as an action mask it holds the legal ones.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct ActionSet {
    /// The cards.
    pub cards: CardSet,
    /// Bit `n` is the action numbered `52 + n`.
    pub calls: u128,
}

impl ActionSet {
    /// No actions.
    pub const EMPTY: ActionSet = ActionSet { cards: CardSet::EMPTY, calls: 0 };

    /// Only cards.
    #[inline]
    pub const fn from_cards(cards: CardSet) -> ActionSet {
        ActionSet { cards, calls: 0 }
    }

    /// Only calls; bit `n` is the action numbered `52 + n`.
    #[inline]
    pub const fn from_calls(calls: u128) -> ActionSet {
        ActionSet { cards: CardSet::EMPTY, calls }
    }

    /// Whether the action is in the set.
    #[inline]
    pub const fn has(self, action: Action) -> bool {
        if action.0 < 52 {
            self.cards.0 >> action.0 & 1 != 0
        } else {
            self.calls >> (action.0 - 52) & 1 != 0
        }
    }

    /// Adds an action.
    #[inline]
    pub fn insert(&mut self, action: Action) {
        if action.0 < 52 {
            self.cards.0 |= 1 << action.0;
        } else {
            self.calls |= 1 << (action.0 - 52);
        }
    }

    /// Number of actions.
    #[inline]
    pub const fn len(self) -> u32 {
        self.cards.len() + self.calls.count_ones()
    }

    /// Whether there is no action.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.cards.is_empty() && self.calls == 0
    }

    /// The `n`-th action in the order of the numbering, if there are more than `n`.
    #[inline]
    pub fn nth_action(self, n: u32) -> Option<Action> {
        let cards = self.cards.len();
        if n < cards {
            return Some(Action(nth_bit(self.cards.0, n)));
        }
        let (low, n) = (self.calls as u64, n - cards);
        let high = (self.calls >> 64) as u64;
        let in_low = low.count_ones();
        if n < in_low {
            Some(Action(52 + nth_bit(low, n)))
        } else if n - in_low < high.count_ones() {
            Some(Action(116 + nth_bit(high, n - in_low)))
        } else {
            None
        }
    }

    /// Writes the set as an action mask.
    #[inline]
    pub fn write_mask(self, mask: &mut [bool; N_ACTIONS]) {
        let calls = self.calls;
        let words =
            [self.cards.0 | (calls as u64) << 52, (calls >> 12) as u64, (calls >> 76) as u64];
        for (mask, word) in mask.chunks_mut(64).zip(words) {
            for (mask, byte) in mask.chunks_mut(8).zip(word.to_le_bytes()) {
                mask.copy_from_slice(&SPREAD[usize::from(byte)][..mask.len()]);
            }
        }
    }
}

/// The bits of each byte, lowest first.
static SPREAD: [[bool; 8]; 256] = {
    let mut table = [[false; 8]; 256];
    let mut i = 0;
    while i < 256 * 8 {
        table[i / 8][i % 8] = (i / 8) >> (i % 8) & 1 != 0;
        i += 1;
    }
    table
};

/// Position of the `n`-th lowest set bit; there must be one.
#[inline(always)]
fn nth_bit(bits: u64, n: u32) -> u8 {
    // One instruction instead of a loop of unforeseeable length, a fifth of the time of random play.
    // SAFETY: the instruction is there wherever this line is compiled.
    #[cfg(all(target_arch = "x86_64", target_feature = "bmi2"))]
    #[allow(unsafe_code)]
    let lowest = unsafe { std::arch::x86_64::_pdep_u64(1 << n, bits) };
    #[cfg(not(all(target_arch = "x86_64", target_feature = "bmi2")))]
    let lowest = (0..n).fold(bits, |bits, _| bits & bits.wrapping_sub(1));
    lowest.trailing_zeros() as u8
}

/// The bit of a call within [`ActionSet::calls`].
#[inline]
pub(crate) const fn call_bit(action: Action) -> u128 {
    1 << (action.0 - 52)
}

/// Iterates over an [`ActionSet`] in the order of the numbering.
pub struct Actions(ActionSet);

impl Iterator for Actions {
    type Item = Action;

    #[inline]
    fn next(&mut self) -> Option<Action> {
        if let Some(card) = self.0.cards.next() {
            return Some(Action::card(card));
        }
        if self.0.calls == 0 {
            return None;
        }
        let action = Action(52 + self.0.calls.trailing_zeros() as u8);
        self.0.calls &= self.0.calls - 1;
        Some(action)
    }
}

impl IntoIterator for ActionSet {
    type Item = Action;
    type IntoIter = Actions;
    fn into_iter(self) -> Actions {
        Actions(self)
    }
}

impl BitOr for ActionSet {
    type Output = ActionSet;
    fn bitor(self, other: ActionSet) -> ActionSet {
        ActionSet { cards: self.cards | other.cards, calls: self.calls | other.calls }
    }
}

impl BitOrAssign for ActionSet {
    fn bitor_assign(&mut self, other: ActionSet) {
        *self = *self | other;
    }
}

impl BitAnd for ActionSet {
    type Output = ActionSet;
    fn bitand(self, other: ActionSet) -> ActionSet {
        ActionSet { cards: self.cards & other.cards, calls: self.calls & other.calls }
    }
}

impl FromIterator<Action> for ActionSet {
    fn from_iter<I: IntoIterator<Item = Action>>(actions: I) -> ActionSet {
        let mut set = ActionSet::EMPTY;
        actions.into_iter().for_each(|a| set.insert(a));
        set
    }
}

impl fmt::Debug for ActionSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(*self).finish()
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

    #[test]
    fn nth_agrees_with_iteration() {
        let set: ActionSet =
            [3, 51, 52, 77, 132].into_iter().filter_map(Action::from_index).collect();
        let listed: Vec<Action> = set.into_iter().collect();
        for (n, &a) in listed.iter().enumerate() {
            assert_eq!(set.nth_action(n as u32), Some(a));
        }
        assert_eq!(set.nth_action(5), None);
        let mut mask = [true; N_ACTIONS];
        set.write_mask(&mut mask);
        for (i, on) in mask.into_iter().enumerate() {
            assert_eq!(on, set.has(Action::from_index(i).unwrap()));
        }
        assert_eq!(set.len(), 5);
    }
}
