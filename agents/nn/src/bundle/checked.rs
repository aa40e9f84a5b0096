//! Reading files that are checked against the checksums in `bot.toml`.

use std::path::Path;

use troel_files::FileError;

use super::error::BundleError;
use super::info::BotInfo;
use super::layout::INFO_FILE;
use super::tensors::{Tensors, parse_tensors};
use super::weight_format::WeightFormat;
use crate::checksums::{self, Checksums};

/// Largest `bot.toml`, in bytes.
const MAX_INFO_BYTES: u64 = 64 << 20;

/// Largest file beside `bot.toml`, in bytes. Unlimited, because files grow with the network.
pub(super) const MAX_FILE_BYTES: u64 = u64::MAX;

pub(super) fn read_info(path: &Path) -> Result<String, BundleError> {
    let path = path.join(INFO_FILE);
    Ok(troel_files::read_text(&path, MAX_INFO_BYTES).map_err(FileError::at(&path))?)
}

/// Parses `bot.toml`: the metadata, and the checksums of the other files unless an earlier version
/// wrote it.
pub(super) fn parse_info(
    path: &Path,
    text: &str,
) -> Result<(BotInfo, Option<Checksums>), BundleError> {
    let path = path.join(INFO_FILE);
    let checksum_error = |fault| BundleError::checksum(&path, fault);
    let (text, sums) = checksums::open(text).map_err(checksum_error)?;
    let info: BotInfo = toml::from_str(text).map_err(|error| BundleError::damaged(&path, error))?;
    if sums.is_none() && info.has_checksums() {
        return Err(checksum_error(checksums::ChecksumError::Missing));
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
        Some(sum) if *sum == checksums::hash(bytes) => return Ok(()),
        Some(_) => checksums::ChecksumError::Differs,
        None => checksums::ChecksumError::Unknown,
    };
    Err(BundleError::checksum(path, fault))
}

/// Reader of the files of one folder, each checked against the checksums in its `bot.toml`.
pub struct ChecksummedFolder<'a> {
    pub(super) folder: &'a Path,
    pub(super) sums: Option<Checksums>,
}

impl<'a> ChecksummedFolder<'a> {
    /// Reads the checksums of a folder.
    ///
    /// # Errors
    /// `bot.toml` cannot be read or is damaged.
    pub fn new(folder: &'a Path) -> Result<ChecksummedFolder<'a>, BundleError> {
        let (_, sums) = parse_info(folder, &read_info(folder)?)?;
        Ok(ChecksummedFolder { folder, sums })
    }

    /// Returns whether the folder has checksums. They are written last, so the folder is then
    /// complete.
    pub fn is_sealed(&self) -> bool {
        self.sums.is_some()
    }

    /// Returns the contents of a file.
    ///
    /// # Errors
    /// The file cannot be read, is damaged or not the one that was written.
    pub fn read(&self, file: &str) -> Result<Vec<u8>, BundleError> {
        let path = self.folder.join(file);
        let bytes = troel_files::read(&path, MAX_FILE_BYTES).map_err(FileError::at(&path))?;
        check(&self.sums, &path, &bytes)?;
        Ok(bytes)
    }

    /// Returns shapes and values of the f32 tensors in a safetensors file, by name.
    ///
    /// # Errors
    /// As for [`ChecksummedFolder::read`], or a tensor is not f32.
    pub fn tensors(&self, file: &str) -> Result<Tensors, BundleError> {
        parse_tensors(&self.folder.join(file), WeightFormat::F32, &self.read(file)?)
    }
}
