//! Reviews of recorded deals.

use pyo3::prelude::*;
use troel_agents::review::{ReviewError, Reviewer};
use troel_env::Record;
use troel_protocol::review::DealReviewView;
use troel_solver::Solver;

use crate::arguments::{SeatArgument, from_python, seed, to_python, whole};
use crate::parallel::{interruptible, pool_for};
use crate::python_bot::{Raised, named_bot, raised_or_value_error};
use crate::rule_sets::rule_set;

/// Returns the argument `worlds`.
fn worlds(value: &Bound<'_, PyAny>) -> PyResult<usize> {
    Ok(whole(value, "worlds", 1..=10_000)? as usize)
}

/// Reviews the decisions of a full record, of one seat or of all.
#[pyfunction]
#[pyo3(signature = (record, bot, rules, seat, *, worlds, seed))]
pub fn review<'py>(
    py: Python<'py>,
    record: &Bound<'py, PyAny>,
    bot: &Bound<'py, PyAny>,
    rules: Option<&str>,
    seat: Option<SeatArgument>,
    #[pyo3(from_py_with = worlds)] worlds: usize,
    #[pyo3(from_py_with = seed)] seed: u64,
) -> PyResult<Bound<'py, PyAny>> {
    let record: Record = from_python(record, "a game record")?;
    let rules = rule_set(rules.unwrap_or(&record.rules))?;
    let seat = seat.map(|seat| seat.seat()).transpose()?;
    let raised = Raised::default();
    let pool = pool_for(bot)?;
    let bot = named_bot(bot, rules, &raised)?;
    let review = move || {
        let mut reviewer = Reviewer::new(&bot, worlds, seed, Solver::default());
        let review = pool.install(|| reviewer.review(rules, &record, seat))?;
        // By way of a value, as messages are, so that all digits of numbers are those of the
        // program.
        Ok(serde_json::json!(DealReviewView::new(&record.rules, bot.name(), &review)))
    };
    let review = interruptible(py, review)?
        .map_err(|error: ReviewError| raised_or_value_error(&raised, error))?;
    to_python(py, &review)
}
