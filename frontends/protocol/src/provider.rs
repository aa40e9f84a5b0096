//! Sources of rule sets, bots and randomness for tables.

use troel_agents::{NamedBot, registry};
use troel_env::RuleSet;

use crate::bot_protocol::Responder;
use crate::error::{StartError, TableError};

/// Bots that a front end may seat by name, in addition to the default one.
pub const SEATABLE_BOTS: [&str; 4] = ["random", "rules", "expert", "pimc:worlds=20"];

/// Source of rule sets, bots and randomness for tables.
pub trait Provider {
    /// Returns the rule set of a name, and the default bot for it.
    ///
    /// # Errors
    /// There is no such rule set, or no bot for it.
    fn rules_and_bot(&self, rules: &str) -> Result<(&'static RuleSet, NamedBot), TableError>;

    /// Returns the rule set of the text of a rule file, and the default bot for it.
    ///
    /// # Errors
    /// The provider takes no rule files, the file cannot be used, or its bot is for other rules.
    fn rules_and_bot_of_file(
        &self,
        _text: &str,
    ) -> Result<(&'static RuleSet, NamedBot), TableError> {
        // Rule sets live as long as the program, so strangers may not send any to a server.
        Err(StartError::NoRuleFiles.into())
    }

    /// Returns a seed for a match for which the front end gave none.
    ///
    /// # Errors
    /// The provider has no seeds: the front end must give one.
    fn seed(&self) -> Result<u64, TableError>;

    /// Returns secret randomness for the cards of one deal at a shared table, never the same twice.
    ///
    /// # Errors
    /// The provider has no secret randomness: shared tables are not possible.
    fn secret(&self) -> Result<[u8; 32], TableError>;
}

/// Front ends of a single bot must give the seed, because there may be no source of randomness.
impl Provider for Responder {
    fn rules_and_bot(&self, rules: &str) -> Result<(&'static RuleSet, NamedBot), TableError> {
        let (rules, bot) = self.player(rules).ok_or(StartError::RulesNotPlayed)?;
        Ok((rules, bot.clone()))
    }

    fn rules_and_bot_of_file(
        &self,
        text: &str,
    ) -> Result<(&'static RuleSet, NamedBot), TableError> {
        let bot = self.any_rules_bot().ok_or(StartError::RulesNotPlayed)?;
        let rules = RuleSet::from_toml(text, "rule_file").map_err(StartError::RuleFile)?;
        // Records name rule sets by their id alone.
        if RuleSet::built_in(rules.id()).is_some_and(|known| known.hash() != rules.hash()) {
            return Err(StartError::BuiltInId(rules.id().to_string()).into());
        }
        if !rules.has_full_deck() {
            return Err(StartError::SmallDeck(rules.id().to_string()).into());
        }
        Ok((rules, bot.clone()))
    }

    fn seed(&self) -> Result<u64, TableError> {
        Err(StartError::MissingSeed.into())
    }

    fn secret(&self) -> Result<[u8; 32], TableError> {
        Err(StartError::NoSecretCards.into())
    }
}

/// Returns a bot that a front end may seat by name. No such bot reads a file, starts a program or
/// takes long to decide.
///
/// # Errors
/// It is not among [`SEATABLE_BOTS`].
pub fn find_seatable_bot(name: &str) -> Result<NamedBot, TableError> {
    let known = SEATABLE_BOTS.contains(&name).then(|| registry::built_in(name).ok().flatten());
    Ok(known.flatten().ok_or(StartError::UnknownBot { known: &SEATABLE_BOTS })?)
}
