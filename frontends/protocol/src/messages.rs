//! Messages to front ends; `docs/table.md` has their fields. The types of the page are generated
//! from these (`frontends/web/page/src/messages/protocol.ts`).

use std::collections::BTreeMap;
use std::fmt;
use std::num::NonZeroU32;

use serde::Serialize;
use serde_json::Value;
use troel_env::{BySeat, Card, ContractKind, ContractView, Record, Seat};

use crate::commands::Phrase;
use crate::error::TableError;
use crate::json::{by_card, by_letter, if_by_letter};
use crate::review::{DecisionView, HintView, ParView};

/// A message to a front end.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum Message {
    /// The table, as a person may see it.
    Table(Box<TableView>),
    /// The contract table of a rule set.
    Rules(RulesView),
    /// Values of the plausible actions.
    Hint(HintView),
    /// A reviewed decision.
    Review(ReviewView),
    /// Double-dummy values of cards.
    Values(ValuesView),
    /// The deal in hindsight.
    Par(ParView),
    /// Results of bots with the same cards.
    Results(ResultsView),
    /// A person at a shared table says a phrase.
    Said(SaidView),
    /// A command was refused, or a bot failed; nothing changed.
    Refused(RefusedView),
    /// Another connection has taken the seat.
    Moved,
}

impl Message {
    /// Returns the refusal of a command of type `command_type`.
    pub fn refused(command_type: &Value, error: &TableError) -> Message {
        Message::Refused(RefusedView::new(command_type, error))
    }

    /// Returns the report that a bot failed. It leaves the reason out, which may name hidden cards.
    pub fn bot_failed(error: &TableError) -> Message {
        Message::Refused(RefusedView::from_bot_fault(error))
    }
}

/// Writes one line of JSON.
impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // By way of a value, which writes an f32 with the digits of an f64, as every other answer
        // does.
        write!(f, "{}", serde_json::to_value(self).map_err(|_| fmt::Error)?)
    }
}

/// State of a table as one person may see it.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct TableView {
    /// Name of the rule set.
    pub rules: String,
    /// Points that end the match; 0 if the match has no target.
    pub target: i32,
    /// Number of deals of the match; `None` if it goes on to the target, or without end. A deal
    /// that everybody passed, and that the same dealer deals again, does not count.
    pub length: Option<NonZeroU32>,
    /// Number of deals that follow this one; `None` without a length.
    pub left: Option<u32>,
    /// Number of the deal, from 0.
    pub deal: u32,
    /// The person's seat.
    #[cfg_attr(test, ts(type = "Seat"))]
    pub you: Seat,
    /// Names of bots.
    #[serde(serialize_with = "by_letter")]
    #[cfg_attr(test, ts(type = "BySeat<string>"))]
    pub bots: BySeat<String>,
    /// The dealer.
    #[cfg_attr(test, ts(type = "Seat"))]
    pub dealer: Seat,
    /// The seat to act; `None` once the deal is over.
    #[cfg_attr(test, ts(type = "Seat | null"))]
    pub turn: Option<Seat>,
    /// Phase of the deal.
    #[cfg_attr(test, ts(type = "Phase"))]
    pub phase: &'static str,
    /// The person's cards.
    #[cfg_attr(test, ts(type = "string[]"))]
    pub hand: Vec<Card>,
    /// Exposed cards of the others.
    #[serde(serialize_with = "by_letter")]
    #[cfg_attr(test, ts(type = "BySeat<string[]>"))]
    pub shown: BySeat<Vec<Card>>,
    /// Number of cards held.
    #[serde(serialize_with = "by_letter")]
    #[cfg_attr(test, ts(type = "BySeat<number>"))]
    pub cards: BySeat<u32>,
    /// Codes of the person's legal actions.
    pub legal: Vec<String>,
    /// Number of actions before the first card: `8S` is a call among them and a card afterwards.
    pub calls: usize,
    /// All actions of the deal.
    pub history: Vec<VisibleAction>,
    /// The turn-up, if the person has seen it.
    #[cfg_attr(test, ts(type = "string | null"))]
    pub turn_up: Option<Card>,
    /// The seat whose aces force a partnership.
    #[cfg_attr(test, ts(type = "Seat | null"))]
    pub announcer: Option<Seat>,
    /// The partnership that the announcer forces, `trou` or `troel`.
    pub announces: Option<&'static str>,
    /// The card asked for in an exchange.
    #[cfg_attr(test, ts(type = "string | null"))]
    pub asked_for: Option<Card>,
    /// The contract, once it is settled.
    #[cfg_attr(test, ts(type = "Contract | null"))]
    pub contract: Option<ContractView>,
    /// Cards on the table.
    pub trick: Vec<TrickCard>,
    /// The last finished trick.
    pub last_trick: Vec<TrickCard>,
    /// Tricks taken.
    #[serde(serialize_with = "by_letter")]
    #[cfg_attr(test, ts(type = "BySeat<number>"))]
    pub tricks: BySeat<u8>,
    /// Points of the deal, once it is over.
    #[serde(serialize_with = "if_by_letter")]
    #[cfg_attr(test, ts(type = "BySeat<number> | null"))]
    pub scores: Option<BySeat<i32>>,
    /// Points of the match.
    #[serde(serialize_with = "by_letter")]
    #[cfg_attr(test, ts(type = "BySeat<number>"))]
    pub totals: BySeat<i32>,
    /// Whether the deal was passed out.
    pub void: bool,
    /// Whether the match is over.
    pub over: bool,
    /// Whether the person has a decision to take back.
    pub undo: bool,
    /// Numbers of the actions that the person decided, in the deal from 0.
    pub mine: Vec<usize>,
    /// Whether the person is on lead and takes all the rest.
    pub certain: bool,
    /// Whether no card still to be played can change the points.
    pub settled: bool,
    /// The full record of a deal that is over.
    #[cfg_attr(test, ts(type = "GameRecord | null"))]
    pub record: Option<Record>,
    /// Only at a shared table.
    #[serde(flatten)]
    #[cfg_attr(test, ts(skip))]
    pub shared: Option<SharedView>,
}

/// Fields of a shared table only.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct SharedView {
    /// Persons by seat.
    #[cfg_attr(test, ts(type = "Partial<BySeat<Person>>"))]
    pub people: People,
    /// Whether the person sat down during this deal, watches it, and plays from the next deal on.
    pub watching: bool,
    /// Seats that want the next deal.
    #[cfg_attr(test, ts(type = "Seat[]"))]
    pub ready: Vec<Seat>,
    /// Address at which other machines of the network reach the server, such as
    /// `http://192.168.1.5:7200/`. It is null if only this machine does, or if it is unknown.
    pub address: Option<String>,
    /// Token that a link to the table needs, if the server asks for one.
    pub token: Option<String>,
}

/// Parts of a link to a shared table that are the same for all tables of a server.
#[derive(Clone, Debug, Default)]
pub struct ServerLink {
    /// See [`SharedView::address`].
    pub address: Option<String>,
    /// See [`SharedView::token`].
    pub token: Option<String>,
}

/// Persons by the letter of their seat.
pub type People = BTreeMap<char, Person>;

/// A person at a shared table.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Person {
    /// Name that the others see.
    pub name: String,
    /// Whether the person is connected.
    pub here: bool,
    /// Whether a bot plays in the person's place.
    pub bot: bool,
    /// Whether no bot has played in the person's place in this deal.
    pub whole: bool,
}

/// A phrase that a person says.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct SaidView {
    /// The person's seat.
    #[cfg_attr(test, ts(type = "Seat"))]
    pub seat: Seat,
    /// The phrase.
    pub phrase: Phrase,
}

/// An action, as a person may see it.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct VisibleAction {
    /// The seat that acted.
    #[cfg_attr(test, ts(type = "Seat"))]
    pub seat: Seat,
    /// Code of the action; `-` for a card that another seat laid aside.
    pub action: String,
    /// Phase of the deal before the action.
    #[cfg_attr(test, ts(type = "Phase"))]
    pub phase: &'static str,
}

/// A card of a trick.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct TrickCard {
    /// The seat that played it.
    #[cfg_attr(test, ts(type = "Seat"))]
    pub seat: Seat,
    /// The card.
    #[cfg_attr(test, ts(type = "string"))]
    pub card: Card,
}

/// The contract table of a rule set.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct RulesView {
    /// Name of the rule set.
    pub rules: String,
    /// Description of the rule set.
    pub description: String,
    /// Whether a card is turned up.
    pub turn_up: bool,
    /// Points that end the match; 0 if the match has no target.
    pub target: i32,
    /// Contracts, lowest rank first.
    pub contracts: Vec<ContractRow>,
}

/// A row of the contract table.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ContractRow {
    /// Kind of contract.
    #[cfg_attr(test, ts(type = "string"))]
    pub kind: ContractKind,
    /// Level of the call; 0 for misères and piccolo.
    pub level: u8,
    /// Whether the contract may be played without trumps.
    pub no_trumps: bool,
    /// Tricks taken, points of each declarer, points of each other seat.
    pub points: Vec<(u8, i32, i32)>,
}

/// A reviewed decision.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ReviewView {
    /// Number of the decision among those with a choice, from 0.
    #[serde(rename = "from")]
    pub number: usize,
    /// Number of decisions with a choice.
    #[serde(rename = "of")]
    pub count: usize,
    /// Name of the bot that is compared.
    pub judge: String,
    /// The decision; `None` past the last one.
    pub decision: Option<DecisionView>,
}

/// Double-dummy values of the cards of a seat.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ValuesView {
    /// Number of actions before the card.
    #[serde(rename = "at")]
    pub actions_before: usize,
    /// Minimum and maximum total tricks of the declarers, by card.
    #[serde(serialize_with = "by_card")]
    #[cfg_attr(test, ts(type = "Record<string, [number, number]>"))]
    pub values: Vec<(Card, [u8; 2])>,
}

/// Results of bots that played the deal of the table many times.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ResultsView {
    /// Points of the seat, ascending, and the number of plays that ended with them. Empty unless
    /// all bots of the table have a network.
    pub points: Vec<(i32, u32)>,
}

/// A refusal.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct RefusedView {
    /// Type of the refused command: its `type`, or `join` for a seat at a shared table. It is `bot`
    /// if a bot failed after the command, and null without a type.
    #[serde(rename = "of")]
    #[cfg_attr(test, ts(type = "unknown"))]
    pub refused_type: Value,
    /// Reason.
    pub message: String,
    /// Whether the match or table cannot be continued.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    pub lost: Option<bool>,
    /// Whether the server has too many requests, and the command may be repeated.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(test, ts(optional, as = "Option<bool>"))]
    pub busy: bool,
}

impl RefusedView {
    fn new(command_type: &Value, error: &TableError) -> RefusedView {
        let is_lost = matches!(
            error,
            TableError::CannotRestore { .. } | TableError::NoTable | TableError::Full
        );
        RefusedView {
            refused_type: command_type.clone(),
            message: error.to_string(),
            lost: Some(is_lost),
            busy: *error == TableError::Busy,
        }
    }

    fn from_bot_fault(error: &TableError) -> RefusedView {
        let message = match error {
            TableError::Bot(_) => "a bot failed, and its action was not executed".to_string(),
            error => error.to_string(),
        };
        RefusedView { refused_type: "bot".into(), message, lost: None, busy: false }
    }
}

#[cfg(test)]
mod tests {
    use ts_rs::{Config, TS};

    use super::*;
    use crate::commands::{BySeatNames, FlatCommand, NewMatch, SeatRequest};
    use crate::review::CandidateView;

    /// File of the page with the types of messages.
    const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../web/page/src/messages/protocol.ts");

    /// The page's types are those of messages and commands. `TROEL_WRITE_TYPES=1` writes the file.
    #[test]
    fn the_types_of_the_page_are_generated() {
        let config = Config::default();
        let declarations = [
            Message::decl(&config),
            TableView::decl(&config),
            SharedView::decl(&config),
            Person::decl(&config),
            VisibleAction::decl(&config),
            TrickCard::decl(&config),
            RulesView::decl(&config),
            ContractRow::decl(&config),
            CandidateView::decl(&config),
            HintView::decl(&config),
            DecisionView::decl(&config),
            ReviewView::decl(&config),
            ValuesView::decl(&config),
            ParView::decl(&config),
            ResultsView::decl(&config),
            SaidView::decl(&config),
            RefusedView::decl(&config),
            FlatCommand::decl(&config),
            NewMatch::decl(&config),
            BySeatNames::decl(&config),
            SeatRequest::decl(&config),
            Phrase::decl(&config),
        ];
        let head = "// Types of a table's messages and commands (docs/table.md). Generated from \
            messages.rs, review.rs and commands.rs in frontends/protocol/src; a test in messages.rs \
            writes this file.\n\n\
            import type { BySeat, Contract, GameRecord, Phase, Seat } from \"./codes\";\n";
        let types: Vec<String> =
            declarations.iter().map(|declaration| format!("\nexport {declaration}\n")).collect();
        let text = format!("{head}{}", types.concat());
        if std::env::var_os("TROEL_WRITE_TYPES").is_some() {
            std::fs::write(FILE, &text).expect("written");
        }
        let kept = std::fs::read_to_string(FILE).unwrap_or_default();
        assert!(kept == text, "TROEL_WRITE_TYPES=1 cargo test -p troel-protocol writes {FILE}");
    }
}
