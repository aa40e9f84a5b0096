//! Files and folders that are written whole or not at all.
//!
//! All data is first written under a temporary name, then synced and renamed.
//!
//! # Cargo features
//!
//! - `fault-injection`: lets operations fail as the variable `TROEL_FAULT` says, for tests.
//!   `kill:N` ends the process before the Nth operation, or in the middle of it if that writes.
//!   With `full:N` writes fail from the Nth operation on, as on a full disk. With `read-only:N`
//!   renames and removals fail too, as when a file system is remounted after a fault.

use std::ffi::OsString;
use std::fmt;
use std::fs::{self, File};
use std::io::{Error, ErrorKind, Read, Result, Write};
use std::path::{Path, PathBuf};

#[cfg(feature = "fault-injection")]
mod faults;

#[cfg(feature = "fault-injection")]
use faults::operation;

/// Failed operation on a file or folder.
#[derive(Debug)]
pub struct FileError {
    /// The file or folder.
    pub path: PathBuf,
    /// The reason.
    pub error: Error,
}

impl FileError {
    /// Returns a function that adds the path to an I/O error.
    pub fn at(path: &Path) -> impl FnOnce(Error) -> FileError + use<> {
        let path = path.to_path_buf();
        move |error| FileError { path, error }
    }
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path.display(), self.error)
    }
}

// The message includes that of the cause: a `source` would be printed twice.
impl std::error::Error for FileError {}

/// Permits an operation on the disk. With fault injection it may run `partial` instead, and fail.
#[cfg(not(feature = "fault-injection"))]
fn operation(_writes: bool, _partial: impl FnOnce()) -> Result<()> {
    Ok(())
}

/// Creates or truncates a file, writes it and syncs it.
///
/// # Errors
/// The file cannot be written.
pub fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    operation(true, || {})?;
    let mut file = File::create(path)?;
    operation(true, || {
        let _ = file.write_all(&bytes[..bytes.len() / 2]);
    })?;
    file.write_all(bytes)?;
    operation(true, || {})?;
    file.sync_all()
}

/// Writes a file under a temporary name beside `path`, then renames it, replacing an existing one.
///
/// # Errors
/// The file cannot be written; an existing file is then kept.
pub fn replace(path: &Path, bytes: &[u8]) -> Result<()> {
    let new = beside(path, ".new");
    write(&new, bytes)?;
    rename(&new, path)
}

/// Appends to a file in one write.
///
/// # Errors
/// The bytes cannot be written; a part of them may be in the file.
pub fn append(file: &mut File, bytes: &[u8]) -> Result<()> {
    operation(true, || {
        let _ = file.write_all(&bytes[..bytes.len() / 2]);
    })?;
    file.write_all(bytes)
}

/// Renames a file or folder, and syncs the folder that it is in.
///
/// # Errors
/// The file or folder cannot be renamed.
pub fn rename(from: &Path, to: &Path) -> Result<()> {
    operation(false, || {})?;
    fs::rename(from, to)?;
    operation(false, || {})?;
    to.parent().map_or(Ok(()), sync_folder)
}

/// Removes a folder and its contents, if it exists.
///
/// # Errors
/// A file or folder cannot be removed.
pub fn remove_folder(path: &Path) -> Result<()> {
    operation(false, || {
        // Killed in the middle: some of its files are gone.
        let entries = fs::read_dir(path).into_iter().flatten().flatten();
        entries.take(1).for_each(|entry| drop(fs::remove_file(entry.path())));
    })?;
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Creates a folder and its missing parents, and makes their names durable.
///
/// # Errors
/// The folder cannot be created.
pub fn create_folder(path: &Path) -> Result<()> {
    let missing =
        path.ancestors().take_while(|folder| !folder.as_os_str().is_empty() && !folder.exists());
    let missing: Vec<&Path> = missing.collect();
    if !missing.is_empty() {
        operation(true, || {})?;
    }
    fs::create_dir_all(path)?;
    let parents = missing.iter().filter_map(|folder| folder.parent());
    parents.into_iter().try_for_each(sync_folder)
}

/// Makes the names in a folder durable.
fn sync_folder(path: &Path) -> Result<()> {
    let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
    // Windows cannot sync a folder; renaming is durable enough there.
    if cfg!(unix) { File::open(path)?.sync_all() } else { Ok(()) }
}

/// Writes a folder with `fill` under a temporary name, and moves it to `path`.
///
/// An existing folder is replaced. Until the new folder is complete and named `path`, a complete
/// old one is at `path` or, briefly, [`beside`] it under `.old`.
///
/// # Errors
/// A file or folder cannot be written, or `fill` fails. The old folder is then still at `path`, or
/// beside it under `.old` ([`recover`]). The path in the error is that of the operation that
/// failed.
pub fn write_folder<E: From<FileError>>(
    path: &Path,
    fill: impl FnOnce(&Path) -> std::result::Result<(), E>,
) -> std::result::Result<(), E> {
    let (new, old) = (beside(path, ".new"), beside(path, ".old"));
    if let Some(parent) = path.parent() {
        create_folder(parent).map_err(FileError::at(parent))?;
    }
    // Left behind by a run that was killed here.
    remove_folder(&new).map_err(FileError::at(&new))?;
    operation(true, || {}).map_err(FileError::at(&new))?;
    fs::create_dir(&new).map_err(FileError::at(&new))?;
    fill(&new)?;
    sync_folder(&new).map_err(FileError::at(&new))?;
    if path.exists() {
        remove_folder(&old).map_err(FileError::at(&old))?;
        rename(path, &old).map_err(FileError::at(path))?;
    }
    rename(&new, path).map_err(FileError::at(path))?;
    Ok(remove_folder(&old).map_err(FileError::at(&old))?)
}

/// Returns the path with a suffix added to its last part.
pub fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name: OsString = path.file_name().unwrap_or_default().to_os_string();
    name.push(suffix);
    path.with_file_name(name)
}

/// Returns the folder to read for `path`: `path` itself, or the previous folder that a killed
/// [`write_folder`] left beside it.
pub fn recover(path: &Path) -> PathBuf {
    let old = beside(path, ".old");
    if !path.exists() && old.exists() { old } else { path.to_path_buf() }
}

/// Reads a regular file of at most `max_bytes` bytes; neither a device nor a pipe is opened.
///
/// # Errors
/// The file cannot be read, is not a regular file, or is longer.
pub fn read(path: &Path, max_bytes: u64) -> Result<Vec<u8>> {
    let metadata = fs::metadata(path)?;
    if !metadata.is_file() {
        return Err(Error::new(ErrorKind::InvalidInput, "is not a regular file"));
    }
    let too_long = |len: String| {
        let message = format!("is {len} bytes long; the most is {max_bytes}");
        Err(Error::new(ErrorKind::FileTooLarge, message))
    };
    if metadata.len() > max_bytes {
        return too_long(metadata.len().to_string());
    }
    let mut bytes = Vec::new();
    // The length is not always known: files of the system report zero, others grow while they are
    // read.
    bytes.try_reserve_exact(usize::try_from(metadata.len()).unwrap_or(usize::MAX))?;
    File::open(path)?.take(max_bytes.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > max_bytes { too_long(format!("over {max_bytes}")) } else { Ok(bytes) }
}

/// Reads a file like [`read`], as text.
///
/// # Errors
/// As for [`read`], or the file is not UTF-8.
pub fn read_text(path: &Path, max_bytes: u64) -> Result<String> {
    let text = String::from_utf8(read(path, max_bytes)?);
    text.map_err(|_| Error::new(ErrorKind::InvalidData, "is not UTF-8 text"))
}
