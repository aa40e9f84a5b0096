//! A reviewed deal as text and JSON.

use std::fmt::Write as _;

use troel_agents::review::{Hindsight, Review, ReviewedDecision};
use troel_env::{Action, BySeat, Contract, Record, Seat};
use troel_protocol::review::DealReviewView;

/// A reviewed deal, its record, and the name of the bot that it was compared with.
pub(super) struct ReviewedDeal {
    pub(super) record: Record,
    pub(super) bot: String,
    pub(super) review: Review,
}

/// Headings of the columns.
pub(super) const COLUMNS: [&str; 12] = [
    "step",
    "seat",
    "phase",
    "did",
    "did %",
    "best",
    "bot would",
    "bot %",
    "lost",
    "±",
    "over bot",
    "tricks",
];

/// Minimum number of points that is shown: less rounds to 0.0.
pub(super) const MIN_SHOWN_POINTS: f32 = 0.05;

/// Text of an unknown number.
const UNKNOWN: &str = "–";

/// Formats expected points, which are not negative. Those that are infinite are unknown.
fn shown_points(points: f32) -> String {
    if points.is_infinite() {
        UNKNOWN.to_string()
    } else if points < MIN_SHOWN_POINTS {
        "0".to_string()
    } else {
        format!("{points:.1}")
    }
}

/// Formats a contract with its declarers.
fn contract_text(contract: &Contract) -> String {
    let trump = contract.trump.map_or(String::new(), |t| format!(" in {}", t.letter()));
    let declarers: String = contract.declarers.iter().map(Seat::letter).collect();
    format!("{}{trump} by {declarers}", contract.label())
}

/// Formats the points of all seats, with signs.
fn points_text(points: &BySeat<i32>) -> String {
    Seat::ALL.map(|s| format!("{s} {:+}", points[s])).join(" ")
}

/// Returns the cells of a decision's row in the tables, with actions formatted by `name`.
pub(super) fn cells(decision: &ReviewedDecision, name: fn(Action) -> String) -> [String; 12] {
    let ReviewedDecision { did, ref advice, .. } = *decision;
    let bot = advice.decision.action;
    [
        decision.number.to_string(),
        decision.seat.to_string(),
        decision.phase.name().to_string(),
        name(did),
        format!("{:.0}", 100.0 * advice.probability(did)),
        name(advice.best()),
        name(bot),
        format!("{:.0}", 100.0 * advice.probability(bot)),
        shown_points(decision.loss()),
        shown_points(advice.loss_error(did)),
        shown_points(decision.gain_over_bot()),
        decision.tricks.map_or(UNKNOWN.to_string(), |n| n.to_string()),
    ]
}

impl ReviewedDeal {
    /// Describes the deal in a line.
    pub(super) fn title(&self) -> String {
        let end = &self.review.end;
        let contract = end.contract().map_or("no contract".to_string(), contract_text);
        let scores = end.scores().as_ref().map_or("unfinished".to_string(), points_text);
        format!("{} · {contract} · {scores} · judged by {}", self.record.rules, self.bot)
    }

    /// Describes the dealer, the four hands and the turn-up in a line.
    fn cards(&self) -> String {
        let Record { dealer, deal, turn_up, .. } = &self.record;
        let turn_up = turn_up.as_ref().map_or(String::new(), |card| format!(" · turn-up {card}"));
        format!("dealer {dealer} · {deal}{turn_up}")
    }

    /// Returns the line of `--json`.
    pub(super) fn json(&self) -> String {
        let view = DealReviewView::new(&self.record.rules, &self.bot, &self.review);
        format!("{}\n", serde_json::json!(view))
    }

    /// Describes par, and the points that each seat scored below it.
    pub(super) fn hindsight(&self) -> String {
        let Hindsight { par, regret } = &self.review.hindsight;
        let Some(par) = par else {
            return "Par, with all hands visible: too hard to compute".to_string();
        };
        let contract = par.contract.as_ref().map_or("nobody calls".to_string(), contract_text);
        let par = format!("Par, with all hands visible: {contract} · {}", points_text(&par.points));
        match regret {
            Some(regret) => format!("{par} · below par: {}", points_text(regret)),
            None => par,
        }
    }

    /// Formats the decisions as a table, with a line of totals for each seat.
    pub(super) fn table(&self) -> String {
        let mut text = format!("{}\n{}\n", self.title(), self.cards());
        let row = |cells: [String; 12]| {
            let [at, seat, phase, did, chance, best, bot, bot_chance, lost, error, over, tricks] =
                cells;
            format!(
                "{at:>4} {seat:<4} {phase:<9} {did:<15} {chance:>5}  {best:<15} {bot:<15} \
                 {bot_chance:>5} {lost:>8} {error:>5} {over:>9} {tricks:>7}\n"
            )
        };
        text += &row(COLUMNS.map(str::to_string));
        for d in &self.review.decisions {
            text += &row(cells(d, |action| action.to_string()));
        }
        for seat in Seat::ALL {
            let own = || self.review.decisions.iter().filter(|d| d.seat == seat);
            if own().next().is_none() {
                continue;
            }
            let (n, agreed) =
                (own().count(), own().filter(|d| d.did == d.advice.decision.action).count());
            let better = own().filter(|d| d.gain_over_bot() >= MIN_SHOWN_POINTS).count();
            let points: f32 = own().map(ReviewedDecision::loss).sum();
            let tricks = own().filter_map(|d| d.tricks).map(u32::from).reduce(|a, b| a + b);
            let tricks = tricks.map_or(UNKNOWN.to_string(), |n| n.to_string());
            let _ = writeln!(
                text,
                "{seat}: {agreed} of {n} decisions as the bot, {better} better; {points:.1} \
                 expected points given away; tricks given away in hindsight: {tricks}"
            );
        }
        text + &self.hindsight() + "\n\n"
    }
}
