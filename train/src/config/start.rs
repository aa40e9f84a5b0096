//! Recipe that is trained before another one.

use std::path::Path;

use serde::{Deserialize, Serialize};
use troel_nn::NetworkConfig;

use super::TrainConfig;
use crate::error::{ConfigError, TrainError};
use crate::run_folder::START_FOLDER;

/// A recipe that comes first: its bot is the checkpoint to start from. It is trained with this
/// recipe's rules, `house_rules` and `network.rule_features`, seed and device, in the folder
/// `start` of this recipe's run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StartConfig {
    /// The recipe: a TOML file, or the name of a built-in one.
    pub recipe: String,
    /// Keys of it that are set to other values, each `key=value`; see [`TrainConfig::load_with`].
    #[serde(default)]
    pub set: Vec<String>,
}

impl TrainConfig {
    /// Returns the recipe that `start` names. Returns `None` without one, or if `init` is set.
    ///
    /// That recipe is trained first. The bot in its run's folder is then the `init` of this one.
    ///
    /// # Errors
    /// That recipe cannot be read, is invalid, or trains another network.
    pub fn start_recipe(&self) -> Result<Option<TrainConfig>, TrainError> {
        let Some(start) = self.start.as_ref().filter(|_| self.init.is_empty()) else {
            return Ok(None);
        };
        let refuse = |error| TrainError::Config { origin: "start: ".to_string(), error };
        let mut recipe = TrainConfig::load_with(Path::new(&start.recipe), &start.set)?;
        recipe.rules.clone_from(&self.rules);
        recipe.house_rules.clone_from(&self.house_rules);
        recipe.network.rule_features = self.network.rule_features;
        recipe.device.clone_from(&self.device);
        recipe.seed = self.seed;
        recipe.run = Path::new(&self.run).join(START_FOLDER).display().to_string();
        // Only the bot that continues from it has a final evaluation.
        recipe.eval.final_deals = 0;
        if recipe.network != self.network {
            let error = format!(
                "{} trains another network ({}) than this recipe continues with ({})",
                start.recipe,
                describe_network(&recipe.network),
                describe_network(&self.network)
            );
            return Err(refuse(ConfigError::invalid(error)));
        }
        if recipe.start.is_some() && recipe.init.is_empty() {
            let error = format!("{} begins with another recipe itself", start.recipe);
            return Err(refuse(ConfigError::invalid(error)));
        }
        Ok(Some(recipe))
    }
}

/// Describes the size of a network, for errors.
pub(crate) fn describe_network(network: &NetworkConfig) -> String {
    let NetworkConfig { hidden, blocks, canonical_suits, rule_features } = network;
    format!(
        "hidden {hidden}, blocks {blocks}, canonical_suits {canonical_suits}, rule_features \
         {rule_features}"
    )
}
