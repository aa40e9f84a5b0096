//! Common parts of the vectorised environments, `SelfPlay` and `OneSeat`. These are their number,
//! borrowing them, their arrays and their saved form.

use std::collections::HashMap;

use numpy::ndarray::{Dimension, IntoDimension};
use numpy::{Element, PyArray, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::PyClass;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::pyclass::boolean_struct::False;
use pyo3::types::PyEllipsis;
use serde::de::DeserializeOwned;

use crate::arguments::{value_error, whole};

/// Maximum number of environments. The buffers of more would take gigabytes.
pub const MAX_ENVIRONMENTS: u64 = 1 << 20;

/// Returns the argument `num_envs`.
pub fn num_envs(value: &Bound<'_, PyAny>) -> PyResult<usize> {
    Ok(whole(value, "num_envs", 1..=MAX_ENVIRONMENTS)? as usize)
}

/// Borrows an environment to read it. Returns an error while a thread steps it.
pub fn shared<'py, T: PyClass>(slf: &Bound<'py, T>) -> PyResult<PyRef<'py, T>> {
    slf.try_borrow().map_err(|_| busy())
}

/// Borrows an environment to change it. Returns an error while a thread steps it.
pub fn exclusive<'py, T: PyClass<Frozen = False>>(
    slf: &Bound<'py, T>,
) -> PyResult<PyRefMut<'py, T>> {
    slf.try_borrow_mut().map_err(|_| busy())
}

fn busy() -> PyErr {
    PyRuntimeError::new_err(
        "this environment is in the middle of a step, and another thread or one of its bots used it: \
         give each thread its own environment, or share one under a threading.Lock",
    )
}

/// Caller-provided arrays by name. An environment writes into them.
#[derive(Default)]
pub struct CallerBuffers<'py>(HashMap<String, Bound<'py, PyAny>>);

impl<'py> CallerBuffers<'py> {
    /// Returns the buffers of the argument `buffers`.
    pub fn new(buffers: Option<HashMap<String, Bound<'py, PyAny>>>) -> CallerBuffers<'py> {
        CallerBuffers(buffers.unwrap_or_default())
    }

    /// Removes and returns the buffer of a name, or an array of zeros if the caller gave none.
    pub fn take<T: Element, Dim: Dimension>(
        &mut self,
        py: Python<'py>,
        name: &str,
        shape: impl IntoDimension<Dim = Dim>,
    ) -> PyResult<Py<PyArray<T, Dim>>> {
        let shape = shape.into_dimension();
        let Some(buffer) = self.0.remove(name) else {
            return Ok(PyArray::zeros(py, shape, false).unbind());
        };
        let fitting = buffer.cast_into::<PyArray<T, Dim>>().ok().filter(|array| {
            let is_writable = array.try_readwrite().is_ok();
            let is_plain = array.is_c_contiguous() && array.is_aligned();
            array.shape() == shape.slice() && is_plain && is_writable
        });
        fitting.map(Bound::unbind).ok_or_else(|| {
            let (dtype, shape) = (T::get_dtype(py), shape.slice());
            value_error(format!(
                "buffers[{name:?}]: use a writable, contiguous array of type {dtype} and shape \
                 {shape:?}"
            ))
        })
    }

    /// Checks that every buffer was used.
    pub fn check_used(&self) -> PyResult<()> {
        let mut unknown: Vec<&str> = self.0.keys().map(String::as_str).collect();
        unknown.sort_unstable();
        match unknown.first() {
            Some(name) => Err(value_error(format!(
                "buffers[{name:?}]: this environment has no array of this name; \
                 use fields of troel.Transition that are not None"
            ))),
            None => Ok(()),
        }
    }
}

/// Returns an array of the environment for Python. It shares the data, but has its own shape and
/// flags.
pub fn view_of<'py, T, D>(array: &Bound<'py, PyArray<T, D>>) -> PyResult<Bound<'py, PyAny>> {
    array.call_method0("view")
}

/// Returns the error for an array that cannot be written.
pub fn locked(error: numpy::BorrowError) -> PyErr {
    value_error(format!(
        "an array of the environment cannot be written ({error}): keep a copy instead of locking it"
    ))
}

/// Returns a copy of an array.
pub fn copy_of<'py>(array: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    array.call_method0("copy")
}

/// Copies an array into another of its shape.
pub fn copy_into(array: &Bound<'_, PyAny>, from: &Bound<'_, PyAny>) -> PyResult<()> {
    array.set_item(PyEllipsis::get(array.py()), from)
}

/// Parses a value that was saved as JSON.
pub fn from_json<T: DeserializeOwned>(text: &str) -> PyResult<T> {
    serde_json::from_str(text)
        .map_err(|error| value_error(format!("not a saved environment: {error}")))
}
