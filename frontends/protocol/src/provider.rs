//! Sources of rule sets, bots and randomness for tables.

use troel_agents::{Entry, registry};
use troel_env::RuleSet;

use crate::error::TableError;
use crate::protocol::Responder;

/// Bots that a front end may seat by name, beside the usual one.
pub const BOTS: [&str; 4] = ["random", "rules", "expert", "pimc:worlds=20"];

/// Source of rule sets, bots and randomness for tables.
pub trait Provider {
    /// The rule set of a name, and a bot that plays it; without a name the usual one.
    ///
    /// # Errors
    /// There is no such rule set, or no such bot for it.
    fn rules_and_bot(
        &self,
        rules: &str,
        bot: Option<&str>,
    ) -> Result<(&'static RuleSet, Entry), TableError>;

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
    fn rules_and_bot(
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

/// A bot that a front end may seat by name: none that would read a file, start a program or think
/// for long.
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
