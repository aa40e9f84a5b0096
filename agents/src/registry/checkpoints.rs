//! Finding checkpoints by name or path.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use troel_env::RuleSet;
use troel_nn::Bundle;
use troel_nn::bundle::INFO;

use super::{RegistryError, checkpoint_of};
use crate::released;

/// Default folder of named checkpoints, searched after the one in `TROEL_CHECKPOINTS`.
pub(super) const CHECKPOINTS: &str = "checkpoints";

/// Environment variable that names a folder of checkpoints.
pub(super) const VARIABLE: &str = "TROEL_CHECKPOINTS";

/// Folder of the last checkpoints in the folder of a training run.
pub(super) const RUN_CHECKPOINTS: &str = "checkpoint";

/// Folder of the finished bot in the folder of a training run.
const RUN_BOT: &str = "bot";

/// Finds a checkpoint by path or name, and returns it with the path to use in error messages.
///
/// The search order is:
///
/// 1. a folder of a checkpoint or a training run at this path;
/// 2. a folder of this name in the folder that `TROEL_CHECKPOINTS` names;
/// 3. a folder of this name in `checkpoints/`;
/// 4. a released bot.
///
/// # Errors
/// There is no such checkpoint, or it is damaged.
pub fn find_bundle(name: &str) -> Result<(PathBuf, Bundle), RegistryError> {
    if let Some(folder) = find_folder(name) {
        let folder = bot_folder(folder)?;
        let bundle = Bundle::load(&folder)?;
        warn_of_shadowed(name, &folder, &bundle);
        return Ok((folder, bundle));
    }
    let path = PathBuf::from(name);
    match released::contents(name) {
        Some((info, weights)) => {
            let bundle = Bundle::parse(&path, info, weights)?;
            Ok((path, bundle))
        }
        None => Err(RegistryError::NoCheckpoint(name.to_string())),
    }
}

/// Returns the house rules that the checkpoint of a bot was trained for.
///
/// The result is `None` if its rules are built in, or if the bot has no checkpoint.
///
/// # Errors
/// The checkpoint is damaged.
pub fn house_rules(name: &str) -> Result<Option<&'static RuleSet>, RegistryError> {
    match find_bundle(checkpoint_of(name)) {
        Ok((path, bundle)) if bundle.info.house_rules.is_some() => {
            Ok(Some(bundle.info.rule_set(&path)?))
        }
        // Only checkpoints carry house rules.
        Ok(_) | Err(RegistryError::NoCheckpoint(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Returns the folder of the checkpoint or training run of this name, if there is one.
fn find_folder(name: &str) -> Option<PathBuf> {
    let path = troel_files::recover(Path::new(name));
    let is_run = || path.join(RUN_BOT).join(INFO).exists();
    if path.join(INFO).exists() || path.is_dir() && name.contains(['/', '\\']) || is_run() {
        return Some(path);
    }
    // Only plain names, not paths: nothing may escape the folder.
    let plain = !name.is_empty() && !name.contains(['/', '\\']) && name != "..";
    let named = std::env::var_os(VARIABLE).map(PathBuf::from);
    let folders = named.map(Cow::Owned).into_iter().chain([Cow::Borrowed(Path::new(CHECKPOINTS))]);
    // A folder without `bot.toml` is not a checkpoint, and must not hide a released bot.
    let mut folders = folders.map(|folder| folder.join(name));
    folders.find(|folder| plain && folder.join(INFO).exists())
}

/// Returns the folder of the bot, given that of a checkpoint or a training run.
fn bot_folder(folder: PathBuf) -> Result<PathBuf, RegistryError> {
    if folder.join(INFO).exists() {
        return Ok(folder);
    }
    let bot = troel_files::recover(&folder.join(RUN_BOT));
    match bot.join(INFO).exists() {
        true => Ok(bot),
        false if folder.join(RUN_CHECKPOINTS).is_dir() => Err(RegistryError::Unfinished(folder)),
        false => Ok(folder),
    }
}

/// Warns, once per folder, if a checkpoint has the name of a released bot but other weights.
fn warn_of_shadowed(name: &str, folder: &Path, bundle: &Bundle) {
    static WARNED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());
    let Some((info, weights)) = released::contents(name) else { return };
    let is_released = Bundle::parse(Path::new(name), info, weights)
        .is_ok_and(|released| released.weights.hash() == bundle.weights.hash());
    let is_new = || WARNED.lock().is_ok_and(|mut warned| warned.insert(folder.to_path_buf()));
    if !is_released && is_new() {
        tracing::warn!(
            "{name} is the bot in {}, which is not the released bot of this name; rename the \
             folder to use the released one",
            folder.display()
        );
    }
}
