//! Hands and cards as a player types them.

use anyhow::{Context, bail, ensure};
use troel_env::{Card, CardSet, Suit, excerpt};

/// Suits in the order in which a hand is written.
pub const WRITTEN_SUITS: [Suit; 4] = [Suit::Spades, Suit::Hearts, Suit::Diamonds, Suit::Clubs];

/// Remedy for a text that has no four suits.
const FORM: &str = "write spades, hearts, diamonds, clubs, as in KQT63.A84.K92.A5; a suit without \
                    cards is -";

/// Reads a hand of `size` cards. Dots or spaces separate the suits.
///
/// # Errors
/// The text has no four suits, a letter is not a rank, a card is there twice, or their number is
/// wrong.
pub fn read(text: &str, size: u8) -> anyhow::Result<CardSet> {
    let text: String = text.chars().filter(|c| !"\"'“”‘’".contains(*c)).collect();
    let mut hand = CardSet::EMPTY;
    for (suit, ranks) in WRITTEN_SUITS.into_iter().zip(suits(&text)?) {
        if matches!(ranks.as_str(), "-" | "–" | "—") {
            continue;
        }
        for letter in ranks.replace("10", "T").chars() {
            let card = Card::parse(&format!("{}{}", letter.to_ascii_uppercase(), suit.letter()))
                .with_context(|| {
                    let letter = excerpt(&letter.to_string(), 1);
                    let name = name(suit);
                    format!("{name}: {letter:?} is not a rank; use A K Q J T (or 10) 9 … 2")
                })?;
            ensure!(!hand.has(card), "{card} is there twice: write each card once");
            hand.insert(card);
        }
    }
    let cards = hand.len();
    ensure!(
        cards == u32::from(size),
        "{cards} card{}: a hand has {size}",
        if cards == 1 { "" } else { "s" }
    );
    Ok(hand)
}

/// Reads a card such as `JH`, `10h` or `J♥`.
///
/// # Errors
/// The text is not a card.
pub fn read_card(text: &str) -> anyhow::Result<Card> {
    let mut code = text.trim().to_ascii_uppercase().replace("10", "T");
    for suit in WRITTEN_SUITS {
        code = code.replace(suit.symbol(), &suit.letter().to_string());
    }
    Card::parse(&code).with_context(|| {
        format!("{:?} is not a card: write its rank and its suit, such as JH", excerpt(text, 20))
    })
}

/// Returns the texts of the four suits.
fn suits(text: &str) -> anyhow::Result<[String; 4]> {
    let by_dots: Vec<String> =
        text.split('.').map(|part| part.split_whitespace().collect()).collect();
    let by_spaces = text.split_whitespace().map(|part| part.replace('.', "")).collect();
    let is_break = |c: char| c == '.' || c.is_whitespace();
    let by_both: Vec<String> =
        text.split(is_break).filter(|part| !part.is_empty()).map(String::from).collect();
    let found = by_both.len();
    // In four parts by spaces a single dot is a suit without cards.
    let ways: [Vec<String>; 3] = [by_dots, by_spaces, by_both];
    match ways.into_iter().find_map(|parts| parts.try_into().ok()) {
        Some(suits) => Ok(suits),
        None if found == 0 => bail!("no cards: {FORM}"),
        None => bail!("{found} suit{} instead of 4: {FORM}", if found == 1 { "" } else { "s" }),
    }
}

fn name(suit: Suit) -> &'static str {
    match suit {
        Suit::Spades => "spades",
        Suit::Hearts => "hearts",
        Suit::Diamonds => "diamonds",
        Suit::Clubs => "clubs",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_a_hand_are_the_same() {
        for (wanted, forms) in [
            (
                "KQT63.A84.K92.A5",
                &[
                    "KQT63 A84 K92 A5",
                    "kq1063.a84.k92.a5",
                    "3610QK 48A 29K 5A",
                    "'KQT63. A84 .K92 . A5'",
                    "K Q T 6 3 . A 8 4 . K 9 2 . A 5",
                    "\"KQT63 A84.K92  A5\"",
                ][..],
            ),
            ("AKQJT98.AKQJ.A2.", &["AKQJT98 AKQJ A2 -", "AKQJT98 AKQJ A2 .", "akqj1098.akqj.a2.-"]),
            ("AKQJT98765432...", &["AKQJT98765432 . . .", "AKQJT98765432 - - -"]),
        ] {
            assert_eq!(read(wanted, 13).expect("a hand").to_string(), wanted);
            for form in forms {
                assert_eq!(read(form, 13).expect(form).to_string(), wanted, "{form}");
            }
        }
    }

    #[test]
    fn errors_name_the_place_and_the_remedy() {
        for (hand, words) in [
            ("KQT6.A84.K92.A5", "12 cards: a hand has 13"),
            ("KQT632.A84.K92.A5", "14 cards: a hand has 13"),
            ("2...", "1 card: a hand has 13"),
            ("KQT63.A84.K92", "3 suits instead of 4: write spades, hearts, diamonds, clubs"),
            ("KQT63.A84.K92.A5.4", "5 suits instead of 4"),
            ("", "no cards: write spades"),
            ("KQT63.A84.KX2.A5", "diamonds: \"X\" is not a rank; use A K Q J T (or 10) 9 … 2"),
            ("KQ163.A84.K92.A5", "spades: \"1\" is not a rank"),
            ("KQT63.A84.K9-.A5", "diamonds: \"-\" is not a rank"),
            ("KQT63.A84.K99.A5", "9D is there twice: write each card once"),
            ("KQT63.A84.K92.A♣", "clubs: \"♣\" is not a rank"),
        ] {
            let error = read(hand, 13).expect_err(hand).to_string();
            assert!(error.contains(words), "{hand}: {error}");
        }
    }

    #[test]
    fn forms_of_a_card_are_the_same() {
        for form in ["TH", "10h", "th", "10♥", " T♥ "] {
            assert_eq!(read_card(form).expect(form).to_string(), "TH", "{form}");
        }
        assert!(read_card("H").is_err() && read_card("HJ").is_err());
    }
}
