//! Finding bundles by name or path.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use troel_env::RuleSet;
use troel_nn::bundle::INFO_FILE;
use troel_nn::{Bundle, BundleError, TrainedBot};

use super::bot_name::BotName;
use super::error::RegistryError;
use super::folders::{BOT_FOLDER, RESUME_FOLDER, find_folder};
use crate::released;

/// Finds a bundle of Troel's own network, as [`find_trained_bot`] does.
///
/// # Errors
/// As for [`find_trained_bot`], or the bundle holds an ONNX model.
pub fn find_bundle(name: &str) -> Result<(PathBuf, Bundle), RegistryError> {
    match find_trained_bot(name)? {
        (path, TrainedBot::Network(bundle)) => Ok((path, bundle)),
        (path, TrainedBot::Onnx(_)) => Err(BundleError::is_onnx(&path).into()),
    }
}

/// Finds a bundle by path or name, and returns it with the path to use in error messages.
///
/// The search order is:
///
/// 1. a folder of a bundle or a training run at this path;
/// 2. a folder of this name in the folder that `TROEL_CHECKPOINTS` names;
/// 3. a folder of this name in `checkpoints/`;
/// 4. a released bot.
///
/// # Errors
/// There is no such bundle, it is damaged, it is a training run without a finished bot, or the
/// folder holds no bot.
pub fn find_trained_bot(name: &str) -> Result<(PathBuf, TrainedBot), RegistryError> {
    let path = PathBuf::from(name);
    // A folder that holds no bot must not hide a released one.
    let is_other_folder = || released::contents(name).is_none() && path.is_dir();
    let other_folder = || is_other_folder().then(|| path.clone());
    if let Some(folder) = find_folder(name).or_else(other_folder) {
        let folder = bot_folder(folder)?;
        let trained = TrainedBot::load(&folder)?;
        warn_of_shadowed(name, &folder, &trained);
        return Ok((folder, trained));
    }
    match released::contents(name) {
        Some((info, weights)) => {
            let bundle = Bundle::parse(&path, info, weights)?;
            Ok((path, TrainedBot::Network(bundle)))
        }
        None => Err(RegistryError::NoBundle(name.to_string())),
    }
}

/// Finds the bundle of a bot as [`find_trained_bot`] does, or returns `None` if it has none.
///
/// # Errors
/// The bundle is damaged, it is a training run without a finished bot, or the folder holds no bot.
pub fn find_bundle_of_bot(name: &str) -> Result<Option<(PathBuf, TrainedBot)>, RegistryError> {
    match BotName::parse(name).bundle().map(find_trained_bot) {
        None | Some(Err(RegistryError::NoBundle(_))) => Ok(None),
        Some(found) => found.map(Some),
    }
}

/// Returns the house rules that the bundle of a bot was trained for.
///
/// The result is `None` if its rules are built in, or if the bot has no bundle.
///
/// # Errors
/// The bundle is damaged, it is a training run without a finished bot, or the folder holds no bot.
pub fn house_rules(name: &str) -> Result<Option<&'static RuleSet>, RegistryError> {
    match find_bundle_of_bot(name)? {
        Some((path, trained)) if trained.info().house_rules.is_some() => {
            Ok(Some(trained.info().rule_set(&path)?))
        }
        _ => Ok(None),
    }
}

/// Returns the folder of the bot, given that of a bundle or a training run.
fn bot_folder(folder: PathBuf) -> Result<PathBuf, RegistryError> {
    if folder.join(INFO_FILE).exists() {
        return Ok(folder);
    }
    let bot = troel_files::recover(&folder.join(BOT_FOLDER));
    if bot.join(INFO_FILE).exists() {
        Ok(bot)
    } else if folder.join(RESUME_FOLDER).is_dir() {
        Err(RegistryError::Unfinished(folder))
    } else {
        Err(RegistryError::EmptyFolder(folder))
    }
}

/// Warns, once per folder, if a bundle has the name of a released bot but other weights.
fn warn_of_shadowed(name: &str, folder: &Path, trained: &TrainedBot) {
    static WARNED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());
    let Some((info, weights)) = released::contents(name) else { return };
    let is_released = Bundle::parse(Path::new(name), info, weights).is_ok_and(|released| {
        matches!(trained, TrainedBot::Network(bundle)
            if bundle.weights.hash() == released.weights.hash())
    });
    let is_first_warning =
        || WARNED.lock().is_ok_and(|mut warned| warned.insert(folder.to_path_buf()));
    if !is_released && is_first_warning() {
        tracing::warn!(
            "{name} is the bot in {}, which is not the released bot of this name; rename the \
             folder to use the released one",
            folder.display()
        );
    }
}
