//! Lock of a run, so that only one process trains it.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use crate::error::TrainError;
use crate::run_folder::LOCK_FILE;

/// Beginning of the text of a lock.
const LOCK_PREFIX: &str = "pid ";

/// The longest lock, in bytes.
const MAX_LOCK_BYTES: u64 = 4096;

/// The right to write to a run. The operating system releases it when the process ends, even after
/// a crash.
pub(crate) struct Lock {
    _file: File,
    path: PathBuf,
    /// Content of the file while this process holds the lock.
    text: String,
}

impl Lock {
    /// Takes the right to write to a run, and creates its folder if it does not exist.
    ///
    /// # Errors
    /// Another process holds it, the file is not a lock of troel, or it cannot be written.
    pub fn take(run: &Path) -> Result<Lock, TrainError> {
        let path = run.join(LOCK_FILE);
        let io = |error| TrainError::Io { path: path.clone(), error };
        std::fs::create_dir_all(run).map_err(io)?;
        let foreign = |what| TrainError::ForeignLock { path: path.clone(), what };
        // Nothing is created or written through a link, and no pipe is waited for.
        if std::fs::symlink_metadata(&path).is_ok_and(|found| !found.is_file()) {
            return Err(foreign("is not a regular file"));
        }
        let mut file = open(&path).map_err(io)?;
        let locked = match file.try_lock() {
            Ok(()) => true,
            Err(TryLockError::WouldBlock) => {
                return Err(TrainError::Locked {
                    run: run.to_path_buf(),
                    holder: holder(&mut file),
                });
            }
            // The file system has no locks: the run is trained without one.
            Err(TryLockError::Error(error)) => {
                tracing::warn!(
                    "{}: cannot lock the file ({error}); do not train this run in two processes at \
                     once",
                    path.display()
                );
                false
            }
        };
        let before = read(&mut file).map_err(|_| foreign("is not a lock of troel"))?;
        // A hard link to another file is not overwritten either.
        if !may_be_lock(&before) {
            return Err(foreign("is not a lock of troel"));
        }
        if !locked {
            return Ok(Lock { _file: file, path, text: before });
        }
        let host = gethostname::gethostname();
        let text = format!("{LOCK_PREFIX}{} on {}\n", std::process::id(), host.to_string_lossy());
        let written = file.set_len(0).and_then(|()| file.seek(SeekFrom::Start(0)));
        written.and_then(|_| file.write_all(text.as_bytes())).map_err(io)?;
        Ok(Lock { _file: file, path, text })
    }

    /// Returns whether this process still holds the run. Neither the folder nor the lock in it was
    /// removed or replaced.
    pub fn holds(&self) -> bool {
        if cfg!(unix) {
            may_be_own(troel_files::read_text(&self.path, MAX_LOCK_BYTES), &self.text)
        } else {
            // A locked file cannot be read there.
            self.path.exists()
        }
    }
}

/// Opens or creates a lock. A link is not followed, even if it was put there after a check.
fn open(path: &Path) -> std::io::Result<File> {
    let mut options = OpenOptions::new();
    let options = options.create(true).truncate(false).read(true).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(
        options,
        rustix::fs::OFlags::NOFOLLOW.bits().cast_signed(),
    );
    options.open(path)
}

/// Returns the text of a lock that another process holds, for the error message. Waits a moment if
/// that process has not written it yet.
fn holder(file: &mut File) -> String {
    for _ in 0..20 {
        let text = read(file).unwrap_or_default();
        if !text.is_empty() {
            return text.trim().to_string();
        }
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    String::new()
}

/// Returns whether a file with this text may be overwritten. It is a lock, which a power cut may
/// have cut off or filled with NULs.
fn may_be_lock(text: &str) -> bool {
    let written = text.trim_end_matches('\0');
    // A longer file was not read to its end, and is not a lock.
    let is_short = (text.len() as u64) < MAX_LOCK_BYTES;
    is_short && (written.starts_with(LOCK_PREFIX) || LOCK_PREFIX.starts_with(written))
}

/// Returns whether the text read from the lock's path is `own`. A read error that does not show
/// that the lock was removed or replaced may be temporary, and counts as `own`.
fn may_be_own(found: std::io::Result<String>, own: &str) -> bool {
    match found.map_err(|error| error.kind()) {
        Ok(text) => text == own,
        Err(ErrorKind::NotFound | ErrorKind::NotADirectory) => false,
        // Not a regular file, not text, or too long.
        Err(ErrorKind::InvalidInput | ErrorKind::InvalidData | ErrorKind::FileTooLarge) => false,
        Err(_) => true,
    }
}

/// Returns the text of a lock.
fn read(file: &mut File) -> std::io::Result<String> {
    let mut text = String::new();
    file.seek(SeekFrom::Start(0))?;
    file.take(MAX_LOCK_BYTES).read_to_string(&mut text)?;
    Ok(text)
}

#[cfg(test)]
mod tests {
    use std::io::Error;

    use super::*;

    #[test]
    fn a_torn_lock_is_taken_and_another_file_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(LOCK_FILE);
        for torn in ["", "pi", "pid ", "pid 12", "\0\0\0\0\0\0\0\0", "pi\0\0\0", "pid 12\0\0"] {
            std::fs::write(&path, torn).unwrap();
            let lock =
                Lock::take(folder.path()).unwrap_or_else(|error| panic!("{torn:?}: {error}"));
            assert!(lock.holds(), "{torn:?}");
        }
        // The last could be the beginning of a disk image.
        let zeros = "\0".repeat(1 << 20);
        for foreign in ["precious\n", "pit", "\0\0precious", "pi\0d 12", &zeros] {
            std::fs::write(&path, foreign).unwrap();
            let refused = Lock::take(folder.path());
            assert!(matches!(refused, Err(TrainError::ForeignLock { .. })), "{foreign:?}");
            assert_eq!(std::fs::read_to_string(&path).unwrap(), foreign);
        }
    }

    #[test]
    fn only_a_removed_or_replaced_lock_is_lost() {
        let folder = tempfile::tempdir().unwrap();
        let run = folder.path().join("run");
        let path = run.join(LOCK_FILE);
        let lock = Lock::take(&run).unwrap();
        assert!(lock.holds());
        // An I/O error, which passes.
        assert!(may_be_own(Err(Error::from(ErrorKind::PermissionDenied)), &lock.text));
        assert!(may_be_own(Err(Error::from_raw_os_error(5)), &lock.text));
        if cfg!(unix) {
            let long = [b' '; MAX_LOCK_BYTES as usize + 1];
            for other in [b"pid 0 on elsewhere\n", b"\xff".as_slice(), &long] {
                std::fs::write(&path, other).unwrap();
                assert!(!lock.holds());
            }
            std::fs::remove_file(&path).unwrap();
            assert!(!lock.holds());
            std::fs::create_dir(&path).unwrap();
            assert!(!lock.holds());
            std::fs::remove_dir_all(&run).unwrap();
            std::fs::write(&run, "a file").unwrap();
            assert!(!lock.holds());
        }
    }
}
