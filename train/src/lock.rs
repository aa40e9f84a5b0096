//! One process to a run.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;

use crate::error::TrainError;

/// Name of the lock within a run's folder.
const NAME: &str = "lock";

/// The right to write to a run. The operating system takes it back when the process ends, however it ends.
pub(crate) struct Lock {
    _file: File,
}

impl Lock {
    /// Takes the right to write to a run, whose folder is made if it is not there.
    ///
    /// # Errors
    /// Another process has it, or the file cannot be written.
    pub fn take(run: &Path) -> Result<Lock, TrainError> {
        let path = run.join(NAME);
        let io = |error| TrainError::Io { path: path.clone(), error };
        std::fs::create_dir_all(run).map_err(io)?;
        let mut options = OpenOptions::new();
        let options = options.create(true).truncate(false).read(true).write(true);
        let mut file = options.open(&path).map_err(io)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let mut holder = String::new();
                // What it is good for is a message. Whoever has just taken it may not have written yet.
                for _ in 0..20 {
                    let read = file
                        .seek(SeekFrom::Start(0))
                        .and_then(|_| file.read_to_string(&mut holder));
                    if read.is_err() || !holder.is_empty() {
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
                return Ok(Lock { _file: file });
            }
        }
        let host = gethostname::gethostname();
        let text = format!("pid {} on {}\n", std::process::id(), host.to_string_lossy());
        let written = file.set_len(0).and_then(|()| file.seek(SeekFrom::Start(0)));
        written.and_then(|_| file.write_all(text.as_bytes())).map_err(io)?;
        Ok(Lock { _file: file })
    }
}
