//! Errors of data that users give, in the words of its format.

/// Returns an error message of serde without the words of Rust and serde, such as `i32` and
/// "sequence".
pub fn plain_message(message: &str) -> String {
    let quoted = |text: &str| text.trim_matches('`').to_string();
    if let Some(key) = message.strip_prefix("missing field ") {
        return format!("the key {:?} is missing", quoted(key));
    }
    if let Some(key) = message.strip_prefix("duplicate field ") {
        return format!("the key {:?} is there twice", quoted(key));
    }
    if let Some((name, known)) =
        message.strip_prefix("unknown variant ").and_then(|rest| rest.split_once(", expected "))
    {
        let known = known.strip_prefix("one of ").unwrap_or(known).replace('`', "");
        return format!("{:?} is unknown; use {known}", quoted(name));
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
fn kind(expected: &str) -> &str {
    match expected {
        "u8" => "a whole number from 0 to 255",
        "u16" | "u32" | "u64" | "usize" => "a whole number, 0 or more,",
        "i8" | "i16" | "i32" | "i64" => "a whole number",
        "f32" | "f64" => "a number",
        "a sequence" => "a list",
        "a map" => "an object",
        text if text.starts_with("struct ") => "an object",
        text => text,
    }
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
        let plain = plain_message("invalid type: string \"x\", expected i32");
        assert_eq!(plain, "found the text \"x\", but a whole number is needed");
        let plain = plain_message("invalid type: boolean `true`, expected a sequence");
        assert_eq!(plain, "found true, but a list is needed");
    }
}
