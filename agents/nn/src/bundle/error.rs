//! Errors of bundles.

use std::fmt::Display;
use std::path::{Path, PathBuf};

use troel_files::FileError;

use super::layout::{MODEL_FILE, WEIGHTS_FILE};
use crate::checksums;

/// Reason that a bundle cannot be read, written or used.
#[derive(Debug, thiserror::Error)]
pub enum BundleError {
    /// A file cannot be read or written.
    #[error(transparent)]
    Io(#[from] FileError),
    /// A file is damaged.
    #[error("{path}: {message}")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Description of the damage, with the remedy.
        message: String,
    },
    /// A version or hash does not match.
    #[error("{path}: {message}")]
    Mismatch {
        /// The bundle.
        path: PathBuf,
        /// Description of the mismatch, with the remedy if it is known.
        message: String,
    },
    /// An ONNX model cannot be used.
    #[error("{path}: {message}")]
    Model {
        /// The model.
        path: PathBuf,
        /// The fault, with the remedy.
        message: String,
    },
    /// The contents of a file cannot be serialised, so that it is not written.
    #[error(
        "{path} is not written: {message}. This is an internal error of troel; please report it"
    )]
    CannotSerialize {
        /// The file.
        path: PathBuf,
        /// The reason.
        message: String,
    },
}

impl BundleError {
    /// Returns the error for a file with this damage, with the remedy.
    pub fn damaged(path: &Path, damage: impl Display) -> BundleError {
        let message = format!("{}; restore the folder from a backup", one_line(damage));
        BundleError::Damaged { path: path.to_path_buf(), message }
    }

    /// Returns the error for a bundle with an ONNX model where Troel's own network is needed.
    pub fn is_onnx(path: &Path) -> BundleError {
        let message = format!(
            "the bundle holds an ONNX model ({MODEL_FILE}), but the weights of a network of troel \
             ({WEIGHTS_FILE}) are needed here; use it where a bot plays, such as in `troel eval`"
        );
        BundleError::Mismatch { path: path.to_path_buf(), message }
    }

    /// Returns the error for a file whose contents cannot be serialised.
    pub fn cannot_serialize(path: &Path, reason: impl Display) -> BundleError {
        BundleError::CannotSerialize { path: path.to_path_buf(), message: one_line(reason) }
    }

    /// Returns the error for a file that does not fit its checksum.
    pub(super) fn checksum(path: &Path, fault: checksums::ChecksumError) -> BundleError {
        BundleError::Damaged { path: path.to_path_buf(), message: fault.to_string() }
    }
}

/// Returns a message on one line. Those of the TOML parser have several.
fn one_line(message: impl Display) -> String {
    message.to_string().trim().replace('\n', " ")
}
