//! Folders of bundles and training runs.

use std::path::{Path, PathBuf};

use troel_nn::bundle::INFO_FILE;

/// Default folder of named bots, searched after the one in `TROEL_CHECKPOINTS`.
pub(super) const NAMED_BOTS_FOLDER: &str = "checkpoints";

/// Environment variable that names a folder of named bots.
pub(super) const NAMED_BOTS_VARIABLE: &str = "TROEL_CHECKPOINTS";

/// Folder of the latest checkpoints in the folder of a training run, from which it resumes. Each is
/// in a folder `NNNNNNNN` by iteration.
pub const RESUME_FOLDER: &str = "checkpoint";

/// Folder of the finished bot in the folder of a training run.
pub const BOT_FOLDER: &str = "bot";

/// Returns the folders that hold bots by name, in the order in which they are searched.
pub fn folders_of_named_bots() -> impl Iterator<Item = PathBuf> {
    let from_variable = std::env::var_os(NAMED_BOTS_VARIABLE).map(PathBuf::from);
    from_variable.into_iter().chain([PathBuf::from(NAMED_BOTS_FOLDER)])
}

/// Returns the folder of the bundle or training run of this name, if there is one.
pub(super) fn find_folder(name: &str) -> Option<PathBuf> {
    let path = troel_files::recover(Path::new(name));
    let is_run = || path.join(BOT_FOLDER).join(INFO_FILE).exists();
    if path.join(INFO_FILE).exists() || path.is_dir() && name.contains(['/', '\\']) || is_run() {
        return Some(path);
    }
    // Only plain names, not paths: nothing may escape the folder.
    if name.is_empty() || name.contains(['/', '\\']) || name == ".." {
        return None;
    }
    // A folder without `bot.toml` is not a bundle, and must not hide a released bot.
    let mut folders = folders_of_named_bots().map(|parent| parent.join(name));
    folders.find(|folder| folder.join(INFO_FILE).exists())
}
