//! Matches to the target of a rule set.

use pyo3::prelude::*;
use troel_eval::play_matches;

use super::computation::Computation;
use crate::agent::rules_for;
use crate::arguments::{seed, to_python, whole};
use crate::evaluation_arguments::threads;

/// Returns the argument `count`.
fn match_count(value: &Bound<'_, PyAny>) -> PyResult<u64> {
    whole(value, "count", 16..=10_000_000)
}

/// Plays matches. Returns the JSON of `troel eval --matches`, and its text.
#[pyfunction]
#[pyo3(signature = (challenger, baseline, rules, count, *, seed, threads, progress))]
#[expect(clippy::too_many_arguments, reason = "they have names in Python")]
pub fn matches<'py>(
    py: Python<'py>,
    challenger: &Bound<'py, PyAny>,
    baseline: &Bound<'py, PyAny>,
    rules: Option<&str>,
    #[pyo3(from_py_with = match_count)] count: u64,
    #[pyo3(from_py_with = seed)] seed: u64,
    #[pyo3(from_py_with = threads)] threads: Option<usize>,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<(Bound<'py, PyAny>, String)> {
    let rules = rules_for(rules, &[challenger, baseline])?;
    let mut computation = Computation::new(rules);
    let bots = [computation.bot(challenger)?, computation.bot(baseline)?];
    let playing = bots.clone();
    let found = computation.run(py, threads, progress, move |progress| {
        let [challenger, baseline] = &playing;
        progress.plan(count as f64);
        play_matches(rules, seed, 0..count, challenger, baseline, &|matches| progress.add(matches))
    })?;
    let [challenger, baseline] = &bots;
    let json = to_python(py, &found.json(rules, seed, challenger, baseline))?;
    Ok((json, found.line(challenger.name(), baseline.name())))
}
