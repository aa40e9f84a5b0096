//! Cards, suits and sets of cards.

use std::fmt::{self, Write};
use std::ops::Not;

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::bit_set::bit_set;
use crate::text::excerpt;

/// A suit, in the order of the auction: spades lowest, hearts highest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[repr(u8)]
pub enum Suit {
    /// Spades.
    #[serde(rename = "S")]
    Spades = 0,
    /// Clubs.
    #[serde(rename = "C")]
    Clubs = 1,
    /// Diamonds.
    #[serde(rename = "D")]
    Diamonds = 2,
    /// Hearts.
    #[serde(rename = "H")]
    Hearts = 3,
}

impl Suit {
    /// All suits, lowest first.
    pub const ALL: [Suit; 4] = [Suit::Spades, Suit::Clubs, Suit::Diamonds, Suit::Hearts];

    /// Returns the suit with this number, 0 to 3; larger numbers wrap around.
    #[inline]
    pub const fn from_index_wrapping(index: usize) -> Suit {
        Suit::ALL[index & 3]
    }

    /// Returns the number of the suit, 0 (spades) to 3 (hearts).
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Returns `S`, `C`, `D` or `H`.
    pub const fn letter(self) -> char {
        ['S', 'C', 'D', 'H'][self as usize]
    }

    /// Returns `♠`, `♣`, `♦` or `♥`.
    pub const fn symbol(self) -> char {
        ['♠', '♣', '♦', '♥'][self as usize]
    }

    /// Returns the suit of a letter.
    pub fn from_letter(letter: char) -> Option<Suit> {
        Suit::ALL.into_iter().find(|s| s.letter() == letter)
    }

    /// Returns the thirteen cards of the suit.
    #[inline]
    pub const fn cards(self) -> CardSet {
        CardSet(((1 << RANKS_PER_SUIT) - 1) << (RANKS_PER_SUIT as u32 * self as u32))
    }
}

/// Number of ranks of a suit.
pub const RANKS_PER_SUIT: u8 = 13;

/// Number of cards of a full deck.
pub const N_CARDS: usize = 4 * RANKS_PER_SUIT as usize;

/// Ranks of high cards. A rank is a number from 0 (two) to 12 (ace); the higher one wins within a
/// suit.
pub mod rank {
    /// Rank of a nine.
    pub const NINE: u8 = 7;
    /// Rank of a ten.
    pub const TEN: u8 = 8;
    /// Rank of a jack.
    pub const JACK: u8 = 9;
    /// Rank of a queen.
    pub const QUEEN: u8 = 10;
    /// Rank of a king.
    pub const KING: u8 = 11;
    /// Rank of an ace.
    pub const ACE: u8 = 12;
}

/// Letter of each [rank]; the rank is the index.
pub const RANKS: [char; RANKS_PER_SUIT as usize] =
    ['2', '3', '4', '5', '6', '7', '8', '9', 'T', 'J', 'Q', 'K', 'A'];

/// Returns the [rank] of a letter.
pub(crate) fn rank_from_letter(letter: char) -> Option<u8> {
    RANKS.iter().position(|&rank| rank == letter).map(|rank| rank as u8)
}

/// A card, numbered `13 * suit + rank`, 0 to 51.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Card(u8);

impl Card {
    /// Returns the card of a suit and a [rank].
    #[inline]
    pub const fn new(suit: Suit, rank: u8) -> Card {
        debug_assert!(rank < RANKS_PER_SUIT);
        Card(suit as u8 * RANKS_PER_SUIT + rank)
    }

    /// Returns the ace of a suit.
    pub const fn ace(suit: Suit) -> Card {
        Card::new(suit, rank::ACE)
    }

    /// Returns the card with this number, if there is one.
    #[inline]
    pub const fn from_index(index: usize) -> Option<Card> {
        if index < N_CARDS { Some(Card(index as u8)) } else { None }
    }

    /// Returns the number of the card, 0 to 51.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Returns the suit.
    #[inline]
    pub const fn suit(self) -> Suit {
        Suit::from_index_wrapping((self.0 / RANKS_PER_SUIT) as usize)
    }

    /// Returns the [rank].
    #[inline]
    pub const fn rank(self) -> u8 {
        self.0 % RANKS_PER_SUIT
    }

    /// Returns whether the card is an ace.
    #[inline]
    pub const fn is_ace(self) -> bool {
        self.rank() == rank::ACE
    }

    /// Reads a code such as `TH`.
    pub fn parse(code: &str) -> Option<Card> {
        let mut chars = code.chars();
        let (rank, suit) = (chars.next()?, chars.next()?);
        if chars.next().is_some() {
            return None;
        }
        Some(Card::new(Suit::from_letter(suit)?, rank_from_letter(rank)?))
    }

    /// Returns whether this card beats `best`, the best so far in a trick, given the trump suit.
    #[inline]
    pub fn beats(self, best: Card, trump: Option<Suit>) -> bool {
        if self.suit() == best.suit() { self.0 > best.0 } else { Some(self.suit()) == trump }
    }
}

impl fmt::Display for Card {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", RANKS[self.rank() as usize], self.suit().letter())
    }
}

/// Writes the code, `TH`.
impl Serialize for Card {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Card {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Card, D::Error> {
        let code = String::deserialize(deserializer)?;
        Card::parse(&code)
            .ok_or_else(|| D::Error::custom(format!("{:?} is not a card", excerpt(&code, 20))))
    }
}

impl fmt::Debug for Card {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The cards of the same suit above each card; 64 places, so that no look-up needs a check.
static ABOVE: [u64; 64] = {
    let mut table = [0; 64];
    let mut n = 0;
    while n < N_CARDS {
        table[n] =
            Suit::from_index_wrapping(n / RANKS_PER_SUIT as usize).cards().0 & !((2 << n) - 1);
        n += 1;
    }
    table
};

/// The cards of the same suit below each card.
static BELOW: [u64; 64] = {
    let mut table = [0; 64];
    let mut n = 0;
    while n < N_CARDS {
        table[n] =
            Suit::from_index_wrapping(n / RANKS_PER_SUIT as usize).cards().0 & ((1 << n) - 1);
        n += 1;
    }
    table
};

/// A set of cards: bit `n` is the card numbered `n`.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct CardSet(pub u64);

impl CardSet {
    /// No cards.
    pub const EMPTY: CardSet = CardSet(0);
    /// All 52 cards.
    pub const FULL: CardSet = CardSet((1 << N_CARDS) - 1);

    /// Returns the set that holds only this card.
    #[inline]
    pub const fn single(card: Card) -> CardSet {
        CardSet(1 << card.0)
    }

    /// Returns whether the card is in the set.
    #[inline]
    pub const fn has(self, card: Card) -> bool {
        self.0 >> card.0 & 1 != 0
    }

    /// Adds a card.
    #[inline]
    pub fn insert(&mut self, card: Card) {
        self.0 |= 1 << card.0;
    }

    /// Takes a card out.
    #[inline]
    pub fn remove(&mut self, card: Card) {
        self.0 &= !(1 << card.0);
    }

    /// Returns the cards of one suit.
    #[inline]
    pub const fn of(self, suit: Suit) -> CardSet {
        CardSet(self.0 & suit.cards().0)
    }

    /// Returns the card with the highest number, if any (within one suit: the highest card).
    #[inline]
    pub const fn highest(self) -> Option<Card> {
        if self.0 == 0 { None } else { Some(Card(63 - self.0.leading_zeros() as u8)) }
    }

    /// Returns the card with the lowest number, if any (within one suit: the lowest card).
    #[inline]
    pub const fn lowest(self) -> Option<Card> {
        if self.0 == 0 { None } else { Some(Card(self.0.trailing_zeros() as u8)) }
    }

    /// Returns the set that holds only the card with the lowest number; empty if there is none.
    #[inline]
    pub const fn lowest_bit(self) -> CardSet {
        CardSet(self.0 & self.0.wrapping_neg())
    }

    /// Returns the set that holds only the card with the highest number; empty if there is none.
    #[inline]
    pub const fn highest_bit(self) -> CardSet {
        CardSet((1u64 << 63 >> (self.0 | 1).leading_zeros()) & self.0)
    }

    /// Returns the cards of the card's own suit that rank above it.
    #[inline]
    pub const fn above(self, card: Card) -> CardSet {
        CardSet(self.0 & ABOVE[card.0 as usize & 63])
    }

    /// Returns the cards of the card's own suit that rank below it.
    #[inline]
    pub const fn below(self, card: Card) -> CardSet {
        CardSet(self.0 & BELOW[card.0 as usize & 63])
    }

    /// Returns the aces.
    #[inline]
    pub const fn aces(self) -> CardSet {
        CardSet(self.0 & (1 << 12 | 1 << 25 | 1 << 38 | 1 << 51))
    }
}

impl FromIterator<Card> for CardSet {
    fn from_iter<I: IntoIterator<Item = Card>>(cards: I) -> CardSet {
        cards.into_iter().fold(CardSet::EMPTY, |set, card| set | CardSet::single(card))
    }
}

impl FromIterator<CardSet> for CardSet {
    /// Returns the union of the sets.
    #[inline]
    fn from_iter<I: IntoIterator<Item = CardSet>>(sets: I) -> CardSet {
        sets.into_iter().fold(CardSet::EMPTY, |union, set| union | set)
    }
}

bit_set!(
    /// Iterator over a [`CardSet`], lowest number first (within one suit: the lowest card).
    Cards,
    CardSet,
    Card,
    Card
);

impl Not for CardSet {
    type Output = CardSet;
    #[inline]
    fn not(self) -> CardSet {
        CardSet::FULL - self
    }
}

/// A set of suits: bit `n` is the suit numbered `n`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct SuitSet(pub u8);

impl SuitSet {
    /// No suits.
    pub const EMPTY: SuitSet = SuitSet(0);

    /// Returns whether the suit is in the set.
    #[inline]
    pub const fn has(self, suit: Suit) -> bool {
        self.0 >> suit as u8 & 1 != 0
    }

    /// Adds a suit.
    #[inline]
    pub fn insert(&mut self, suit: Suit) {
        self.0 |= 1 << suit as u8;
    }
}

bit_set!(
    /// Iterator over a [`SuitSet`], lowest suit first.
    Suits,
    SuitSet,
    Suit,
    |number| Suit::from_index_wrapping(usize::from(number))
);

/// Order of the suits within a written hand (PBN).
pub(crate) const WRITTEN_SUITS: [Suit; 4] =
    [Suit::Spades, Suit::Hearts, Suit::Diamonds, Suit::Clubs];

/// Writes the cards as a hand: `S.H.D.C`, ranks high to low.
impl fmt::Display for CardSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, suit) in WRITTEN_SUITS.into_iter().enumerate() {
            if i > 0 {
                f.write_char('.')?;
            }
            for card in self.of(suit).iter().rev() {
                f.write_char(RANKS[usize::from(card.rank())])?;
            }
        }
        Ok(())
    }
}

impl fmt::Debug for CardSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_round_trip() {
        for card in CardSet::FULL {
            assert_eq!(Card::parse(&card.to_string()), Some(card));
        }
        for bad in ["", "A", "1S", "AX", "ASS", "sA", "é♠"] {
            assert_eq!(Card::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn above_and_below_stay_in_the_suit() {
        for card in CardSet::FULL {
            let (above, below) = (CardSet::FULL.above(card), CardSet::FULL.below(card));
            assert_eq!(above.len(), 12 - u32::from(card.rank()));
            assert_eq!(above | below | CardSet::single(card), card.suit().cards());
        }
    }

    #[test]
    fn trumps_beat_and_discards_do_not() {
        let card = |code| Card::parse(code).unwrap();
        assert!(card("2H").beats(card("AS"), Some(Suit::Hearts)));
        assert!(!card("AS").beats(card("2H"), Some(Suit::Hearts)));
        assert!(!card("AD").beats(card("2S"), None));
        assert!(card("3S").beats(card("2S"), None));
    }
}
