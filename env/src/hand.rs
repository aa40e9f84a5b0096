//! What a hand is worth: estimates that the rule-based bots bid by and that the features
//! offer to networks.

use crate::cards::{CardSet, Suit};

/// Worth in tricks of the top three honours of a side suit, by bits ace 4, king 2, queen 1.
/// A guess, not fitted to data.
const HONOURS: [f32; 8] = [0.0, 0.15, 0.45, 0.8, 0.95, 1.25, 1.75, 2.4];

/// Tricks that the hand takes by itself with these trumps (`None`: without), in expectation
/// against best defence by three: an additive rule of thumb.
pub fn trick_estimate(hand: CardSet, trump: Option<Suit>) -> f32 {
    let trumps = trump.map_or(0, |suit| hand.of(suit).len());
    let mut tricks = 0.0;
    for suit in Suit::ALL {
        let cards = hand.of(suit);
        let length = cards.len();
        let ranks = cards.0 >> (13 * suit as u32);
        if Some(suit) == trump {
            tricks += trump_tricks(ranks, length);
            continue;
        }
        let honours = HONOURS[(ranks >> 10 & 7) as usize];
        // Honours in long suits get ruffed; a bare king or queen falls to the ace.
        let ruffed = if trump.is_some() && length > 4 { 0.12 * (length - 4) as f32 } else { 0.0 };
        let bare = if length == 1 && ranks >> 10 & 3 != 0 { 0.3 } else { 0.0 };
        tricks += (honours - ruffed - bare).max(0.0);
        // Small cards of a long suit win once the others have run out.
        if length >= 5 && (trump.is_none() || trumps >= 5) {
            tricks += 0.45 * (length - 4) as f32 * (ranks >> 10 & 7).count_ones() as f32 / 2.0;
        }
        // Shortness ruffs, as long as there are trumps to spare.
        if trump.is_some() && length <= 2 && trumps >= 3 {
            tricks += [0.9, 0.5, 0.15][length as usize] * ((trumps - 2) as f32 / 3.0).min(1.0);
        }
    }
    tricks.min(13.0)
}

/// Tricks from a trump holding: its length less what the missing top cards cost.
fn trump_tricks(ranks: u64, length: u32) -> f32 {
    let mut missing = 0.0;
    // Each missing honour takes a trick away from a short holding, less from a long one.
    for (above, weight) in [(12, 0.85), (11, 0.75), (10, 0.55), (9, 0.3)] {
        if ranks >> above & 1 == 0 {
            missing += weight;
        }
    }
    let short = if length < 5 { 0.35 * (5 - length) as f32 } else { 0.0 };
    (length as f32 - missing - short).max(0.0)
}

/// Expected number of tricks that a hand cannot avoid in a misère: 0 for a hand that always
/// ducks. Per suit, the cards are compared with the lowest ones that could lie under them.
pub fn misere_risk(hand: CardSet) -> f32 {
    let mut risk = 0.0;
    for suit in Suit::ALL {
        let cards = hand.of(suit);
        let length = cards.len();
        for (position, card) in cards.enumerate() {
            // The n-th lowest card is safe if at most 2n ranks lie below it.
            let below = u32::from(card.rank()) - position as u32;
            let slack = below as f32 - 1.2 * position as f32 - 1.0;
            if slack > 0.0 {
                // Long suits are attacked again and again; the others run out in short ones.
                let weight = if position == 0 { 0.12 } else { 0.05 };
                risk += slack * weight * if length == 1 { 0.6 } else { 1.0 };
            }
        }
    }
    risk
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::deal::parse_hand;

    #[test]
    fn estimates_order_hands() {
        let estimate = |text: &str, trump| trick_estimate(parse_hand(text).unwrap(), trump);
        let spades = Some(Suit::Spades);
        assert_eq!(estimate("AKQJT98765432...", spades), 13.0);
        assert!(estimate("AKQJT98.AK.AK.32", spades) > 10.0);
        assert!(estimate("5432.5432.543.32", spades) < 2.0);
        assert!(estimate("AKQ32.AK.432.432", spades) > estimate("KQJ32.A2.432.432", spades));
    }

    #[test]
    fn low_cards_are_safe() {
        let risk = |text: &str| misere_risk(parse_hand(text).unwrap());
        assert_eq!(risk("5432.432.432.432"), 0.0);
        assert!(risk("AKQJ.AKQ.AKQ.AKQ") > 5.0);
        assert!(risk("97532.8642.532.2") < risk("K7532.8642.532.2"));
    }
}
