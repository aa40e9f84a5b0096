//! Largest numbers that a stored result may hold. Results may come from anywhere.

/// Maximum points of a seat in a deal, far beyond those that a rule file allows.
pub(crate) const MAX_POINTS: u64 = 100_000_000;
