//! The bots of a recipe.

use troel_agents::registry::BotName;
use troel_agents::{NamedBot, Registry};
use troel_env::RuleSet;

use crate::config::TrainConfig;
use crate::error::{ConfigError, TrainError};
use crate::house_rules::HouseRules;
use crate::reward::DealReward;

/// The bots that a recipe names.
pub(super) struct Bots {
    /// Opponents, one entry per kind of table; `None` if the opponent is the learner or a past
    /// self.
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
        rules: &RuleSet,
        house_rules: Option<&HouseRules>,
        registry: &Registry,
    ) -> Result<Bots, TrainError> {
        if config.reward == DealReward::MatchGain && rules.spec().match_target == 0 {
            let id = rules.id();
            return Err(ConfigError::invalid(format!(
                "reward = \"match\": {id} has no target (match_target) that would end a match; use \
                 points or centred"
            ))
            .into());
        }
        let find = |key: &'static str, name: &str| {
            let found = registry.find(name, rules);
            let bot = found.map_err(|error| TrainError::Bot { key, error })?;
            let refuse = |fault: &str| {
                Err(TrainError::from(ConfigError::invalid(format!("{key}: {name} {fault}"))))
            };
            if bot.is_timed() {
                return refuse(
                    "depends on time, and training is repeatable; use search:BOT:worlds=N",
                );
            }
            // Evaluations are under `rules` alone.
            if house_rules.is_some() && key != "eval.baselines" {
                if bot.is_for_one_rule_set() {
                    return refuse(
                        "was trained for one rule set alone, and house_rules are others",
                    );
                }
                if matches!(BotName::parse(name), BotName::Program { .. }) {
                    return refuse(
                        "would be asked for rules that it did not name; use a bot of this program",
                    );
                }
            }
            Ok(bot)
        };
        for name in &config.eval.baselines {
            find("eval.baselines", name)?;
        }
        let opponent = |name: Option<&str>| name.map(|name| find("tables.opponent", name));
        let table_bots =
            config.tables.iter().map(|table| opponent(table.opponent.bot()).transpose());
        let baseline_bot = Some(config.ppo.baseline_bot.as_str()).filter(|name| !name.is_empty());
        let teacher = config.imitation.as_ref();
        Ok(Bots {
            table_bots: table_bots.collect::<Result<_, _>>()?,
            teacher: teacher.map(|i| find("imitation.bot", &i.bot)).transpose()?,
            baseline_bot: baseline_bot.map(|name| find("ppo.baseline_bot", name)).transpose()?,
            anchor: config.anchor_bot().map(|name| find("anchor.bot", name)).transpose()?,
        })
    }
}
