//! Layout of text tables.

/// Returns a number of deals with its unit, such as `1 deal` or `2000 deals`.
pub fn deals_with_unit(number: u64) -> String {
    format!("{number} deal{}", if number == 1 { "" } else { "s" })
}

/// Returns the width of a column: the characters of its longest name, but at least `min`.
pub fn column_width(names: impl IntoIterator<Item = impl AsRef<str>>, min: usize) -> usize {
    names.into_iter().map(|name| name.as_ref().chars().count()).fold(min, usize::max)
}
