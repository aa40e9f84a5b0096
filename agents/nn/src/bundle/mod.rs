//! Bundles: a trained bot on disk, as a folder with the weights of its network and its metadata.
//!
//! A [`Bundle`] holds Troel's own network, an [`OnnxBundle`] an ONNX model (`model.onnx`).
//! `model.safetensors` holds the tensors of [`NetworkConfig::tensors`] as f32 or f16
//! ([`WeightFormat`]). `bot.toml` holds a [`BotInfo`] and the checksums of all files
//! ([`crate::checksums`]). A bundle is written under a temporary name, synced and renamed. Loading
//! executes no code from the files, and never panics on damaged bytes.
//!
//! [`NetworkConfig::tensors`]: crate::NetworkConfig::tensors

mod checked;
mod compatibility;
mod error;
mod info;
mod layout;
mod read;
mod results;
mod tensors;
mod trained;
mod verify;
mod weight_format;
mod write;

pub use self::checked::ChecksummedFolder;
pub use self::error::BundleError;
pub use self::info::BotInfo;
pub use self::layout::{
    F16_FORMAT_VERSION, FORMAT_VERSION, INFO_FILE, MODEL_FILE, ONNX_FORMAT_VERSION, SUMS_FILE,
    WEIGHTS_FILE, short_name,
};
pub use self::read::Bundle;
pub use self::results::{ComparisonSummary, ProblemSummary};
pub use self::tensors::Tensors;
pub use self::trained::{MAX_MODEL_BYTES, OnnxBundle, TrainedBot};
pub use self::verify::{Verification, accept, seal, verify};
pub use self::weight_format::WeightFormat;
pub use self::write::{save_tensors, write_file, write_folder};
