//! Scenes as text.

use std::fmt::Write;

use super::scene::Scene;
use crate::cards::{Card, CardSet, RANKS, Suit};
use crate::seat::Seat;

/// Width of a column, in characters.
const COLUMN: usize = 24;

/// Escape sequences, or nothing.
struct Style {
    red: &'static str,
    bold: &'static str,
    plain: &'static str,
}

const COLOURED: Style = Style { red: "\x1b[31m", bold: "\x1b[1m", plain: "\x1b[0m" };
const BARE: Style = Style { red: "", bold: "", plain: "" };

/// A piece of text and its width without escape sequences.
#[derive(Clone, Default)]
struct Piece {
    text: String,
    width: usize,
}

impl Piece {
    fn new(text: impl Into<String>) -> Piece {
        let text = text.into();
        Piece { width: text.chars().count(), text }
    }

    fn padded(&self) -> String {
        format!("{}{}", self.text, " ".repeat(COLUMN.saturating_sub(self.width)))
    }
}

impl Scene {
    /// Writes the scene as lines of text. They are a headline, the contract, the four seats around
    /// the trick, calls and points. `colours` adds ANSI escape sequences.
    pub fn to_text(&self, colours: bool) -> String {
        let style = if colours { COLOURED } else { BARE };
        let mut text = format!("{}{}{}\n", style.bold, self.headline(), style.plain);
        let turn_up = self.turn_up.map(|card| format!("   turn-up {}", show(card, &style)));
        let _ = writeln!(text, "{}{}\n", self.contract_line(), turn_up.unwrap_or_default());
        let [bottom, left, top, right] = [0, 1, 2, 3].map(|step| self.bottom.plus(step));
        let empty = Piece::default();
        for line in self.block(top, &style) {
            push_row(&mut text, [&empty, &line, &empty]);
        }
        let middle = self.trick_block([top, left, right, bottom], &style);
        let (west, east) = (self.block(left, &style), self.block(right, &style));
        for i in 0..west.len() {
            push_row(&mut text, [&west[i], &middle[i], &east[i]]);
        }
        for line in self.block(bottom, &style) {
            push_row(&mut text, [&empty, &line, &empty]);
        }
        if !self.calls.is_empty() {
            let calls: Vec<String> =
                self.calls.iter().map(|(seat, call)| format!("{seat} {call}")).collect();
            let _ = writeln!(text, "\ncalls: {}", calls.join(", "));
        }
        let points = |points: [i32; 4]| {
            let of = |s: Seat| format!("{s} {:+}", points[s.index()]);
            Seat::ALL.map(of).join("  ")
        };
        if let Some(scores) = &self.scores {
            let _ = writeln!(text, "points: {}", points(scores.0));
        }
        if self.totals.0 != [0; 4] {
            let _ = writeln!(text, "before: {}", points(self.totals.0));
        }
        text
    }

    /// Returns the lines of a seat: its name, then a line for each suit.
    fn block(&self, seat: Seat, style: &Style) -> Vec<Piece> {
        let hand = self.hands[seat];
        let mut title = format!("{seat:?}");
        if seat == self.dealer {
            title.push_str(", dealer");
        }
        if self.contract.is_some() {
            let _ = write!(title, " ({})", self.tricks[seat]);
        }
        let width = title.chars().count() + 2;
        let mark = if self.turn == Some(seat) { "> " } else { "  " };
        let mut lines =
            vec![Piece { text: format!("{mark}{}{title}{}", style.bold, style.plain), width }];
        for suit in [Suit::Spades, Suit::Hearts, Suit::Clubs, Suit::Diamonds] {
            lines.push(suit_line(hand.cards.of(suit), suit, style));
        }
        if hand.hidden > 0 {
            let note = format!("  {} hidden", hand.hidden);
            if hand.cards.is_empty() {
                lines.truncate(1);
            }
            lines.push(Piece::new(note));
        }
        lines.resize(6, Piece::default());
        lines
    }

    /// Returns the lines of the cards on the table.
    fn trick_block(&self, [top, left, right, bottom]: [Seat; 4], style: &Style) -> Vec<Piece> {
        let card = |s: Seat| self.trick[s].map_or("· ".to_string(), |card| show(card, style));
        let line = |text: String| Piece { text, width: 12 };
        let blank = Piece::default();
        vec![
            blank.clone(),
            line(format!("     {}     ", card(top))),
            line(format!(" {}      {} ", card(left), card(right))),
            line(format!("     {}     ", card(bottom))),
            blank.clone(),
            blank,
        ]
    }
}

fn push_row(text: &mut String, columns: [&Piece; 3]) {
    let row: String = columns.map(Piece::padded).concat();
    text.push_str(row.trim_end());
    text.push('\n');
}

fn is_red(suit: Suit) -> bool {
    matches!(suit, Suit::Diamonds | Suit::Hearts)
}

fn show(card: Card, style: &Style) -> String {
    let text = format!("{}{}", card.suit().symbol(), RANKS[usize::from(card.rank())]);
    if is_red(card.suit()) { format!("{}{text}{}", style.red, style.plain) } else { text }
}

fn suit_line(cards: CardSet, suit: Suit, style: &Style) -> Piece {
    let mut ranks: Vec<char> = cards.iter().map(|card| RANKS[usize::from(card.rank())]).collect();
    ranks.reverse();
    let ranks: String = if ranks.is_empty() { "–".into() } else { ranks.into_iter().collect() };
    let (red, plain) = if is_red(suit) { (style.red, style.plain) } else { ("", "") };
    let width = 4 + ranks.chars().count();
    Piece { text: format!("  {red}{}{plain} {ranks}", suit.symbol()), width }
}
