//! Checkpoints in the folder of a run.

use std::path::{Path, PathBuf};

use troel_files::FileError;
use troel_nn::BundleError;
use troel_nn::bundle::{ChecksummedFolder, INFO_FILE};

use super::layout::PROGRESS_FILE;
use crate::run_folder::RESUME_FOLDER;

/// Number of checkpoints to keep: the latest, and older ones in case it is damaged.
const MAX_CHECKPOINTS: usize = 3;

/// A checkpoint to resume from, which may be damaged.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CheckpointCandidate {
    iteration: u64,
    state: CandidateState,
    /// Its folder.
    pub path: PathBuf,
}

/// State of a checkpoint folder after an interruption. Of several of one iteration the greatest is
/// the best.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum CandidateState {
    /// Renamed to make room for its successor.
    Old,
    /// Complete, but not renamed yet.
    New,
    /// Complete, under its final name.
    Whole,
}

/// Returns the checkpoints of a run, latest first; some may be damaged. Half-written and
/// half-removed ones are not included.
pub fn candidates(run: &Path) -> Vec<CheckpointCandidate> {
    let folder = run.join(RESUME_FOLDER);
    let mut found = Vec::new();
    let entries = std::fs::read_dir(&folder).into_iter().flatten().flatten();
    for path in entries.map(|entry| entry.path()) {
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_string();
        let (number, suffix) = name.split_at(name.find('.').unwrap_or(name.len()));
        let state = match suffix {
            "" => CandidateState::Whole,
            ".new" if ChecksummedFolder::new(&path).is_ok_and(|checked| checked.is_sealed()) => {
                CandidateState::New
            }
            ".old" => CandidateState::Old,
            _ => continue,
        };
        if let Ok(iteration) = number.parse() {
            found.push(CheckpointCandidate { iteration, state, path });
        }
    }
    // In earlier versions the folder was the only checkpoint.
    let earlier = [
        (CandidateState::New, folder.clone()),
        (CandidateState::Old, troel_files::beside(&folder, ".old")),
    ];
    for (state, path) in earlier {
        if path.join(INFO_FILE).exists() || path.join(PROGRESS_FILE).exists() {
            found.push(CheckpointCandidate { iteration: 0, state, path });
        }
    }
    found.sort_by(|a, b| b.cmp(a));
    found
}

/// Renames a damaged checkpoint. It then does not count as one of those to keep, and does not block
/// its successor. If it cannot be renamed, it stays.
pub fn set_aside(path: &Path) {
    let aside = troel_files::beside(path, ".damaged");
    let moved = troel_files::remove_folder(&aside).and_then(|()| troel_files::rename(path, &aside));
    if let Err(error) = moved {
        tracing::warn!("{}: {error}", path.display());
    }
}

/// Removes all checkpoints but the latest [`MAX_CHECKPOINTS`]. The remains of interrupted writes
/// are removed too.
pub(super) fn remove_old(run: &Path) -> Result<(), BundleError> {
    let all = candidates(run);
    let whole = all.iter().filter(|c| c.state == CandidateState::Whole);
    for old in whole.skip(MAX_CHECKPOINTS) {
        // It is renamed first, so that a half-removed folder does not look like a checkpoint.
        let discarded = troel_files::beside(&old.path, ".old");
        let removed = troel_files::remove_folder(&discarded)
            .and_then(|()| troel_files::rename(&old.path, &discarded));
        removed.map_err(FileError::at(&old.path))?;
    }
    let entries = std::fs::read_dir(run.join(RESUME_FOLDER)).into_iter().flatten().flatten();
    for path in entries.map(|entry| entry.path()) {
        if path.extension().is_some_and(|suffix| suffix == "new" || suffix == "old") {
            troel_files::remove_folder(&path).map_err(FileError::at(&path))?;
        }
    }
    Ok(())
}
