//! Sources of rule sets, bots and randomness for tables.

use troel_agents::{Entry, registry};
use troel_env::RuleSet;

use crate::error::TableError;
use crate::protocol::Responder;

/// Bots that a front end may seat by name, in addition to the default one.
pub const BOTS: [&str; 4] = ["random", "rules", "expert", "pimc:worlds=20"];

/// Source of rule sets, bots and randomness for tables.
pub trait Provider {
    /// Returns the rule set of a name, and a bot that plays it: the named one, else the default.
    ///
    /// # Errors
    /// There is no such rule set, or no such bot for it.
    fn rules_and_bot(
        &self,
        rules: &str,
        bot: Option<&str>,
    ) -> Result<(&'static RuleSet, Entry), TableError>;

    /// Returns a seed for a match for which the front end gave none.
    ///
    /// # Errors
    /// There is none: the front end has to give one.
    fn seed(&self) -> Result<u64, TableError>;

    /// Returns secret randomness for the cards of one deal at a shared table, never the same twice.
    ///
    /// # Errors
    /// There is none: there can be no such table.
    fn secret(&self) -> Result<[u8; 32], TableError>;
}

/// Front ends of a single bot must give the seed, because there may be no source of randomness.
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

/// Returns a bot that a front end may seat by name. No such bot reads a file, starts a program or
/// takes long to decide.
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
