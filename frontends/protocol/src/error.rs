//! Errors of tables.

use troel_agents::BotError;
use troel_env::error::SessionError;

/// Reason why a command is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TableError {
    /// A match cannot be started.
    #[error("{0}")]
    CannotOpen(String),
    /// A message is not a command.
    #[error("{0}")]
    Unreadable(String),
    /// Persons sit at all seats.
    #[error("all seats of this table are taken")]
    Full,
    /// No table has this link.
    #[error("there is no such table, or it has ended")]
    NoTable,
    /// The command is for private tables only.
    #[error("not at a table of several persons")]
    NotAlone,
    /// A command that only a table of several persons has.
    #[error("only at a table of several persons, on a server")]
    NotShared,
    /// No match is in progress.
    #[error("open a table first")]
    NoMatch,
    /// Another seat is to act, or the deal is over.
    #[error("it is not your turn")]
    NotYourTurn,
    /// There is no such call or card.
    #[error("that is no action")]
    NoAction,
    /// The action is not legal.
    #[error("that is not allowed here")]
    NotLegal,
    /// The person has made no decision yet in this deal.
    #[error("there is nothing to take back")]
    NothingToTakeBack,
    /// The person did not decide there.
    #[error("action {0} of this deal is none that you chose")]
    NotYours(usize),
    /// The command needs a deal that is over.
    #[error("the deal is not over")]
    NotOver,
    /// Cards may still go either way.
    #[error("the rest is not certain: play on")]
    NotCertain,
    /// A saved match does not fit the rules.
    #[error("the saved match: deal {deal}, action {action}: {code:?} is not possible")]
    CannotRestore {
        /// Number of the deal in the list, from 1.
        deal: usize,
        /// Number of the action in the deal, from 1.
        action: usize,
        /// Its code.
        code: String,
    },
    /// The next deal cannot be dealt.
    #[error(transparent)]
    Session(#[from] SessionError),
    /// A bot failed.
    #[error("the bot failed: {0}")]
    Bot(#[from] BotError),
    /// Too many requests wait for bots.
    #[error("the server is busy; try again")]
    Busy,
    /// A fault of the program itself; the table is as it was before.
    #[error("an internal error; the table is as it was before")]
    Internal,
    /// The answer to a question cannot be computed.
    #[error("{0}")]
    Failed(String),
}
