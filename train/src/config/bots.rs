//! Bots that a recipe names.

use troel_agents::registry::BotName;

use super::{AnchorBot, TrainConfig};

impl TrainConfig {
    /// Returns the commands of the programs that the recipe runs as bots (`bot:COMMAND`).
    pub fn programs(&self) -> Vec<&str> {
        let imitated = self.imitation.iter().map(|imitation| imitation.bot.as_str());
        let opponents = self.tables.iter().filter_map(|table| table.opponent.bot());
        let anchors = self.anchor.iter().filter_map(|anchor| anchor.bot.name());
        let others = self.eval.baselines.iter().chain(&self.ppo.baseline_bot).map(String::as_str);
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
        match &self.anchor.as_ref()?.bot {
            AnchorBot::Init => self.init.as_deref(),
            AnchorBot::Bot(name) => Some(name),
        }
    }
}
