//! Shared tables on disk, with which the server goes on after a restart.

use std::fs;
use std::io;
use std::net::IpAddr;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use troel_protocol::{SavedTable, Table};

/// Folder of the shared tables: a file for each. The files have hidden cards and the secrets of
/// persons.
#[derive(Clone, Debug)]
pub struct TableStore {
    folder: PathBuf,
}

/// A stored table with its file.
pub(super) struct FoundTable {
    pub(super) path: PathBuf,
    pub(super) stored: StoredTable,
}

/// Contents of the file of a table.
#[derive(Serialize, Deserialize)]
pub(super) struct StoredTable {
    /// Secret in the table's link.
    pub(super) secret: String,
    /// The client that opened it.
    pub(super) client: IpAddr,
    pub(super) table: SavedTable,
}

/// File of one table.
pub(super) struct TableFile {
    path: PathBuf,
    secret: String,
    client: IpAddr,
    /// Text of the file, to write only what has changed.
    written: String,
}

impl TableStore {
    /// Returns the store in this folder. A folder that is missing is created, and only the user of
    /// the server can open it.
    ///
    /// # Errors
    /// The folder cannot be created.
    pub fn open(folder: &Path) -> io::Result<TableStore> {
        if !folder.exists() {
            troel_files::create_folder(folder)?;
            make_private(folder)?;
        }
        Ok(TableStore { folder: folder.to_path_buf() })
    }

    /// Returns the stored tables. A file that cannot be read, or that is a copy under another name,
    /// is reported and stays.
    pub(super) fn read_all(&self) -> Vec<FoundTable> {
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let files = entries.map(|entry| entry.path());
        let is_table = |path: &PathBuf| path.extension().is_some_and(|end| end == "json");
        let read = |path: PathBuf| match read(&path) {
            Ok(stored) if path == self.path_of(&stored.secret) => Some(FoundTable { path, stored }),
            Ok(_) => {
                tracing::warn!("{} is a copy of a shared table: remove it", path.display());
                None
            }
            Err(error) => {
                let path = path.display();
                tracing::warn!("the shared table in {path} cannot be read: {error}");
                None
            }
        };
        files.filter(is_table).filter_map(read).collect()
    }

    /// Returns the path of the file of a table.
    fn path_of(&self, secret: &str) -> PathBuf {
        // A name says nothing about the secret, and names that differ only in case do not occur.
        let name = blake3::hash(secret.as_bytes()).to_hex();
        self.folder.join(format!("{name}.json"))
    }

    /// Returns the file of a table, which need not exist.
    pub(super) fn file(&self, secret: &str, client: IpAddr) -> TableFile {
        let path = self.path_of(secret);
        TableFile { path, secret: secret.to_string(), client, written: String::new() }
    }
}

impl TableFile {
    /// Writes the table if it has changed. A failure is reported; the table plays on.
    pub(super) fn write(&mut self, table: &Table) {
        let (secret, client) = (self.secret.clone(), self.client);
        let stored = StoredTable { secret, client, table: table.save() };
        let text = serde_json::to_string(&stored).map_err(io::Error::from);
        let written = text.and_then(|text| {
            if text != self.written {
                troel_files::replace(&self.path, text.as_bytes())?;
                self.written = text;
            }
            Ok(())
        });
        if let Err(error) = written {
            let path = self.path.display();
            tracing::warn!("the shared table could not be written to {path}: {error}");
        }
    }

    /// Removes the file of a table that has ended.
    pub(super) fn remove(&self) {
        if let Err(error) = fs::remove_file(&self.path)
            && error.kind() != io::ErrorKind::NotFound
        {
            let path = self.path.display();
            tracing::warn!("the file {path} of a table that has ended stays: {error}");
        }
    }
}

/// Reads the file of a table.
fn read(path: &Path) -> io::Result<StoredTable> {
    Ok(serde_json::from_slice(&fs::read(path)?)?)
}

/// Lets only the user of the server open a folder.
#[cfg(unix)]
fn make_private(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(folder, fs::Permissions::from_mode(0o700))
}

/// On other systems the user's folders are private already.
#[cfg(not(unix))]
fn make_private(_folder: &Path) -> io::Result<()> {
    Ok(())
}
