//! Ranges of numbers in a recipe.

use crate::error::ConfigError;

/// Maximum number of passes over the samples of an iteration.
pub(crate) const MAX_UPDATE_EPOCHS: u32 = 100;

/// Checks that values are in range. An entry is a key, its value, the minimum and the maximum.
pub(super) fn check_ranges(ranges: &[(&'static str, f64, f64, f64)]) -> Result<(), ConfigError> {
    let bad = ranges.iter().find(|(_, value, min, max)| !(min..=max).contains(&value));
    match bad {
        Some(&(key, value, min, max)) => Err(ConfigError::OutOfRange { key, value, min, max }),
        None => Ok(()),
    }
}
