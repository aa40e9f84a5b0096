//! Files that are checked against the checksums in `bot.toml`, and how these come there.

use std::fs::File;
use std::path::Path;

use super::error::{damaged, io};
use super::vectors::{Named, parse_vectors};
use super::{BotInfo, Bundle, BundleError, FORMAT_VERSION, INFO, SUMS, WEIGHTS};
use crate::checksums::{self, Checksums};

/// The longest `bot.toml` that is read.
const MAX_INFO_BYTES: u64 = 64 << 20;

/// Largest file beside `bot.toml`, in bytes. Unlimited, because files grow with the network.
const MAX_FILE_BYTES: u64 = u64::MAX;

pub(super) fn read_info(path: &Path) -> Result<String, BundleError> {
    let path = path.join(INFO);
    troel_files::read_text(&path, MAX_INFO_BYTES).map_err(io(&path))
}

/// Parses `bot.toml`: the metadata, and the checksums of the other files unless an earlier version
/// wrote it.
pub(super) fn parse_info(
    path: &Path,
    text: &str,
) -> Result<(BotInfo, Option<Checksums>), BundleError> {
    let path = path.join(INFO);
    let fault = |message: String| damaged(&path, message.replace('\n', " "));
    let (text, sums) = checksums::open(text).map_err(|error| fault(error.to_string()))?;
    let info: BotInfo = toml::from_str(text).map_err(|error| fault(error.to_string()))?;
    if sums.is_none() && info.has_checksums() {
        return Err(fault(checksums::Fault::Missing.to_string()));
    }
    Ok((info, sums))
}

/// Checks a file against its checksum, if there are checksums.
pub(super) fn check(
    sums: &Option<Checksums>,
    path: &Path,
    bytes: &[u8],
) -> Result<(), BundleError> {
    let Some(sums) = sums else { return Ok(()) };
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let fault = match sums.get(name.as_ref()) {
        Some(sum) if *sum == checksums::of(bytes) => return Ok(()),
        Some(_) => checksums::Fault::Differs,
        None => checksums::Fault::Unknown,
    };
    Err(damaged(path, fault.to_string()))
}

/// Reads files of one folder, each checked against the checksums in its `bot.toml`.
pub struct Checked<'a> {
    folder: &'a Path,
    sums: Option<Checksums>,
}

impl<'a> Checked<'a> {
    /// Reads the checksums of a folder.
    ///
    /// # Errors
    /// `bot.toml` cannot be read or is damaged.
    pub fn new(folder: &'a Path) -> Result<Checked<'a>, BundleError> {
        let (_, sums) = parse_info(folder, &read_info(folder)?)?;
        Ok(Checked { folder, sums })
    }

    /// Whether the folder has checksums: it is complete then, since they are written last.
    pub fn is_sealed(&self) -> bool {
        self.sums.is_some()
    }

    /// The contents of a file.
    ///
    /// # Errors
    /// The file cannot be read, is damaged or not the one that was written.
    pub fn read(&self, file: &str) -> Result<Vec<u8>, BundleError> {
        let path = self.folder.join(file);
        let bytes = troel_files::read(&path, MAX_FILE_BYTES).map_err(io(&path))?;
        check(&self.sums, &path, &bytes)?;
        Ok(bytes)
    }

    /// Shapes and values of the tensors in a safetensors file, by name.
    ///
    /// # Errors
    /// As for [`Checked::read`], or a tensor is not f32.
    pub fn vectors(&self, file: &str) -> Result<Named, BundleError> {
        parse_vectors(&self.folder.join(file), &self.read(file)?)
    }
}

/// Result of [`verify`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verified {
    /// Whether the folder has checksums; one of an earlier version has none.
    pub has_checksums: bool,
    /// Files that have no checksum, such as a README that was put beside the bot.
    pub others: Vec<String>,
}

/// Checks every file of a bundle's folder against its checksum, and that the bot in it loads.
///
/// # Errors
/// A file is missing, damaged or not the one that was written.
pub fn verify(folder: &Path) -> Result<Verified, BundleError> {
    let checked = Checked::new(folder)?;
    let sums = checked.sums.clone().unwrap_or_default();
    for file in sums.keys() {
        checked.read(file)?;
    }
    Bundle::load(folder)?;
    let is_other = |name: &String| is_sealed(name) && !sums.contains_key(name);
    let others = file_names(folder)?.into_iter().filter(is_other).collect();
    Ok(Verified { has_checksums: checked.sums.is_some(), others })
}

/// Gives `bot.toml` the checksums of all files in its folder as they are now: where it is written,
/// or after somebody changed one on purpose.
///
/// # Errors
/// A file cannot be read, or `bot.toml` not be written.
pub fn seal(folder: &Path) -> Result<(), BundleError> {
    let path = folder.join(INFO);
    let text = read_info(folder)?;
    let mut sums = Checksums::new();
    for name in file_names(folder)?.into_iter().filter(|name| is_sealed(name)) {
        let path = folder.join(&name);
        let sum = File::open(&path).and_then(checksums::of_file).map_err(io(&path))?;
        sums.insert(name, sum);
    }
    let plain = checksums::strip(&text);
    let fault = |error: toml::de::Error| damaged(&path, error.to_string().replace('\n', " "));
    let info: BotInfo = toml::from_str(plain).map_err(fault)?;
    let info = toml::to_string(&BotInfo { format: FORMAT_VERSION, ..info });
    let info = info.map_err(|error| damaged(&path, error.to_string()))?;
    troel_files::replace(&path, checksums::seal(&info, &sums).as_bytes()).map_err(io(&path))
}

/// Like [`seal`], for files that are there already: only if the bot loads with them.
///
/// Returns the names of the files that were not as they had been written.
///
/// # Errors
/// As for [`seal`], or the bot does not load; the folder is then as it was.
pub fn accept(folder: &Path) -> Result<Vec<String>, BundleError> {
    let text = read_info(folder)?;
    let changed = match parse_info(folder, &text) {
        Ok((_, sums)) => {
            let checked = Checked { folder, sums };
            let names = file_names(folder)?.into_iter().filter(|name| is_sealed(name));
            names.filter(|name| checked.read(name).is_err()).collect()
        }
        Err(_) => vec![INFO.to_string()],
    };
    let path = folder.join(WEIGHTS);
    let weights = troel_files::read(&path, MAX_FILE_BYTES).map_err(io(&path))?;
    let sums = Checksums::from([(WEIGHTS.to_string(), checksums::of(&weights))]);
    Bundle::parse(folder, &checksums::seal(checksums::strip(&text), &sums), &weights)?;
    seal(folder)?;
    Ok(changed)
}

/// Whether a file of this name gets a checksum: files of checksums cannot have each other's.
fn is_sealed(name: &str) -> bool {
    name != INFO && name != SUMS
}

/// Names of the files in a folder, in order.
fn file_names(folder: &Path) -> Result<Vec<String>, BundleError> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(io(folder))? {
        let entry = entry.map_err(io(folder))?;
        if entry.file_type().map_err(io(&entry.path()))?.is_file() {
            names.push(entry.file_name().to_string_lossy().to_string());
        }
    }
    names.sort();
    Ok(names)
}
