//! The file of a ladder: a line of JSON for each result, appended as soon as the comparison ends.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use super::stored::{LadderResult, LadderResultError};
use crate::deal_range::DealRange;
use crate::json::{JsonError, parse_json};

/// Maximum size of a file of results, in bytes. It holds half a million comparisons.
const MAX_RESULTS_BYTES: u64 = 256 << 20;

/// Reason that the file of a ladder cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum LadderFileError {
    /// The file cannot be read.
    #[error("{path}: {error}; name the file of a ladder, or a new one")]
    Read {
        /// The file.
        path: PathBuf,
        /// The reason.
        error: io::Error,
    },
    /// The file cannot be written.
    #[error("{path}: {error}")]
    Write {
        /// The file.
        path: PathBuf,
        /// The reason.
        error: io::Error,
    },
    /// A line is not a result.
    #[error("{path}, line {line}: not a result of `troel ladder`; remove the line: {error}")]
    NoResult {
        /// The file.
        path: PathBuf,
        /// Number of the line, from 1 on.
        line: usize,
        /// The reason.
        error: JsonError,
    },
    /// A number of a result is out of range.
    #[error("{path}, line {line}: {fault}; remove the line")]
    OutOfRange {
        /// The file.
        path: PathBuf,
        /// Number of the line, from 1 on.
        line: usize,
        /// The number.
        fault: LadderResultError,
    },
    /// Two results share deals, which would count twice.
    #[error(
        "{path} has the deals {first} and {second} of {challenger} against {baseline}: the deals \
         in both would count twice; remove one of the two results"
    )]
    Overlap {
        /// The file.
        path: PathBuf,
        /// Deals of the first result.
        first: DealRange,
        /// Deals of the second result.
        second: DealRange,
        /// Name of the challenger in the second result.
        challenger: String,
        /// Name of the baseline in the second result.
        baseline: String,
    },
}

impl LadderFileError {
    fn write(path: &Path) -> impl FnOnce(io::Error) -> LadderFileError {
        let path = path.to_path_buf();
        move |error| LadderFileError::Write { path, error }
    }
}

/// Reads the results in a file; there are none if the file does not exist. A last line that a kill
/// cut off is left out.
///
/// # Errors
/// The file cannot be read, or a line is not a result.
pub fn read(path: &Path) -> Result<Vec<LadderResult>, LadderFileError> {
    let text = read_text(path)?.unwrap_or_default();
    let result = |(i, text): (usize, &str)| {
        let (path, line) = (path.to_path_buf(), i + 1);
        let result: LadderResult = match parse_json(text.as_bytes()) {
            Ok(result) => result,
            Err(error) => return Err(LadderFileError::NoResult { path, line, error }),
        };
        match result.check() {
            Ok(()) => Ok(result),
            Err(fault) => Err(LadderFileError::OutOfRange { path, line, fault }),
        }
    };
    let last = last_line(&text);
    let whole = if is_cut_off(last) { &text[..text.len() - last.len()] } else { &text };
    whole.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()).map(result).collect()
}

/// Refuses results that share deals, which would count twice. `path` is their file.
///
/// # Errors
/// Two results of the same bots share deals, and neither has all deals of the other.
pub fn check_overlaps(path: &Path, results: &[LadderResult]) -> Result<(), LadderFileError> {
    for (n, one) in results.iter().enumerate() {
        if let Some(other) = results[..n].iter().find(|other| one.overlaps(other)) {
            return Err(LadderFileError::Overlap {
                path: path.to_path_buf(),
                first: other.deals,
                second: one.deals,
                challenger: one.challenger.name.clone(),
                baseline: one.baseline.name.clone(),
            });
        }
    }
    Ok(())
}

/// A file of results, open to append more.
#[derive(Debug)]
pub struct LadderWriter {
    path: PathBuf,
    file: File,
}

impl LadderWriter {
    /// Opens a file to append results; it is created if it does not exist. A last line that a kill
    /// cut off is removed.
    ///
    /// # Errors
    /// The file cannot be read or written.
    pub fn open(path: &Path) -> Result<LadderWriter, LadderFileError> {
        repair_last_line(path)?;
        let opened = OpenOptions::new().append(true).create(true).open(path);
        let file = opened.map_err(LadderFileError::write(path))?;
        Ok(LadderWriter { path: path.to_path_buf(), file })
    }

    /// Appends a result as a line.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn append(&mut self, result: &LadderResult) -> Result<(), LadderFileError> {
        let text = serde_json::to_string(result).map_err(io::Error::from);
        let written = text.and_then(|text| self.file.write_all(format!("{text}\n").as_bytes()));
        written.map_err(LadderFileError::write(&self.path))
    }
}

/// Returns the text of a file of results; `None` if there is no such file.
fn read_text(path: &Path) -> Result<Option<String>, LadderFileError> {
    match troel_files::read_text(path, MAX_RESULTS_BYTES) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(LadderFileError::Read { path: path.to_path_buf(), error }),
    }
}

/// Ends a last line that has no end, or removes it if it is cut off. The next result then begins a
/// line.
fn repair_last_line(path: &Path) -> Result<(), LadderFileError> {
    let Some(text) = read_text(path)? else { return Ok(()) };
    let last = last_line(&text);
    if last.is_empty() {
        return Ok(());
    }
    let repaired = if is_cut_off(last) {
        text[..text.len() - last.len()].to_string()
    } else {
        format!("{text}\n")
    };
    fs::write(path, &repaired).map_err(LadderFileError::write(path))
}

fn last_line(text: &str) -> &str {
    text.rsplit_once('\n').map_or(text, |(_, last)| last)
}

/// Returns whether a line is the beginning of a result. A kill leaves such a last line.
///
/// Other lines are not from a ladder: they are refused, and stay in their file.
fn is_cut_off(line: &str) -> bool {
    const RESULT_PREFIX: &str = "{\"rules\":\"";
    let is_cut = serde_json::from_str::<LadderResult>(line).is_err_and(|error| error.is_eof());
    if !is_cut || line.is_empty() {
        return false;
    }
    let Some(rest) = line.strip_prefix(RESULT_PREFIX) else {
        return RESULT_PREFIX.starts_with(line);
    };
    let hash = rest.split('"').next().unwrap_or_default();
    hash.chars().all(|c| c.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use super::super::stored::sample_result;
    use super::*;

    fn result(points: f64) -> LadderResult {
        LadderResult { rules: "0a1b".to_string(), ..sample_result("a", "b", points, 0.1) }
    }

    /// Returns the text of the file after results were appended to `text`.
    fn appended(text: &str, results: &[LadderResult]) -> String {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("ladder.jsonl");
        fs::write(&path, text).expect("written");
        let mut writer = LadderWriter::open(&path).expect("open");
        results.iter().for_each(|result| writer.append(result).expect("appended"));
        fs::read_to_string(&path).expect("a text")
    }

    #[test]
    fn a_last_line_is_ended_or_removed() {
        let whole = appended("", &[result(1.0), result(2.0)]);
        assert_eq!(whole.lines().count(), 2);
        let first = &whole[..=whole.find('\n').expect("two lines")];
        assert_eq!(appended(&whole[..whole.len() - 1], &[]), whole);
        for cut in [1, 9, 12, 20, 150] {
            let text = &whole[..first.len() + cut];
            assert_eq!(appended(text, &[]), first, "{text}");
            assert_eq!(appended(text, &[result(2.0)]), whole, "{text}");
        }
    }

    #[test]
    fn errors_name_the_file_and_the_line() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("ladder.jsonl");
        assert!(read(&path).expect("no results").is_empty());
        let line = |result: &LadderResult| serde_json::to_string(result).expect("JSON");
        let good = line(&result(1.0));
        let file = path.display();
        for (bad, wanted) in [
            (
                "{\"rules\":1}".to_string(),
                "not a result of `troel ladder`; remove the line: rules: found the number 1, but \
                 a string is needed (column 10)",
            ),
            (line(&result(1e300)), "points 1e300 is out of range; remove the line"),
            (
                line(&LadderResult { forfeits: [401, 0].into(), ..result(1.0) }),
                "401 forfeits in 100 deals, where at most 400 are possible; remove the line",
            ),
        ] {
            fs::write(&path, format!("{good}\n\n{bad}\n")).expect("written");
            let error = read(&path).expect_err("a bad line").to_string();
            assert_eq!(error, format!("{file}, line 3: {wanted}"));
        }
        let folder = folder.path();
        let error = read(folder).expect_err("a folder").to_string();
        let wanted = "is not a regular file; name the file of a ladder, or a new one";
        assert_eq!(error, format!("{}: {wanted}", folder.display()));
    }

    #[test]
    fn results_that_share_deals_are_refused() {
        let other = LadderResult { deals: DealRange::new(50, 150), ..result(1.0) };
        let error = check_overlaps(Path::new("x.jsonl"), &[result(1.0), other]);
        assert_eq!(
            error.expect_err("shared deals").to_string(),
            "x.jsonl has the deals 0..100 and 50..150 of A against B: the deals in both would \
             count twice; remove one of the two results"
        );
    }
}
