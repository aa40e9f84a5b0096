//! Steps that may panic. A panic fails one command, and undoes it.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::error::TableError;

/// Runs a step.
///
/// # Errors
/// The step failed, or panicked ([`TableError::Internal`]).
pub fn catch_panic<R>(step: impl FnOnce() -> Result<R, TableError>) -> Result<R, TableError> {
    catch_unwind(AssertUnwindSafe(step)).unwrap_or(Err(TableError::Internal))
}

/// Runs a step on a value, for example a table. If the step panics, the value is restored.
///
/// # Errors
/// The step failed, or panicked ([`TableError::Internal`]).
pub fn attempt<T: Clone, R>(
    value: &mut T,
    step: impl FnOnce(&mut T) -> Result<R, TableError>,
) -> Result<R, TableError> {
    let before = value.clone();
    let done = catch_panic(|| step(value));
    if matches!(done, Err(TableError::Internal)) {
        *value = before;
    }
    done
}
