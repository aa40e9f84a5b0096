//! Comparison of two recipes over training seeds.

use pyo3::prelude::*;
use troel_eval::{
    DealRange, DuplicateConfig, SeedComparisonEvent, check_distinct, check_seeds, compare_groups,
    independent_units,
};

use super::computation::{Computation, too_few_deals};
use crate::agent::rules_for;
use crate::arguments::{seed, to_python, value_error};
use crate::evaluation_arguments::{range, threads};

/// Compares two groups of bots. Returns the JSON of `troel compare`, and its text.
#[pyfunction]
#[pyo3(signature = (first, second, rules, deals, *, seed, threads, progress))]
#[expect(clippy::too_many_arguments, reason = "they have names in Python")]
pub fn compare<'py>(
    py: Python<'py>,
    first: Vec<Bound<'py, PyAny>>,
    second: Vec<Bound<'py, PyAny>>,
    rules: Option<&str>,
    #[pyo3(from_py_with = range)] deals: DealRange,
    #[pyo3(from_py_with = seed)] seed: u64,
    #[pyo3(from_py_with = threads)] threads: Option<usize>,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<(Bound<'py, PyAny>, String)> {
    let rules = rules_for(rules, &first.iter().chain(&second).collect::<Vec<_>>())?;
    let config = DuplicateConfig::new(rules, deals, seed);
    if independent_units(&config) < 2 {
        let remedy = "for an interval; use at least 2, or 16 where the deck is never shuffled";
        return Err(too_few_deals(deals, remedy));
    }
    let mut computation = Computation::new(rules);
    let groups = [computation.bots(&first)?, computation.bots(&second)?];
    for group in &groups {
        check_distinct(group).and_then(|()| check_seeds(group)).map_err(value_error)?;
    }
    let bots = groups.clone();
    let found = computation.run(py, threads, progress, move |progress| {
        let [first, second] = &bots;
        progress.plan(2.0 * (first.len() * second.len()) as f64 * deals.len() as f64);
        let watch = |event: SeedComparisonEvent<'_>| {
            if let SeedComparisonEvent::Deals(deals) = event {
                progress.add(deals);
            }
        };
        compare_groups(&config, first, second, None, &watch)
    })?;
    let groups = groups.each_ref().map(Vec::as_slice);
    Ok((to_python(py, &found.json(&config, groups))?, found.report(&config, groups)))
}
