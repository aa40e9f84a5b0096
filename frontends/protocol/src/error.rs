//! Errors of tables.

use troel_agents::BotError;
use troel_env::{DealError, SessionError, excerpt};

/// Reason why a command is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TableError {
    /// A match cannot be started.
    #[error(transparent)]
    CannotOpen(#[from] StartError),
    /// A message is not a command.
    #[error("{0}")]
    Unreadable(String),
    /// A message has more bytes than this limit of the server.
    #[error("the message has more than {0} bytes: send a shorter one over a new connection")]
    TooLong(usize),
    /// Persons sit at all seats.
    #[error("all seats of this table are taken: wait for a free one or open another table")]
    Full,
    /// No table has this link.
    #[error("there is no such table, or it has ended: open a new one")]
    NoTable,
    /// The command is for private tables only.
    #[error("this command is not possible at a shared table; open a private one")]
    NotPrivate,
    /// The command is for shared tables only.
    #[error("this command is only possible at a shared table of a server")]
    NotShared,
    /// The person says too much in a short time.
    #[error("you have just said something: wait two seconds")]
    TooManyPhrases,
    /// No match is in progress.
    #[error("no match is in progress: start one with the command new")]
    NoMatch,
    /// Another seat is to act, or the deal is over.
    #[error("it is not your turn")]
    NotYourTurn,
    /// No call or card has this code.
    #[error("there is no such action: use one of the codes in legal")]
    NoAction,
    /// The action is not legal.
    #[error("this action is not legal here: use one of the codes in legal")]
    NotLegal,
    /// The person has made no decision yet in this deal.
    #[error("there is no decision to take back in this deal")]
    NothingToTakeBack,
    /// The person did not decide there.
    #[error("action {0} of this deal was not your decision: use one of mine")]
    NotYourDecision(usize),
    /// The command needs a deal that is over.
    #[error("the deal is not over: play it to the end")]
    NotOver,
    /// Cards still to be played could change the result.
    #[error("cards still to be played can change the result: play on")]
    NotCertain,
    /// A saved match does not fit the rules.
    #[error(
        "the saved match cannot be restored: in deal {deal}, action {action} ({code:?}) is not \
         possible. Restore it under the rules that it was played under, or start a new match"
    )]
    CannotRestore {
        /// Number of the deal in the list, from 1.
        deal: usize,
        /// Number of the action in the deal, from 1.
        action: usize,
        /// Its code.
        code: String,
    },
    /// Another version of Troel saved the table.
    #[error("the table was saved by another version of Troel (format {0}): start that version")]
    SavedByOtherVersion(u32),
    /// The rule set of this identifier has changed since the table was saved.
    #[error(
        "the table was saved under other rules named {0:?}: start the server with the rule file \
         of that time"
    )]
    SavedUnderOtherRules(String),
    /// The next deal cannot be dealt.
    #[error(transparent)]
    Session(#[from] SessionError),
    /// A bot failed.
    #[error("the bot failed: {0}")]
    Bot(#[from] BotError),
    /// Too many requests wait for bots.
    #[error("the server is busy; try again")]
    Busy,
    /// The program itself failed; the table is unchanged.
    #[error("an internal error of troel; the table is unchanged. Please report it")]
    Internal,
    /// The answer to a question cannot be computed.
    #[error("{0}")]
    CannotAnswer(String),
}

impl TableError {
    /// Returns the error of a saved match whose action `at` of deal `deal`, both from 0, is not
    /// possible. `actions` are those of the deal.
    pub(crate) fn contradiction(deal: usize, actions: &[String], at: usize) -> TableError {
        let code = excerpt(actions.get(at).map_or("", String::as_str), 20);
        TableError::CannotRestore { deal: deal + 1, action: at + 1, code }
    }
}

/// Reason why a match cannot be started.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StartError {
    /// The only bot of the front end does not play the rule set.
    #[error("the bot does not play this rule set: use one of those in hello")]
    RulesNotPlayed,
    /// The server does not offer the rule set of this name.
    #[error("the server has no such rule set: {0:?}")]
    UnknownRules(String),
    /// The server has no default bot for the rule set.
    #[error("no bot here plays this rule set: start the server with --bot expert")]
    NoDefaultBot,
    /// No bot that a front end may seat has this name.
    #[error("there is no such bot at this table: use one of {}", known.join(", "))]
    UnknownBot {
        /// Names of the bots that a front end may seat.
        known: &'static [&'static str],
    },
    /// The front end gave no seed, and the provider has none.
    #[error("the field seed is missing: add one for the cards of the match")]
    MissingSeed,
    /// The provider has no secret randomness.
    #[error("shared tables need secret cards, which only troel serve has")]
    NoSecretCards,
    /// The operating system gave no seed, for this reason.
    #[error("no seed could be drawn: {0}")]
    SeedNotDrawn(String),
    /// The operating system gave no randomness for secret cards, for this reason.
    #[error("no cards could be drawn: {0}")]
    CardsNotDrawn(String),
    /// The record of the first deal follows other rules than the match.
    #[error(
        "the rules of the record are {of_record}, those of the match {of_match}; make them equal"
    )]
    OtherRules {
        /// Rule set that the record names, shortened.
        of_record: String,
        /// Identifier of the rule set of the match.
        of_match: String,
    },
    /// The record of the first deal has no valid deal.
    #[error(transparent)]
    Deal(#[from] DealError),
    /// The server, or the client at it, has the maximum number of tables.
    #[error("there are too many tables: leave one, or try later")]
    TooManyTables,
}
