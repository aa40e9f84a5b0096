//! Recipe that is trained before another one.

use serde::{Deserialize, Serialize};
use troel_nn::NetworkConfig;

/// A recipe that trains the bot to start from. It has this recipe's rules, `house_rules` and
/// `network.rule_features`, seed and device. Its folder is `start` in this recipe's run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StartConfig {
    /// The recipe: a TOML file, or the name of a built-in one.
    pub recipe: String,
    /// Keys of it that are set to other values, each `key=value`, as on the command line (`--set`).
    #[serde(default)]
    pub set: Vec<String>,
}

/// Describes the size of a network, for errors.
pub(crate) fn describe_network(network: &NetworkConfig) -> String {
    let NetworkConfig { hidden, blocks, canonical_suits, rule_features } = network;
    format!(
        "hidden {hidden}, blocks {blocks}, canonical_suits {canonical_suits}, rule_features \
         {rule_features}"
    )
}
