//! Comparison of cards in play.

use troel_env::{Card, CardSet, Suit};

/// Returns the card of the set with the lowest cost; ties go to the lowest card number.
pub(super) fn cheapest(cards: CardSet, mut cost: impl FnMut(Card) -> i32) -> Card {
    let mut best = (i32::MAX, None);
    for card in cards {
        let cost = cost(card);
        if cost < best.0 {
            best = (cost, Some(card));
        }
    }
    // The sets passed here are legal cards in play, and never empty.
    best.1.unwrap_or(Card::ace(Suit::Spades))
}
