//! Arguments of evaluations and of the laboratory: threads, deals and scopes.

use pyo3::prelude::*;
use rayon::ThreadPool;
use troel_eval::{DealRange, MAX_DEALS, Scope};

use crate::arguments::{value_error, whole};

/// Maximum number of threads.
const MAX_THREADS: usize = 1024;

/// Returns the argument `threads`.
pub fn threads(value: &Bound<'_, PyAny>) -> PyResult<Option<usize>> {
    if value.is_none() {
        Ok(None)
    } else {
        Ok(Some(whole(value, "threads", 1..=MAX_THREADS as u64)? as usize))
    }
}

/// Returns the argument `deals`: a range, whose end is excluded.
pub fn range(value: &Bound<'_, PyAny>) -> PyResult<DealRange> {
    let (first, end): (Bound<'_, PyAny>, Bound<'_, PyAny>) = value.extract()?;
    let number = |value| whole(value, "deals", 0..=MAX_DEALS);
    Ok(DealRange { first: number(&first)?, end: number(&end)? })
}

/// Returns the error of a range that ends before or at its start.
pub fn no_deals(range: DealRange) -> PyErr {
    let DealRange { first, end } = range;
    value_error(format!("deals=({first}, {end}) has none: the end must be above the start"))
}

/// Returns a scope by its name.
pub fn scope_of(name: &str) -> PyResult<Scope> {
    let scopes = [Scope::Full, Scope::Bidding, Scope::Play];
    let found = scopes.into_iter().find(|scope| scope.name() == name);
    found.ok_or_else(|| {
        value_error(format!("scope={name:?}: use \"full\", \"bidding\" or \"play\""))
    })
}

/// Returns the threads of a comparison: one for bots in Python, else one per core by default.
pub fn match_pool(threads: Option<usize>, is_python: bool) -> PyResult<ThreadPool> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = if is_python { 1 } else { threads.unwrap_or(cores).min(MAX_THREADS) };
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().map_err(value_error)
}
