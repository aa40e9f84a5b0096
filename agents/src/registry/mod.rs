//! The bot registry: built-in bots, bundles, external programs and custom bots by name.

mod bot_name;
mod bundles;
mod error;
mod folders;
mod named_bot;
mod options;
mod similar;
mod trained;

use std::collections::BTreeMap;

use troel_env::RuleSet;

pub use self::bot_name::{BotName, BuiltIn};
pub use self::bundles::{find_bundle, find_bundle_of_bot, find_trained_bot, house_rules};
pub use self::error::RegistryError;
pub use self::folders::{BOT_FOLDER, RESUME_FOLDER, folders_of_named_bots};
pub use self::named_bot::{NamedBot, TrainingSummary};
use self::options::PimcOptions;
pub use self::similar::{similar_name, suggestion};
use crate::bot::{Bot, Random};
#[cfg(not(target_family = "wasm"))]
use crate::external::{External, ExternalError, Program};
use crate::heuristic::Heuristic;
pub use crate::released::{
    ANY_RULES_BOT, RELEASED, ReleasedBot, ReleasedFor, all_released, released_for,
    released_for_points,
};
use crate::search::{Expert, Pimc};

/// Bots by name: built-in bots, bundles, external programs, and the caller's custom bots.
#[derive(Clone, Debug, Default)]
pub struct Registry {
    custom_bots: BTreeMap<String, NamedBot>,
}

impl Registry {
    /// Adds a custom bot, which this registry then finds before any other bot of its name.
    ///
    /// It can be an opponent or the baseline bot in training, and takes part in evaluations that
    /// accept a registry. Recipes reserve the names `self` and `past` for opponents.
    #[must_use]
    pub fn with_bot(
        mut self,
        name: &str,
        factory: impl Fn(u64) -> Box<dyn Bot> + Send + Sync + 'static,
    ) -> Registry {
        self.custom_bots.insert(name.to_string(), NamedBot::new(name, factory));
        self
    }

    /// Finds a bot for a rule set.
    ///
    /// The name is one of:
    ///
    /// - a custom bot of this registry;
    /// - a built-in bot: `random`, `rules`, `expert`, or `pimc:worlds=N,solve=M`;
    /// - `bot:COMMAND`, an external program;
    /// - a bundle (see [`find_trained_bot`]), which plays the most probable action, or with
    ///   `:sample` after its name samples from its policy;
    /// - `search:BUNDLE`, which adds look-ahead, with `:worlds=N`, `:ms=M` or `:endings=K`
    ///   after it as options.
    ///
    /// # Errors
    /// The name is unknown, an option is invalid, the bundle is damaged or for another rule set, or
    /// the external program cannot be used.
    pub fn find(&self, name: &str, rules: &RuleSet) -> Result<NamedBot, RegistryError> {
        if let Some(bot) = self.custom_bots.get(name) {
            return Ok(bot.clone());
        }
        match BotName::parse(name) {
            BotName::BuiltIn(bot) => built_in_bot(name, bot),
            BotName::Program { command } => external(name, command, rules),
            BotName::Network { bundle, is_sampling } => {
                trained::network(name, bundle, is_sampling, rules)
            }
            BotName::Search { bundle, options } => trained::lookahead(name, bundle, options, rules),
        }
    }
}

impl NamedBot {
    /// Finds a bot for a rule set, without custom bots; see [`Registry::find`].
    ///
    /// # Errors
    /// As for [`Registry::find`].
    pub fn find(name: &str, rules: &RuleSet) -> Result<NamedBot, RegistryError> {
        Registry::default().find(name, rules)
    }
}

/// Returns the built-in bot of this name, or `None` if no built-in bot has it.
///
/// Built-in bots are `random`, `rules`, `expert` and `pimc:worlds=N,solve=M`. The call reads no
/// file and starts no program, so it is safe for names from untrusted sources.
///
/// # Errors
/// An option of `pimc` is invalid.
pub fn built_in(name: &str) -> Result<Option<NamedBot>, RegistryError> {
    match BotName::parse(name) {
        BotName::BuiltIn(bot) => built_in_bot(name, bot).map(Some),
        _ => Ok(None),
    }
}

fn built_in_bot(name: &str, bot: BuiltIn<'_>) -> Result<NamedBot, RegistryError> {
    Ok(match bot {
        BuiltIn::Random => NamedBot::new(name, |seed| Box::new(Random::new(seed))),
        BuiltIn::Heuristic => NamedBot::new(name, |_| Box::new(Heuristic)),
        BuiltIn::Expert => NamedBot::new(name, |seed| Box::new(Expert::new(seed))),
        BuiltIn::Pimc { options } => {
            let PimcOptions { worlds, max_solved_cards } = PimcOptions::parse(options)
                .ok_or_else(|| RegistryError::PimcOptions(name.to_string()))?;
            NamedBot::new(name, move |seed| {
                Box::new(Pimc::new(worlds, seed).with_max_solved_cards(max_solved_cards))
            })
        }
    })
}

#[cfg(not(target_family = "wasm"))]
fn external(name: &str, command: &str, rules: &RuleSet) -> Result<NamedBot, RegistryError> {
    let fault = |error: ExternalError| RegistryError::External {
        name: name.to_string(),
        fault: error.to_string(),
    };
    let program = Program::parse(command).map_err(fault)?;
    External::new(&program).check(rules).map_err(fault)?;
    Ok(NamedBot::new(name, move |_| Box::new(External::new(&program))))
}

#[cfg(target_family = "wasm")]
fn external(name: &str, _: &str, _: &RuleSet) -> Result<NamedBot, RegistryError> {
    let fault = "cannot be started: WebAssembly has no processes".to_string();
    Err(RegistryError::External { name: name.to_string(), fault })
}
