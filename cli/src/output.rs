//! Standard output and standard error. A closed pipe causes no panic, and no text controls the
//! terminal.

use std::io::{ErrorKind, IsTerminal, Write};
use std::path::Path;

use troel_env::printable;

/// Writes bytes to standard output as they are.
pub fn write(bytes: &[u8]) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    out.write_all(bytes)?;
    Ok(out.flush()?)
}

/// Writes lines of text to standard output. Control characters in it, except the ends of lines, are
/// escaped.
pub fn text(text: &str) -> anyhow::Result<()> {
    write(plain(text).as_bytes())
}

/// Writes a line of text like [`text`], with its end.
pub fn line(text: &str) -> anyhow::Result<()> {
    write(format!("{}\n", plain(text)).as_bytes())
}

/// Writes a line of text like [`fn@line`] to standard error. Ignores errors: it may be closed.
pub fn note(text: &str) {
    let _ = writeln!(std::io::stderr(), "{}", plain(text));
}

/// Returns whether text on a stream may have colours: it is a terminal, and `NO_COLOR` is not set.
pub fn has_colour(stream: &impl IsTerminal) -> bool {
    std::env::var_os("NO_COLOR").is_none() && stream.is_terminal()
}

/// Returns the text with control characters escaped. Names of bots and rules, and text that errors
/// quote, may come from anywhere.
pub fn plain(text: &str) -> String {
    text.split('\n').map(printable).collect::<Vec<_>>().join("\n")
}

/// Checks that a file can be written at this path, as far as that is known without writing it.
/// `troel review` works for minutes before it writes its page, and asks at its start.
pub fn check_path(path: &Path) -> anyhow::Result<()> {
    let shown = path.display();
    if path.is_dir() {
        anyhow::bail!("{shown} is a folder; name a file");
    }
    match path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        Some(folder) if !folder.is_dir() => {
            anyhow::bail!("{shown}: there is no folder {}; create it first", folder.display())
        }
        _ => Ok(()),
    }
}

/// Returns an error message without codes of the operating system. If the message ends with a code,
/// the remedy follows: other messages have their own.
pub fn without_codes(message: &str) -> String {
    let Some((before, rest)) = message.split_once(" (os error ") else {
        return message.to_string();
    };
    let Some((code, after)) = rest.split_once(')') else { return message.to_string() };
    let kind = code.parse().ok().map(|code| std::io::Error::from_raw_os_error(code).kind());
    let remedy = match kind {
        _ if !after.is_empty() => "",
        Some(ErrorKind::NotFound) => "; check the path",
        Some(ErrorKind::PermissionDenied) => "; change the permissions, or name another path",
        Some(ErrorKind::ReadOnlyFilesystem) => "; name a path that can be written",
        Some(ErrorKind::StorageFull | ErrorKind::QuotaExceeded) => "; free some space",
        _ => "",
    };
    format!("{before}{remedy}{}", without_codes(after))
}

/// Returns whether an error is a broken pipe: the reader closed our output.
pub fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.downcast_ref::<std::io::Error>().is_some_and(|e| e.kind() == ErrorKind::BrokenPipe)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn codes_of_the_system_give_way_to_remedies() {
        for (message, wanted) in [
            ("a: No such file (os error 2)", "a: No such file; check the path"),
            ("a: denied (os error 13)", "a: denied; change the permissions, or name another path"),
            ("a (No such file (os error 2)); name another", "a (No such file); name another"),
            ("a: odd (os error 99999)", "a: odd"),
            ("a: denied (os error", "a: denied (os error"),
            ("a: 3 (os error x", "a: 3 (os error x"),
        ] {
            assert_eq!(without_codes(message), wanted);
        }
    }
}
