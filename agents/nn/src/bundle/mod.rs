//! Checkpoint bundles: a folder with the weights of a network and its metadata.
//!
//! `model.safetensors` holds the tensors of [`NetworkConfig::tensors`] as f32, `bot.toml` a [`BotInfo`] and the checksums of
//! all files ([`crate::checksums`]). A bundle is written under a temporary name, synced and renamed. Loading executes no code
//! from the files, and never panics on damaged bytes.

mod checked;
mod results;
mod vectors;

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use troel_env::features::{OLD_N_FEATURES, RULE_FEATURE_VERSION};
use troel_env::rules::Spec;
use troel_env::{ACTION_VERSION, FEATURE_VERSION, N_ACTIONS, N_FEATURES, RuleSet};

pub use self::checked::{Checked, Verified, accept, seal, verify};
use self::checked::{check, parse_info, read_info};
pub use self::results::{MatchSummary, ProblemSummary};
pub use self::vectors::{Named, save_vectors};
use self::vectors::{parse_vectors, serialize_vectors};
use crate::checksums::{self, Checksums};
use crate::weights::{NetworkConfig, Weights, insert_new_features};

/// Version of the bundle's layout: 2 has checksums.
pub const FORMAT_VERSION: u32 = 2;
/// The version without checksums, which is read still.
const FORMAT_WITHOUT_CHECKSUMS: u32 = 1;

/// Name of the weights file.
pub const WEIGHTS: &str = "model.safetensors";
/// Name of the metadata file.
pub const INFO: &str = "bot.toml";
/// Name of the file of checksums of an exported bundle, which `sha256sum -c` reads.
pub const SUMS: &str = "SHA256SUMS";

/// Files beside the weights are as long as the network is large.
const MAX_FILE_BYTES: u64 = u64::MAX;

/// The longest description of the tensors in a file of weights, in bytes.
const MAX_HEADER_BYTES: u64 = 1 << 20;

/// Contents of `bot.toml`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BotInfo {
    /// Version of the bundle's layout.
    pub format: u32,
    /// Version of the feature vector.
    pub observation_version: u32,
    /// Number of features.
    pub features: usize,
    /// Version of the features of rules ([`RULE_FEATURE_VERSION`]); 0 for networks that are not told them.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub rule_feature_version: u32,
    /// Version of the action numbering.
    pub action_version: u32,
    /// Number of actions.
    pub actions: usize,
    /// Rule set that the bot was trained for; of one that plays under any, which it plays under where none is named.
    pub rules: String,
    /// Hash of that rule set.
    pub rules_hash: String,
    /// Points per unit of the value head.
    pub reward_scale: f32,
    /// Deals played in training, that of the checkpoint gone on from included.
    pub deals: u64,
    /// Decisions trained on, likewise.
    pub steps: u64,
    /// Master seed.
    pub seed: u64,
    /// Git commit of the program, if known.
    #[serde(default)]
    pub commit: String,
    /// The command that trained it.
    #[serde(default)]
    pub command: String,
    /// Seconds of training, likewise.
    #[serde(default)]
    pub train_seconds: f64,
    /// Seconds of training times threads, of all processes, likewise; none if part of it was trained before this was counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub core_seconds: Option<f64>,
    /// Whether training saw match totals other than zero. Bots trained only at zero ignore totals: their network's
    /// weights for them are arbitrary.
    #[serde(default)]
    pub match_totals: bool,
    /// Whether it was trained under many rule sets, told which, and plays under any.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub any_rules: bool,
    /// Whether the network's values are points of the deal; they are not where training rewarded shares of a match.
    #[serde(default = "yes")]
    pub value_in_points: bool,
    /// The rules, if they are not built in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub house_rules: Option<Spec>,
    /// Network sizes.
    pub network: NetworkConfig,
    /// Evaluation results, oldest first.
    #[serde(default)]
    pub evaluation: Vec<MatchSummary>,
    /// Answers to problems with known answers, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<ProblemSummary>,
    /// The training configuration.
    #[serde(default)]
    pub training: toml::Table,
}

fn yes() -> bool {
    true
}

fn is_zero(version: &u32) -> bool {
    *version == 0
}

/// A checkpoint in memory.
#[derive(Clone, Debug, PartialEq)]
pub struct Bundle {
    /// Metadata.
    pub info: BotInfo,
    /// Weights.
    pub weights: Weights,
}

/// Why a checkpoint cannot be read, written or used.
#[derive(Debug, thiserror::Error)]
pub enum BundleError {
    /// A file cannot be read or written.
    #[error("{path}: {error}")]
    Io {
        /// The file.
        path: PathBuf,
        /// The reason.
        error: std::io::Error,
    },
    /// A file is damaged.
    #[error("{path}: {message}")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        message: String,
    },
    /// A version or hash does not match.
    #[error("{path}: {message}")]
    Mismatch {
        /// The bundle.
        path: PathBuf,
        /// What does not match, and where known the remedy.
        message: String,
    },
}

impl From<(PathBuf, std::io::Error)> for BundleError {
    fn from((path, error): (PathBuf, std::io::Error)) -> BundleError {
        BundleError::Io { path, error }
    }
}

fn io(path: &Path) -> impl FnOnce(std::io::Error) -> BundleError {
    let path = path.to_path_buf();
    move |error| BundleError::Io { path, error }
}

fn damaged(path: &Path, message: impl Into<String>) -> BundleError {
    BundleError::Damaged { path: path.to_path_buf(), message: message.into() }
}

impl BotInfo {
    /// Metadata of an untrained bot, with the versions of this program.
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
            house_rules: (!rules.is_built_in()).then(|| rules.spec().clone()),
            network,
            evaluation: Vec::new(),
            problems: Vec::new(),
            training: toml::Table::new(),
        }
    }

    /// Points per unit of the network's value; `None` if its values are no points.
    pub fn points_per_value(&self) -> Option<f32> {
        self.value_in_points.then_some(self.reward_scale)
    }

    /// What the network's value times [`BotInfo::reward_scale`] is.
    pub fn value_unit(&self) -> &'static str {
        match self.value_in_points {
            true => "points of the deal",
            false => "hundredths of a match",
        }
    }

    /// Hash of the recipe that trained the bot, whatever its seed and what does not change the bot (16 hexadecimal digits):
    /// bots of one recipe are samples of what it gives.
    pub fn recipe_hash(&self) -> String {
        let mut recipe = self.training.clone();
        let intervals = ["checkpoint_every", "checkpoint_keep_every"];
        for key in ["seed", "run", "device", "eval", "tensorboard"].iter().chain(&intervals) {
            recipe.remove(*key);
        }
        if recipe.contains_key("start") {
            // The bot of the recipe that came first, of the same seed.
            recipe.remove("init");
        }
        blake3::hash(recipe.to_string().as_bytes()).to_hex()[..16].to_string()
    }

    /// The rule set that the bot was trained for. `path` names the bundle in errors.
    ///
    /// # Errors
    /// The rules are neither built in nor in the bundle, or their hash is not the one that the bot was trained for.
    pub fn rule_set(&self, path: &Path) -> Result<&'static RuleSet, BundleError> {
        let rules = match &self.house_rules {
            Some(spec) => RuleSet::from_spec(spec.clone(), "house_rules")
                .map_err(|error| damaged(&path.join(INFO), error.to_string()))?,
            None => RuleSet::built_in(&self.rules).ok_or_else(|| {
                let message = format!(
                    "rule set {} is neither built in nor in the bundle; give its rule file",
                    self.rules
                );
                BundleError::Mismatch { path: path.to_path_buf(), message }
            })?,
        };
        self.check_rules(path, rules)?;
        Ok(rules)
    }

    /// Makes these the rules of the bot, with the rule file if they are not built in. Evaluations keep those that they were under.
    pub fn set_rules(&mut self, rules: &RuleSet) {
        for evaluation in self.evaluation.iter_mut().filter(|e| e.rules.is_empty()) {
            evaluation.rules.clone_from(&self.rules);
        }
        for answers in self.problems.iter_mut().filter(|answers| answers.rules.is_empty()) {
            answers.rules.clone_from(&self.rules);
        }
        self.rules = rules.id().to_string();
        self.rules_hash = rules.hash().to_string();
        self.house_rules = (!rules.is_built_in()).then(|| rules.spec().clone());
    }

    /// Checks that a rule set is the one that the bot was trained for, unless it plays under any. `path` names the bundle in errors.
    ///
    /// # Errors
    /// The hashes differ.
    pub fn check_rules(&self, path: &Path, rules: &RuleSet) -> Result<(), BundleError> {
        if self.any_rules || self.rules_hash == rules.hash() {
            return Ok(());
        }
        let remedy = match self.house_rules {
            None if self.rules == rules.id() => {
                "its points or options have changed since".to_string()
            }
            None => format!(
                "use it with these rules (--rules {0}; in training --set rules={0}), or a bot for any rules, such as universal-v1",
                self.rules
            ),
            Some(_) => "use it with its rule file".to_string(),
        };
        let message = format!(
            "the bot was trained for rule set {} (hash {}), not for {} (hash {}): {remedy}",
            self.rules,
            self.rules_hash,
            rules.id(),
            rules.hash()
        );
        Err(BundleError::Mismatch { path: path.to_path_buf(), message })
    }

    /// Whether the bundle was written with checksums, so that damage is noticed.
    pub fn has_checksums(&self) -> bool {
        self.format != FORMAT_WITHOUT_CHECKSUMS
    }

    /// Checks that this program supports the bundle's versions and network sizes.
    fn check_versions(&self, path: &Path) -> Result<(), BundleError> {
        let format = if self.has_checksums() { FORMAT_VERSION } else { FORMAT_WITHOUT_CHECKSUMS };
        let rules = if self.network.rule_features { RULE_FEATURE_VERSION } else { 0 };
        let pairs = [
            ("format", u64::from(self.format), u64::from(format)),
            ("observation_version", self.observation_version.into(), FEATURE_VERSION.into()),
            ("features", self.features as u64, N_FEATURES as u64),
            ("rule_feature_version", self.rule_feature_version.into(), rules.into()),
            ("action_version", self.action_version.into(), ACTION_VERSION.into()),
            ("actions", self.actions as u64, N_ACTIONS as u64),
        ];
        for (key, found, wanted) in pairs {
            if found != wanted {
                let message = format!(
                    "{key} is {found}, but this program needs {wanted}; use the version of troel that \
                     wrote the bundle, or train a new bot"
                );
                return Err(BundleError::Mismatch { path: path.to_path_buf(), message });
            }
        }
        self.network.check().map_err(|error| damaged(&path.join(INFO), error.to_string()))
    }
}

impl Bundle {
    /// Writes the bundle as folder `path`, replacing an older one.
    ///
    /// # Errors
    /// A file cannot be written; an older bundle is then kept.
    pub fn save(&self, path: &Path) -> Result<(), BundleError> {
        write_folder(path, |folder| self.write_files(folder))
    }

    /// Writes the files of the bundle into a folder, without the checksums that [`write_folder`] adds when all is there.
    ///
    /// # Errors
    /// A file cannot be written.
    pub fn write_files(&self, folder: &Path) -> Result<(), BundleError> {
        let (info, weights) = self.plain_contents(folder)?;
        write_file(&folder.join(INFO), info.as_bytes())?;
        write_file(&folder.join(WEIGHTS), &weights)
    }

    /// The contents of the two files of the bundle, `bot.toml` and `model.safetensors`. `path` names the bundle in
    /// errors.
    ///
    /// # Errors
    /// The metadata or the weights cannot be serialised.
    pub fn contents(&self, path: &Path) -> Result<(String, Vec<u8>), BundleError> {
        let (info, weights) = self.plain_contents(path)?;
        let sums = Checksums::from([(WEIGHTS.to_string(), checksums::of(&weights))]);
        Ok((checksums::seal(&info, &sums), weights))
    }

    fn plain_contents(&self, path: &Path) -> Result<(String, Vec<u8>), BundleError> {
        let info = toml::to_string(&BotInfo { format: FORMAT_VERSION, ..self.info.clone() });
        let info = info.map_err(|e| damaged(&path.join(INFO), e.to_string()))?;
        let weights = self.weights.config.tensors().into_iter().map(|spec| {
            let values = &self.weights.values[spec.offset..spec.offset + spec.len()];
            (spec.name, spec.shape, values)
        });
        Ok((info, serialize_vectors(&path.join(WEIGHTS), weights)?))
    }

    /// Reads a bundle.
    ///
    /// # Errors
    /// A file is missing, damaged or not the one that was written, or a version does not match.
    pub fn load(path: &Path) -> Result<Bundle, BundleError> {
        let info = read_info(path)?;
        let weights_path = path.join(WEIGHTS);
        let network = parse_info(path, &info)?.0.network;
        network.check().map_err(|error| damaged(&path.join(INFO), error.to_string()))?;
        let longest = 4 * network.len() as u64 + MAX_HEADER_BYTES;
        let weights = troel_files::read(&weights_path, longest).map_err(io(&weights_path))?;
        Bundle::parse(path, &info, &weights)
    }

    /// Parses a bundle from the contents of its two files, `bot.toml` and `model.safetensors`. `path` names the bundle
    /// in errors.
    ///
    /// # Errors
    /// One of them is damaged, or a version does not match.
    pub fn parse(path: &Path, info: &str, weights: &[u8]) -> Result<Bundle, BundleError> {
        let (mut info, sums) = parse_info(path, info)?;
        let old = (1..).zip(OLD_N_FEATURES);
        let old = old.filter(|&of| of == (info.observation_version, info.features));
        let old_features = old.map(|(_, features)| features).next();
        if old_features.is_some() {
            (info.observation_version, info.features) = (FEATURE_VERSION, N_FEATURES);
        }
        info.check_versions(path)?;
        let weights_path = path.join(WEIGHTS);
        check(&sums, &weights_path, weights)?;
        let mut tensors = parse_vectors(&weights_path, weights)?;
        // Not preallocated: bot.toml may claim sizes that the data does not have.
        let mut values = Vec::new();
        for spec in info.network.tensors() {
            let (mut shape, mut data) = tensors.remove(&spec.name).ok_or_else(|| {
                damaged(&weights_path, format!("tensor {} is missing", spec.name))
            })?;
            if let (Some(known), "input.weight", [rows, outputs]) =
                (old_features, spec.name.as_str(), &mut shape[..])
                && rows.checked_sub(known) == Some(info.network.inputs() - N_FEATURES)
            {
                // Features that the bot does not know have no weight.
                insert_new_features(&mut data, known, *outputs);
                *rows = info.network.inputs();
            }
            if shape != spec.shape {
                let message = format!(
                    "tensor {} has shape {shape:?}, but the network in bot.toml needs {:?}",
                    spec.name, spec.shape
                );
                return Err(damaged(&weights_path, message));
            }
            values.extend(data);
        }
        if values.iter().any(|v| !v.is_finite()) {
            return Err(damaged(&weights_path, "a weight is not a finite number"));
        }
        let mut weights = Weights { config: info.network, values };
        if !info.match_totals {
            weights.ignore_totals();
        }
        Ok(Bundle { weights, info })
    }
}

/// Name of the bot in a checkpoint folder: the last part of the path.
pub fn short_name(path: &Path) -> String {
    path.file_name().map_or("bot".into(), |name| name.to_string_lossy()).to_string()
}

/// Writes a folder whole or not at all ([`troel_files::write_folder`]): `fill` writes the bundle
/// and what else belongs to it, then `bot.toml` gets the checksums of all files.
///
/// # Errors
/// A file cannot be written; what was at `path` is then kept.
pub fn write_folder(
    path: &Path,
    fill: impl FnOnce(&Path) -> Result<(), BundleError>,
) -> Result<(), BundleError> {
    troel_files::write_folder(path, |folder| {
        fill(folder)?;
        seal(folder)
    })
}

/// Writes and syncs one file.
///
/// # Errors
/// The file cannot be written.
pub fn write_file(path: &Path, bytes: &[u8]) -> Result<(), BundleError> {
    troel_files::write(path, bytes).map_err(io(path))
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
    }
}
