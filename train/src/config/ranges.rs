//! Check of the ranges of numbers in a recipe.

/// Checks that values are in range. An entry is a key, its value, the minimum and the maximum.
pub(super) fn check_ranges(ranges: &[(&str, f64, f64, f64)]) -> Result<(), String> {
    let bad = ranges.iter().find(|(_, value, low, high)| !(low..=high).contains(&value));
    match bad {
        Some((key, value, low, high)) => Err(format!("{key} = {value} must be {low} to {high}")),
        None => Ok(()),
    }
}
