//! Layout of text tables.

/// Returns the width of a column: the characters of its longest name, but at least `min`.
pub fn column_width(names: impl IntoIterator<Item = impl AsRef<str>>, min: usize) -> usize {
    names.into_iter().map(|name| name.as_ref().chars().count()).fold(min, usize::max)
}
