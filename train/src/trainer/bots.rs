//! The bots of a recipe.

use troel_agents::registry::{self, ANY_RULES_BOT, BotName};
use troel_agents::{NamedBot, Registry, RegistryError};
use troel_env::RuleSet;

use super::run_rules::RunRules;
use crate::config::TrainConfig;
use crate::error::{ConfigError, TrainError};
use crate::reward::DealReward;

/// The bots that a recipe names.
pub(super) struct Bots {
    /// Opponents, one entry per kind of table. An entry is `None` if the opponent is the learner or
    /// a past self.
    pub table_bots: Vec<Option<NamedBot>>,
    /// The bot to imitate.
    pub teacher: Option<NamedBot>,
    /// The bot that provides the baselines (`ppo.baseline_bot`).
    pub baseline_bot: Option<NamedBot>,
    /// The bot that the learner's calls stay close to (`anchor`).
    pub anchor: Option<NamedBot>,
}

impl Bots {
    /// Looks the bots up in the registry.
    ///
    /// # Errors
    /// A bot is not found, or does not fit the recipe or the rules.
    pub fn find(
        config: &TrainConfig,
        rules: &RunRules,
        registry: &Registry,
    ) -> Result<Bots, TrainError> {
        check_match_target(config, rules.main)?;
        let has_house_rules = rules.rule_set_pool.is_some();
        let finder = BotFinder { rules: rules.main, registry, has_house_rules };
        for name in &config.eval.baselines {
            finder.find(BASELINES_KEY, name)?;
        }
        let opponent = |name: Option<&str>| name.map(|name| finder.find("tables.opponent", name));
        let table_bots =
            config.tables.iter().map(|table| opponent(table.opponent.bot()).transpose());
        if let Some(init) = &config.init
            && config.anchor_bot() == Some(init)
        {
            // The anchor is the bot of `init`: an error names the key that the user has set.
            let checked = check_init(init, rules.main);
            checked.map_err(|error| TrainError::Bot { key: "init", error })?;
        }
        let find = |key, name: Option<&str>| name.map(|name| finder.find(key, name)).transpose();
        Ok(Bots {
            table_bots: table_bots.collect::<Result<_, _>>()?,
            teacher: find("imitation.bot", config.imitation.as_ref().map(|i| i.bot.as_str()))?,
            baseline_bot: find("ppo.baseline_bot", config.ppo.baseline_bot.as_deref())?,
            anchor: find("anchor.bot", config.anchor_bot())?,
        })
    }
}

/// Checks that a trained bot of this name is there, and that it plays these rules.
fn check_init(name: &str, rules: &RuleSet) -> Result<(), RegistryError> {
    let (path, bundle) = registry::find_bundle(name)?;
    Ok(bundle.info.check_rules(&path, rules)?)
}

/// Key of the bots that evaluations compare with.
const BASELINES_KEY: &str = "eval.baselines";

/// Finds the bots of a recipe, and checks that training can use them.
struct BotFinder<'a> {
    rules: &'a RuleSet,
    registry: &'a Registry,
    has_house_rules: bool,
}

impl BotFinder<'_> {
    /// Finds the bot of this name, for a key of the recipe.
    fn find(&self, key: &'static str, name: &str) -> Result<NamedBot, TrainError> {
        let found = self.registry.find(name, self.rules);
        let bot = found.map_err(|error| TrainError::Bot { key, error })?;
        match self.fault(key, &bot) {
            Some(fault) => Err(ConfigError::invalid(format!("{key}: {name} {fault}")).into()),
            None => Ok(bot),
        }
    }

    /// Returns the reason why the recipe cannot use a bot, phrased to follow its name.
    fn fault(&self, key: &str, bot: &NamedBot) -> Option<String> {
        if bot.is_timed() {
            let fault = "depends on time, but training must be repeatable; use search:BOT:worlds=N";
            return Some(fault.to_string());
        }
        // Evaluations are under `rules` alone.
        if !self.has_house_rules || key == BASELINES_KEY {
            return None;
        }
        if bot.is_for_one_rule_set() {
            return Some(format!(
                "was trained for one rule set, but house_rules adds others; use a bot for any \
                 rules, such as {ANY_RULES_BOT}"
            ));
        }
        let is_program = matches!(BotName::parse(bot.name()), BotName::Program { .. });
        let fault = "is a program, which may not play all of house_rules; use a built-in or \
                     trained bot";
        is_program.then(|| fault.to_string())
    }
}

/// Refuses the reward `match-gain` under rules without a target.
fn check_match_target(config: &TrainConfig, rules: &RuleSet) -> Result<(), ConfigError> {
    if config.reward == DealReward::MatchGain && rules.spec().match_target == 0 {
        let id = rules.id();
        return Err(ConfigError::invalid(format!(
            "reward = \"match-gain\": {id} has no target (match_target) that would end a match; \
             use points or centred"
        )));
    }
    Ok(())
}
