//! Settings of the anchor.

use serde::{Deserialize, Serialize};

use super::ranges::check_ranges;
use crate::error::ConfigError;

/// Bot that the learner's calls stay close to. A recipe writes it as a string.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub enum AnchorBot {
    /// `init`: the bot that the run starts from.
    Init,
    /// A bot of this name.
    Bot(String),
}

impl AnchorBot {
    const INIT: &str = "init";

    /// Returns the name of the bot, unless it is `init`.
    pub(super) fn name(&self) -> Option<&str> {
        match self {
            AnchorBot::Init => None,
            AnchorBot::Bot(name) => Some(name),
        }
    }
}

impl From<&str> for AnchorBot {
    fn from(name: &str) -> AnchorBot {
        match name {
            AnchorBot::INIT => AnchorBot::Init,
            name => AnchorBot::Bot(name.to_string()),
        }
    }
}

impl From<String> for AnchorBot {
    fn from(name: String) -> AnchorBot {
        AnchorBot::from(name.as_str())
    }
}

impl From<AnchorBot> for String {
    fn from(bot: AnchorBot) -> String {
        match bot {
            AnchorBot::Init => AnchorBot::INIT.to_string(),
            AnchorBot::Bot(name) => name,
        }
    }
}

/// Keeps the learner's calls close to those of a bot. The cross-entropy with the bot's call is part
/// of the loss in the auction and the choice of trumps (kickstarting, Schmitt et al. 2018). It
/// keeps rare contracts alive before their worth is known (docs/experiments/11-anchored-calls.md).
/// It also keeps calls close to those that other bots understand
/// (docs/experiments/30-anchored-to-the-start.md).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AnchorConfig {
    /// The bot, or `init`: the bot that the run starts from.
    pub bot: AnchorBot,
    /// Weight of the cross-entropy at the start.
    #[serde(default = "default_anchor_coef")]
    pub coef: f32,
    /// Weight at the end; linear in between.
    #[serde(default = "default_anchor_coef_end")]
    pub coef_end: f32,
}

impl AnchorConfig {
    pub(super) fn check(&self) -> Result<(), ConfigError> {
        check_ranges(&[
            ("anchor.coef", self.coef.into(), 0.0, 100.0),
            ("anchor.coef_end", self.coef_end.into(), 0.0, 100.0),
        ])
    }
}

fn default_anchor_coef() -> f32 {
    0.05
}
fn default_anchor_coef_end() -> f32 {
    0.005
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn anchors_are_strings_in_a_recipe() {
        for (text, bot) in [("init", AnchorBot::Init), ("rules", AnchorBot::Bot("rules".into()))] {
            let anchor: AnchorConfig = toml::from_str(&format!("bot = {text:?}")).expect("valid");
            assert_eq!(anchor.bot, bot);
            let written = toml::Table::try_from(&anchor).expect("TOML");
            assert_eq!(written["bot"].as_str(), Some(text));
        }
    }
}
