//! Checksums of the files of a bundle, and the checksum of `bot.toml`, which holds them.
//!
//! The first line of `bot.toml` is `checksum = "…"`, the BLAKE3 hash of the rest of the file. The
//! last table, `[checksums]`, has the hash of every other file in the folder.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs::File;

/// BLAKE3 hashes by file name, 64 hexadecimal digits each.
pub type Checksums = BTreeMap<String, String>;

/// Reason why a file does not fit its checksum.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ChecksumError {
    /// The contents are not those that were written.
    #[error(
        "does not match its checksum: it is damaged or was edited. Restore it from a backup, or \
         accept an intended edit with `troel verify --accept FOLDER`"
    )]
    Differs,
    /// The first line of `bot.toml` is not a checksum.
    #[error(
        "has no checksum in its first line: it is damaged or was edited. Restore it from a backup, \
         or accept an intended edit with `troel verify --accept FOLDER`"
    )]
    Missing,
    /// The table has no hash of the file.
    #[error(
        "has no checksum in bot.toml: the two files do not belong together. Restore both from a \
         backup"
    )]
    Unknown,
    /// The table of hashes cannot be read.
    #[error("has no readable table [checksums] at its end; restore it from a backup")]
    Table,
}

const CHECKSUM_PREFIX: &str = "checksum = \"";
const TABLE_HEADER: &str = "\n[checksums]\n";

/// Returns the hash of some bytes.
pub fn hash(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex().to_string()
}

/// Returns the hash of a file.
///
/// # Errors
/// It cannot be read.
pub fn hash_file(file: File) -> std::io::Result<String> {
    let mut hasher = blake3::Hasher::new();
    hasher.update_reader(file)?;
    Ok(hasher.finalize().to_hex().to_string())
}

/// Adds the hashes of the other files to the text of `bot.toml`, and its own in front.
pub fn seal(text: &str, sums: &Checksums) -> String {
    let mut body = format!("{}\n{TABLE_HEADER}", text.trim_end());
    for (file, sum) in sums {
        // A name may need quoting.
        let _ = writeln!(body, "{} = \"{sum}\"", toml::Value::from(file.as_str()));
    }
    format!("{CHECKSUM_PREFIX}{}\"\n{body}", hash(body.as_bytes()))
}

/// Checks the text of `bot.toml` against its own hash, and splits off the hashes of other files.
///
/// The hashes are `None` if the file has none at all, as in earlier versions.
///
/// # Errors
/// The hash differs, or the table of hashes cannot be read.
pub fn open(text: &str) -> Result<(&str, Option<Checksums>), ChecksumError> {
    let Some((sum, body)) =
        text.strip_prefix(CHECKSUM_PREFIX).and_then(|rest| rest.split_once("\"\n"))
    else {
        return if text.contains(TABLE_HEADER) {
            Err(ChecksumError::Missing)
        } else {
            Ok((text, None))
        };
    };
    if sum != hash(body.as_bytes()) {
        return Err(ChecksumError::Differs);
    }
    let (info, table) = body.rsplit_once(TABLE_HEADER).ok_or(ChecksumError::Table)?;
    let sums = toml::from_str(table).map_err(|_| ChecksumError::Table)?;
    Ok((info, Some(sums)))
}

/// Returns the text of `bot.toml` without the hashes, whether or not they are right.
pub fn strip(text: &str) -> &str {
    let text = match text.split_once('\n') {
        Some((first, rest)) if first.starts_with("checksum") => rest,
        _ => text,
    };
    text.rsplit_once(TABLE_HEADER).map_or(text, |(info, _)| info)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_changed_byte_is_noticed() {
        let sums =
            Checksums::from([("a b.bin".to_string(), hash(b"1")), ("c".to_string(), hash(b"2"))]);
        let text = seal("format = 2\nname = \"x\"\n", &sums);
        assert_eq!(open(&text), Ok(("format = 2\nname = \"x\"\n", Some(sums.clone()))));
        assert_eq!(strip(&text), "format = 2\nname = \"x\"\n");
        for at in 0..text.len() {
            for bit in 0..7 {
                let mut bytes = text.clone().into_bytes();
                bytes[at] ^= 1 << bit;
                let Ok(changed) = String::from_utf8(bytes) else { continue };
                assert!(open(&changed).is_err(), "{changed}");
            }
        }
        for length in 1..text.len() {
            let cut = open(&text[..length]);
            // A first line that was cut short has no version of the layout either.
            assert!(cut.is_err() || cut == Ok((&text[..length], None)) && length < 78, "{length}");
        }
        assert_eq!(open("format = 1\n"), Ok(("format = 1\n", None)));
    }
}
