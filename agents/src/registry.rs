//! Names of bots: the same wherever a bot can be named, and open to bots of one's own.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use troel_env::RuleSet;
use troel_env::error::RulesError;
use troel_nn::{Bundle, BundleError, bundle};

use crate::bot::{Bot, Factory, Random};
#[cfg(not(target_family = "wasm"))]
use crate::external::{External, ExternalError, Program};
use crate::heuristic::Heuristic;
use crate::network::{Choice, Evaluator, NetworkBot};
use crate::search::{Expert, Pimc};

/// The released bots, one for each built-in rule set.
pub const RELEASED: [&str; 4] = ["luxembourg-v1", "horesca-v1", "wiezen-v1", "iwwa-v1"];

/// Folders looked into for names of checkpoints: the one that the variable `TROEL_CHECKPOINTS` names, then this one.
const CHECKPOINTS: &str = "checkpoints";

/// The variable that names a folder of checkpoints.
const VARIABLE: &str = "TROEL_CHECKPOINTS";

/// Worlds of `pimc` without a number.
const WORLDS: usize = 20;
/// More than anybody can wait for.
const MOST_WORLDS: usize = 100_000;

/// A bot that can be seated: built once, seated many times.
#[derive(Clone)]
pub struct Entry {
    name: String,
    factory: Factory,
}

impl std::fmt::Debug for Entry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Entry").field("name", &self.name).finish_non_exhaustive()
    }
}

/// A name that stands for no usable bot.
#[derive(Debug, thiserror::Error)]
pub enum RegistryError {
    /// No such bot.
    #[error(
        "{0:?} is not a bot: use random, rules, expert, pimc:worlds=20, bot:COMMAND, the name of a released bot \
         (such as luxembourg-v1) or of one in {CHECKPOINTS}/ or ${VARIABLE}, or the path of a checkpoint folder (with \
         :sample to draw moves from its policy)"
    )]
    Unknown(String),
    /// No such checkpoint, where only a trained bot will do.
    #[error(
        "{0:?} is not a checkpoint: use the name of a released bot (such as luxembourg-v1) or of one in \
         {CHECKPOINTS}/ or ${VARIABLE}, or the path of a checkpoint folder"
    )]
    NoCheckpoint(String),
    /// No such bot, where only one that needs no file and no program will do.
    #[error("{0:?} is not a bot without a file: use random, rules, expert or pimc:worlds=20")]
    NotBuiltIn(String),
    /// A searching bot without a usable number of worlds.
    #[error("{0:?}: write pimc:worlds=N with N from 1 to {MOST_WORLDS}")]
    Worlds(String),
    /// A program that cannot play.
    #[error("{name}: the program {fault}; see docs/protocol.md")]
    External {
        /// The name, `bot:` and a command.
        name: String,
        /// What is amiss.
        fault: String,
    },
    /// The checkpoint cannot be used.
    #[error(transparent)]
    Bundle(#[from] BundleError),
}

impl Entry {
    /// A bot of one's own. `factory` seats it; whatever it draws comes from the seed that it is given.
    pub fn custom(
        name: &str,
        factory: impl Fn(u64) -> Box<dyn Bot> + Send + Sync + 'static,
    ) -> Entry {
        Entry { name: name.to_string(), factory: Arc::new(factory) }
    }

    /// The bot of this name for a rule set; see [`Registry::find`].
    ///
    /// # Errors
    /// The name is unknown, or the checkpoint is damaged or for another rule set.
    pub fn find(name: &str, rules: &RuleSet) -> Result<Entry, RegistryError> {
        Registry::default().find(name, rules)
    }

    /// A network at hand, playing the likeliest action. Values are in units of `reward_scale` points.
    pub fn network(name: &str, evaluator: Evaluator, reward_scale: f32) -> Entry {
        Entry::custom(name, move |_| {
            Box::new(NetworkBot::new(evaluator.clone(), Choice::Likeliest, reward_scale))
        })
    }

    /// A network at hand, drawing from the policy: the same action whenever it sees the same.
    pub fn sampling_network(name: &str, evaluator: Evaluator, reward_scale: f32) -> Entry {
        Entry::custom(name, move |seed| {
            Box::new(NetworkBot::new(evaluator.clone(), Choice::Sampled(seed), reward_scale))
        })
    }

    /// The trained bot of a checkpoint, playing the likeliest action.
    pub fn of_bundle(name: &str, bundle: &Bundle) -> Entry {
        Entry::network(name, Evaluator::new(&bundle.weights), bundle.info.reward_scale)
    }

    /// The name it was found under.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Seats the bot; whatever it draws comes from this seed.
    pub fn seat(&self, seed: u64) -> Box<dyn Bot> {
        (self.factory)(seed)
    }
}

/// The names of bots: those that everybody knows, and the caller's own.
#[derive(Clone, Debug, Default)]
pub struct Registry {
    own: BTreeMap<String, Entry>,
}

impl Registry {
    /// Adds a custom bot under a name, which this registry then finds before any other of that name: as an opponent or a
    /// critic in training, in evaluations that take a registry. Recipes reserve `self` and `past` for opponents.
    #[must_use]
    pub fn custom(
        mut self,
        name: &str,
        factory: impl Fn(u64) -> Box<dyn Bot> + Send + Sync + 'static,
    ) -> Registry {
        self.own.insert(name.to_string(), Entry::custom(name, factory));
        self
    }

    /// Finds the bot of this name for a rule set: one of the caller's own, `random`, `rules`, `expert`,
    /// `pimc:worlds=N`, `bot:COMMAND`, or a checkpoint (see [`find_bundle`]). `:sample` after a checkpoint draws moves
    /// from its policy instead of taking the likeliest.
    ///
    /// # Errors
    /// The name is unknown, or the checkpoint is damaged or for another rule set.
    pub fn find(&self, name: &str, rules: &RuleSet) -> Result<Entry, RegistryError> {
        if let Some(entry) = self.own.get(name) {
            return Ok(entry.clone());
        }
        if let Some(entry) = built_in(name)? {
            return Ok(entry);
        }
        match name.strip_prefix("bot:") {
            Some(command) => external(name, command, rules),
            None => checkpoint(name, rules),
        }
    }
}

/// The bot of this name if it needs neither a file nor another program: `random`, `rules`, `expert`, `pimc:worlds=N`. For
/// callers that hand on names from elsewhere: nothing is read and nothing is started.
///
/// # Errors
/// A searching bot without a usable number of worlds.
pub fn built_in(name: &str) -> Result<Option<Entry>, RegistryError> {
    Ok(Some(match name {
        "random" => Entry::custom(name, |seed| Box::new(Random::new(seed))),
        "rules" => Entry::custom(name, |_| Box::new(Heuristic)),
        "expert" => Entry::custom(name, |seed| Box::new(Expert::new(seed))),
        _ if name == "pimc" || name.starts_with("pimc:") => {
            let worlds = worlds(name)?;
            Entry::custom(name, move |seed| Box::new(Pimc::new(worlds, seed)))
        }
        _ => return Ok(None),
    }))
}

#[cfg(not(target_family = "wasm"))]
fn external(name: &str, command: &str, rules: &RuleSet) -> Result<Entry, RegistryError> {
    let fault = |error: ExternalError| RegistryError::External {
        name: name.to_string(),
        fault: error.to_string(),
    };
    let program = Program::parse(command).map_err(fault)?;
    External::new(&program).check(rules).map_err(fault)?;
    Ok(Entry::custom(name, move |_| Box::new(External::new(&program))))
}

#[cfg(target_family = "wasm")]
fn external(name: &str, _: &str, _: &RuleSet) -> Result<Entry, RegistryError> {
    let fault = "cannot be started where there are no programs".to_string();
    Err(RegistryError::External { name: name.to_string(), fault })
}

fn checkpoint(name: &str, rules: &RuleSet) -> Result<Entry, RegistryError> {
    let (path, sampled) = match name.strip_suffix(":sample") {
        Some(path) => (path, true),
        None => (name, false),
    };
    let (path, bundle) = find_bundle(path).map_err(|error| match error {
        RegistryError::NoCheckpoint(_) => RegistryError::Unknown(name.to_string()),
        other => other,
    })?;
    bundle.info.check_rules(&path, rules)?;
    let (evaluator, scale) = (Evaluator::new(&bundle.weights), bundle.info.reward_scale);
    Ok(if sampled {
        Entry::sampling_network(name, evaluator, scale)
    } else {
        Entry::network(name, evaluator, scale)
    })
}

/// The number of worlds that a name such as `pimc:worlds=20` asks for.
fn worlds(name: &str) -> Result<usize, RegistryError> {
    if name == "pimc" {
        return Ok(WORLDS);
    }
    let number = name.strip_prefix("pimc:worlds=").and_then(|n| n.parse().ok());
    number
        .filter(|n| (1..=MOST_WORLDS).contains(n))
        .ok_or_else(|| RegistryError::Worlds(name.to_string()))
}

/// The checkpoint of this path or name, and the path that messages call it: a folder at this path, or of this name in
/// the folder that `TROEL_CHECKPOINTS` names or in `checkpoints/`, or a released bot.
///
/// # Errors
/// There is none, or it is damaged.
pub fn find_bundle(name: &str) -> Result<(PathBuf, Bundle), RegistryError> {
    if let Some(folder) = find_folder(name) {
        let bundle = Bundle::load(&folder)?;
        return Ok((folder, bundle));
    }
    let path = PathBuf::from(name);
    match released(name) {
        Some((info, weights)) => {
            let bundle = Bundle::parse(&path, info, weights)?;
            Ok((path, bundle))
        }
        None => Err(RegistryError::NoCheckpoint(name.to_string())),
    }
}

fn find_folder(name: &str) -> Option<PathBuf> {
    let path = bundle::recover(Path::new(name));
    if path.join("bot.toml").exists() || path.is_dir() && name.contains(['/', '\\']) {
        return Some(path);
    }
    // A name, not a path: nothing may climb out of the folder.
    let plain = !name.is_empty() && !name.contains(['/', '\\']) && name != "..";
    let named = std::env::var_os(VARIABLE).map(PathBuf::from);
    let folders = named.map(Cow::Owned).into_iter().chain([Cow::Borrowed(Path::new(CHECKPOINTS))]);
    // A folder without a description is no checkpoint, and hides no released bot of its name.
    let mut folders = folders.map(|folder| folder.join(name));
    folders.find(|folder| plain && folder.join("bot.toml").exists())
}

/// The files of a released bot, where they are part of the library.
#[cfg(feature = "released")]
fn released(name: &str) -> Option<(&'static str, &'static [u8])> {
    macro_rules! bot {
        ($name:literal) => {
            (
                include_str!(concat!("../../checkpoints/", $name, "/bot.toml")),
                include_bytes!(concat!("../../checkpoints/", $name, "/model.safetensors")),
            )
        };
    }
    Some(match name {
        "luxembourg-v1" => bot!("luxembourg-v1"),
        "horesca-v1" => bot!("horesca-v1"),
        "wiezen-v1" => bot!("wiezen-v1"),
        "iwwa-v1" => bot!("iwwa-v1"),
        _ => return None,
    })
}

#[cfg(not(feature = "released"))]
fn released(_: &str) -> Option<(&'static str, &'static [u8])> {
    None
}

/// The rules of its own that a checkpoint of this name or path was trained for, if they are not built in.
///
/// # Errors
/// The checkpoint is damaged.
pub fn house_rules(name: &str) -> Result<Option<&'static RuleSet>, RegistryError> {
    let name = name.strip_suffix(":sample").unwrap_or(name);
    match find_bundle(name) {
        Ok((path, bundle)) if bundle.info.house_rules.is_some() => {
            Ok(Some(bundle.info.rule_set(&path)?))
        }
        // Other bots know no rules of their own.
        Ok(_) | Err(RegistryError::NoCheckpoint(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

/// The rule set of this name or at this path.
///
/// # Errors
/// It is neither built in nor a readable, valid rule file.
pub fn find_rules(name: &str) -> Result<&'static RuleSet, RulesError> {
    if let Some(rules) = RuleSet::built_in(name) {
        return Ok(rules);
    }
    let text = std::fs::read_to_string(name).map_err(|error| {
        let built_in: Vec<&str> = RuleSet::names().collect();
        let built_in = built_in.join(", ");
        let message = format!("is neither a rule set ({built_in}) nor a rule file: {error}");
        RulesError { origin: format!("{name:?}"), message }
    })?;
    RuleSet::from_toml(&text, name)
}
