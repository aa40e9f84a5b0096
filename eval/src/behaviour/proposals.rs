//! Frequency of proposals and of going along with one, by the strength of the hand.

use serde::{Deserialize, Serialize};
use troel_env::cards::rank;
use troel_env::{Action, CardSet, SeatSet, State};

/// Number of classes of strength.
const CLASSES: usize = 5;
/// Width of a class, in high-card points; the last class is open.
const CLASS_WIDTH: u32 = 4;

/// Decisions by the strength of the hand, in five classes of high-card points. The classes are 0–3,
/// 4–7, 8–11, 12–15, and 16 or more (ace 4, king 3, queen 2, jack 1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ByStrength {
    /// Hands that had the choice.
    pub hands: [u64; CLASSES],
    /// Hands among them that made the call.
    pub calls: [u64; CLASSES],
}

impl ByStrength {
    fn add(&mut self, hand: CardSet, made_call: bool) {
        let class = (high_card_points(hand) / CLASS_WIDTH) as usize;
        let class = class.min(CLASSES - 1);
        self.hands[class] += 1;
        self.calls[class] += u64::from(made_call);
    }

    pub(crate) fn merge(&mut self, other: &ByStrength) {
        for class in 0..CLASSES {
            self.hands[class] += other.hands[class];
            self.calls[class] += other.calls[class];
        }
    }

    /// Formats the names of the classes in columns.
    pub(crate) fn heading() -> String {
        let name = |class: u32| match class as usize {
            last if last == CLASSES - 1 => format!("{}+", class * CLASS_WIDTH),
            _ => format!("{}-{}", class * CLASS_WIDTH, (class + 1) * CLASS_WIDTH - 1),
        };
        (0..CLASSES as u32).map(|class| format!("{:>6}", name(class))).collect()
    }

    /// Formats the shares in per cent, in the columns of [`ByStrength::heading`]. A class without
    /// hands is `-`.
    pub(crate) fn shares(&self) -> String {
        let share = |(&calls, &hands): (&u64, &u64)| match hands {
            0 => "-".to_string(),
            _ => format!("{:.0}%", 100.0 * calls as f64 / hands as f64),
        };
        self.calls.iter().zip(&self.hands).map(|class| format!("{:>6}", share(class))).collect()
    }
}

/// Proposals before any other bid, and answers to a first proposal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Proposals {
    /// Hands that could propose, and those that did.
    pub proposed: ByStrength,
    /// Hands that could go along with a proposal, and those that did.
    pub went_along: ByStrength,
}

impl Proposals {
    /// Counts the first decision of each seat in the auction of a deal. It stops at the first call
    /// that is no proposal. Deals in which aces force a partnership are not counted.
    pub(crate) fn count(&mut self, end: &State) {
        if end.auction().announcer().is_some() {
            return;
        }
        let hands = end.deal().hands;
        let mut counted = SeatSet::EMPTY;
        let mut proposed = None;
        for (seat, action) in end.history().iter() {
            let Some(action) = action.filter(|action| action.as_card().is_none()) else { return };
            if counted.has(seat) {
                return;
            }
            counted |= SeatSet::single(seat);
            let suit = action.as_suit_call().map(|(_, suit)| suit);
            match proposed {
                None => self.proposed.add(hands[seat], suit.is_some()),
                Some(proposed) => self.went_along.add(hands[seat], suit == Some(proposed)),
            }
            let is_silent = [Action::PASS, Action::WAIT].contains(&action);
            if !is_silent && (suit.is_none() || proposed.is_some()) {
                return;
            }
            proposed = proposed.or(suit);
        }
    }

    pub(crate) fn merge(&mut self, other: &Proposals) {
        self.proposed.merge(&other.proposed);
        self.went_along.merge(&other.went_along);
    }
}

/// Returns the high-card points of a hand: ace 4, king 3, queen 2, jack 1.
fn high_card_points(hand: CardSet) -> u32 {
    hand.iter().map(|card| u32::from(card.rank().saturating_sub(rank::TEN))).sum()
}

#[cfg(test)]
mod tests {
    use troel_env::parse_hand;

    use super::*;

    #[test]
    fn high_cards_are_counted() {
        assert_eq!(high_card_points(parse_hand("AKQJ.AT98.32.543").unwrap()), 14);
    }

    #[test]
    fn classes_have_shares() {
        let mut strength = ByStrength::default();
        strength.add(parse_hand("AKQJ.AT98.32.543").unwrap(), true);
        strength.add(parse_hand("AKQJ.AT98.32.543").unwrap(), false);
        strength.add(parse_hand("5432.5432.432.32").unwrap(), false);
        strength.add(parse_hand("AKQJ.AKQJ.AKQJ.A").unwrap(), true);
        assert_eq!(ByStrength::heading(), "   0-3   4-7  8-11 12-15   16+");
        assert_eq!(strength.shares(), "    0%     -     -   50%  100%");
    }
}
