//! Commands of a front end, as JSON; see `docs/table.md`.

use std::num::NonZeroU32;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use troel_agents::NamedBot;
use troel_env::{BySeat, Deal, Record, RuleSet, Seat, excerpt};

use crate::error::{StartError, TableError};
use crate::json::explain;
use crate::live_match::MatchSettings;
use crate::provider::{Provider, find_seatable_bot};

/// Settings of a new match.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct NewMatch {
    /// Name of the rule set.
    rules: String,
    /// Text of the rule file of `rules`, which are then no built-in rules.
    #[cfg_attr(test, ts(optional))]
    rule_file: Option<String>,
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
    /// Number of deals. If `None`, the match goes on to the target of the rules, or without end.
    #[cfg_attr(test, ts(optional, type = "number"))]
    length: Option<NonZeroU32>,
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
    pub(crate) fn settings(&self, provider: &dyn Provider) -> Result<MatchSettings, TableError> {
        let (rules, usual) = find_rules(&self.rules, self.rule_file.as_deref(), provider)?;
        let bots = self.bots.bots(BySeat::from_fn(|_| usual.clone()))?;
        let seed = self.seed.map_or_else(|| provider.seed(), Ok)?;
        let deal = self.record.as_ref().map(|record| self.deal_of(record, rules)).transpose()?;
        Ok(MatchSettings { rules, bots, seed, length: self.length, deal })
    }

    /// Returns the deal of the record.
    fn deal_of(&self, record: &Record, rules: &RuleSet) -> Result<Deal, StartError> {
        if record.rules != self.rules && record.rules != rules.id() {
            return Err(StartError::OtherRules {
                of_record: excerpt(&record.rules, 60),
                of_match: rules.id().to_string(),
            });
        }
        Ok(record.full_deal(rules)?)
    }
}

/// Returns the rule set of a name, or of a rule file with this name as its id, and the usual bot.
///
/// # Errors
/// There is no such rule set or no bot for it, the file cannot be used, or it has another id.
pub(crate) fn find_rules(
    name: &str,
    file: Option<&str>,
    provider: &dyn Provider,
) -> Result<(&'static RuleSet, NamedBot), TableError> {
    let Some(text) = file else { return provider.rules_and_bot(name) };
    let found = provider.rules_and_bot_of_file(text)?;
    if found.0.id() != name {
        return Err(StartError::OtherId(found.0.id().to_string()).into());
    }
    Ok(found)
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
    /// There is no such bot. All bots that a front end may name play under any rules.
    pub(crate) fn bots(
        &self,
        mut others: BySeat<NamedBot>,
    ) -> Result<BySeat<NamedBot>, TableError> {
        for seat in Seat::ALL {
            if let Some(name) = self.name(seat) {
                others[seat] = find_seatable_bot(name)?;
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
#[serde(try_from = "UncheckedSeatRequest")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct SeatRequest {
    /// Secret of the table, which is part of its link.
    pub table: String,
    /// Secret of the person, with which a new connection takes the same seat again.
    pub key: String,
    /// The name that the others see.
    pub name: String,
}

/// A request for a seat before it is checked.
#[derive(Deserialize)]
struct UncheckedSeatRequest {
    table: String,
    key: String,
    #[serde(default)]
    name: String,
}

impl TryFrom<UncheckedSeatRequest> for SeatRequest {
    type Error = &'static str;

    /// Fails unless both secrets have 16 to 64 letters, digits, `-` or `_`.
    fn try_from(
        UncheckedSeatRequest { table, key, name }: UncheckedSeatRequest,
    ) -> Result<SeatRequest, &'static str> {
        let is_secret = |text: &str| {
            SECRET_LETTERS.contains(&text.len())
                && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b))
        };
        if !is_secret(&table) || !is_secret(&key) {
            return Err("table and key must have 16 to 64 letters, digits, - or _");
        }
        let name: String = name.chars().filter(|c| !c.is_control()).collect();
        Ok(SeatRequest { table, key, name: name.trim().chars().take(MAX_NAME_CHARS).collect() })
    }
}

/// A command of a front end, by the tables at which it is possible; see `docs/table.md`.
#[derive(Clone, Debug, Deserialize)]
#[serde(from = "FlatCommand")]
pub enum Command {
    /// Asks for the contract table of a rule set; needs no table.
    Rules {
        /// Name of the rule set.
        rules: String,
        /// Text of its rule file, unless the front end knows the rules by name.
        rule_file: Option<String>,
    },
    /// Asks for a seat at a shared table. A server handles it before the person has a seat.
    Enter {
        /// The person's request for a seat.
        seat_request: SeatRequest,
        /// Settings of a new table; `None` to join an existing one.
        new_match: Option<NewMatch>,
    },
    /// Possible at private and shared tables.
    Play(PlayCommand),
    /// Possible at private and shared tables. At a shared table a private copy of the deal answers.
    Study(StudyCommand),
    /// Possible at private tables. At a shared table it would change the game for the others, or
    /// give an advantage over them.
    Private(PrivateCommand),
    /// Possible at shared tables.
    Shared(SharedCommand),
}

/// A command with which a person takes part in a deal.
#[derive(Clone, Debug)]
pub enum PlayCommand {
    /// Calls or plays.
    Act {
        /// Code of the action.
        action: String,
    },
    /// Plays a deal to its end whose remaining cards are certain.
    Claim,
    /// Asks for the next deal.
    Next,
}

/// A question about a deal that is over.
#[derive(Clone, Debug)]
pub enum StudyCommand {
    /// Asks for the review of a decision.
    Review {
        /// Number of the decision among those with a choice, from 0.
        decision: usize,
    },
    /// Asks for the double-dummy values of cards.
    Values {
        /// Number of actions before the card.
        actions_before: usize,
    },
    /// Asks for the contract and points if all seats see all cards.
    Par,
    /// Asks for the distribution of points over many plays of the deal by bots.
    Results,
}

/// A command of the owner of a private table.
#[derive(Clone, Debug)]
pub enum PrivateCommand {
    /// Starts a match.
    New(NewMatch),
    /// Restores a match.
    Restore {
        /// Settings of the match.
        new_match: NewMatch,
        /// Codes of the actions of each deal.
        deals: Vec<Vec<String>>,
    },
    /// Takes back the last decision.
    Undo,
    /// Goes back to an earlier decision.
    Back {
        /// Number of the action that the person decided, in the deal from 0.
        to: usize,
    },
    /// Starts the deal again.
    Again {
        /// Bots that take their seats.
        bots: BySeatNames,
    },
    /// Asks for the values of the plausible actions.
    Hint,
}

/// A command of a person at a shared table.
#[derive(Clone, Debug)]
pub enum SharedCommand {
    /// Takes the seat back from a bot that played for an inactive person.
    Here,
    /// Gives up the seat.
    Leave,
    /// Says something to the others.
    Say {
        /// The phrase.
        phrase: Phrase,
    },
}

/// A phrase that persons at a shared table can say. There is no free text: nobody has to read what
/// a stranger writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum Phrase {
    /// A greeting.
    Hello,
    /// Praise of another person.
    WellPlayed,
    /// Thanks.
    Thanks,
    /// An apology.
    Sorry,
    /// Bad luck of somebody.
    BadLuck,
    /// Joy.
    Laugh,
    /// A request for patience.
    OneMoment,
    /// A farewell.
    GoodBye,
}

/// A command with the type and the fields of its JSON.
#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "Command"))]
pub(crate) enum FlatCommand {
    New(NewMatch),
    Restore {
        #[serde(flatten)]
        new_match: NewMatch,
        deals: Vec<Vec<String>>,
    },
    Rules {
        rules: String,
        /// Text of the rule file of `rules`, which are then no built-in rules.
        #[cfg_attr(test, ts(optional))]
        rule_file: Option<String>,
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
    Results,
    Share {
        #[serde(flatten)]
        seat_request: SeatRequest,
        #[serde(flatten)]
        new_match: NewMatch,
    },
    Join(SeatRequest),
    Here,
    Leave,
    Say {
        phrase: Phrase,
    },
}

impl From<FlatCommand> for Command {
    fn from(command: FlatCommand) -> Command {
        match command {
            FlatCommand::New(new_match) => Command::Private(PrivateCommand::New(new_match)),
            FlatCommand::Restore { new_match, deals } => {
                Command::Private(PrivateCommand::Restore { new_match, deals })
            }
            FlatCommand::Rules { rules, rule_file } => Command::Rules { rules, rule_file },
            FlatCommand::Act { action } => Command::Play(PlayCommand::Act { action }),
            FlatCommand::Claim => Command::Play(PlayCommand::Claim),
            FlatCommand::Undo => Command::Private(PrivateCommand::Undo),
            FlatCommand::Back { to } => Command::Private(PrivateCommand::Back { to }),
            FlatCommand::Again { bots } => Command::Private(PrivateCommand::Again { bots }),
            FlatCommand::Next => Command::Play(PlayCommand::Next),
            FlatCommand::Hint => Command::Private(PrivateCommand::Hint),
            FlatCommand::Review { from: decision } => {
                Command::Study(StudyCommand::Review { decision })
            }
            FlatCommand::Values { at: actions_before } => {
                Command::Study(StudyCommand::Values { actions_before })
            }
            FlatCommand::Par => Command::Study(StudyCommand::Par),
            FlatCommand::Results => Command::Study(StudyCommand::Results),
            FlatCommand::Share { seat_request, new_match } => {
                Command::Enter { seat_request, new_match: Some(new_match) }
            }
            FlatCommand::Join(seat_request) => Command::Enter { seat_request, new_match: None },
            FlatCommand::Here => Command::Shared(SharedCommand::Here),
            FlatCommand::Leave => Command::Shared(SharedCommand::Leave),
            FlatCommand::Say { phrase } => Command::Shared(SharedCommand::Say { phrase }),
        }
    }
}

/// A parsed message of a front end.
#[derive(Clone, Debug)]
pub struct Request {
    /// The message's `type`, `join` for a seat at a shared table, null without a type. A refusal
    /// repeats it as `of`.
    pub command_type: Value,
    /// The parsed command, or the parse error.
    pub command: Result<Command, TableError>,
}

/// Fields of commands that must not be null.
const NOT_NULL: [&str; 12] = [
    "type", "rules", "seat", "bots", "deals", "action", "to", "from", "at", "table", "key", "name",
];

impl Request {
    /// Reads a message; any bytes give a request.
    pub fn parse(message: &[u8]) -> Request {
        let unreadable = |why: String| Err(TableError::Unreadable(why));
        // An object only: serde would also take a list for a command.
        let fields: Map<String, Value> = match serde_json::from_slice(message) {
            Ok(fields) => fields,
            Err(error) => {
                let command = unreadable(format!("not a JSON object: {error}"));
                return Request { command_type: Value::Null, command };
            }
        };
        let command_type = match fields.get("type") {
            Some(kind) if kind == "share" => json!("join"),
            kind => kind.cloned().unwrap_or_default(),
        };
        let fields = Value::Object(fields);
        let command = Command::deserialize(&fields);
        let command = command.or_else(|error| unreadable(explain(&error, &fields, &NOT_NULL)));
        Request { command_type, command }
    }
}
