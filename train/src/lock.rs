//! One process to a run.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use troel_nn::files;

use crate::error::TrainError;

/// Name of the lock within a run's folder.
const NAME: &str = "lock";

/// Beginning of the text of a lock.
const HEAD: &str = "pid ";

/// The longest lock, in bytes.
const LONGEST: u64 = 4096;

/// The right to write to a run. The operating system takes it back when the process ends, however it ends.
pub(crate) struct Lock {
    _file: File,
    path: PathBuf,
    /// What the file holds as long as it is this process's.
    text: String,
}

impl Lock {
    /// Takes the right to write to a run, whose folder is made if it is not there.
    ///
    /// # Errors
    /// Another process has it, there is something else in the lock's place, or the file cannot be written.
    pub fn take(run: &Path) -> Result<Lock, TrainError> {
        let path = run.join(NAME);
        let io = |error| TrainError::Io { path: path.clone(), error };
        std::fs::create_dir_all(run).map_err(io)?;
        let foreign = |what| TrainError::ForeignLock { path: path.clone(), what };
        // Nothing is created or written through a link, and no pipe is waited for.
        if std::fs::symlink_metadata(&path).is_ok_and(|found| !found.is_file()) {
            return Err(foreign("is not a regular file"));
        }
        let mut options = OpenOptions::new();
        let options = options.create(true).truncate(false).read(true).write(true);
        let mut file = options.open(&path).map_err(io)?;
        let locked = match file.try_lock() {
            Ok(()) => true,
            Err(TryLockError::WouldBlock) => {
                let mut holder = String::new();
                // What it is good for is a message. Whoever has just taken it may not have written yet.
                for _ in 0..20 {
                    holder = read(&mut file).unwrap_or_default();
                    if !holder.is_empty() {
                        break;
                    }
                    std::thread::sleep(std::time::Duration::from_millis(5));
                }
                return Err(TrainError::Locked {
                    run: run.to_path_buf(),
                    holder: holder.trim().to_string(),
                });
            }
            // A file system without locks: train as before there were any.
            Err(TryLockError::Error(error)) => {
                tracing::warn!("{}: {error}; do not train this run twice at once", path.display());
                false
            }
        };
        let before = read(&mut file).map_err(|_| foreign("is not a lock of troel"))?;
        // A hard link to another file is not overwritten either.
        if !before.is_empty() && !before.starts_with(HEAD) {
            return Err(foreign("is not a lock of troel"));
        }
        if !locked {
            return Ok(Lock { _file: file, path, text: before });
        }
        let host = gethostname::gethostname();
        let text = format!("{HEAD}{} on {}\n", std::process::id(), host.to_string_lossy());
        let written = file.set_len(0).and_then(|()| file.seek(SeekFrom::Start(0)));
        written.and_then(|_| file.write_all(text.as_bytes())).map_err(io)?;
        Ok(Lock { _file: file, path, text })
    }

    /// Whether the run is still this process's: nobody has removed or replaced its folder or the lock in it.
    pub fn holds(&self) -> bool {
        match cfg!(unix) {
            true => files::read_text(&self.path, LONGEST).is_ok_and(|text| text == self.text),
            // A locked file cannot be read there.
            false => self.path.exists(),
        }
    }
}

/// The text of a lock.
fn read(file: &mut File) -> std::io::Result<String> {
    let mut text = String::new();
    file.seek(SeekFrom::Start(0))?;
    file.take(LONGEST).read_to_string(&mut text)?;
    Ok(text)
}
