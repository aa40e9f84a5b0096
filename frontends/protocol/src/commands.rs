//! The commands of a front end at its table, as JSON; see `docs/table.md`.

use serde::Deserialize;
use serde_json::{Map, Value, json};
use troel_agents::Entry;
use troel_env::{BySeat, Record, Seat};

use crate::error::TableError;
use crate::provider::Provider;
use crate::table::Opening;

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
    /// Names of bots by seat. The default bot plays at the other seats.
    #[serde(default)]
    #[cfg_attr(test, ts(optional, as = "Option<BySeatNames>"))]
    bots: BySeatNames,
    /// A record of the first deal; its actions are ignored.
    #[cfg_attr(test, ts(optional, type = "GameRecord"))]
    pub(crate) record: Option<Record>,
}

impl NewMatch {
    /// Returns the rules, bots and cards of the match.
    ///
    /// # Errors
    /// There is no such rule set or bot, the seed cannot be drawn, or the record is not one of
    /// these rules.
    pub(crate) fn opening(&self, provider: &dyn Provider) -> Result<Opening, TableError> {
        let (rules, usual) = provider.rules_and_bot(&self.rules, None)?;
        let bots = self.bots.bots(&self.rules, provider, BySeat::from_fn(|_| usual.clone()))?;
        let seed = self.seed.map_or_else(|| provider.seed(), Ok)?;
        let deal = self.record.as_ref().map(|record| record.full_deal(rules)).transpose();
        let deal = deal.map_err(|error| TableError::CannotOpen(error.to_string()))?;
        Ok(Opening { rules, bots, seed, deal })
    }
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
    fn name(&self, seat: Seat) -> Option<&str> {
        [&self.n, &self.e, &self.s, &self.w][seat.index()].as_deref()
    }

    /// Returns the named bots, and those of `others` at the other seats.
    ///
    /// # Errors
    /// There is no such bot for these rules.
    pub(crate) fn bots(
        &self,
        rules: &str,
        provider: &dyn Provider,
        mut others: BySeat<Entry>,
    ) -> Result<BySeat<Entry>, TableError> {
        for seat in Seat::ALL {
            if let Some(name) = self.name(seat) {
                others[seat] = provider.rules_and_bot(rules, Some(name))?.1;
            }
        }
        Ok(others)
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
    /// Secret of the table, which is part of its link.
    pub table: String,
    /// Secret of the person, with which a new connection gets the same seat back.
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

/// Tables at which a command is possible.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Private and shared tables.
    Any,
    /// Private and shared tables, as a question about a deal that is over. At a shared table a
    /// private copy of the deal answers it.
    Study,
    /// Private tables only. The command would change the game for the others at a shared table, or
    /// give an advantage over them.
    Private,
    /// Shared tables only.
    Shared,
    /// No table. A server handles the command before the person has a seat.
    Entrance,
}

impl Command {
    /// Returns the tables at which the command is possible.
    pub fn scope(&self) -> Scope {
        match self {
            Command::Act { .. } | Command::Claim | Command::Next | Command::Rules { .. } => {
                Scope::Any
            }
            Command::Review { .. } | Command::Values { .. } | Command::Par => Scope::Study,
            Command::New(_)
            | Command::Restore { .. }
            | Command::Undo
            | Command::Back { .. }
            | Command::Again { .. }
            | Command::Hint => Scope::Private,
            Command::Here | Command::Leave => Scope::Shared,
            Command::Share { .. } | Command::Join(_) => Scope::Entrance,
        }
    }
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
