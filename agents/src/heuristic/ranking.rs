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
    // The set is empty only if it is not the observer's turn. `decide` then refuses any card.
    best.1.unwrap_or(Card::ace(Suit::Spades))
}
