//! Start of a run: the bot of another recipe, a checkpoint, or random weights.

use std::path::Path;

use troel_agents::{find_rules, registry};
use troel_nn::{BotInfo, NetworkConfig, Weights};

use super::TrainConfig;
use crate::checkpoint::RunProgress;
use crate::error::{ConfigError, TrainError};
use crate::reward::DealReward;
use crate::run_folder::START_FOLDER;

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
                describe(&recipe.network),
                describe(&self.network)
            );
            return Err(refuse(ConfigError::invalid(error)));
        }
        if recipe.start.is_some() && recipe.init.is_empty() {
            let error = format!("{} begins with another recipe itself", start.recipe);
            return Err(refuse(ConfigError::invalid(error)));
        }
        Ok(Some(recipe))
    }

    /// Returns the weights that a run starts from, and the progress of their training.
    ///
    /// The weights are random, or those of the checkpoint `init`.
    ///
    /// # Errors
    /// The rule set or checkpoint is not found, the checkpoint is damaged or of another network or
    /// rule set, or it does not exist yet because another recipe is trained first
    /// ([`TrainConfig::start_recipe`]).
    pub(crate) fn starting_weights(&self) -> Result<(Weights, RunProgress), TrainError> {
        let rules = find_rules(&self.rules)?;
        if let (Some(start), true) = (&self.start, self.init.is_empty()) {
            return Err(ConfigError::invalid(format!(
                "start: train {} first, and give its bot as init",
                start.recipe
            ))
            .into());
        }
        if self.init.is_empty() {
            let mut weights = Weights::init(self.network, self.seed);
            if !self.sees_totals(rules) {
                weights.ignore_totals();
            }
            return Ok((
                weights,
                RunProgress { core_seconds: Some(0.0), ..RunProgress::default() },
            ));
        }
        let (path, bundle) = registry::find_bundle(&self.init)
            .map_err(|error| TrainError::Bot { key: "init", error })?;
        bundle.info.check_rules(&path, rules)?;
        if bundle.weights.config != self.network {
            return Err(ConfigError::invalid(format!(
                "init: {} has another network ({}) than the recipe ({})",
                path.display(),
                describe(&bundle.weights.config),
                describe(&self.network)
            ))
            .into());
        }
        if bundle.info.value_in_points != (self.reward != DealReward::MatchGain) {
            tracing::warn!(
                "init: the values of {} are {}, those of this recipe are not; the value head \
                 learns them again",
                path.display(),
                bundle.info.value_unit()
            );
        }
        let BotInfo { deals, steps, train_seconds: seconds, core_seconds, .. } = bundle.info;
        let progress =
            RunProgress { deals, steps, seconds, core_seconds, ..RunProgress::default() };
        Ok((bundle.weights, progress))
    }
}

fn describe(network: &NetworkConfig) -> String {
    let NetworkConfig { hidden, blocks, canonical_suits, rule_features } = network;
    format!(
        "hidden {hidden}, blocks {blocks}, canonical_suits {canonical_suits}, rule_features \
         {rule_features}"
    )
}
