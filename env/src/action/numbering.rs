//! The actions and their numbers; the table is in the documentation of the module above.

use crate::cards::{Card, Suit};
use crate::contract::ContractKind;

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
pub struct Action(pub(super) u8);

impl Action {
    /// The seat leaves the auction for good; in the exchange, the dealer withdraws from the contract.
    pub const PASS: Action = Action(52);
    /// Eldest, on the first turn, announces nothing yet and may go along with a proposal later.
    pub const WAIT: Action = Action(53);
    /// A proposer lets the unanswered proposal stand and speaks no more.
    pub const STAY: Action = Action(54);
    /// In the auction, the announcer of trou or troel calls nothing higher; in the exchange, the dealer keeps the
    /// turn-up.
    pub const KEEP: Action = Action(55);
    /// Small misère: no trick, after each seat has laid one card aside.
    pub const SMALL_MISERE: Action = Action(112);
    /// Misère: no trick.
    pub const MISERE: Action = Action(113);
    /// Open misère: no trick, with open cards.
    pub const OPEN_MISERE: Action = Action(114);
    /// Piccolo: exactly one trick.
    pub const PICCOLO: Action = Action(115);
    /// Solo slim: all thirteen tricks alone, with the turn-up suit as trumps.
    pub const SOLO_SLIM: Action = Action(126);
    /// A declarer who is asked for a card in the exchange gives it.
    pub const GIVE: Action = Action(131);
    /// A declarer who is asked for a card in the exchange refuses it.
    pub const REFUSE: Action = Action(132);

    /// The action with this number, if there is one.
    #[inline]
    pub const fn from_index(index: usize) -> Option<Action> {
        if index < N_ACTIONS { Some(Action(index as u8)) } else { None }
    }

    /// The number of the action, 0 to `N_ACTIONS - 1`.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The action that plays a card, lays it aside or asks for it, depending on the phase.
    #[inline]
    pub const fn card(card: Card) -> Action {
        Action(card.index() as u8)
    }

    /// The card, if the action is one.
    #[inline]
    pub const fn as_card(self) -> Option<Card> {
        Card::from_index(self.0 as usize)
    }

    /// The call of a suit contract, level 8 to 13. It proposes, goes along or raises, depending on the auction.
    #[inline]
    pub const fn suit(level: u8, suit: Suit) -> Action {
        debug_assert!(level >= 8 && level <= 13);
        Action(SUIT_CALLS + (level - 8) * 4 + suit as u8)
    }

    /// The call of a solo, level 5 to 8.
    #[inline]
    pub const fn solo(level: u8, suit: Suit) -> Action {
        debug_assert!(level >= 5 && level <= 8);
        Action(SOLO_CALLS + (level - 5) * 4 + suit as u8)
    }

    /// The call of an abondance, level 9 to 12.
    #[inline]
    pub const fn abondance(level: u8, suit: Suit) -> Action {
        debug_assert!(level >= 9 && level <= 12);
        Action(ABONDANCE_CALLS + (level - 9) * 4 + suit as u8)
    }

    /// The call of a small slam, twelve tricks alone; `None` stands for no trumps.
    pub const fn small_slam(trump: Option<Suit>) -> Action {
        Action(SMALL_SLAM_CALLS + strain(trump))
    }

    /// The call of a slam, thirteen tricks alone; `None` stands for no trumps.
    pub const fn slam(trump: Option<Suit>) -> Action {
        Action(SLAM_CALLS + strain(trump))
    }

    /// The announcer's partner in a trou names trumps.
    #[inline]
    pub const fn trump(suit: Suit) -> Action {
        Action(TRUMP_CALLS + suit as u8)
    }

    /// Level (8 to 13) and suit, if the action calls a suit contract.
    #[inline]
    pub const fn as_suit(self) -> Option<(u8, Suit)> {
        if self.0 >= SUIT_CALLS && self.0 < SOLO_CALLS {
            let n = self.0 - SUIT_CALLS;
            Some((8 + n / 4, Suit::from_index((n % 4) as usize)))
        } else {
            None
        }
    }

    /// The suit, if the action names trumps.
    #[inline]
    pub const fn as_trump(self) -> Option<Suit> {
        if self.0 >= TRUMP_CALLS && self.0 < TRUMP_CALLS + 4 {
            Some(Suit::from_index((self.0 - TRUMP_CALLS) as usize))
        } else {
            None
        }
    }

    /// The contract that a call announces; `None` for cards and for calls that announce none, such as `pass`.
    pub fn as_bid(self) -> Option<Bid> {
        use ContractKind as K;
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
}

/// The contract that a call announces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bid {
    /// Kind of contract.
    pub kind: ContractKind,
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

/// The bit of a call within a set of calls: bit `n` is the action numbered `52 + n`.
#[inline]
pub(crate) const fn call_bit(action: Action) -> u128 {
    1 << (action.0 - 52)
}
