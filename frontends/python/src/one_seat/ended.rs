//! Deals that ended with a step, as arrays.

use numpy::{IntoPyArray, PyArray1, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use troel_env::{ContractView, Outcome};

use super::environments::OneSeat;
use crate::arguments::to_python;

/// Deals that ended with a step.
///
/// - Whether a deal ended in each environment, bool of shape `(n,)`.
/// - "scores", "tricks" and "totals", int32 of shape `(n, 4)`; zeros where no deal ended.
/// - Contracts of the deals that ended, in the order of the environments.
pub(super) type Ended<'py> = (Bound<'py, PyArray1<bool>>, Bound<'py, PyDict>, Bound<'py, PyAny>);

/// Function that returns one number per seat of a deal that ended.
type Column = fn(&Outcome) -> [i32; 4];

impl OneSeat {
    /// Returns the deals that ended with the last step, or `None` if none did.
    pub(super) fn ended_deals<'py>(&self, py: Python<'py>) -> PyResult<Option<Ended<'py>>> {
        if self.tables().all(|table| table.outcome.is_none()) {
            return Ok(None);
        }
        let numbers = PyDict::new(py);
        let columns: [(&str, Column); 3] = [
            ("scores", |outcome| outcome.scores.0),
            ("tricks", |outcome| outcome.tricks.0.map(i32::from)),
            ("totals", |outcome| outcome.totals.0),
        ];
        for (name, column) in columns {
            let rows = self.tables().map(|table| table.outcome.as_ref().map_or([0; 4], column));
            let flat: Vec<i32> = rows.flatten().collect();
            numbers.set_item(name, PyArray1::from_vec(py, flat).reshape([self.n, 4])?)?;
        }
        let contracts = self.tables().filter_map(|table| table.outcome.as_ref());
        let contracts = contracts.map(|outcome| outcome.contract.as_ref().map(ContractView::from));
        let contracts: Vec<Option<ContractView>> = contracts.collect();
        let has_ended: Vec<bool> = self.tables().map(|table| table.outcome.is_some()).collect();
        Ok(Some((has_ended.into_pyarray(py), numbers, to_python(py, &contracts)?)))
    }
}
