//! Checkpoint bundles: a folder with the weights of a network and its metadata.
//!
//! `model.safetensors` holds the tensors of [`NetworkConfig::tensors`] as f32. `bot.toml` holds a
//! [`BotInfo`] and the checksums of all files ([`crate::checksums`]). A bundle is written under a
//! temporary name, synced and renamed. Loading executes no code from the files, and never panics on
//! damaged bytes.
//!
//! [`NetworkConfig::tensors`]: crate::NetworkConfig::tensors

mod checked;
mod compatibility;
mod error;
mod info;
mod read;
mod results;
mod vectors;
mod write;

use std::path::Path;

pub use self::checked::{Checked, Verified, accept, seal, verify};
pub use self::error::BundleError;
pub use self::info::BotInfo;
pub use self::results::{MatchSummary, ProblemSummary};
pub use self::vectors::{Named, save_vectors};
pub use self::write::{write_file, write_folder};
use crate::weights::Weights;

/// Version of the bundle's layout: 2 has checksums.
pub const FORMAT_VERSION: u32 = 2;

/// Name of the weights file.
pub const WEIGHTS: &str = "model.safetensors";
/// Name of the metadata file.
pub const INFO: &str = "bot.toml";
/// Name of the file of checksums of an exported bundle, which `sha256sum -c` reads.
pub const SUMS: &str = "SHA256SUMS";

/// A checkpoint in memory.
#[derive(Clone, Debug, PartialEq)]
pub struct Bundle {
    /// Metadata.
    pub info: BotInfo,
    /// Weights.
    pub weights: Weights,
}

/// Returns the name of the bot in a checkpoint folder: the last part of the path.
pub fn short_name(path: &Path) -> String {
    path.file_name().map_or("bot".into(), |name| name.to_string_lossy()).to_string()
}
