//! Checkpoint bundles: a folder with the weights of a network and its metadata.
//!
//! `model.safetensors` holds the tensors of [`NetworkConfig::tensors`] as f32, `bot.toml` a [`BotInfo`] and the checksums of
//! all files ([`crate::checksums`]). A bundle is written under a temporary name, synced and renamed. Loading executes no code
//! from the files, and never panics on damaged bytes.

use std::collections::HashMap;
use std::fs::File;
use std::path::{Path, PathBuf};

use safetensors::tensor::{Dtype, SafeTensors, TensorView};
use serde::{Deserialize, Serialize};
use troel_env::features::N_FEATURES_1;
use troel_env::rules::Spec;
use troel_env::{ACTION_VERSION, FEATURE_VERSION, N_ACTIONS, N_FEATURES, RuleSet};

use crate::checksums::{self, Checksums};
use crate::files;
use crate::weights::{NetworkConfig, Weights};

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

/// The longest `bot.toml` that is read.
const LONGEST_INFO: u64 = 64 << 20;
/// Files of weights are as long as the network is large.
const LONGEST: u64 = u64::MAX;

/// Contents of `bot.toml`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BotInfo {
    /// Version of the bundle's layout.
    pub format: u32,
    /// Version of the feature vector.
    pub observation_version: u32,
    /// Number of features.
    pub features: usize,
    /// Version of the action numbering.
    pub action_version: u32,
    /// Number of actions.
    pub actions: usize,
    /// Rule set that the bot was trained for.
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
    /// Whether training saw match totals other than zero. Bots trained only at zero ignore totals: their network's
    /// weights for them are arbitrary.
    #[serde(default)]
    pub match_totals: bool,
    /// The rules, if they are not built in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub house_rules: Option<Spec>,
    /// Network sizes.
    pub network: NetworkConfig,
    /// Evaluation results, oldest first.
    #[serde(default)]
    pub evaluation: Vec<MatchSummary>,
    /// The training configuration.
    #[serde(default)]
    pub training: toml::Table,
}

/// One evaluation result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MatchSummary {
    /// Name of the baseline.
    pub baseline: String,
    /// `full`, `bidding` or `play`.
    pub scope: String,
    /// Mean points per deal minus the baseline's on the same deals and seats.
    pub points_per_deal: f64,
    /// 95 % confidence interval, as low and high.
    pub ci95: [f64; 2],
    /// Number of deals.
    pub deals: u64,
    /// Seed of the deals.
    pub seed: u64,
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
            match_totals: false,
            house_rules: (!rules.is_built_in()).then(|| rules.spec().clone()),
            network,
            evaluation: Vec::new(),
            training: toml::Table::new(),
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

    /// Checks that a rule set is the one that the bot was trained for. `path` names the bundle in errors.
    ///
    /// # Errors
    /// The hashes differ.
    pub fn check_rules(&self, path: &Path, rules: &RuleSet) -> Result<(), BundleError> {
        if self.rules_hash == rules.hash() {
            return Ok(());
        }
        let remedy = match self.house_rules {
            None if self.rules == rules.id() => {
                "its points or options have changed since".to_string()
            }
            None => format!(
                "use it with these rules (--rules {0}; in training --set rules={0})",
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
        let pairs = [
            ("format", u64::from(self.format), u64::from(format)),
            ("observation_version", self.observation_version.into(), FEATURE_VERSION.into()),
            ("features", self.features as u64, N_FEATURES as u64),
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
        let weights = files::read(&weights_path, LONGEST).map_err(io(&weights_path))?;
        Bundle::parse(path, &info, &weights)
    }

    /// Parses a bundle from the contents of its two files, `bot.toml` and `model.safetensors`. `path` names the bundle
    /// in errors.
    ///
    /// # Errors
    /// One of them is damaged, or a version does not match.
    pub fn parse(path: &Path, info: &str, weights: &[u8]) -> Result<Bundle, BundleError> {
        let (mut info, sums) = parse_info(path, info)?;
        let is_old = (info.observation_version, info.features) == (1, N_FEATURES_1);
        if is_old {
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
            if is_old && spec.name == "input.weight" && shape.first() == Some(&N_FEATURES_1) {
                // What it does not know of has no weight.
                shape[0] = N_FEATURES;
                data.resize(shape.iter().product(), 0.0);
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

fn read_info(path: &Path) -> Result<String, BundleError> {
    let path = path.join(INFO);
    files::read_text(&path, LONGEST_INFO).map_err(io(&path))
}

/// Parses `bot.toml`: the metadata, and the checksums of the other files unless an earlier version wrote it.
fn parse_info(path: &Path, text: &str) -> Result<(BotInfo, Option<Checksums>), BundleError> {
    let path = path.join(INFO);
    let fault = |message: String| damaged(&path, message.replace('\n', " "));
    let (text, sums) = checksums::open(text).map_err(|error| fault(error.to_string()))?;
    let info: BotInfo = toml::from_str(text).map_err(|error| fault(error.to_string()))?;
    if sums.is_none() && info.has_checksums() {
        return Err(fault(checksums::Fault::Missing.to_string()));
    }
    Ok((info, sums))
}

/// Checks a file against its checksum, if there are checksums.
fn check(sums: &Option<Checksums>, path: &Path, bytes: &[u8]) -> Result<(), BundleError> {
    let Some(sums) = sums else { return Ok(()) };
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let fault = match sums.get(name.as_ref()) {
        Some(sum) if *sum == checksums::of(bytes) => return Ok(()),
        Some(_) => checksums::Fault::Differs,
        None => checksums::Fault::Unknown,
    };
    Err(damaged(path, fault.to_string()))
}

/// Reads files of one folder, each checked against the checksums in its `bot.toml`.
pub struct Checked<'a> {
    folder: &'a Path,
    sums: Option<Checksums>,
}

impl<'a> Checked<'a> {
    /// Reads the checksums of a folder.
    ///
    /// # Errors
    /// `bot.toml` cannot be read or is damaged.
    pub fn new(folder: &'a Path) -> Result<Checked<'a>, BundleError> {
        let (_, sums) = parse_info(folder, &read_info(folder)?)?;
        Ok(Checked { folder, sums })
    }

    /// Whether the folder has checksums: it is complete then, since they are written last.
    pub fn is_sealed(&self) -> bool {
        self.sums.is_some()
    }

    /// The contents of a file.
    ///
    /// # Errors
    /// The file cannot be read, is damaged or not the one that was written.
    pub fn read(&self, file: &str) -> Result<Vec<u8>, BundleError> {
        let path = self.folder.join(file);
        let bytes = files::read(&path, LONGEST).map_err(io(&path))?;
        check(&self.sums, &path, &bytes)?;
        Ok(bytes)
    }

    /// Shapes and values of the tensors in a safetensors file, by name.
    ///
    /// # Errors
    /// As for [`Checked::read`], or a tensor is not f32.
    pub fn vectors(&self, file: &str) -> Result<Named, BundleError> {
        parse_vectors(&self.folder.join(file), &self.read(file)?)
    }
}

/// What [`verify`] found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verified {
    /// Whether the folder has checksums; one of an earlier version has none.
    pub has_checksums: bool,
    /// Files that have no checksum, such as a README that was put beside the bot.
    pub others: Vec<String>,
}

/// Checks every file of a bundle's folder against its checksum, and that the bot in it loads.
///
/// # Errors
/// A file is missing, damaged or not the one that was written.
pub fn verify(folder: &Path) -> Result<Verified, BundleError> {
    let checked = Checked::new(folder)?;
    let sums = checked.sums.clone().unwrap_or_default();
    for file in sums.keys() {
        checked.read(file)?;
    }
    Bundle::load(folder)?;
    let is_other = |name: &String| is_sealed(name) && !sums.contains_key(name);
    let others = file_names(folder)?.into_iter().filter(is_other).collect();
    Ok(Verified { has_checksums: checked.sums.is_some(), others })
}

/// Gives `bot.toml` the checksums of all files in its folder as they are now: where it is written, or after somebody changed
/// one on purpose.
///
/// # Errors
/// A file cannot be read, or `bot.toml` not be written.
pub fn seal(folder: &Path) -> Result<(), BundleError> {
    let path = folder.join(INFO);
    let text = read_info(folder)?;
    let mut sums = Checksums::new();
    for name in file_names(folder)?.into_iter().filter(|name| is_sealed(name)) {
        let path = folder.join(&name);
        let sum = File::open(&path).and_then(checksums::of_file).map_err(io(&path))?;
        sums.insert(name, sum);
    }
    let plain = checksums::strip(&text);
    let fault = |error: toml::de::Error| damaged(&path, error.to_string().replace('\n', " "));
    let info: BotInfo = toml::from_str(plain).map_err(fault)?;
    info.check_versions(folder)?;
    let info = toml::to_string(&BotInfo { format: FORMAT_VERSION, ..info });
    let info = info.map_err(|error| damaged(&path, error.to_string()))?;
    files::replace(&path, checksums::seal(&info, &sums).as_bytes()).map_err(io(&path))
}

/// Like [`seal`], for files that are there already: only if the bot loads with them.
///
/// Returns the names of the files that were not as they had been written.
///
/// # Errors
/// As for [`seal`], or the bot does not load; the folder is then as it was.
pub fn accept(folder: &Path) -> Result<Vec<String>, BundleError> {
    let text = read_info(folder)?;
    let changed = match parse_info(folder, &text) {
        Ok((_, sums)) => {
            let checked = Checked { folder, sums };
            let names = file_names(folder)?.into_iter().filter(|name| is_sealed(name));
            names.filter(|name| checked.read(name).is_err()).collect()
        }
        Err(_) => vec![INFO.to_string()],
    };
    let path = folder.join(WEIGHTS);
    let weights = files::read(&path, LONGEST).map_err(io(&path))?;
    let sums = Checksums::from([(WEIGHTS.to_string(), checksums::of(&weights))]);
    Bundle::parse(folder, &checksums::seal(checksums::strip(&text), &sums), &weights)?;
    seal(folder)?;
    Ok(changed)
}

/// Whether a file of this name gets a checksum: files of checksums cannot have each other's.
fn is_sealed(name: &str) -> bool {
    name != INFO && name != SUMS
}

/// Names of the files in a folder, in order.
fn file_names(folder: &Path) -> Result<Vec<String>, BundleError> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(io(folder))? {
        let entry = entry.map_err(io(folder))?;
        if entry.file_type().map_err(io(&entry.path()))?.is_file() {
            names.push(entry.file_name().to_string_lossy().to_string());
        }
    }
    names.sort();
    Ok(names)
}

/// Name of the bot in a checkpoint folder: the last part of the path.
pub fn short_name(path: &Path) -> String {
    path.file_name().map_or("bot".into(), |name| name.to_string_lossy()).to_string()
}

/// Writes a folder whole or not at all ([`files::write_folder`]): `fill` writes the bundle and what else belongs to it, then
/// `bot.toml` gets the checksums of all files.
///
/// # Errors
/// A file cannot be written; what was at `path` is then kept.
pub fn write_folder(
    path: &Path,
    fill: impl FnOnce(&Path) -> Result<(), BundleError>,
) -> Result<(), BundleError> {
    files::write_folder(path, |folder| {
        fill(folder)?;
        seal(folder)
    })
}

/// Writes and syncs one file.
///
/// # Errors
/// The file cannot be written.
pub fn write_file(path: &Path, bytes: &[u8]) -> Result<(), BundleError> {
    files::write(path, bytes).map_err(io(path))
}

/// Writes named f32 tensors as a safetensors file.
///
/// # Errors
/// The file cannot be written.
pub fn save_vectors<'a>(
    path: &Path,
    tensors: impl Iterator<Item = (String, Vec<usize>, &'a [f32])>,
) -> Result<(), BundleError> {
    write_file(path, &serialize_vectors(path, tensors)?)
}

fn serialize_vectors<'a>(
    path: &Path,
    tensors: impl Iterator<Item = (String, Vec<usize>, &'a [f32])>,
) -> Result<Vec<u8>, BundleError> {
    let tensors: Vec<(String, Vec<usize>, Vec<u8>)> = tensors
        .map(|(name, shape, values)| {
            (name, shape, values.iter().flat_map(|v| v.to_le_bytes()).collect())
        })
        .collect();
    let mut views = Vec::new();
    for (name, shape, bytes) in &tensors {
        let view = TensorView::new(Dtype::F32, shape.clone(), bytes)
            .map_err(|e| damaged(path, e.to_string()))?;
        views.push((name.as_str(), view));
    }
    safetensors::serialize(views, None).map_err(|e| damaged(path, e.to_string()))
}

/// Shape and values of tensors, by name.
pub type Named = HashMap<String, (Vec<usize>, Vec<f32>)>;

fn parse_vectors(path: &Path, bytes: &[u8]) -> Result<Named, BundleError> {
    let file = SafeTensors::deserialize(bytes).map_err(|e| damaged(path, e.to_string()))?;
    let mut tensors = HashMap::new();
    for (name, view) in file.tensors() {
        if view.dtype() != Dtype::F32 {
            return Err(damaged(path, format!("tensor {name} is not f32")));
        }
        let values = view.data().chunks_exact(4);
        let values = values.map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
        tensors.insert(name, (view.shape().to_vec(), values));
    }
    Ok(tensors)
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
