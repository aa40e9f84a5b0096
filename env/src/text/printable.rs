//! Escaping of untrusted text for output.

use std::borrow::Cow;
use std::fmt::Write;

/// Returns the text with control characters escaped, such as `\u001b`. Characters that change the
/// direction of writing are escaped too.
///
/// Unescaped, they could send commands to a terminal or make text look like other text. Inside a
/// JSON string the result has the same meaning.
pub fn printable(text: &str) -> Cow<'_, str> {
    if !text.contains(is_control) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if is_control(c) {
            // Writing to a string cannot fail.
            let _ = write!(out, "\\u{:04x}", u32::from(c));
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

/// Returns the first characters of a text, for an error message that quotes it.
pub fn excerpt(text: &str, max_chars: usize) -> String {
    text.chars().take(max_chars).collect()
}

/// Returns whether a character controls a terminal, or the direction of the text around it.
fn is_control(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_written_out() {
        assert!(matches!(printable("Lëtz 10♥ «x» 日本"), Cow::Borrowed(_)));
        assert_eq!(printable("a\x1b[2J\n\u{9b}31m\u{7f}"), r"a\u001b[2J\u000a\u009b31m\u007f");
        assert_eq!(printable("abc\u{202e}fed\u{2069}"), r"abc\u202efed\u2069");
    }
}
