//! Serialisers of fields of messages.

use serde::{Serialize, Serializer};
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
