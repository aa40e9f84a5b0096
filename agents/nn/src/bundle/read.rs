//! Bundles in memory, and reading them, including those with fewer features than this program.

use std::path::Path;

use troel_env::features::OLD_N_FEATURES;
use troel_env::{FEATURE_VERSION, N_FEATURES};
use troel_files::FileError;

use super::checked::{check, parse_info, read_info};
use super::error::BundleError;
use super::info::BotInfo;
use super::layout::{INFO_FILE, WEIGHTS_FILE};
use super::tensors::parse_tensors;
use crate::weights::{Weights, insert_new_features};

/// Largest header of a weights file, in bytes. The header describes the tensors.
const MAX_HEADER_BYTES: u64 = 1 << 20;

/// A bundle in memory.
#[derive(Clone, Debug, PartialEq)]
pub struct Bundle {
    /// Metadata.
    pub info: BotInfo,
    /// Weights.
    pub weights: Weights,
}

impl Bundle {
    /// Reads a bundle.
    ///
    /// # Errors
    /// A file is missing or damaged, or a version does not match.
    pub fn load(path: &Path) -> Result<Bundle, BundleError> {
        let info = read_info(path)?;
        let weights_path = path.join(WEIGHTS_FILE);
        let network = parse_info(path, &info)?.0.network;
        network.check().map_err(|error| BundleError::damaged(&path.join(INFO_FILE), error))?;
        let longest = 4 * network.weight_count() as u64 + MAX_HEADER_BYTES;
        let weights =
            troel_files::read(&weights_path, longest).map_err(FileError::at(&weights_path))?;
        Bundle::parse(path, &info, &weights)
    }

    /// Parses a bundle from the contents of its two files, `bot.toml` and `model.safetensors`.
    ///
    /// `path` names the bundle in errors.
    ///
    /// # Errors
    /// One of them is damaged, or a version does not match.
    pub fn parse(path: &Path, info: &str, weights: &[u8]) -> Result<Bundle, BundleError> {
        let (mut info, sums) = parse_info(path, info)?;
        // Version 1 is the first of them.
        let mut old_versions = (1..).zip(OLD_N_FEATURES);
        let found = (info.observation_version, info.features);
        let old_features = old_versions.find(|&old| old == found).map(|(_, features)| features);
        if old_features.is_some() {
            (info.observation_version, info.features) = (FEATURE_VERSION, N_FEATURES);
        }
        info.check_versions(path)?;
        let weights_path = path.join(WEIGHTS_FILE);
        check(&sums, &weights_path, weights)?;
        let mut tensors = parse_tensors(&weights_path, weights)?;
        // Not preallocated: bot.toml may claim sizes that the data does not have.
        let mut values = Vec::new();
        for spec in info.network.tensors() {
            let (mut shape, mut data) = tensors.remove(&spec.name).ok_or_else(|| {
                BundleError::damaged(&weights_path, format!("tensor {} is missing", spec.name))
            })?;
            if let (Some(known), "input.weight", [rows, outputs]) =
                (old_features, spec.name.as_str(), &mut shape[..])
                && rows.checked_sub(known) == Some(info.network.inputs() - N_FEATURES)
            {
                // An old bot has no weights for features that were added after its training.
                insert_new_features(&mut data, known, *outputs);
                *rows = info.network.inputs();
            }
            if shape != spec.shape {
                let message = format!(
                    "tensor {} has shape {shape:?}, but the network in bot.toml needs {:?}",
                    spec.name, spec.shape
                );
                return Err(BundleError::damaged(&weights_path, message));
            }
            values.extend(data);
        }
        if values.iter().any(|v| !v.is_finite()) {
            return Err(BundleError::damaged(&weights_path, "a weight is not a finite number"));
        }
        let mut weights = Weights { config: info.network, values };
        if !info.match_totals {
            weights.ignore_totals();
        }
        Ok(Bundle { weights, info })
    }
}
