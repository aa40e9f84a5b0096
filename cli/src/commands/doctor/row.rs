//! Rows of the report of `troel doctor`.

use serde::Serialize;

/// Result of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// Available.
    Ok,
    /// Missing, but optional.
    Missing,
    /// Unusable, but needed by the program.
    Broken,
}

/// A row of the report.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// Heading of the group.
    pub group: &'static str,
    /// Name of the checked item.
    pub name: &'static str,
    /// Result of the check.
    pub status: Status,
    /// Version, number or path, or the reason why the item cannot be used.
    pub found: String,
    /// Purpose of the item; empty if the name says it.
    pub purpose: &'static str,
    /// Steps that make the item available; empty if none are needed.
    pub remedy: &'static str,
}

impl Row {
    /// Returns the row of an available item.
    pub fn ok(group: &'static str, name: &'static str, found: impl Into<String>) -> Row {
        let (purpose, remedy) = ("", "");
        Row { group, name, status: Status::Ok, found: found.into(), purpose, remedy }
    }
}
