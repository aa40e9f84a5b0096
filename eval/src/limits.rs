//! Largest numbers that a stored result may hold. Results may come from anywhere.

/// Maximum points of a seat in a deal, far beyond those that a rule file allows.
pub(crate) const MAX_POINTS: u64 = 100_000_000;

/// Forfeits that challenger and baseline can have in a deal: one for each of their seats at its
/// tables.
const MAX_FORFEITS_PER_DEAL: [u64; 2] = [4, 16];

/// More forfeits than seats at the tables of the deals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{forfeits} forfeits in {deals} deals")]
pub struct TooManyForfeits {
    forfeits: u64,
    deals: u64,
}

/// Checks that there are no more forfeits than seats at the tables of the deals.
pub(crate) fn check_forfeits(forfeits: [u64; 2], deals: u64) -> Result<(), TooManyForfeits> {
    for (forfeits, max_per_deal) in forfeits.into_iter().zip(MAX_FORFEITS_PER_DEAL) {
        if forfeits > deals.saturating_mul(max_per_deal) {
            return Err(TooManyForfeits { forfeits, deals });
        }
    }
    Ok(())
}
