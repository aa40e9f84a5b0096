//! Writing bundles, whole or not at all.

use std::path::Path;

use troel_files::FileError;

use super::error::BundleError;
use super::info::BotInfo;
use super::layout::{INFO_FILE, MODEL_FILE, WEIGHTS_FILE};
use super::read::Bundle;
use super::tensors::serialize_tensors;
use super::trained::OnnxBundle;
use super::verify::seal;
use super::weight_format::WeightFormat;
use crate::checksums::{self, Checksums};

impl Bundle {
    /// Writes the bundle as folder `path`, replacing an older one.
    ///
    /// # Errors
    /// A file cannot be written; an older bundle is then kept.
    pub fn save(&self, path: &Path) -> Result<(), BundleError> {
        write_folder(path, |folder| self.write_files(folder))
    }

    /// Writes the files of the bundle into a folder, without checksums.
    ///
    /// [`write_folder`] adds the checksums once the folder is complete.
    ///
    /// # Errors
    /// A file cannot be written.
    pub fn write_files(&self, folder: &Path) -> Result<(), BundleError> {
        let (info, weights) = self.plain_contents(folder)?;
        write_file(&folder.join(INFO_FILE), info.as_bytes())?;
        write_file(&folder.join(WEIGHTS_FILE), &weights)
    }

    /// Returns the contents of the two files of the bundle, `bot.toml` and `model.safetensors`.
    ///
    /// `path` names the bundle in errors.
    ///
    /// # Errors
    /// The metadata or the weights cannot be serialised.
    pub fn contents(&self, path: &Path) -> Result<(String, Vec<u8>), BundleError> {
        let (info, weights) = self.plain_contents(path)?;
        let sums = Checksums::from([(WEIGHTS_FILE.to_string(), checksums::hash(&weights))]);
        Ok((checksums::seal(&info, &sums), weights))
    }

    /// Returns the contents of the two files, `bot.toml` without checksums.
    fn plain_contents(&self, path: &Path) -> Result<(String, Vec<u8>), BundleError> {
        let info =
            toml::to_string(&BotInfo { format: self.info.current_format(), ..self.info.clone() });
        let info =
            info.map_err(|error| BundleError::cannot_serialize(&path.join(INFO_FILE), error))?;
        let weights = self.weights.config.tensors().into_iter().map(|spec| {
            let values = &self.weights.values[spec.offset..spec.offset + spec.len()];
            (spec.name, spec.shape, values)
        });
        let format = self.info.weight_format;
        Ok((info, serialize_tensors(&path.join(WEIGHTS_FILE), format, weights)?))
    }
}

impl OnnxBundle {
    /// Writes the bundle as folder `path`, replacing an older one.
    ///
    /// # Errors
    /// A file cannot be written; an older bundle is then kept.
    pub fn save(&self, path: &Path) -> Result<(), BundleError> {
        write_folder(path, |folder| {
            let info = toml::to_string(&self.info)
                .map_err(|error| BundleError::cannot_serialize(&folder.join(INFO_FILE), error))?;
            write_file(&folder.join(INFO_FILE), info.as_bytes())?;
            write_file(&folder.join(MODEL_FILE), &self.model)
        })
    }
}

/// Writes a folder whole or not at all ([`troel_files::write_folder`]).
///
/// `fill` writes the bundle and any other files of the folder. Then `bot.toml` receives the
/// checksums of all files.
///
/// # Errors
/// A file cannot be written; a folder that was at `path` is then kept.
pub fn write_folder(
    path: &Path,
    fill: impl FnOnce(&Path) -> Result<(), BundleError>,
) -> Result<(), BundleError> {
    troel_files::write_folder(path, |folder| {
        fill(folder)?;
        seal(folder)
    })
}

/// Writes named f32 tensors as a safetensors file.
///
/// # Errors
/// The file cannot be written.
pub fn save_tensors<'a>(
    path: &Path,
    tensors: impl Iterator<Item = (String, Vec<usize>, &'a [f32])>,
) -> Result<(), BundleError> {
    write_file(path, &serialize_tensors(path, WeightFormat::F32, tensors)?)
}

/// Writes and syncs one file.
///
/// # Errors
/// The file cannot be written.
pub fn write_file(path: &Path, bytes: &[u8]) -> Result<(), BundleError> {
    Ok(troel_files::write(path, bytes).map_err(FileError::at(path))?)
}
