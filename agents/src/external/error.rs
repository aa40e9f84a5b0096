//! Faults of bot programs.

/// Fault of a program, phrased to follow its name: "has ended", "answered …".
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ExternalError(pub(super) String);

/// Returns the error for a fault of a program.
pub(super) fn external_error<T>(fault: impl Into<String>) -> Result<T, ExternalError> {
    Err(ExternalError(fault.into()))
}
