//! Errors of starting the server.

use std::net::SocketAddr;
use std::path::PathBuf;

use troel_agents::RegistryError;

use crate::guard;

/// Reason why the server cannot run.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// A bot cannot be found.
    #[error(transparent)]
    Registry(#[from] RegistryError),
    /// House rules have the identifier of different rules.
    #[error(
        "{of} has rules with the id {rules:?}, which other rules have too: give them another id"
    )]
    RulesClash {
        /// The bot that carries them, or the rule file.
        of: String,
        /// Identifier of its rules.
        rules: String,
    },
    /// House rules with a deck of fewer ranks.
    #[error(
        "the page cannot show {0}, whose deck has fewer than 13 ranks: play it with troel play"
    )]
    SmallDeck(String),
    /// House rules that none of the bots can play.
    #[error("no bot here plays {0:?}: add --bot universal-v1 or --bot expert")]
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
    #[error("cannot open the file for records, {}: {error}", path.display())]
    Records {
        /// The file.
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
