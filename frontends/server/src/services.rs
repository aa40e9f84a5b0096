//! Resources that all tables of the server share.

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use troel_agents::{NamedBot, find_rules, registry};
use troel_env::{Record, RuleSet};
use troel_protocol::{Provider, Responder, StartError, TableError};

use crate::compute::Compute;
use crate::config::ServerConfig;
use crate::error::ServeError;

/// Bots, rule sets, processor time and records, which all tables of the server share.
pub struct Services {
    /// The bots that answer requests of the bot protocol.
    pub bots: Vec<Responder>,
    /// The rule sets that tables can be opened for.
    pub rule_sets: Vec<OfferedRules>,
    /// Processor time of the bots.
    pub compute: Compute,
    /// File to which records of finished deals are appended.
    pub records: Option<Mutex<File>>,
}

/// A rule set with its default bot.
pub struct OfferedRules {
    /// The rule set.
    pub rules: &'static RuleSet,
    /// First of the server's bots that plays it; `None` if tables must name a bot.
    pub bot: Option<NamedBot>,
}

impl Services {
    /// Finds the bots and rule sets, and opens the file for records.
    ///
    /// # Errors
    /// A bot cannot be found, house rules cannot be offered, or the file cannot be opened.
    pub fn new(config: &ServerConfig) -> Result<Services, ServeError> {
        let names = if config.bots.is_empty() { default_bots() } else { config.bots.clone() };
        let rule_sets = rule_sets(&config.rules, &names)?;
        let bots = names.iter().map(|name| Responder::find(name, &rule_sets, 1));
        let bots = bots.collect::<Result<_, _>>()?;
        let first = |rules| names.iter().find_map(|name| NamedBot::find(name, rules).ok());
        let offered = |rules| OfferedRules { rules, bot: first(rules) };
        let rule_sets: Vec<_> = rule_sets.into_iter().map(offered).collect();
        let lacks_bot = |of: &&OfferedRules| !of.rules.is_built_in() && of.bot.is_none();
        if let Some(without_bot) = rule_sets.iter().find(lacks_bot) {
            return Err(ServeError::NoBot(without_bot.rules.id().to_string()));
        }
        let records = config.records.as_deref().map(open_records).transpose()?.map(Mutex::new);
        Ok(Services { bots, rule_sets, compute: Compute::new(), records })
    }

    /// Appends a record to the file for records, if there is one.
    pub fn append(&self, record: &Record) {
        let Some(records) = &self.records else { return };
        let mut file = records.lock().unwrap_or_else(PoisonError::into_inner);
        let line = serde_json::to_string(record).map_err(std::io::Error::from);
        // One write for a line, so that no reader sees a part of it.
        if let Err(error) = line.and_then(|line| file.write_all(format!("{line}\n").as_bytes())) {
            tracing::warn!("a record could not be written: {error}");
        }
    }
}

/// Returns the built-in rule sets, and the house rules of rule files and of bots.
///
/// # Errors
/// A rule file or bot cannot be found, a deck has fewer than 13 ranks, or two rule sets share an
/// identifier.
fn rule_sets(files: &[String], bots: &[String]) -> Result<Vec<&'static RuleSet>, ServeError> {
    let mut house_rules = Vec::new();
    for file in files {
        house_rules.push((file, find_rules(file)?));
    }
    for bot in bots {
        house_rules.extend(registry::house_rules(bot)?.map(|rules| (bot, rules)));
    }
    let built_in = RuleSet::all_built_in().into_iter();
    let mut sets: Vec<_> = built_in.map(|rules| ("the built-in rule sets", rules)).collect();
    for (source, rules) in house_rules {
        match sets.iter().find(|(_, known)| known.id() == rules.id()) {
            Some((_, known)) if known.hash() == rules.hash() => (),
            Some((other, _)) => {
                let sources = [source.clone(), (*other).to_string()];
                return Err(ServeError::RulesClash { sources, id: rules.id().to_string() });
            }
            None if !rules.has_full_deck() => {
                return Err(ServeError::SmallDeck(rules.id().to_string()));
            }
            None => sets.push((source, rules)),
        }
    }
    Ok(sets.into_iter().map(|(_, rules)| rules).collect())
}

/// Returns the names of the released bots that are available, and `expert`, which always is.
fn default_bots() -> Vec<String> {
    let released = registry::all_released().into_iter();
    let available = released.filter(|name| registry::find_bundle(name).is_ok());
    let names: Vec<String> = available.chain(["expert"]).map(ToString::to_string).collect();
    if names.len() == 1 {
        tracing::warn!("the released bots are not part of this build; expert plays instead");
    }
    names
}

/// Opens the file to which records are appended.
fn open_records(path: &Path) -> Result<File, ServeError> {
    let opened = File::options().append(true).create(true).open(path);
    opened.map_err(|error| ServeError::Records { path: path.to_path_buf(), error })
}

impl Provider for Services {
    fn rules_and_bot(&self, rules: &str) -> Result<(&'static RuleSet, NamedBot), TableError> {
        let found = self.rule_sets.iter().find(|offered| offered.rules.id() == rules);
        let offered = found.ok_or_else(|| StartError::UnknownRules(rules.to_string()))?;
        let bot = offered.bot.as_ref().ok_or(StartError::NoDefaultBot)?;
        Ok((offered.rules, bot.clone()))
    }

    fn seed(&self) -> Result<u64, TableError> {
        // Not the time, from which others at a table could derive the cards. 53 bits, which a
        // number in JavaScript holds exactly.
        let drawn = getrandom::u64().map(|bits| bits >> 11);
        Ok(drawn.map_err(|error| StartError::SeedNotDrawn(error.to_string()))?)
    }

    fn secret(&self) -> Result<[u8; 32], TableError> {
        let mut secret = [0; 32];
        let drawn = getrandom::fill(&mut secret).map(|()| secret);
        Ok(drawn.map_err(|error| StartError::CardsNotDrawn(error.to_string()))?)
    }
}
