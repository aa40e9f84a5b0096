//! Checking and writing the checksums of a folder.

use std::fs::File;
use std::path::Path;

use troel_files::FileError;

use super::checked::{ChecksummedFolder, MAX_FILE_BYTES, parse_info, read_info};
use super::error::BundleError;
use super::info::BotInfo;
use super::layout::{INFO_FILE, MODEL_FILE, SUMS_FILE, WEIGHTS_FILE};
use super::read::Bundle;
use super::trained::TrainedBot;
use crate::checksums::{self, Checksums};

/// Result of [`verify`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verification {
    /// Whether the folder has checksums; one of an earlier version has none.
    pub has_checksums: bool,
    /// Files without a checksum, such as a README that was put beside the bot.
    pub others: Vec<String>,
}

/// Checks every file of a bundle's folder against its checksum, and that the bot in it loads.
///
/// # Errors
/// - Files are missing, damaged or not the ones that were written: one error for each.
/// - `bot.toml` itself is damaged, or the files are intact and the bot does not load: one error.
pub fn verify(folder: &Path) -> Result<Verification, Vec<BundleError>> {
    let single = |error| vec![error];
    let checked = ChecksummedFolder::new(folder).map_err(single)?;
    let sums = checked.sums.clone().unwrap_or_default();
    let faults: Vec<BundleError> =
        sums.keys().filter_map(|file| checked.read(file).err()).collect();
    if !faults.is_empty() {
        return Err(faults);
    }
    TrainedBot::load(folder).map_err(single)?;
    let mut others = sealed_files(folder).map_err(single)?;
    others.retain(|name| !sums.contains_key(name));
    Ok(Verification { has_checksums: checked.sums.is_some(), others })
}

/// Writes the current checksums of all files of a folder into its `bot.toml`.
///
/// Call it after writing the folder, or after an intended change.
///
/// # Errors
/// A file cannot be read, or `bot.toml` cannot be written.
pub fn seal(folder: &Path) -> Result<(), BundleError> {
    let path = folder.join(INFO_FILE);
    let text = read_info(folder)?;
    let mut sums = Checksums::new();
    for name in sealed_files(folder)? {
        let path = folder.join(&name);
        let sum = File::open(&path).and_then(checksums::hash_file).map_err(FileError::at(&path))?;
        sums.insert(name, sum);
    }
    let plain = checksums::strip(&text);
    let info: BotInfo =
        toml::from_str(plain).map_err(|error| BundleError::damaged(&path, error))?;
    let info = toml::to_string(&BotInfo { format: info.current_format(), ..info });
    let info = info.map_err(|error| BundleError::cannot_serialize(&path, error))?;
    let text = checksums::seal(&info, &sums);
    Ok(troel_files::replace(&path, text.as_bytes()).map_err(FileError::at(&path))?)
}

/// Accepts the changes of an existing folder: seals it, but only if the bot loads.
///
/// Returns the names of the changed files.
///
/// # Errors
/// Those of [`seal`], or the bot does not load. On an error the folder is unchanged.
pub fn accept(folder: &Path) -> Result<Vec<String>, BundleError> {
    let text = read_info(folder)?;
    let changed = match parse_info(folder, &text) {
        Ok((_, sums)) => {
            let checked = ChecksummedFolder { folder, sums };
            let mut changed = sealed_files(folder)?;
            changed.retain(|name| checked.read(name).is_err());
            changed
        }
        Err(_) => vec![INFO_FILE.to_string()],
    };
    // Use the current checksum of the file, so that an intended edit passes.
    let sums_of = |file: &str| {
        let path = folder.join(file);
        let bytes = troel_files::read(&path, MAX_FILE_BYTES).map_err(FileError::at(&path))?;
        let sums = Checksums::from([(file.to_string(), checksums::hash(&bytes))]);
        Ok::<_, BundleError>((checksums::seal(checksums::strip(&text), &sums), bytes))
    };
    let path = folder.join(INFO_FILE);
    let info: BotInfo = toml::from_str(checksums::strip(&text))
        .map_err(|error| BundleError::damaged(&path, error))?;
    if info.is_onnx() {
        let (info, _) = sums_of(MODEL_FILE)?;
        parse_info(folder, &info)?.0.check_versions(folder)?;
    } else {
        let (info, weights) = sums_of(WEIGHTS_FILE)?;
        Bundle::parse(folder, &info, &weights)?;
    }
    seal(folder)?;
    Ok(changed)
}

/// Returns the names of the files in a folder that have a checksum after [`seal`], sorted. Files
/// that hold checksums have none.
fn sealed_files(folder: &Path) -> Result<Vec<String>, BundleError> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(FileError::at(folder))? {
        let entry = entry.map_err(FileError::at(folder))?;
        if entry.file_type().map_err(FileError::at(&entry.path()))?.is_file() {
            names.push(entry.file_name().to_string_lossy().to_string());
        }
    }
    names.retain(|name| name != INFO_FILE && name != SUMS_FILE);
    names.sort();
    Ok(names)
}
