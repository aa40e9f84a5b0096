//! The commands of a front end at its table, as JSON; see `docs/table.md`.

use serde::Deserialize;
use serde_json::{Map, Value, json};
use troel_agents::{Entry, registry};
use troel_env::{BySeat, Contract, Record, RuleSet, Seat, SeatSet};

use crate::error::TableError;
use crate::messages::{ContractRow, Message, RefusedView, RulesView};
use crate::protocol::Responder;
use crate::room::{Outcome, Room};
use crate::table::Opening;

/// Bots that a front end may seat by name, beside the usual one.
pub const BOTS: [&str; 4] = ["random", "rules", "expert", "pimc:worlds=20"];

/// Source of rule sets, bots and randomness for tables.
pub trait Provider {
    /// The rule set of a name, and a bot that plays it; without a name the usual one.
    ///
    /// # Errors
    /// There is no such rule set, or no such bot for it.
    fn seat(&self, rules: &str, bot: Option<&str>)
    -> Result<(&'static RuleSet, Entry), TableError>;

    /// A seed for a match of which the front end gave none.
    ///
    /// # Errors
    /// There is none: the front end has to give one.
    fn seed(&self) -> Result<u64, TableError>;

    /// Secret randomness for the cards of one deal at a table of several persons, never the same
    /// twice.
    ///
    /// # Errors
    /// There is none: there can be no such table.
    fn secret(&self) -> Result<[u8; 32], TableError>;
}

/// A bot at whose table everything has to be given: there may be no clock.
impl Provider for Responder {
    fn seat(
        &self,
        rules: &str,
        bot: Option<&str>,
    ) -> Result<(&'static RuleSet, Entry), TableError> {
        let unknown = "the bot does not play this rule set";
        let found = self.player(rules).ok_or_else(|| TableError::CannotOpen(unknown.into()))?;
        Ok((found.0, bot.map_or_else(|| Ok(found.1.clone()), named)?))
    }

    fn seed(&self) -> Result<u64, TableError> {
        let wanted = "a new match needs a seed for the cards: add the field seed";
        Err(TableError::CannotOpen(wanted.into()))
    }

    fn secret(&self) -> Result<[u8; 32], TableError> {
        let why =
            "several persons can play at a table of troel serve only: others lack secret cards";
        Err(TableError::CannotOpen(why.into()))
    }
}

/// A bot that a front end may seat by name: none that would read a file, start a program or think for long.
///
/// # Errors
/// It is not among [`BOTS`].
pub fn named(name: &str) -> Result<Entry, TableError> {
    let known = BOTS.contains(&name).then(|| registry::built_in(name).ok().flatten());
    known.flatten().ok_or_else(|| {
        let bots = BOTS.join(", ");
        TableError::CannotOpen(format!("there is no such bot at this table; there are {bots}"))
    })
}

/// Settings of a new match.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct NewMatch {
    /// Name of the rule set.
    rules: String,
    /// The person's seat.
    #[cfg_attr(test, ts(type = "Seat"))]
    pub(crate) seat: Seat,
    /// Seed of the deals and of the bots; drawn if there is none.
    #[cfg_attr(test, ts(optional, type = "number"))]
    pub(crate) seed: Option<u64>,
    /// Names of bots by seat; the usual bot at the other seats.
    #[serde(default)]
    #[cfg_attr(test, ts(optional, as = "Option<BySeatNames>"))]
    bots: BySeatNames,
    /// A record of the first deal; its actions are ignored.
    #[cfg_attr(test, ts(optional, type = "GameRecord"))]
    pub(crate) record: Option<Record>,
}

/// Names of bots by seat.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "UPPERCASE", deny_unknown_fields)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
pub struct BySeatNames {
    n: Option<String>,
    e: Option<String>,
    s: Option<String>,
    w: Option<String>,
}

impl BySeatNames {
    fn of(&self, seat: Seat) -> Option<&str> {
        [&self.n, &self.e, &self.s, &self.w][seat.index()].as_deref()
    }
}

/// Maximum number of characters of a name.
const MAX_NAME_CHARS: usize = 20;
/// Number of letters of a secret. Shorter ones could be guessed.
const SECRET_LETTERS: std::ops::RangeInclusive<usize> = 16..=64;

/// A person's request for a seat at a shared table.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "UncheckedEntrance")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Entrance {
    /// Secret of the table; everybody with its link knows it.
    pub table: String,
    /// Secret of the person, who gets the same seat back with it.
    pub key: String,
    /// The name that the others see.
    pub name: String,
}

/// An entrance before it is checked.
#[derive(Deserialize)]
struct UncheckedEntrance {
    table: String,
    key: String,
    #[serde(default)]
    name: String,
}

impl TryFrom<UncheckedEntrance> for Entrance {
    type Error = &'static str;

    /// Fails unless both secrets have 16 to 64 letters, digits, `-` or `_`.
    fn try_from(
        UncheckedEntrance { table, key, name }: UncheckedEntrance,
    ) -> Result<Entrance, &'static str> {
        let is_secret = |text: &str| {
            SECRET_LETTERS.contains(&text.len())
                && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b))
        };
        if !is_secret(&table) || !is_secret(&key) {
            return Err("table and key are 16 to 64 letters, digits, - and _");
        }
        let name: String = name.chars().filter(|c| !c.is_control()).collect();
        Ok(Entrance { table, key, name: name.trim().chars().take(MAX_NAME_CHARS).collect() })
    }
}

/// A message that answers a command.
pub struct Answer {
    /// The message.
    pub message: Message,
    /// Whether [`go_on`] has the next message.
    pub bots_follow: bool,
}

impl Answer {
    /// The table as its owner may see it, followed by the moves of bots.
    fn table(room: &Room) -> Result<Answer, TableError> {
        let message = room.show(room.owner()?, None);
        Ok(Answer { message, bots_follow: room.is_due() })
    }

    /// A message that no other one follows.
    pub fn last(message: Message) -> Answer {
        Answer { message, bots_follow: false }
    }
}

/// Commands of a front end; see `docs/table.md`.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
#[cfg_attr(test, derive(ts_rs::TS))]
#[allow(missing_docs, reason = "docs/table.md has the commands with their fields")]
pub enum Command {
    New(NewMatch),
    Restore {
        #[serde(flatten)]
        new_match: NewMatch,
        deals: Vec<Vec<String>>,
    },
    Rules {
        rules: String,
    },
    Act {
        action: String,
    },
    Claim,
    Undo,
    Back {
        to: usize,
    },
    Again {
        #[serde(default)]
        #[cfg_attr(test, ts(optional, as = "Option<BySeatNames>"))]
        bots: BySeatNames,
    },
    Next,
    Hint,
    Review {
        from: usize,
    },
    Values {
        at: usize,
    },
    Par,
    Share {
        #[serde(flatten)]
        entrance: Entrance,
        #[serde(flatten)]
        new_match: NewMatch,
    },
    Join(Entrance),
    Here,
    Leave,
}

/// A parsed message of a front end.
#[derive(Clone, Debug)]
pub struct Request {
    /// Field `of` of a refusal: the message's `type`, `join` for a seat at a shared table, null
    /// without a type.
    pub of: Value,
    /// The parsed command, or the parse error.
    pub command: Result<Command, TableError>,
}

impl Request {
    /// Reads a message; any bytes give a request.
    pub fn parse(message: &[u8]) -> Request {
        let unreadable = |why: String| Err(TableError::Unreadable(why));
        // An object only: serde would also take a list for a command.
        let fields: Map<String, Value> = match serde_json::from_slice(message) {
            Ok(fields) => fields,
            Err(error) => {
                let command = unreadable(format!("not a JSON object: {error}"));
                return Request { of: Value::Null, command };
            }
        };
        let of = match fields.get("type") {
            Some(kind) if kind == "share" => json!("join"),
            kind => kind.cloned().unwrap_or_default(),
        };
        let command = serde_json::from_value(Value::Object(fields));
        Request { of, command: command.or_else(|error| unreadable(error.to_string())) }
    }
}

/// Executes a front end's command at its private table, which is `None` until a match is started.
/// Returns the messages to show, one for each event.
pub fn handle(room: &mut Option<Room>, command: &[u8], provider: &dyn Provider) -> Vec<Message> {
    let mut answer = execute(room, Request::parse(command), provider);
    let mut messages = Vec::new();
    loop {
        messages.push(answer.message);
        match room {
            Some(room) if answer.bots_follow => answer = go_on(room, provider),
            _ => return messages,
        }
    }
}

/// Executes a command at a private table. Returns the first message that answers it.
pub fn execute(room: &mut Option<Room>, request: Request, provider: &dyn Provider) -> Answer {
    let Request { of, command } = request;
    let answer = command.and_then(|command| perform(room, command, provider));
    answer.unwrap_or_else(|error| Answer::last(Message::Refused(RefusedView::new(&of, &error))))
}

/// Lets the bot whose turn it is at a private table act. Returns the message to show.
pub fn go_on(room: &mut Room, provider: &dyn Provider) -> Answer {
    let answer = room.go_on(provider).and_then(|()| Answer::table(room));
    answer.unwrap_or_else(|error| Answer::last(Message::Refused(RefusedView::of_bot(&error))))
}

fn perform(
    place: &mut Option<Room>,
    command: Command,
    provider: &dyn Provider,
) -> Result<Answer, TableError> {
    if let Some(room) = place {
        return match room.execute(room.owner()?, command, provider)? {
            Outcome::Answer(message) => Ok(Answer::last(message)),
            Outcome::Changed | Outcome::Unchanged => Answer::table(room),
        };
    }
    let room = match command {
        Command::New(new_match) => Room::private(&new_match, provider)?,
        Command::Restore { new_match, deals } => Room::restore(&new_match, &deals, provider)?,
        Command::Rules { rules } => return Ok(Answer::last(contract_table(&rules, provider)?)),
        Command::Share { .. } | Command::Join(_) | Command::Here | Command::Leave => {
            return Err(TableError::NotShared);
        }
        _ => return Err(TableError::NoMatch),
    };
    Answer::table(place.insert(room))
}

/// The `rules` message of a rule set.
pub(crate) fn contract_table(rules: &str, provider: &dyn Provider) -> Result<Message, TableError> {
    Ok(Message::Rules(contracts(provider.seat(rules, None)?.0)))
}

pub(crate) fn opening(
    new_match: &NewMatch,
    provider: &dyn Provider,
) -> Result<Opening, TableError> {
    let (rules, usual) = provider.seat(&new_match.rules, None)?;
    let bots =
        seats(&new_match.rules, &new_match.bots, provider, BySeat::from_fn(|_| usual.clone()))?;
    let seed = new_match.seed.map_or_else(|| provider.seed(), Ok)?;
    let deal = new_match.record.as_ref().map(|record| record.full_deal(rules)).transpose();
    let deal = deal.map_err(|error| TableError::CannotOpen(error.to_string()))?;
    Ok(Opening { rules, bots, seed, deal })
}

/// These bots, but for the seats that are named.
pub(crate) fn seats(
    rules: &str,
    names: &BySeatNames,
    provider: &dyn Provider,
    mut bots: BySeat<Entry>,
) -> Result<BySeat<Entry>, TableError> {
    for seat in Seat::ALL {
        if let Some(name) = names.of(seat) {
            bots[seat] = provider.seat(rules, Some(name))?.1;
        }
    }
    Ok(bots)
}

/// The contract table of a rule set: for each row what declarers and others get for the tricks that come in question.
fn contracts(rules: &RuleSet) -> RulesView {
    let rows = rules.rows().iter().zip(0..).map(|(row, number)| {
        let declarers = match row.kind.is_pair() {
            true => SeatSet::single(Seat::North) | SeatSet::single(Seat::South),
            false => SeatSet::single(Seat::North),
        };
        let contract =
            Contract { kind: row.kind, level: row.goal(), trump: None, declarers, row: number };
        let least = if row.kind.is_negative() { 0 } else { row.goal().saturating_sub(3) };
        let most = if row.kind.is_negative() {
            2.min(rules.cards_per_hand())
        } else {
            rules.cards_per_hand()
        };
        let points = (least..=most).map(|taken| {
            let tricks = BySeat::from_fn(|seat| if seat == Seat::North { taken } else { 0 });
            let scores = troel_env::scoring::score(rules, &contract, &tricks);
            (taken, scores[Seat::North], scores[Seat::East])
        });
        ContractRow {
            kind: row.kind,
            level: row.level,
            no_trumps: row.no_trumps,
            points: points.collect(),
        }
    });
    RulesView {
        rules: rules.id().to_string(),
        description: rules.spec().description.clone(),
        turn_up: rules.has_turn_up(),
        target: rules.spec().match_target,
        contracts: rows.collect(),
    }
}

#[cfg(test)]
mod tests;
