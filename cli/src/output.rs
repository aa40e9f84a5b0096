//! Standard output and standard error: no panics on a closed pipe, and no text that controls the
//! terminal.

use std::io::{ErrorKind, Write};

use troel_env::printable;

/// Writes bytes to standard output as they are.
pub fn write(bytes: &[u8]) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    out.write_all(bytes)?;
    Ok(out.flush()?)
}

/// Writes lines of text to standard output. Control characters in it, but for the ends of lines,
/// are written out.
pub fn text(text: &str) -> anyhow::Result<()> {
    write(plain(text).as_bytes())
}

/// Like [`text`], and ends the line.
pub fn line(text: &str) -> anyhow::Result<()> {
    write(format!("{}\n", plain(text)).as_bytes())
}

/// Like [`fn@line`], to standard error; nobody may be there to read it.
pub fn note(text: &str) {
    let _ = writeln!(std::io::stderr(), "{}", plain(text));
}

/// The text with control characters written out: names of bots and rules, and what errors quote,
/// may come from anywhere.
pub fn plain(text: &str) -> String {
    text.split('\n').map(printable).collect::<Vec<_>>().join("\n")
}

/// Whether an error is a broken pipe: the reader closed our output.
pub fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.downcast_ref::<std::io::Error>().is_some_and(|e| e.kind() == ErrorKind::BrokenPipe)
}
