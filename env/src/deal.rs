//! A deal: four hands, a dealer, a turn-up.

use std::fmt;

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::cards::{Card, CardSet, WRITTEN_SUITS, rank_from_letter};
use crate::error::DealError;
use crate::rules::RuleSet;
use crate::seat::{BySeat, Seat};
use crate::text::excerpt;

/// Marks an unknown hand in the text of a deal.
const UNKNOWN_HAND: &str = "-";

/// A deal before the first call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "SavedDeal", into = "SavedDeal")]
pub struct Deal {
    /// The dealer.
    pub dealer: Seat,
    /// The four hands: thirteen cards each, or fewer in a deck of fewer ranks.
    pub hands: BySeat<CardSet>,
    /// The dealer's last card, where the rule set turns it up.
    pub turn_up: Option<Card>,
}

/// A deal as it is serialised; the hands are a line of text as in records.
#[derive(Serialize, Deserialize)]
#[serde(rename = "Deal")]
struct SavedDeal {
    dealer: Seat,
    hands: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    turn_up: Option<Card>,
}

impl From<Deal> for SavedDeal {
    fn from(deal: Deal) -> SavedDeal {
        SavedDeal { dealer: deal.dealer, hands: deal.format_hands(), turn_up: deal.turn_up }
    }
}

impl TryFrom<SavedDeal> for Deal {
    type Error = DealError;
    fn try_from(saved: SavedDeal) -> Result<Deal, DealError> {
        let hands = parse_four_hands(&saved.hands)?;
        Ok(Deal { dealer: saved.dealer, hands, turn_up: saved.turn_up })
    }
}

impl Deal {
    /// Deals all cards of the deck in packets, eldest first; the last card is the turn-up.
    ///
    /// # Panics
    /// If the deck has fewer cards than four hands of these packets.
    pub fn from_deck(deck: &[Card], dealer: Seat, packets: [u8; 3], rules: &RuleSet) -> Deal {
        let mut hands = BySeat([CardSet::EMPTY; 4]);
        let mut next = 0;
        for size in packets {
            for step in 1..=4 {
                let seat = dealer.plus(step);
                for card in &deck[next..next + usize::from(size)] {
                    hands[seat].insert(*card);
                }
                next += usize::from(size);
            }
        }
        Deal { dealer, hands, turn_up: deck.last().copied().filter(|_| rules.has_turn_up()) }
    }

    /// Checks that the deal is complete and fits the rule set.
    ///
    /// # Errors
    /// A card is dealt twice or not in the deck, or a hand has another number of cards. A turn-up
    /// that is missing or not the dealer's is an error, too.
    pub fn check(&self, rules: &RuleSet) -> Result<(), DealError> {
        check_hands(&self.known_hands(), rules)?;
        match self.turn_up {
            None if rules.has_turn_up() => Err(DealError::MissingTurnUp(rules.id().to_string())),
            Some(card) if rules.has_turn_up() && !self.hands[self.dealer].has(card) => {
                Err(DealError::TurnUpNotDealers(card))
            }
            _ => Ok(()),
        }
    }

    /// Writes the hands as `N:S.H.D.C S.H.D.C S.H.D.C S.H.D.C`.
    pub fn format_hands(&self) -> String {
        format_hands(&self.known_hands())
    }

    fn known_hands(&self) -> BySeat<Option<CardSet>> {
        BySeat::from_fn(|seat| Some(self.hands[seat]))
    }
}

impl fmt::Display for Deal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.format_hands())
    }
}

/// Checks the hands of a deal, of which `None` is unknown, and returns the cards of the others.
///
/// # Errors
/// A card is dealt twice or is not in the deck, or a hand has the wrong number of cards.
pub(crate) fn check_hands(
    hands: &BySeat<Option<CardSet>>,
    rules: &RuleSet,
) -> Result<CardSet, DealError> {
    let known = Seat::ALL.into_iter().filter_map(|seat| Some((seat, hands[seat]?)));
    let cards = disjoint_union(known.clone().map(|(_, hand)| hand))?;
    if let Some(card) = (cards - rules.deck()).lowest() {
        return Err(DealError::NotInDeck { card, rules: rules.id().to_string() });
    }
    let wanted = u32::from(rules.cards_per_hand());
    for (seat, hand) in known {
        if hand.len() != wanted {
            return Err(DealError::HandSize { seat, cards: hand.len(), wanted });
        }
    }
    Ok(cards)
}

/// Returns the cards of all hands.
///
/// # Errors
/// A card is in two hands.
pub(crate) fn disjoint_union(
    hands: impl IntoIterator<Item = CardSet>,
) -> Result<CardSet, DealError> {
    hands.into_iter().try_fold(CardSet::EMPTY, |cards, hand| match (cards & hand).lowest() {
        Some(card) => Err(DealError::DealtTwice(card)),
        None => Ok(cards | hand),
    })
}

/// Writes four hands as [`parse_hands`] reads them, North's first.
pub(crate) fn format_hands(hands: &BySeat<Option<CardSet>>) -> String {
    let hands = Seat::ALL.map(|seat| match hands[seat] {
        Some(hand) => hand.to_string(),
        None => UNKNOWN_HAND.to_string(),
    });
    format!("N:{}", hands.join(" "))
}

/// Reads a hand `S.H.D.C`, ranks high to low.
///
/// # Errors
/// The text is not a hand, or names a card twice.
pub fn parse_hand(text: &str) -> Result<CardSet, DealError> {
    let error = || DealError::MalformedHand(excerpt(text, 40));
    let suits: Vec<&str> = text.split('.').collect();
    if suits.len() != 4 {
        return Err(error());
    }
    let mut hand = CardSet::EMPTY;
    for (suit, ranks) in WRITTEN_SUITS.into_iter().zip(suits) {
        let mut last = 13;
        for letter in ranks.chars() {
            let rank = rank_from_letter(letter).ok_or_else(error)?;
            let card = Card::new(suit, rank);
            if rank == last {
                return Err(DealError::DealtTwice(card));
            }
            if rank > last {
                return Err(error());
            }
            hand.insert(card);
            last = rank;
        }
    }
    Ok(hand)
}

/// Writes a hand, `S.H.D.C`.
impl Serialize for CardSet {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match serializer.is_human_readable() {
            true => serializer.collect_str(self),
            false => self.0.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for CardSet {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<CardSet, D::Error> {
        if !deserializer.is_human_readable() {
            let cards = CardSet(u64::deserialize(deserializer)?);
            let is_set = (cards & CardSet::FULL) == cards;
            return is_set
                .then_some(cards)
                .ok_or_else(|| D::Error::custom("cards that do not exist"));
        }
        parse_hand(&String::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

/// Reads four hands as [`Deal::format_hands`] writes them, from any first seat on. An unknown hand
/// is `-`.
///
/// # Errors
/// Names the part that is not a hand.
pub fn parse_hands(text: &str) -> Result<BySeat<Option<CardSet>>, DealError> {
    let error = || DealError::MalformedDeal(excerpt(text, 80));
    let (first, rest) = text.split_once(':').ok_or_else(error)?;
    let first = Seat::parse(first).ok_or_else(error)?;
    let hands: Vec<&str> = rest.split(' ').collect();
    if hands.len() != 4 {
        return Err(error());
    }
    let mut dealt = BySeat([None; 4]);
    for (step, hand) in hands.into_iter().enumerate() {
        if hand != UNKNOWN_HAND {
            dealt[first.plus(step)] = Some(parse_hand(hand)?);
        }
    }
    Ok(dealt)
}

/// Reads four hands as [`parse_hands`] does, all of which must be known.
///
/// # Errors
/// Names the part that is not a hand, or the seat of an unknown hand.
pub fn parse_four_hands(text: &str) -> Result<BySeat<CardSet>, DealError> {
    let hands = parse_hands(text)?;
    match Seat::ALL.into_iter().find(|&seat| hands[seat].is_none()) {
        Some(seat) => Err(DealError::UnknownHand(seat)),
        None => Ok(BySeat::from_fn(|seat| hands[seat].unwrap_or_default())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hands_round_trip() {
        let text = "N:752.7.AQT7.AT976 AJ984.AK9.2.KQ83 QT6.QT854.K83.J2 K3.J632.J9654.54";
        let hands = parse_hands(text).unwrap();
        let deal = Deal {
            dealer: Seat::North,
            hands: BySeat::from_fn(|s| hands[s].unwrap()),
            turn_up: Card::parse("7D"),
        };
        assert_eq!(deal.to_string(), text);
        assert_eq!(deal.check(RuleSet::built_in("iwwa").unwrap()), Ok(()));
        let rotated = parse_hands(&format!(
            "S:{}",
            text[2..].split(' ').cycle().skip(2).take(4).collect::<Vec<_>>().join(" ")
        ));
        assert_eq!(rotated.unwrap(), hands);
    }

    #[test]
    fn bad_hands_are_refused() {
        for bad in [
            "",
            "N",
            "X:- - - -",
            "N:- - -",
            "N:A.B.C.D - - -",
            "N:AA... - - -",
            "N:23... - - -",
            "N:... - - - -",
            "NE:- - - -",
            "ü:é",
        ] {
            assert!(parse_hands(bad).is_err(), "{bad}");
        }
    }
}
