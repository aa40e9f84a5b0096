//! Reviews as an HTML page.

use std::fmt::Write as _;

use troel_agents::review::ReviewedDecision;
use troel_env::render::escape_xml;
use troel_env::{Action, Seat, Suit};

use super::deal::{COLUMNS, ReviewedDeal, cells};

/// Returns the HTML page, a single file.
pub(super) fn page(reviews: &[ReviewedDeal]) -> String {
    let sections: String = reviews.iter().map(section).collect();
    format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Review</title>\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"><style>\
         body{{font:16px/1.4 system-ui,sans-serif;max-width:60rem;margin:0 auto;padding:1rem;color:#1c2321;background:#fbfaf6}}\
         h2{{font-size:1.1rem}}table{{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}}\
         th,td{{text-align:left;padding:.25rem .5rem;border-bottom:1px solid #d8d4c8}}\
         :is(th,td):is(:first-child,:nth-child(5),:nth-child(n+8)){{text-align:right}}\
         .bad{{background:#f6cfc4}}.weak{{background:#fbe9d2}}.red{{color:#c22432}}\
         .deal{{display:grid;grid-template:\". N .\" \"W . E\" \". S .\"/1fr 1fr 1fr;background:#eef3ea;border-radius:8px;padding:.75rem}}\
         .N{{grid-area:N}}.E{{grid-area:E}}.S{{grid-area:S}}.W{{grid-area:W}}\
         </style><h1>Review</h1><p>The worst mistakes first. Lost: expected points lost against the best action, \
         over cards that fit what the seat saw, with their standard error. Over bot: expected points gained over the bot's choice. In hindsight, with all cards \
         seen: the tricks that a card gave away, and par.</p>{sections}</html>\n"
    )
}

/// Returns the section of a deal.
fn section(reviewed: &ReviewedDeal) -> String {
    let mut text =
        format!("<section><h2>{}</h2><div class=\"deal\">", escape_xml(&reviewed.title()));
    let hands = reviewed.record.deal.split_once(':');
    let first = hands.and_then(|(seat, _)| seat.chars().next()).and_then(Seat::from_letter);
    let hands = hands.map_or("", |(_, hands)| hands).split(' ');
    for (step, hand) in hands.enumerate() {
        let seat = first.unwrap_or(Seat::North).plus(step);
        let _ = write!(text, "<div class=\"{seat}\"><b>{seat}</b>");
        for (suit, cards) in ["♠", "♥", "♦", "♣"].into_iter().zip(hand.split('.')) {
            let red = if matches!(suit, "♥" | "♦") { " class=\"red\"" } else { "" };
            let _ = write!(text, "<br><span{red}>{suit}</span> {}", escape_xml(cards));
        }
        text += "</div>";
    }
    let _ = write!(text, "</div><table><tr><th>{}</tr>", COLUMNS.join("<th>"));
    let mut worst: Vec<&ReviewedDecision> = reviewed.review.decisions.iter().collect();
    worst.sort_by(|a, b| b.loss().total_cmp(&a.loss()).then(b.tricks.cmp(&a.tricks)));
    for d in worst {
        let class = match d.loss() {
            p if p >= 2.0 => " class=\"bad\"",
            p if p >= 0.5 => " class=\"weak\"",
            _ => "",
        };
        let _ = write!(text, "<tr{class}><td>{}</tr>", cells(d, signs).join("<td>"));
    }
    text + &format!("</table><p>{}</p></section>", escape_xml(&reviewed.hindsight()))
}

/// Returns the code of an action, with the suit as a symbol.
fn signs(action: Action) -> String {
    let code = action.to_string();
    match code.chars().last().and_then(Suit::from_letter) {
        Some(suit) if code.len() > 1 => format!("{}{}", &code[..code.len() - 1], suit.symbol()),
        _ => code,
    }
}
