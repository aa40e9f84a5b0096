//! Errors of checkpoint bundles.

use std::path::{Path, PathBuf};

/// Reason that a checkpoint cannot be read, written or used.
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
        /// Description of the damage.
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
}

impl From<(PathBuf, std::io::Error)> for BundleError {
    fn from((path, error): (PathBuf, std::io::Error)) -> BundleError {
        BundleError::Io { path, error }
    }
}

/// Returns a function that turns an I/O error into one that names the file.
pub(super) fn io(path: &Path) -> impl FnOnce(std::io::Error) -> BundleError {
    let path = path.to_path_buf();
    move |error| BundleError::Io { path, error }
}

/// Returns the error for a damaged file of weights, with the remedy.
pub(super) fn damaged_weights(path: &Path, damage: impl std::fmt::Display) -> BundleError {
    damaged(path, format!("{damage}; take the folder from a copy"))
}

/// Returns the error for a damaged file.
pub(super) fn damaged(path: &Path, message: impl Into<String>) -> BundleError {
    BundleError::Damaged { path: path.to_path_buf(), message: message.into() }
}
