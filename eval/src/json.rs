//! JSON that users give, with errors in the words of its format.

use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::error::Category;
use troel_env::plain_message;

/// Reason that a text is not JSON of the expected form.
#[derive(Debug, thiserror::Error)]
#[error("{}", self.describe())]
pub struct JsonError {
    /// Path of the faulty value, such as `scores_before[1]`; `.` for the text as a whole.
    path: String,
    /// Whether the text is JSON, so that only the value has the wrong form.
    is_json: bool,
    cause: serde_json::Error,
}

/// Parses a JSON text.
///
/// # Errors
/// The text is not JSON, or a value has the wrong form.
pub fn parse_json<T: DeserializeOwned>(text: &[u8]) -> Result<T, JsonError> {
    let mut deserializer = serde_json::Deserializer::from_slice(text);
    let value = serde_path_to_error::deserialize(&mut deserializer).map_err(|error| {
        let is_json = serde_json::from_slice::<IgnoredAny>(text).is_ok();
        JsonError { path: error.path().to_string(), is_json, cause: error.into_inner() }
    })?;
    let trailing = |cause| JsonError { path: ".".to_string(), is_json: false, cause };
    deserializer.end().map_err(trailing)?;
    Ok(value)
}

/// Converts a JSON value.
///
/// # Errors
/// A value has the wrong form.
pub fn convert_json<T: DeserializeOwned>(value: serde_json::Value) -> Result<T, JsonError> {
    serde_path_to_error::deserialize(value).map_err(|error| {
        let path = error.path().to_string();
        JsonError { path, is_json: true, cause: error.into_inner() }
    })
}

impl JsonError {
    fn describe(&self) -> String {
        let (line, column) = (self.cause.line(), self.cause.column());
        let (message, place) = match line {
            0 => (self.cause.to_string(), String::new()),
            _ => {
                let message = self.cause.to_string();
                let end = format!(" at line {line} column {column}");
                let message = message.strip_suffix(&end).unwrap_or(&message).to_string();
                let line = if line > 1 { format!("line {line}, ") } else { String::new() };
                (message, format!(" ({line}column {column})"))
            }
        };
        if !self.is_json {
            return format!("not JSON: {message}{place}");
        }
        let message = match self.cause.classify() {
            Category::Data => plain_message(&message),
            // An enum that is given as a number, for example.
            _ => "a value of another kind is needed".to_string(),
        };
        // A missing key has the path of the object that lacks it.
        match self.path.as_str() {
            "." => format!("{message}{place}"),
            path => format!("{path}: {message}{place}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;
    use troel_env::Record;

    use super::*;
    use crate::duplicate::Scope;

    #[derive(Debug, Deserialize)]
    struct Line {
        #[serde(rename = "scope")]
        _scope: Scope,
        #[serde(rename = "numbers")]
        _numbers: Vec<u8>,
    }

    #[test]
    fn errors_name_the_key_and_what_it_needs() {
        for (text, wanted) in [
            (
                r#"{"scope":"full","numbers":[1,"x"]}"#,
                "numbers[1]: found the text \"x\", but a whole number from 0 to 255 is needed \
                 (column 32)",
            ),
            (
                r#"{"scope":"full","numbers":[300]}"#,
                "numbers[0]: found the number 300, but a whole number from 0 to 255 is needed \
                 (column 30)",
            ),
            (
                r#"{"scope":"some","numbers":[]}"#,
                r#"scope: "some" is unknown; use full, bidding, play (column 15)"#,
            ),
            (r#"{"scope":"full"}"#, r#"the key "numbers" is missing (column 16)"#),
            (
                r#"{"scope":"full","numbers":{}}"#,
                "numbers: found an object, but a list is needed (column 26)",
            ),
            ("[]", "found a list, but an object is needed (column 2)"),
            ("{\n\"scope\"", "not JSON: EOF while parsing an object (line 2, column 7)"),
            (r#"{"scope":"full","numbers":[]} x"#, "not JSON: trailing characters (column 31)"),
        ] {
            let error = parse_json::<Line>(text.as_bytes()).expect_err(text);
            assert_eq!(error.to_string(), wanted);
        }
        let record = r#"{"rules":"wiezen","dealer":"N","deal":"-","scores_before":[1,2,"x",4]}"#;
        let error = parse_json::<Record>(record.as_bytes()).expect_err("no record").to_string();
        assert!(error.starts_with("scores_before[2]: found the text \"x\""), "{error}");
        let number = r#"{"scope":7,"numbers":[]}"#;
        let error = parse_json::<Line>(number.as_bytes()).expect_err("no scope").to_string();
        assert!(error.starts_with("scope: a value of another kind is needed"), "{error}");
        let value = serde_json::json!({"scope": 1, "numbers": []});
        let error = convert_json::<Line>(value).expect_err("no line").to_string();
        assert!(error.starts_with("scope: "), "{error}");
    }
}
