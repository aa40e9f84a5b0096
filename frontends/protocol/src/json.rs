//! Serialisers of fields of messages, and descriptions of messages that cannot be read.

use serde::{Serialize, Serializer};
use serde_json::Value;
use troel_env::{Action, BySeat, Card, Seat};

/// Writes the code of an action.
pub(crate) fn code<S: Serializer>(action: &Action, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(action)
}

/// Writes pairs of an action's code and its probability.
pub(crate) fn codes<S: Serializer>(
    policy: &[(Action, f32)],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(policy.iter().map(|(action, p)| (action.to_string(), p)))
}

/// Writes an object with a field per seat.
pub(crate) fn by_letter<T: Serialize, S: Serializer>(
    values: &BySeat<T>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_map(Seat::ALL.iter().map(|&seat| (seat.letter(), &values[seat])))
}

/// Writes an object with a field per seat, or null.
pub(crate) fn if_by_letter<T: Serialize, S: Serializer>(
    values: &Option<BySeat<T>>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match values {
        Some(values) => by_letter(values, serializer),
        None => serializer.serialize_none(),
    }
}

/// Writes an object with a field per card.
pub(crate) fn by_card<S: Serializer>(
    values: &[(Card, [u8; 2])],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_map(values.iter().map(|(card, value)| (card.to_string(), value)))
}

/// Fields of a game record that must not be null.
const RECORD_NOT_NULL: [&str; 4] = ["rules", "dealer", "deal", "actions"];

/// Returns the reason why a message cannot be read. `not_null` are its fields that must not be
/// null: serde's error for these does not name the field.
pub(crate) fn explain(error: &serde_json::Error, message: &Value, not_null: &[&str]) -> String {
    let text = error.to_string();
    // Another field may be the fault: the message may have null fields that are not read.
    if !text.starts_with("invalid type: null") {
        return text;
    }
    let is_null = |object: &Value, field: &str| object.get(field).is_some_and(Value::is_null);
    let own = not_null.iter().find(|field| is_null(message, field)).map(ToString::to_string);
    let of_record = || {
        let field = RECORD_NOT_NULL.iter().find(|field| is_null(&message["record"], field))?;
        Some(format!("record.{field}"))
    };
    match own.or_else(of_record) {
        Some(field) => format!("the field {field} is null: give it a value"),
        None => text,
    }
}
