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
use super::weight_format::WeightFormat;
use crate::checksums::Checksums;
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
        let network = parse_network_info(path, &info)?.0.network;
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
        let (mut info, sums) = parse_network_info(path, info)?;
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
        let mut tensors = parse_tensors(&weights_path, info.weight_format, weights)?;
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

    /// Returns the bundle with its weights rounded to this format. Later writes use the format.
    ///
    /// A weight beyond the range of the format is not rounded. Writing the bundle then fails.
    pub fn with_weight_format(mut self, format: WeightFormat) -> Bundle {
        for value in &mut self.weights.values {
            let rounded = format.round(*value);
            if rounded.is_finite() {
                *value = rounded;
            }
        }
        self.info.weight_format = format;
        self
    }
}

/// Parses `bot.toml` of a bundle that must hold Troel's own network.
fn parse_network_info(
    path: &Path,
    text: &str,
) -> Result<(BotInfo, Option<Checksums>), BundleError> {
    let (info, sums) = parse_info(path, text)?;
    if info.is_onnx() {
        return Err(BundleError::is_onnx(path));
    }
    Ok((info, sums))
}

#[cfg(test)]
mod tests {
    use troel_env::RuleSet;

    use super::*;
    use crate::bundle::{BundleError, F16_FORMAT_VERSION};
    use crate::weights::NetworkConfig;

    fn bundle() -> Bundle {
        let config = NetworkConfig { hidden: 8, ..NetworkConfig::default() };
        let rules = RuleSet::built_in("wiezen").unwrap();
        Bundle { info: BotInfo::new(rules, config, 10.0, 1), weights: Weights::init(config, 1) }
    }

    #[test]
    fn f16_weights_have_half_the_size_and_are_read_as_written() {
        let path = Path::new("bot");
        let full = bundle();
        let half = full.clone().with_weight_format(WeightFormat::F16);
        let (_, full_file) = full.contents(path).unwrap();
        let (info, file) = half.contents(path).unwrap();
        let saved = full_file.len() - file.len();
        assert!(saved.abs_diff(2 * full.weights.values.len()) < 1024, "{saved}");

        let read = Bundle::parse(path, &info, &file).unwrap();
        assert_eq!(read.info.format, F16_FORMAT_VERSION);
        let ignoring_totals = |mut bundle: Bundle| {
            bundle.weights.ignore_totals();
            bundle.weights
        };
        assert_eq!(read.weights, ignoring_totals(half));
        // Back in f32, the numbers stay the rounded ones.
        let again = read.clone().with_weight_format(WeightFormat::F32);
        assert_eq!(again.weights, read.weights);
    }

    #[test]
    fn the_format_of_the_weights_must_be_that_of_the_metadata() {
        let path = Path::new("bot");
        let half = bundle().with_weight_format(WeightFormat::F16);
        let (_, file) = half.contents(path).unwrap();
        let (info, _) = bundle().contents(path).unwrap();
        // Without checksums, which would notice the other file.
        let info = crate::checksums::strip(&info).replace("format = 2", "format = 1");
        let error = Bundle::parse(path, &info, &file).unwrap_err().to_string();
        assert!(error.contains("is F16, but must be F32"), "{error}");
    }

    #[test]
    fn a_weight_beyond_the_range_of_f16_is_refused() {
        let mut full = bundle();
        full.weights.values[0] = 1e6;
        let half = full.with_weight_format(WeightFormat::F16);
        let error: BundleError = half.contents(Path::new("bot")).unwrap_err();
        assert!(error.to_string().contains("1000000 in tensor input.weight"), "{error}");
    }
}
