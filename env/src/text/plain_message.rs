//! Errors of data that users give, in the words of its format.

use std::borrow::Cow;

/// Starts of the messages of the TOML parser for a word without quotes. Words that begin with `t`,
/// `f`, `i` or `n` are taken for misspelt values.
const UNQUOTED_WORDS: [&str; 4] = [
    "string values must be quoted",
    "invalid boolean, expected `",
    "invalid float, expected `inf`",
    "invalid float, expected `nan`",
];

/// Returns an error message of serde or of the TOML parser without the words of Rust and serde.
/// Examples are `i32` and "sequence".
pub fn plain_message(message: &str) -> String {
    // `yes`, `no` and `True` in TOML.
    if UNQUOTED_WORDS.iter().any(|start| message.starts_with(start)) {
        return "a word without quotes: write true, false or a number, or put the word in quotes"
            .to_string();
    }
    let quoted = |text: &str| text.trim_matches('`').to_string();
    if let Some(key) = message.strip_prefix("missing field ") {
        return format!("the key {:?} is missing", quoted(key));
    }
    if let Some(key) = message.strip_prefix("duplicate field ") {
        return format!("the key {:?} appears twice", quoted(key));
    }
    for (prefix, what) in [("unknown field ", "the key "), ("unknown variant ", "")] {
        let Some(rest) = message.strip_prefix(prefix) else { continue };
        let Some((name, known)) = rest.split_once(", expected ") else { continue };
        let known = known.strip_prefix("one of ").unwrap_or(known).replace('`', "");
        return format!("{what}{:?} is unknown; use {known}", quoted(name));
    }
    // A list where the keys of an object are needed.
    if message.starts_with("invalid length ") && message.contains(", expected struct ") {
        return "found a list, but an object is needed".to_string();
    }
    let typed = message.strip_prefix("invalid type: ");
    let typed = typed.or_else(|| message.strip_prefix("invalid value: "));
    match typed.and_then(|rest| rest.rsplit_once(", expected ")) {
        Some((found, expected)) => {
            format!("found {}, but {} is needed", value(found), kind(expected))
        }
        None => message.to_string(),
    }
}

/// Returns the kind of value that serde calls by the name of a Rust type.
fn kind(expected: &str) -> Cow<'_, str> {
    if let Some(length) = expected.strip_prefix("an array of length ") {
        return format!("a list of {length} values").into();
    }
    let plain = match expected {
        "u8" => "a whole number from 0 to 255",
        "u16" => "a whole number from 0 to 65535",
        "u32" => "a whole number from 0 to 4294967295",
        "u64" | "usize" => "a whole number, 0 or more,",
        "i32" => "a whole number from -2147483648 to 2147483647",
        "i8" | "i16" | "i64" => "a whole number",
        "f32" | "f64" => "a number",
        "a boolean" => "true or false",
        "a sequence" => "a list",
        "a map" => "an object",
        text if text.starts_with("struct ") => "an object",
        text => text,
    };
    plain.into()
}

/// Returns a found value as serde describes it, with the words of JSON.
fn value(found: &str) -> String {
    match found {
        "sequence" => "a list".to_string(),
        "map" => "an object".to_string(),
        found => match found.split_once(' ') {
            Some(("string", text)) => format!("the text {text}"),
            Some(("integer", number)) => format!("the number {}", number.trim_matches('`')),
            Some(("boolean", flag)) => flag.trim_matches('`').to_string(),
            _ => match found.strip_prefix("floating point ") {
                Some(number) => format!("the number {}", number.trim_matches('`')),
                None => found.to_string(),
            },
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_of_rust_are_replaced() {
        #[derive(Debug, serde::Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Row {
            #[serde(rename = "made")]
            _made: Vec<i32>,
            #[serde(default, rename = "stay")]
            _stay: bool,
            #[serde(default, rename = "packets")]
            _packets: Vec<[u8; 3]>,
        }
        let message =
            |text: &str| plain_message(toml::from_str::<Row>(text).expect_err("a fault").message());
        let number = "a whole number from -2147483648 to 2147483647";
        assert_eq!(message("made = true"), "found true, but a list is needed");
        assert_eq!(
            message("made = ['x']"),
            format!("found the text \"x\", but {number} is needed")
        );
        let large = format!("found the number 3000000000, but {number} is needed");
        assert_eq!(message("made = [3000000000]"), large);
        assert_eq!(message(""), "the key \"made\" is missing");
        let unknown = message("made = []\nmad = 1");
        assert_eq!(unknown, "the key \"mad\" is unknown; use made, stay, packets");
        assert_eq!(message("stay = 'yes'"), "found the text \"yes\", but true or false is needed");
        let packets = message("packets = [4, 5, 5]");
        assert_eq!(packets, "found the number 4, but a list of 3 values is needed");
        for word in ["yes", "no", "True", "False", "infinite"] {
            let message = message(&format!("made = {word}"));
            assert!(message.starts_with("a word without quotes: write true"), "{word}: {message}");
        }
    }
}
