//! One JSON line in, one JSON line out; a bad line yields an error line, and the others still run.

use std::fs::File;
use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::path::Path;
use std::process::ExitCode;

use anyhow::Context;
use serde::Serialize;
use troel_env::RecordError;

use crate::output;

/// Longest line that is accepted, in bytes. A record takes a few kilobytes.
pub const MAX_LINE_BYTES: u64 = 1 << 20;

/// Error message for a line longer than [`MAX_LINE_BYTES`].
pub const TOO_LONG: &str = "the line is longer than 1 MiB";

/// Maximum number of bytes to skip in an overlong line. Devices such as `/dev/zero` have no lines.
const MAX_SKIPPED_BYTES: u64 = 64 << 20;

/// Error in a line.
#[derive(Clone)]
pub struct BadLine {
    /// The reason and the remedy.
    pub message: String,
    /// Index into `actions` of the faulty action, if it is one.
    at: Option<usize>,
}

impl BadLine {
    /// Creates an error of the line as a whole.
    pub fn new(message: impl Into<String>) -> BadLine {
        BadLine { message: message.into(), at: None }
    }

    /// Creates an error of one of its actions, with the index of that action.
    pub fn at(message: impl Into<String>, at: usize) -> BadLine {
        BadLine { message: message.into(), at: Some(at) }
    }
}

impl From<RecordError> for BadLine {
    fn from(error: RecordError) -> BadLine {
        BadLine { message: error.message, at: error.at }
    }
}

/// An answer cannot be written as JSON.
impl From<serde_json::Error> for BadLine {
    fn from(error: serde_json::Error) -> BadLine {
        BadLine::new(error.to_string())
    }
}

#[derive(Serialize)]
struct ErrorLine {
    line: usize,
    error: String,
    at: Option<usize>,
}

/// A line of a file.
pub struct Line {
    /// The file and the number of the line, for messages.
    pub place: String,
    /// The bytes of the line, with its end.
    pub bytes: Vec<u8>,
}

/// Writes an answer to every line of the files (`-`: standard input) to standard output. Exit
/// status 1 if a line was bad.
pub fn answer(
    files: &[String],
    mut answer: impl FnMut(&Line) -> Result<String, BadLine>,
) -> anyhow::Result<ExitCode> {
    answer_batches(files, 1, |lines| lines.iter().map(&mut answer).collect())
}

/// Returns the name of a file in error messages: `standard input` for `-`.
pub fn shown(path: &Path) -> String {
    if is_standard_input(path) { "standard input".to_string() } else { path.display().to_string() }
}

fn is_standard_input(path: &Path) -> bool {
    path == Path::new("-")
}

/// Opens a file, or standard input for `-`.
pub fn open(path: &Path) -> anyhow::Result<BufReader<Box<dyn Read>>> {
    let input: Box<dyn Read> = if is_standard_input(path) {
        Box::new(std::io::stdin())
    } else {
        Box::new(File::open(path).with_context(|| path.display().to_string())?)
    };
    Ok(BufReader::new(input))
}

/// Writes answers like [`answer`], to lines in batches. A batch has as many lines as are available
/// without waiting, at most `max_batch`. `answer` returns one for each, in order.
pub fn answer_batches(
    files: &[String],
    max_batch: usize,
    mut answer: impl FnMut(&[Line]) -> Vec<Result<String, BadLine>>,
) -> anyhow::Result<ExitCode> {
    let mut out = std::io::stdout().lock();
    let mut all_good = true;
    for file in files {
        let path = Path::new(file);
        let mut input = open(path)?;
        let mut number = 0;
        loop {
            let mut lines = Vec::new();
            // The number of each line, and what is wrong with those that cannot be read.
            let mut batch = Vec::new();
            // A reader that waits for an answer has it before the next line is read.
            while batch.is_empty() || batch.len() < max_batch && input.buffer().contains(&b'\n') {
                number += 1;
                match read_line(&mut input, MAX_LINE_BYTES).with_context(|| shown(path))? {
                    Some(text) if text.len() as u64 > MAX_LINE_BYTES => {
                        batch.push((number, Some(BadLine::new(TOO_LONG))));
                    }
                    Some(text) if text.trim_ascii().is_empty() => {}
                    Some(bytes) => {
                        let place = format!("{}: line {number}", shown(path));
                        lines.push(Line { place, bytes });
                        batch.push((number, None));
                    }
                    None => break,
                }
            }
            if batch.is_empty() {
                break;
            }
            let mut answers = answer(&lines).into_iter();
            for (line, fault) in batch {
                let answer = match fault {
                    Some(fault) => Err(fault),
                    None => {
                        answers.next().unwrap_or_else(|| Err(BadLine::new("no answer was found")))
                    }
                };
                let text = match answer {
                    Ok(text) => text,
                    Err(BadLine { message: error, at }) => {
                        all_good = false;
                        serde_json::to_string(&ErrorLine { line, error, at })?
                    }
                };
                out.write_all(format!("{}\n", output::plain(&text)).as_bytes())?;
            }
            out.flush()?;
        }
    }
    Ok(if all_good { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

/// Reads the next line, with its end; `None` at the end of the input. Of a line of more than
/// `max_bytes` bytes, the first `max_bytes + 1` are returned and the rest is skipped.
///
/// # Errors
/// The input cannot be read, or a line does not end within [`MAX_SKIPPED_BYTES`] bytes.
pub fn read_line(input: &mut impl BufRead, max_bytes: u64) -> std::io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    if input.by_ref().take(max_bytes + 1).read_until(b'\n', &mut bytes)? == 0 {
        return Ok(None);
    }
    if bytes.len() as u64 > max_bytes && bytes.last() != Some(&b'\n') {
        let mut rest = input.by_ref().take(MAX_SKIPPED_BYTES);
        rest.skip_until(b'\n')?;
        if rest.limit() == 0 {
            let message =
                format!("a line of over {MAX_SKIPPED_BYTES} bytes; give a file of lines of text");
            return Err(std::io::Error::new(ErrorKind::InvalidData, message));
        }
    }
    // Some editors begin a file with a byte order mark.
    if bytes.starts_with(b"\xef\xbb\xbf") {
        bytes.drain(..3);
    }
    Ok(Some(bytes))
}
