//! Files of a bundle, and the version of their layout.

use std::path::Path;

/// Version of the layout of a bundle with f32 weights: 2 has checksums.
pub const FORMAT_VERSION: u32 = 2;
/// Version of the layout of a bundle with f16 weights.
pub const F16_FORMAT_VERSION: u32 = 3;
/// Version of the layout of a bundle with an ONNX model.
pub const ONNX_FORMAT_VERSION: u32 = 4;

/// Name of the weights file.
pub const WEIGHTS_FILE: &str = "model.safetensors";
/// Name of the file of an ONNX model.
pub const MODEL_FILE: &str = "model.onnx";
/// Name of the metadata file.
pub const INFO_FILE: &str = "bot.toml";
/// Name of the file of checksums of an exported bundle, which `sha256sum -c` reads.
pub const SUMS_FILE: &str = "SHA256SUMS";

/// Returns the name of the bot in the folder of a bundle: the last part of the path.
pub fn short_name(path: &Path) -> String {
    path.file_name().map_or("bot".into(), |name| name.to_string_lossy()).to_string()
}
