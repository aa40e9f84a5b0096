//! Actions as arguments and results.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyList, PyString};
use troel_env::rng::Stream;
use troel_env::{Action, ActionSet, N_ACTIONS, Phase, excerpt};
use troel_nn::SuitPermutation;

use crate::arguments::{value_error, whole};

pyo3::create_exception!(
    _troel,
    IllegalAction,
    PyValueError,
    "An action that is not legal; nothing was changed."
);

/// Codes of all actions, created once because steps need many of them.
static CODES: PyOnceLock<Vec<Py<PyString>>> = PyOnceLock::new();

/// Returns the codes of actions.
pub fn codes(py: Python<'_>, actions: ActionSet) -> PyResult<Bound<'_, PyList>> {
    let all = CODES.get_or_init(py, || {
        let codes = (0..N_ACTIONS).filter_map(Action::from_index);
        codes.map(|action| PyString::new(py, &action.to_string()).unbind()).collect()
    });
    PyList::new(py, actions.into_iter().map(|action| &all[action.index()]).collect::<Vec<_>>())
}

/// Returns the action of an argument `action`, a number from 0 to `N_ACTIONS - 1`.
pub fn action_argument(action: &Bound<'_, PyAny>) -> PyResult<Action> {
    let number = whole(action, "action", 0..=N_ACTIONS as u64 - 1)?;
    Action::from_index(number as usize)
        .ok_or_else(|| value_error(format!("actions are 0 to {}", N_ACTIONS - 1)))
}

/// Returns the code of an action, 0 to `N_ACTIONS - 1`, such as `9H`, `misere` or `QD`.
#[pyfunction]
pub fn action_code(action: &Bound<'_, PyAny>) -> PyResult<String> {
    Ok(action_argument(action)?.to_string())
}

/// An action: its number, or its code.
#[derive(FromPyObject)]
pub enum ActionArgument {
    /// 0 to `N_ACTIONS - 1`.
    Number(i64),
    /// A code, such as `9H`.
    Code(String),
    /// Any other value, which is an error.
    Other(Py<PyAny>),
}

impl ActionArgument {
    /// Returns the action, if it is legal. Numbers have suits renamed by `suits`; codes do not.
    pub fn legal_action(
        &self,
        legal: ActionSet,
        phase: Phase,
        suits: SuitPermutation,
    ) -> PyResult<Action> {
        let action = match self {
            ActionArgument::Number(n) => {
                let renamed = usize::try_from(*n).ok().and_then(Action::from_index);
                renamed.map(|action| suits.inverse().rename_action(action))
            }
            ActionArgument::Code(code) => Action::parse(code, phase),
            ActionArgument::Other(_) => None,
        };
        action.filter(|&action| legal.has(action)).ok_or_else(|| {
            let given = match (self, action) {
                (ActionArgument::Code(code), _) => excerpt(code, 20),
                (ActionArgument::Other(what), _) => excerpt(&what.to_string(), 20),
                (ActionArgument::Number(n), Some(action)) => format!("{n} ({action})"),
                (ActionArgument::Number(n), None) => n.to_string(),
            };
            illegal(&given, legal, phase)
        })
    }
}

/// Returns the action of environment `index` of `n`, if it is legal.
pub fn action_of_environment(
    py: Python<'_>,
    (index, n): (usize, usize),
    number: i64,
    legal: ActionSet,
    phase: Phase,
    suits: SuitPermutation,
) -> PyResult<Action> {
    ActionArgument::Number(number).legal_action(legal, phase, suits).map_err(|fault| match n {
        1 => fault,
        _ => IllegalAction::new_err(format!("environment {index}: {}", fault.value(py))),
    })
}

/// Draws a legal action uniformly and returns its number in suits renamed by `suits`; returns 0 if
/// there is none.
///
/// The draw is of a real action, so that games do not depend on the names of suits.
pub fn draw_action(legal: ActionSet, suits: SuitPermutation, stream: &mut Stream) -> i64 {
    legal.draw(stream).map_or(0, |action| suits.rename_action(action).index() as i64)
}

/// Returns the error for an illegal action, with the legal ones.
fn illegal(given: &str, legal: ActionSet, phase: Phase) -> PyErr {
    if legal.is_empty() {
        return IllegalAction::new_err("the episode is over; call reset() to start the next");
    }
    let codes: Vec<String> = legal.into_iter().map(|action| action.to_string()).collect();
    let phase = phase.name();
    IllegalAction::new_err(format!(
        "action {given} is not legal (phase {phase}); legal: {}",
        codes.join(" ")
    ))
}
