//! Errors of starting the server.

use std::net::SocketAddr;
use std::path::PathBuf;

use troel_agents::RegistryError;
use troel_agents::registry::ANY_RULES_BOT;
use troel_env::RulesError;

use crate::guard;

/// Reason why the server cannot run.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// A bot cannot be found.
    #[error(transparent)]
    Registry(#[from] RegistryError),
    /// A rule set cannot be found.
    #[error(transparent)]
    Rules(#[from] RulesError),
    /// Different rules have the same identifier.
    #[error(
        "{} and {} have different rules with the id {id:?}: give them another id in one of the \
         rule files, or leave one out",
        sources[0], sources[1]
    )]
    RulesClash {
        /// Sources of the rules: rule files, bots that carry them, or the built-in rule sets.
        sources: [String; 2],
        /// The identifier.
        id: String,
    },
    /// House rules with a deck of fewer ranks.
    #[error(
        "the page cannot show {0}, whose deck has fewer than 13 ranks: play it with troel play"
    )]
    SmallDeck(String),
    /// House rules that none of the bots can play.
    #[error("no bot here plays {0:?}: add --bot {ANY_RULES_BOT} or --bot expert")]
    NoBot(String),
    /// The address cannot be listened on.
    #[error("cannot listen on {address}: {error}. Choose another port with --port")]
    Address {
        /// The address.
        address: SocketAddr,
        /// The reason.
        error: std::io::Error,
    },
    /// The file for records cannot be opened.
    #[error("cannot open the file for records, {path}: {error}. Name another with --records")]
    Records {
        /// The file.
        path: PathBuf,
        /// The reason.
        error: std::io::Error,
    },
    /// The folder for shared tables cannot be used.
    #[error("cannot use the folder for tables, {path}: {error}. Name another with --state")]
    State {
        /// The folder.
        path: PathBuf,
        /// The reason.
        error: std::io::Error,
    },
    /// The address can be reached from other machines, and there is no token.
    #[error("other machines can reach {0}: give a token with --token")]
    NoToken(SocketAddr),
    /// The token can be guessed.
    #[error(
        "the token has {0} characters: use at least {least} random ones",
        least = guard::MIN_TOKEN_CHARS
    )]
    ShortToken(usize),
    /// The server cannot be started.
    #[error("the server cannot be started: {0}")]
    Io(std::io::Error),
}

// The message holds that of the cause.
impl From<std::io::Error> for ServeError {
    fn from(error: std::io::Error) -> ServeError {
        ServeError::Io(error)
    }
}
