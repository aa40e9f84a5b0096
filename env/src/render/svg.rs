//! Scenes as self-contained SVG pictures.

use std::fmt::Write;

use super::scene::{Scene, in_order};
use crate::cards::{Card, RANKS, Suit};
use crate::seat::Seat;

const WIDTH: i32 = 960;
const HEIGHT: i32 = 720;
const CARD: (i32, i32) = (60, 84);

/// Shapes and styles that the cards are made of.
const HEAD: &str = r##"<defs>
<symbol id="S" viewBox="0 0 20 20"><path d="M10 1C16 7 19 10 19 13A4.2 4.2 0 0 1 11 14.6L13 19H7L9 14.6A4.2 4.2 0 0 1 1 13C1 10 4 7 10 1Z"/></symbol>
<symbol id="C" viewBox="0 0 20 20"><circle cx="10" cy="5.4" r="4.3"/><circle cx="5.2" cy="12" r="4.3"/><circle cx="14.8" cy="12" r="4.3"/><path d="M9.2 8H10.8L13 19H7Z"/></symbol>
<symbol id="D" viewBox="0 0 20 20"><path d="M10 1L17 10L10 19L3 10Z"/></symbol>
<symbol id="H" viewBox="0 0 20 20"><path d="M10 18.5C3 12.5 1 9.6 1 6.4A4.6 4.6 0 0 1 10 5A4.6 4.6 0 0 1 19 6.4C19 9.6 17 12.5 10 18.5Z"/></symbol>
</defs>
<style>
text { font-family: "Helvetica Neue", Helvetica, Arial, "DejaVu Sans", sans-serif; }
.rank { font-size: 19px; font-weight: bold; }
.seat { font-size: 17px; font-weight: bold; fill: #ffffff; }
.note { font-size: 14px; fill: #d6e8dc; }
.title { font-size: 18px; font-weight: bold; fill: #ffffff; }
.red { fill: #c0272d; } .black { fill: #1b1b1f; }
</style>
"##;

/// Place of a seat in the picture.
#[derive(Clone, Copy)]
enum Side {
    Bottom,
    Left,
    Top,
    Right,
}

impl Scene {
    /// Draws the scene as an SVG picture, 960 by 720. It shows the four hands, the trick in the
    /// middle, the contract and the points.
    pub fn to_svg(&self) -> String {
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
             width=\"{WIDTH}\" height=\"{HEIGHT}\">\n{HEAD}"
        );
        svg.push_str(
            "<rect width=\"960\" height=\"720\" rx=\"18\" fill=\"#1f6b46\"/>\n\
             <rect x=\"300\" y=\"222\" width=\"360\" height=\"300\" rx=\"24\" fill=\"#195a3a\"/>\n",
        );
        write_text(&mut svg, 24, 34, "title", "start", &self.headline());
        write_text(&mut svg, 24, 58, "note", "start", &self.contract_line());
        self.write_points(&mut svg);
        for (step, side) in
            [Side::Bottom, Side::Left, Side::Top, Side::Right].into_iter().enumerate()
        {
            let seat = self.bottom.plus(step);
            self.write_label(&mut svg, seat, side);
            self.write_hand(&mut svg, seat, side);
            if let Some(card) = self.trick[seat] {
                let (x, y) = match side {
                    Side::Bottom => (450, 407),
                    Side::Left => (356, 330),
                    Side::Top => (450, 253),
                    Side::Right => (544, 330),
                };
                write_card(&mut svg, x, y, Some(card));
            }
        }
        if let Some(card) = self.turn_up {
            write_text(&mut svg, 110, 90, "note", "start", "turn-up");
            write_card(&mut svg, 110, 100, Some(card));
        }
        svg.push_str("</svg>\n");
        svg
    }

    fn write_points(&self, svg: &mut String) {
        let points = |name: &str, points: [i32; 4]| {
            let of = |s: Seat| format!("{} {}", s.letter(), points[s.index()]);
            format!("{name}  {}", Seat::ALL.map(of).join("   "))
        };
        if let Some(scores) = &self.scores {
            write_text(svg, WIDTH - 24, 34, "title", "end", &points("points", scores.0));
        }
        if self.totals.0 != [0; 4] {
            write_text(
                svg,
                WIDTH - 24,
                58,
                "note",
                "end",
                &points("before the deal", self.totals.0),
            );
        }
    }

    /// Writes name, dealer's mark, tricks and last call of a seat.
    fn write_label(&self, svg: &mut String, seat: Seat, side: Side) {
        let (x, y) = match side {
            Side::Bottom => (480, 582),
            Side::Left => (196, 366),
            Side::Top => (480, 184),
            Side::Right => (764, 366),
        };
        if self.turn == Some(seat) {
            let _ = writeln!(
                svg,
                "<rect x=\"{}\" y=\"{}\" width=\"104\" height=\"26\" rx=\"13\" fill=\"#d9a441\"/>",
                x - 52,
                y - 19
            );
        }
        write_text(svg, x, y, "seat", "middle", &format!("{seat:?}"));
        let mut notes = Vec::new();
        if seat == self.dealer {
            notes.push("dealer".to_string());
        }
        match (self.contract.is_some(), self.last_call(seat)) {
            (true, _) => notes.push(format!("tricks {}", self.tricks[seat])),
            (false, Some(call)) => notes.push(call.to_string()),
            (false, None) => {}
        }
        write_text(svg, x, y + 22, "note", "middle", &notes.join(" · "));
    }

    fn write_hand(&self, svg: &mut String, seat: Seat, side: Side) {
        let hand = self.hands[seat];
        let hidden = std::iter::repeat_n(None, hand.hidden as usize);
        let cards: Vec<Option<Card>> =
            hidden.chain(in_order(hand.cards).into_iter().map(Some)).collect();
        let gaps = cards.len().saturating_sub(1) as i32;
        for (i, card) in cards.into_iter().enumerate() {
            let i = i as i32;
            let across = |step: i32| WIDTH / 2 - (gaps * step + CARD.0) / 2 + i * step;
            let down = |step: i32| 372 - (gaps * step + CARD.1) / 2 + i * step;
            let (x, y) = match side {
                Side::Bottom => (across(42), 618),
                Side::Top => (across(42), 76),
                Side::Left => (30, down(28)),
                Side::Right => (WIDTH - 30 - CARD.0, down(28)),
            };
            write_card(svg, x, y, card);
        }
    }
}

fn write_text(svg: &mut String, x: i32, y: i32, class: &str, anchor: &str, words: &str) {
    let words = escape_xml(words);
    let _ = writeln!(
        svg,
        "<text x=\"{x}\" y=\"{y}\" class=\"{class}\" text-anchor=\"{anchor}\">{words}</text>"
    );
}

/// Draws a card with its upper left corner at a point; the back of a card that is not seen.
fn write_card(svg: &mut String, x: i32, y: i32, card: Option<Card>) {
    let (width, height) = CARD;
    let fill = if card.is_some() { "#fdfdfb" } else { "#2f4f8f" };
    let _ = writeln!(
        svg,
        "<g transform=\"translate({x} {y})\"><rect width=\"{width}\" height=\"{height}\" rx=\"6\" \
         fill=\"{fill}\" stroke=\"#12301f\" stroke-width=\"1\"/>"
    );
    let Some(card) = card else {
        svg.push_str(
            "<rect x=\"5\" y=\"5\" width=\"50\" height=\"74\" rx=\"4\" fill=\"none\" \
             stroke=\"#b9c8ea\" stroke-width=\"2\"/></g>\n",
        );
        return;
    };
    let red = matches!(card.suit(), Suit::Diamonds | Suit::Hearts);
    let class = if red { "red" } else { "black" };
    let rank = RANKS[usize::from(card.rank())];
    let (rank, shift) = if rank == 'T' { ("10".to_string(), 3) } else { (rank.to_string(), 6) };
    let suit = card.suit().letter();
    let _ = writeln!(
        svg,
        "<text x=\"{shift}\" y=\"21\" class=\"rank {class}\" letter-spacing=\"-1\">{rank}</text>\
         <use href=\"#{suit}\" class=\"{class}\" x=\"24\" y=\"7\" width=\"15\" height=\"15\"/>\
         <use href=\"#{suit}\" class=\"{class}\" x=\"17\" y=\"40\" width=\"28\" height=\"28\"/></g>"
    );
}

/// Escapes text for the content of an XML or HTML element. Quotes stay, so it is not for
/// attributes.
pub fn escape_xml(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
