//! Problems with known answers.

use std::path::Path;

use pyo3::prelude::*;
use serde_json::json;
use troel_eval::problems as suites;
use troel_eval::problems::{
    InvalidProblemError, PosedProblem, Problem, ProblemError, ProblemSheet, Suite,
};

use crate::arguments::{from_python, seed, to_python, value_error, whole};
use crate::parallel::{interruptible, pool, pool_for};
use crate::python_bot::{Raised, named_bot, raised_or_value_error};
use crate::rule_sets::{DEFAULT_RULES, rule_set};

/// Returns the argument `count`.
fn problem_count(value: &Bound<'_, PyAny>) -> PyResult<usize> {
    Ok(whole(value, "count", 1..=100_000)? as usize)
}

/// Returns the problems of a generated suite or of a file.
#[pyfunction]
#[pyo3(signature = (suite, rules, count, *, seed))]
pub fn problems<'py>(
    py: Python<'py>,
    suite: &str,
    rules: Option<&str>,
    #[pyo3(from_py_with = problem_count)] count: usize,
    #[pyo3(from_py_with = seed)] seed: u64,
) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let posed = match Suite::parse(suite) {
        Some(suite) => {
            let rules = rule_set(rules.unwrap_or(DEFAULT_RULES))?;
            let pool = pool()?;
            let generate =
                move || pool.install(|| suites::generate(suite, rules, count, seed, &|_| ()));
            interruptible(py, generate)?
        }
        None => read(py, suite, rules)?,
    };
    let posed = posed.map_err(value_error)?;
    posed.iter().map(|posed| to_python(py, &posed.problem)).collect()
}

/// Returns the problems of a file, under these rules or the rule set of each record.
fn read(
    py: Python<'_>,
    path: &str,
    rules: Option<&str>,
) -> PyResult<Result<Vec<PosedProblem>, ProblemError>> {
    if !Path::new(path).exists() {
        let suites: Vec<&str> = Suite::ALL.into_iter().map(Suite::name).collect();
        let suites = suites.join(", ");
        return Err(value_error(format!(
            "suite={path:?} is neither a suite ({suites}) nor a file"
        )));
    }
    let find =
        |name: &str| rule_set(rules.unwrap_or(name)).map_err(|error| error.value(py).to_string());
    Ok(suites::read(Path::new(path), find))
}

/// Judges a bot's answers to problems of one rule set. Returns a sheet for each suite.
#[pyfunction]
#[pyo3(signature = (problems, bot, rules, *, seed))]
pub fn judge<'py>(
    py: Python<'py>,
    problems: Vec<Bound<'py, PyAny>>,
    bot: &Bound<'py, PyAny>,
    rules: Option<&str>,
    #[pyo3(from_py_with = seed)] seed: u64,
) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let mut posed = Vec::new();
    for (nth, value) in problems.iter().enumerate() {
        let refuse = |fault: InvalidProblemError| value_error(format!("problems[{nth}]: {fault}"));
        let problem: Problem = from_python(value, "a problem")?;
        let rules = rule_set(rules.unwrap_or(&problem.record.rules))?;
        posed.push(PosedProblem::new(problem, rules).map_err(refuse)?);
    }
    let Some(set) = posed.first().map(|posed| posed.state.rules()) else {
        return Err(value_error("problems is empty: generate some with troel.problems"));
    };
    if let Some(other) = posed.iter().map(|posed| posed.state.rules()).find(|&rules| rules != set) {
        return Err(value_error(format!(
            "the problems have different rule sets ({} and {}): evaluate the problems of each rule \
             set separately",
            set.id(),
            other.id()
        )));
    }
    let raised = Raised::default();
    let pool = pool_for(bot)?;
    let bot = named_bot(bot, set, &raised)?;
    let ask = move || pool.install(|| suites::ask(&posed, &bot, seed, &|_| ()));
    let sheets = interruptible(py, ask)?.map_err(|error| raised_or_value_error(&raised, error))?;
    sheets.iter().map(|sheet| to_python(py, &plain(sheet))).collect()
}

/// Returns a sheet as plain data.
fn plain(sheet: &ProblemSheet) -> serde_json::Value {
    json!({
        "bot": sheet.bot,
        "suite": sheet.suite,
        "problems": sheet.lost.n,
        "solved": sheet.solved,
        "probability": sheet.probability,
        "least_probability": sheet.least_probability,
        "lost": sheet.lost.mean(),
        // Infinite for a single problem, and JSON has no infinite numbers.
        "ci95": sheet.lost.interval(),
        "worst": sheet.worst,
    })
}
