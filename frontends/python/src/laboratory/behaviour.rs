//! Behaviour sheets.

use pyo3::prelude::*;
use troel_eval::{Behaviour, DealRange, EvalError, measure_behaviour};

use super::computation::Computation;
use crate::agent::rules_for;
use crate::arguments::{scenario_of, seed, to_python};
use crate::evaluation_arguments::{no_deals, range, threads};

/// Names of the bots with the JSON of their sheets, and the sheets as text.
type Sheets<'py> = (Vec<(String, Bound<'py, PyAny>)>, String);

/// Measures the behaviour of bots. Returns the JSON of `troel behaviour` by bot, and its text.
#[pyfunction]
#[pyo3(signature = (bots, rules, deals, *, seed, scenario, threads, progress))]
#[expect(clippy::too_many_arguments, reason = "they have names in Python")]
pub fn behaviour<'py>(
    py: Python<'py>,
    bots: Vec<Bound<'py, PyAny>>,
    rules: Option<&str>,
    #[pyo3(from_py_with = range)] deals: DealRange,
    #[pyo3(from_py_with = seed)] seed: u64,
    scenario: &str,
    #[pyo3(from_py_with = threads)] threads: Option<usize>,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<Sheets<'py>> {
    let rules = rules_for(rules, &bots.iter().collect::<Vec<_>>())?;
    if deals.is_empty() {
        return Err(no_deals(deals));
    }
    let kind = scenario_of(scenario)?;
    let mut computation = Computation::new(rules);
    let bots = computation.bots(&bots)?;
    let sheets = computation.run(py, threads, progress, move |progress| {
        progress.plan((bots.len() as u64 * deals.len()) as f64);
        let add = |deals| progress.add(deals);
        let sheet = |bot: &_| measure_behaviour(rules, bot, kind, deals, seed, &add);
        bots.iter()
            .map(|bot| Ok((bot.name().to_string(), sheet(bot)?)))
            .collect::<Result<Vec<(String, Behaviour)>, EvalError>>()
    })?;
    let text = Behaviour::table(&sheets);
    let sheets = sheets
        .into_iter()
        .map(|(name, sheet)| Ok((name, to_python(py, &sheet.json(rules, scenario, deals, seed))?)));
    Ok((sheets.collect::<PyResult<_>>()?, text))
}
