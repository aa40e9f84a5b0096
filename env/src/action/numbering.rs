//! The actions and their numbers.

use std::ops::Range;

use crate::cards::{Card, N_CARDS, RANKS_PER_SUIT, Suit};
use crate::contract::ContractKind;

/// Version of the numbering; raised whenever a number changes its meaning.
pub const ACTION_VERSION: u32 = 1;

/// Number of actions, cards and calls together.
pub const N_ACTIONS: usize = 133;

/// Number of actions that are not cards.
pub const N_CALLS: usize = N_ACTIONS - FIRST_CALL as usize;

// First number of each group of actions. A group ends where the next one begins.
pub(crate) const FIRST_CALL: u8 = N_CARDS as u8;
const FIRST_SUIT_CALL: u8 = 56;
const FIRST_SOLO: u8 = 80;
const FIRST_ABONDANCE: u8 = 96;
const FIRST_MISERE: u8 = 112;
const FIRST_SMALL_SLAM: u8 = 116;
const FIRST_SLAM: u8 = 121;
const FIRST_SOLO_SLIM: u8 = 126;
const FIRST_TRUMP: u8 = 127;
const FIRST_ANSWER: u8 = 131;
const LAST_ACTION: u8 = N_ACTIONS as u8 - 1;

/// Numbers of the bids: calls of a contract, from `8S` to `solo-slim`.
pub(crate) const BID_NUMBERS: Range<u8> = FIRST_SUIT_CALL..FIRST_TRUMP;
/// Numbers of the solos.
pub(crate) const SOLO_NUMBERS: Range<u8> = FIRST_SOLO..FIRST_ABONDANCE;
/// Numbers of the abondances.
pub(crate) const ABONDANCE_NUMBERS: Range<u8> = FIRST_ABONDANCE..FIRST_MISERE;
/// Numbers of the misères and piccolo.
pub(crate) const NEGATIVE_NUMBERS: Range<u8> = FIRST_MISERE..FIRST_SMALL_SLAM;
/// Numbers of the small slams and slams.
pub(crate) const SLAM_NUMBERS: Range<u8> = FIRST_SMALL_SLAM..FIRST_SOLO_SLIM;

/// An action: a card played, discarded or asked for, or a call.
///
/// There is one numbering for all rule sets. It is public and versioned ([`ACTION_VERSION`]):
/// checkpoints and exported bots depend on it. Cards come first, then calls:
///
/// | numbers | actions |
/// |---|---|
/// | 0–51 | cards, `13 * suit + rank`, suits S C D H, ranks 2 to A |
/// | 52–55 | `pass`, `wait`, `stay`, `keep` |
/// | 56–79 | `8S 8C 8D 8H 9S … 13H` |
/// | 80–95 | `solo-5S … solo-8H` |
/// | 96–111 | `abondance-9S … abondance-12H` |
/// | 112–115 | `small-misere`, `misere`, `open-misere`, `piccolo` |
/// | 116–120 | `small-slam-S … small-slam-H`, `small-slam-NT` |
/// | 121–125 | `slam-S … slam-H`, `slam-NT` |
/// | 126 | `solo-slim` |
/// | 127–130 | `trump-S … trump-H` |
/// | 131–132 | `give`, `refuse` |
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Action(pub(super) u8);

impl Action {
    /// Pass: the seat leaves the auction for good. In the exchange, the dealer withdraws from the
    /// contract.
    pub const PASS: Action = Action(FIRST_CALL);
    /// Wait: eldest bids nothing on the first turn, and may go along with a proposal later.
    pub const WAIT: Action = Action(FIRST_CALL + 1);
    /// Stay: a proposer leaves its unanswered proposal open and makes no further call.
    pub const STAY: Action = Action(FIRST_CALL + 2);
    /// Keep: the announcer of trou or troel calls nothing higher. In the exchange, the dealer keeps
    /// the turn-up.
    pub const KEEP: Action = Action(FIRST_CALL + 3);
    /// Small misère: no trick, after each seat has laid one card aside.
    pub const SMALL_MISERE: Action = Action(FIRST_MISERE);
    /// Misère: no trick.
    pub const MISERE: Action = Action(FIRST_MISERE + 1);
    /// Open misère: no trick, with open cards.
    pub const OPEN_MISERE: Action = Action(FIRST_MISERE + 2);
    /// Piccolo: exactly one trick.
    pub const PICCOLO: Action = Action(FIRST_MISERE + 3);
    /// Solo slim: all thirteen tricks alone, with the turn-up suit as trumps.
    pub const SOLO_SLIM: Action = Action(FIRST_SOLO_SLIM);
    /// Give: a declarer gives the card that the dealer asks for in the exchange.
    pub const GIVE: Action = Action(FIRST_ANSWER);
    /// Refuse: a declarer keeps the card that the dealer asks for in the exchange.
    pub const REFUSE: Action = Action(LAST_ACTION);

    /// Returns the action with this number, if there is one.
    #[inline]
    pub const fn from_index(index: usize) -> Option<Action> {
        if index < N_ACTIONS { Some(Action(index as u8)) } else { None }
    }

    /// Returns the number of the action, 0 to `N_ACTIONS - 1`.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Returns the action that plays a card, lays it aside or asks for it, depending on the phase.
    #[inline]
    pub const fn card(card: Card) -> Action {
        Action(card.index() as u8)
    }

    /// Returns the card, if the action is one.
    #[inline]
    pub const fn as_card(self) -> Option<Card> {
        Card::from_index(self.0 as usize)
    }

    /// Returns the call of a suit contract, level 8 to 13. It proposes, goes along or raises,
    /// depending on the auction.
    #[inline]
    pub const fn suit_call(level: u8, suit: Suit) -> Action {
        debug_assert!(level >= 8 && level <= 13);
        Action(FIRST_SUIT_CALL + (level - 8) * 4 + suit as u8)
    }

    /// Returns the call of a solo, level 6 to 8, or of `alone`, level 5.
    #[inline]
    pub const fn solo(level: u8, suit: Suit) -> Action {
        debug_assert!(level >= 5 && level <= 8);
        Action(FIRST_SOLO + (level - 5) * 4 + suit as u8)
    }

    /// Returns the call of an abondance, level 9 to 12.
    #[inline]
    pub const fn abondance(level: u8, suit: Suit) -> Action {
        debug_assert!(level >= 9 && level <= 12);
        Action(FIRST_ABONDANCE + (level - 9) * 4 + suit as u8)
    }

    /// Returns the call of a small slam, twelve tricks alone; `None` is no trumps.
    pub const fn small_slam(trump: Option<Suit>) -> Action {
        Action(FIRST_SMALL_SLAM + strain(trump))
    }

    /// Returns the call of a slam, thirteen tricks alone; `None` is no trumps.
    pub const fn slam(trump: Option<Suit>) -> Action {
        Action(FIRST_SLAM + strain(trump))
    }

    /// Returns the action by which the announcer's partner in a trou names trumps.
    #[inline]
    pub const fn trump(suit: Suit) -> Action {
        Action(FIRST_TRUMP + suit as u8)
    }

    /// Returns level (8 to 13) and suit, if the action calls a suit contract.
    #[inline]
    pub const fn as_suit_call(self) -> Option<(u8, Suit)> {
        if self.0 >= FIRST_SUIT_CALL && self.0 < FIRST_SOLO {
            let n = self.0 - FIRST_SUIT_CALL;
            Some((8 + n / 4, Suit::from_index_wrapping((n % 4) as usize)))
        } else {
            None
        }
    }

    /// Returns the suit, if the action names trumps.
    #[inline]
    pub const fn as_trump(self) -> Option<Suit> {
        if self.0 >= FIRST_TRUMP && self.0 < FIRST_ANSWER {
            Some(Suit::from_index_wrapping((self.0 - FIRST_TRUMP) as usize))
        } else {
            None
        }
    }

    /// Decodes the number of the action.
    #[inline]
    pub(super) const fn meaning(self) -> Meaning {
        use ContractKind as K;
        match self {
            Action(n @ 0..FIRST_CALL) => {
                Meaning::Card(Card::new(suit(n / RANKS_PER_SUIT), n % RANKS_PER_SUIT))
            }
            Action::PASS => Meaning::Pass,
            Action::WAIT => Meaning::Wait,
            Action::STAY => Meaning::Stay,
            Action::KEEP => Meaning::Keep,
            Action(n @ FIRST_SUIT_CALL..FIRST_SOLO) => {
                let n = n - FIRST_SUIT_CALL;
                Meaning::SuitCall(8 + n / 4, suit(n % 4))
            }
            Action(n @ FIRST_SOLO..FIRST_ABONDANCE) => {
                let n = n - FIRST_SOLO;
                Meaning::Solo(5 + n / 4, suit(n % 4))
            }
            Action(n @ FIRST_ABONDANCE..FIRST_MISERE) => {
                let n = n - FIRST_ABONDANCE;
                Meaning::Abondance(9 + n / 4, suit(n % 4))
            }
            Action::SMALL_MISERE => Meaning::Negative(K::SmallMisere),
            Action::MISERE => Meaning::Negative(K::Misere),
            Action::OPEN_MISERE => Meaning::Negative(K::OpenMisere),
            Action::PICCOLO => Meaning::Negative(K::Piccolo),
            Action(n @ FIRST_SMALL_SLAM..FIRST_SLAM) => {
                Meaning::SmallSlam(trump_of_strain(n - FIRST_SMALL_SLAM))
            }
            Action(n @ FIRST_SLAM..FIRST_SOLO_SLIM) => {
                Meaning::Slam(trump_of_strain(n - FIRST_SLAM))
            }
            Action::SOLO_SLIM => Meaning::SoloSlim,
            Action(n @ FIRST_TRUMP..FIRST_ANSWER) => Meaning::Trump(suit(n - FIRST_TRUMP)),
            Action::GIVE => Meaning::Give,
            Action(LAST_ACTION..) => Meaning::Refuse,
        }
    }

    /// Returns the contract that a call bids. `None` for cards and for calls that bid none, such as
    /// `pass`.
    pub fn as_bid(self) -> Option<Bid> {
        use ContractKind as K;
        let (kind, level, trump) = match self.meaning() {
            Meaning::SuitCall(level, suit) => (K::Suit, level, Some(suit)),
            // `solo-5` is the Flemish "alleen"; the name `solo` starts at six.
            Meaning::Solo(5, suit) => (K::Alone, 5, Some(suit)),
            Meaning::Solo(level, suit) => (K::Solo, level, Some(suit)),
            Meaning::Abondance(level, suit) => (K::Abondance, level, Some(suit)),
            Meaning::Negative(kind) => (kind, 0, None),
            Meaning::SmallSlam(trump) => (K::SmallSlam, 12, trump),
            Meaning::Slam(trump) => (K::Slam, 13, trump),
            Meaning::SoloSlim => (K::SoloSlim, 13, None),
            Meaning::Card(_)
            | Meaning::Pass
            | Meaning::Wait
            | Meaning::Stay
            | Meaning::Keep
            | Meaning::Trump(_)
            | Meaning::Give
            | Meaning::Refuse => return None,
        };
        Some(Bid { kind, level, trump })
    }

    /// Returns the call of a bid, or `None` if no call makes it: the inverse of [`Action::as_bid`].
    pub fn from_bid(bid: Bid) -> Option<Action> {
        let calls = BID_NUMBERS.map(Action);
        calls.into_iter().find(|call| call.as_bid() == Some(bid))
    }

    /// Returns the same action with suits renamed. `new_suits` holds the new suit of each suit, in
    /// the order of [`Suit::ALL`].
    #[must_use]
    pub fn with_suits_renamed(self, new_suits: [Suit; 4]) -> Action {
        let renamed = |suit: Suit| new_suits[suit.index()];
        match self.meaning() {
            Meaning::Card(card) => Action::card(Card::new(renamed(card.suit()), card.rank())),
            Meaning::SuitCall(level, suit) => Action::suit_call(level, renamed(suit)),
            Meaning::Solo(level, suit) => Action::solo(level, renamed(suit)),
            Meaning::Abondance(level, suit) => Action::abondance(level, renamed(suit)),
            Meaning::SmallSlam(trump) => Action::small_slam(trump.map(renamed)),
            Meaning::Slam(trump) => Action::slam(trump.map(renamed)),
            Meaning::Trump(suit) => Action::trump(renamed(suit)),
            Meaning::Pass
            | Meaning::Wait
            | Meaning::Stay
            | Meaning::Keep
            | Meaning::Negative(_)
            | Meaning::SoloSlim
            | Meaning::Give
            | Meaning::Refuse => self,
        }
    }
}

/// Meaning of an action's number.
#[derive(Clone, Copy)]
pub(super) enum Meaning {
    Card(Card),
    Pass,
    Wait,
    Stay,
    Keep,
    /// Level and suit.
    SuitCall(u8, Suit),
    /// Level and suit.
    Solo(u8, Suit),
    /// Level and suit.
    Abondance(u8, Suit),
    /// A misère or piccolo.
    Negative(ContractKind),
    /// Trumps; `None` without trumps.
    SmallSlam(Option<Suit>),
    /// Trumps; `None` without trumps.
    Slam(Option<Suit>),
    SoloSlim,
    Trump(Suit),
    Give,
    Refuse,
}

/// The contract that a call bids.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bid {
    /// Kind of contract.
    pub kind: ContractKind,
    /// Tricks to make, 0 for misères and piccolo.
    pub level: u8,
    /// Trumps; `None` without trumps, or for solo slim (the turn-up decides).
    pub trump: Option<Suit>,
}

/// Returns the number of a strain: that of the suit, or 4 without trumps.
const fn strain(trump: Option<Suit>) -> u8 {
    match trump {
        Some(suit) => suit as u8,
        None => 4,
    }
}

/// Returns the trumps of a strain; see [`strain`].
const fn trump_of_strain(strain: u8) -> Option<Suit> {
    if strain < 4 { Some(suit(strain)) } else { None }
}

const fn suit(n: u8) -> Suit {
    Suit::from_index_wrapping(n as usize)
}
