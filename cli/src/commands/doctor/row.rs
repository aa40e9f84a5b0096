//! Rows of the report of `troel doctor`.

use serde::Serialize;

/// Result of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// It is there, or it can be used.
    Ok,
    /// It is missing, and the program works without it.
    Missing,
    /// The program needs it, and it cannot be used.
    Broken,
}

/// A row of the report.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// Heading under which it is listed.
    pub group: &'static str,
    /// Name of what is checked.
    pub name: &'static str,
    /// Result of the check.
    pub status: Status,
    /// Version, number or place, or why it cannot be used.
    pub found: String,
    /// Purpose, if the name does not say it; else empty.
    pub purpose: &'static str,
    /// How to get it, if it is missing or broken; else empty.
    pub remedy: &'static str,
}

impl Row {
    /// Returns a row of something that is there.
    pub fn ok(group: &'static str, name: &'static str, found: impl Into<String>) -> Row {
        let (purpose, remedy) = ("", "");
        Row { group, name, status: Status::Ok, found: found.into(), purpose, remedy }
    }
}
