//! Metadata of a bot: the contents of `bot.toml`.

use serde::{Deserialize, Serialize};
use troel_env::features::RULE_FEATURE_VERSION;
use troel_env::rules::Spec;
use troel_env::{ACTION_VERSION, FEATURE_VERSION, N_ACTIONS, N_FEATURES, RuleSet};

use super::layout::{FORMAT_VERSION, ONNX_FORMAT_VERSION};
use super::results::{ComparisonSummary, ProblemSummary};
use super::weight_format::WeightFormat;
use crate::weights::NetworkConfig;

/// Contents of `bot.toml`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BotInfo {
    /// Version of the bundle's layout.
    pub format: u32,
    /// Version of the feature vector.
    pub observation_version: u32,
    /// Number of features.
    pub features: usize,
    /// Version of the features of rules ([`RULE_FEATURE_VERSION`]); 0 for networks without them.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub rule_feature_version: u32,
    /// Version of the action numbering.
    pub action_version: u32,
    /// Number of actions.
    pub actions: usize,
    /// Rule set that the bot was trained for; the default rule set of a bot for any rules.
    pub rules: String,
    /// Hash of that rule set.
    pub rules_hash: String,
    /// Points per unit of the value head.
    pub reward_scale: f32,
    /// Number of deals played in training, including those of the bundle that it continued from.
    pub deals: u64,
    /// Number of decisions trained on, including those of the bundle that it continued from.
    pub steps: u64,
    /// Master seed.
    pub seed: u64,
    /// Git commit of the program, if known.
    #[serde(default)]
    pub commit: String,
    /// Command that trained the bot.
    #[serde(default)]
    pub command: String,
    /// Training time in seconds, including that of the bundle that it continued from.
    #[serde(default)]
    pub train_seconds: f64,
    /// Training time in seconds times threads, summed over all processes.
    ///
    /// It includes the time of the bundle that it continued from. It is `None` if part of the
    /// training was done by a version of troel that did not measure it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub core_seconds: Option<f64>,
    /// Whether training used match totals other than zero.
    ///
    /// If not, the weights for totals are untrained, and loading sets them to zero.
    #[serde(default)]
    pub match_totals: bool,
    /// Whether the bot was trained under many rule sets with features of rules, and plays any.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub any_rules: bool,
    /// Whether the network's values are points of the deal.
    ///
    /// They are not if training rewarded shares of a match.
    #[serde(default = "default_true")]
    pub value_in_points: bool,
    /// Number format of the weights on disk.
    #[serde(default, skip_serializing_if = "WeightFormat::is_default")]
    pub weight_format: WeightFormat,
    /// The rules, if they are not built in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub house_rules: Option<Spec>,
    /// Network sizes. They are 0 in a bundle with an ONNX model, where only the flags have a
    /// meaning.
    pub network: NetworkConfig,
    /// Evaluation results, oldest first.
    #[serde(default)]
    pub evaluation: Vec<ComparisonSummary>,
    /// Results on problems with known answers, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<ProblemSummary>,
    /// Training configuration.
    #[serde(default)]
    pub training: toml::Table,
}

fn default_true() -> bool {
    true
}

fn is_zero(version: &u32) -> bool {
    *version == 0
}

impl BotInfo {
    /// Creates the metadata of an untrained bot, with the versions of this program.
    pub fn new(rules: &RuleSet, network: NetworkConfig, reward_scale: f32, seed: u64) -> BotInfo {
        BotInfo {
            format: FORMAT_VERSION,
            observation_version: FEATURE_VERSION,
            features: N_FEATURES,
            rule_feature_version: if network.rule_features { RULE_FEATURE_VERSION } else { 0 },
            action_version: ACTION_VERSION,
            actions: N_ACTIONS,
            rules: rules.id().to_string(),
            rules_hash: rules.hash().to_string(),
            reward_scale,
            deals: 0,
            steps: 0,
            seed,
            commit: String::new(),
            command: String::new(),
            train_seconds: 0.0,
            core_seconds: None,
            any_rules: false,
            match_totals: false,
            value_in_points: true,
            weight_format: WeightFormat::F32,
            house_rules: rules.custom_spec().cloned(),
            network,
            evaluation: Vec::new(),
            problems: Vec::new(),
            training: toml::Table::new(),
        }
    }

    /// Sets the rules of the bot, with their rule file if they are not built in.
    ///
    /// Earlier results keep the rule set that they were measured under.
    pub fn set_rules(&mut self, rules: &RuleSet) {
        for evaluation in self.evaluation.iter_mut().filter(|e| e.rules.is_empty()) {
            evaluation.rules.clone_from(&self.rules);
        }
        for answers in self.problems.iter_mut().filter(|answers| answers.rules.is_empty()) {
            answers.rules.clone_from(&self.rules);
        }
        self.rules = rules.id().to_string();
        self.rules_hash = rules.hash().to_string();
        self.house_rules = rules.custom_spec().cloned();
    }

    /// Returns whether the bundle holds an ONNX model instead of Troel's own network.
    pub fn is_onnx(&self) -> bool {
        self.format == ONNX_FORMAT_VERSION
    }

    /// Returns the points per unit of the network's value, or `None` if values are not points.
    pub fn points_per_value(&self) -> Option<f32> {
        self.value_in_points.then_some(self.reward_scale)
    }

    /// Returns the unit of the network's value times [`BotInfo::reward_scale`].
    pub fn value_unit(&self) -> &'static str {
        if self.value_in_points { "points of the deal" } else { "hundredths of a match" }
    }

    /// Returns a hash of the recipe that trained the bot, as 16 hexadecimal digits.
    ///
    /// It ignores the seed and the keys that do not change the bot. Bots with one hash are samples
    /// of the results of one recipe.
    pub fn recipe_hash(&self) -> String {
        let mut recipe = self.training.clone();
        let intervals = ["checkpoint_every", "checkpoint_keep_every"];
        for key in ["seed", "run", "device", "eval", "tensorboard"].iter().chain(&intervals) {
            recipe.remove(*key);
        }
        if recipe.contains_key("start") {
            // Here `init` is the bot of the recipe in `start`, which was trained with the same
            // seed. Its path depends on the run.
            recipe.remove("init");
        }
        // Names that changed are hashed as in earlier versions, so that one recipe has one hash in
        // all versions.
        if let Some(lessons) = recipe.remove("bid_lessons") {
            recipe.insert("sure_calls".to_string(), lessons);
        }
        if recipe.get("reward").and_then(toml::Value::as_str) == Some("match-gain") {
            recipe.insert("reward".to_string(), "match".into());
        }
        blake3::hash(recipe.to_string().as_bytes()).to_hex()[..16].to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_recipe_has_one_hash() {
        let rules = RuleSet::built_in("wiezen").unwrap();
        let hash = |recipe: &str| {
            let mut info = BotInfo::new(rules, NetworkConfig::default(), 10.0, 1);
            info.training = recipe.parse().unwrap();
            info.recipe_hash()
        };
        let first = hash("seed = 1\nrun = 'a'\ndeals = 5\n[eval]\nevery = 1");
        assert_eq!(first, hash("seed = 2\nrun = 'b'\ndeals = 5\n[eval]\nevery = 9"));
        assert_ne!(first, hash("seed = 1\nrun = 'a'\ndeals = 6"));
        assert_ne!(hash("init = 'a'"), hash("init = 'b'"));
        assert_eq!(
            hash("init = 'a'\n[start]\nrecipe = 'x'"),
            hash("init = 'b'\n[start]\nrecipe = 'x'")
        );
        assert_eq!(hash("[bid_lessons]\nworlds = 4"), hash("[sure_calls]\nworlds = 4"));
        assert_eq!(hash("reward = 'match-gain'"), hash("reward = 'match'"));
    }
}
