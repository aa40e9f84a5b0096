//! Bots that a recipe names.

use troel_agents::registry::BotName;

use super::{AnchorConfig, TrainConfig};

impl TrainConfig {
    /// Returns the commands of the programs that the recipe runs as bots (`bot:COMMAND`).
    pub fn programs(&self) -> Vec<&str> {
        let imitated = self.imitation.iter().map(|imitation| imitation.bot.as_str());
        let opponents = self.tables.iter().filter_map(|table| table.opponent.bot());
        let anchors = self.anchor.iter().map(|anchor| anchor.bot.as_str());
        let others = self.eval.baselines.iter().chain([&self.ppo.baseline_bot]).map(String::as_str);
        let named = imitated.chain(opponents).chain(anchors).chain(others);
        let command = |name| match BotName::parse(name) {
            BotName::Program { command } => Some(command),
            _ => None,
        };
        named.filter_map(command).collect()
    }

    /// Returns the name of the anchor's bot. `None` without an anchor, and while the bot that the
    /// run starts from is still to be trained ([`TrainConfig::start_recipe`]).
    pub(crate) fn anchor_bot(&self) -> Option<&str> {
        let bot = self.anchor.as_ref()?.bot.as_str();
        let name = if bot == AnchorConfig::INIT { self.init.as_str() } else { bot };
        Some(name).filter(|name| !name.is_empty())
    }
}
