//! Start of a run: the bot of another recipe, a checkpoint, or random weights.

use std::path::Path;

use troel_agents::{RegistryError, find_rules, registry};
use troel_nn::{BotInfo, NetworkConfig, Weights};

use super::tables::self_play;
use super::{Opponent, TableConfig, TrainConfig};
use crate::error::{ConfigError, TrainError};
use crate::reward::DealReward;
use crate::run_folder::Progress;

impl TrainConfig {
    /// The recipe that has to be trained first, if there is one: the bot in its run's folder is
    /// then the `init` of this one.
    ///
    /// # Errors
    /// It cannot be read, is invalid, or trains another network.
    pub fn first(&self) -> Result<Option<TrainConfig>, TrainError> {
        let Some(start) = self.start.as_ref().filter(|_| self.init.is_empty()) else {
            return Ok(None);
        };
        let refuse = |error| TrainError::Config { origin: "start: ".to_string(), error };
        let mut first = TrainConfig::load_with(Path::new(&start.recipe), &start.set)?;
        first.rules.clone_from(&self.rules);
        first.house_rules.clone_from(&self.house_rules);
        first.network.rule_features = self.network.rule_features;
        first.device.clone_from(&self.device);
        first.seed = self.seed;
        first.run = Path::new(&self.run).join("start").display().to_string();
        // It is judged when all is done.
        first.eval.final_deals = 0;
        if first.network != self.network {
            let error = format!(
                "{} trains another network ({}) than this recipe goes on with ({})",
                start.recipe,
                words(&first.network),
                words(&self.network)
            );
            return Err(refuse(ConfigError(error)));
        }
        if first.start.is_some() && first.init.is_empty() {
            let error = format!("{} begins with another recipe itself", start.recipe);
            return Err(refuse(ConfigError(error)));
        }
        Ok(Some(first))
    }

    /// The recipe turned against one bot, to see how much can be gained from its faults: at every
    /// table one seat learns among three of it, and it is the baseline of every evaluation. Against
    /// a checkpoint (that samples or looks ahead, too) the learner starts from the checkpoint
    /// itself, so that the gain begins at zero or near it, and is rewarded as that was; against any
    /// other bot it starts as the recipe says.
    ///
    /// # Errors
    /// The checkpoint is damaged, or the recipe does not fit it.
    pub fn exploiting(mut self, bot: &str) -> Result<TrainConfig, TrainError> {
        self.tables =
            vec![TableConfig { opponent: Opponent::from(bot), learners: 1, ..self_play() }];
        self.eval.baselines = vec![bot.to_string()];
        let checkpoint = registry::checkpoint_of(bot);
        match registry::find_bundle(checkpoint) {
            Ok((_, bundle)) => {
                self.init = checkpoint.to_string();
                self.start = None;
                self.network = bundle.weights.config;
                // It is to be beaten at what it was trained for.
                if !bundle.info.value_in_points {
                    self.reward = DealReward::MatchGain;
                }
                self.imitation = None;
            }
            Err(RegistryError::NoCheckpoint(_)) => (),
            Err(error) => return Err(TrainError::Bot { key: "exploit", error }),
        }
        self.check()?;
        Ok(self)
    }

    /// The programs that the recipe runs: the commands of its bots `bot:COMMAND`.
    pub fn programs(&self) -> Vec<&str> {
        let imitated = self.imitation.iter().map(|imitation| imitation.bot.as_str());
        let opponents = self.tables.iter().filter_map(|table| table.opponent.bot());
        let anchors = self.anchor.iter().map(|anchor| anchor.bot.as_str());
        let others = self.eval.baselines.iter().chain([&self.ppo.baseline_bot]).map(String::as_str);
        let named = imitated.chain(opponents).chain(anchors).chain(others);
        named.filter_map(|name| name.strip_prefix("bot:")).collect()
    }

    /// The weights that a run starts from, random or those of the checkpoint `init`, and what these
    /// were trained on.
    ///
    /// # Errors
    /// The rule set or checkpoint is not found, the checkpoint is damaged or of another network or
    /// rule set, or there is none yet because another recipe has to be trained first
    /// ([`TrainConfig::first`]).
    pub(crate) fn initial(&self) -> Result<(Weights, Progress), TrainError> {
        let rules = find_rules(&self.rules)?;
        if let (Some(start), true) = (&self.start, self.init.is_empty()) {
            return Err(ConfigError(format!(
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
            return Ok((weights, Progress { core_seconds: Some(0.0), ..Progress::default() }));
        }
        let (path, bundle) = registry::find_bundle(&self.init)
            .map_err(|error| TrainError::Bot { key: "init", error })?;
        bundle.info.check_rules(&path, rules)?;
        if bundle.weights.config != self.network {
            return Err(ConfigError(format!(
                "init: {} has another network ({}) than the recipe ({})",
                path.display(),
                words(&bundle.weights.config),
                words(&self.network)
            ))
            .into());
        }
        if bundle.info.value_in_points != (self.reward != DealReward::MatchGain) {
            tracing::warn!(
                "init: the values of {} are {}, and this recipe's others; the value head learns them anew",
                path.display(),
                bundle.info.value_unit()
            );
        }
        let BotInfo { deals, steps, train_seconds: seconds, core_seconds, .. } = bundle.info;
        let progress = Progress { deals, steps, seconds, core_seconds, ..Progress::default() };
        Ok((bundle.weights, progress))
    }
}

fn words(network: &NetworkConfig) -> String {
    let NetworkConfig { hidden, blocks, canonical_suits, rule_features } = network;
    format!(
        "hidden {hidden}, blocks {blocks}, canonical_suits {canonical_suits}, rule_features {rule_features}"
    )
}
