//! Bundles of both kinds: Troel's own network, or an ONNX model of any architecture.

use std::path::Path;

use troel_files::FileError;

use super::checked::{check, parse_info, read_info};
use super::error::BundleError;
use super::info::BotInfo;
use super::layout::{MODEL_FILE, ONNX_FORMAT_VERSION};
use super::read::Bundle;

/// Largest ONNX model, in bytes.
pub const MAX_MODEL_BYTES: u64 = 1 << 30;

/// A bundle that holds an ONNX model. `troel_agents` checks and runs the model.
#[derive(Clone, Debug, PartialEq)]
pub struct OnnxBundle {
    /// Metadata. Of [`BotInfo::network`], only the flags have a meaning; the sizes are 0.
    pub info: BotInfo,
    /// Contents of the ONNX file.
    pub model: Vec<u8>,
}

impl OnnxBundle {
    /// Creates a bundle with this model. The format and the sizes in `info` become those of an ONNX
    /// bundle.
    pub fn new(mut info: BotInfo, model: Vec<u8>) -> OnnxBundle {
        info.format = ONNX_FORMAT_VERSION;
        (info.network.hidden, info.network.blocks) = (0, 0);
        OnnxBundle { info, model }
    }

    /// Returns a hash of the model and of the metadata that change its decisions, as hexadecimal
    /// digits.
    pub fn hash(&self) -> String {
        let BotInfo { network, reward_scale, value_in_points, .. } = &self.info;
        let mut hash = blake3::Hasher::new();
        let flags = [network.canonical_suits, network.rule_features, *value_in_points];
        hash.update(&flags.map(u8::from));
        hash.update(&reward_scale.to_le_bytes()).update(&self.model);
        hash.finalize().to_hex()[..16].to_string()
    }
}

/// A bundle of either kind.
#[derive(Clone, Debug, PartialEq)]
pub enum TrainedBot {
    /// Troel's own network.
    Network(Bundle),
    /// An ONNX model.
    Onnx(OnnxBundle),
}

impl TrainedBot {
    /// Reads a bundle.
    ///
    /// # Errors
    /// A file is missing, damaged or too large, or a version does not match. The contents of an
    /// ONNX model are not checked.
    pub fn load(path: &Path) -> Result<TrainedBot, BundleError> {
        let (info, sums) = parse_info(path, &read_info(path)?)?;
        if !info.is_onnx() {
            return Bundle::load(path).map(TrainedBot::Network);
        }
        info.check_versions(path)?;
        let model_path = path.join(MODEL_FILE);
        let model =
            troel_files::read(&model_path, MAX_MODEL_BYTES).map_err(FileError::at(&model_path))?;
        check(&sums, &model_path, &model)?;
        Ok(TrainedBot::Onnx(OnnxBundle { info, model }))
    }

    /// Returns the metadata.
    pub fn info(&self) -> &BotInfo {
        match self {
            TrainedBot::Network(bundle) => &bundle.info,
            TrainedBot::Onnx(bundle) => &bundle.info,
        }
    }
}
