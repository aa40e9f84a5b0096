//! Bundles of networks that were trained in Python.

use std::collections::HashMap;
use std::path::PathBuf;

use numpy::{PyArrayDyn, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::prelude::*;
use troel_agents::NamedBot;
use troel_nn::bundle::MAX_MODEL_BYTES;
use troel_nn::{BotInfo, Bundle, NetworkConfig, OnnxBundle, TrainedBot, Weights};

use crate::arguments::{to_python, value_error, whole};
use crate::rule_sets::rule_set;

// The sizes that a network may have are checked with its configuration.
fn hidden(value: &Bound<'_, PyAny>) -> PyResult<usize> {
    Ok(whole(value, "hidden", 0..=u64::from(u32::MAX))? as usize)
}

fn blocks(value: &Bound<'_, PyAny>) -> PyResult<usize> {
    Ok(whole(value, "blocks", 0..=u64::from(u32::MAX))? as usize)
}

fn given_seed(value: &Bound<'_, PyAny>) -> PyResult<u64> {
    whole(value, "seed", 0..=u64::MAX)
}

fn steps(value: &Bound<'_, PyAny>) -> PyResult<u64> {
    whole(value, "steps", 0..=u64::MAX)
}

fn deals(value: &Bound<'_, PyAny>) -> PyResult<u64> {
    whole(value, "deals", 0..=u64::MAX)
}

/// Returns the name and shape of each tensor of a network, in order.
#[pyfunction]
pub fn tensors(
    #[pyo3(from_py_with = hidden)] hidden: usize,
    #[pyo3(from_py_with = blocks)] blocks: usize,
) -> PyResult<Vec<(String, Vec<usize>)>> {
    let config = NetworkConfig { hidden, blocks, ..NetworkConfig::default() };
    config.check().map_err(value_error)?;
    Ok(config.tensors().into_iter().map(|spec| (spec.name, spec.shape)).collect())
}

/// Writes a network as a bundle.
#[pyfunction]
#[pyo3(signature = (path, weights, rules, *, hidden, blocks, reward_scale, seed, steps, deals, seconds, command, match_totals, canonical_suits))]
#[expect(clippy::too_many_arguments, reason = "they have names in Python")]
pub fn save_bundle(
    path: PathBuf,
    weights: HashMap<String, Bound<'_, PyArrayDyn<f32>>>,
    rules: &str,
    #[pyo3(from_py_with = hidden)] hidden: usize,
    #[pyo3(from_py_with = blocks)] blocks: usize,
    reward_scale: Option<f32>,
    #[pyo3(from_py_with = given_seed)] seed: u64,
    #[pyo3(from_py_with = steps)] steps: u64,
    #[pyo3(from_py_with = deals)] deals: u64,
    seconds: f64,
    command: String,
    match_totals: bool,
    canonical_suits: bool,
) -> PyResult<()> {
    let config = NetworkConfig { hidden, blocks, canonical_suits, ..NetworkConfig::default() };
    config.check().map_err(value_error)?;
    let unit = value_unit(reward_scale)?;
    check_seconds(seconds)?;
    let mut values = vec![0.0; config.weight_count()];
    for spec in config.tensors() {
        let array = weights.get(&spec.name);
        let array = array.ok_or_else(|| value_error(format!("weights lack {}", spec.name)))?;
        if array.shape() != spec.shape {
            let (name, found, wanted) = (&spec.name, array.shape(), &spec.shape);
            return Err(value_error(format!(
                "weights[{name:?}] has shape {found:?}: use {wanted:?}"
            )));
        }
        let array = array.readonly();
        let into = &mut values[spec.offset..spec.offset + spec.len()];
        for (into, &value) in into.iter_mut().zip(array.as_array().iter()) {
            if !value.is_finite() {
                return Err(value_error(format!(
                    "weights[{:?}] has a number that is not finite",
                    spec.name
                )));
            }
            *into = value;
        }
    }
    let rules = rule_set(rules)?;
    let info = BotInfo {
        steps,
        deals,
        train_seconds: seconds,
        command,
        match_totals,
        value_in_points: reward_scale.is_some(),
        ..BotInfo::new(rules, config, unit, seed)
    };
    Bundle { info, weights: Weights { config, values } }.save(&path).map_err(value_error)
}

/// Returns the points per unit of the value. It is 1 if values are not points.
fn value_unit(reward_scale: Option<f32>) -> PyResult<f32> {
    let unit = reward_scale.unwrap_or(1.0);
    if unit.is_finite() && unit > 0.0 {
        return Ok(unit);
    }
    Err(value_error(format!("reward_scale={unit}: use a finite number above 0")))
}

fn check_seconds(seconds: f64) -> PyResult<()> {
    if seconds.is_finite() && seconds >= 0.0 {
        return Ok(());
    }
    Err(value_error(format!("seconds={seconds}: use a finite number of at least 0")))
}

/// Checks an ONNX model by loading it, and writes it as a bundle.
#[pyfunction]
#[pyo3(signature = (path, model, rules, *, reward_scale, seed, steps, deals, seconds, command, canonical_suits, rule_features, any_rules))]
#[expect(clippy::too_many_arguments, reason = "they have names in Python")]
pub fn save_onnx_bundle(
    path: PathBuf,
    model: &[u8],
    rules: &str,
    reward_scale: Option<f32>,
    #[pyo3(from_py_with = given_seed)] seed: u64,
    #[pyo3(from_py_with = steps)] steps: u64,
    #[pyo3(from_py_with = deals)] deals: u64,
    seconds: f64,
    command: String,
    canonical_suits: bool,
    rule_features: bool,
    any_rules: bool,
) -> PyResult<()> {
    if model.len() as u64 > MAX_MODEL_BYTES {
        return Err(value_error(format!(
            "the model has {} bytes: use one of at most {MAX_MODEL_BYTES}",
            model.len()
        )));
    }
    if any_rules && !rule_features {
        return Err(value_error(
            "any_rules=True needs rule_features=True: without features of the rules, a model \
             cannot tell them apart",
        ));
    }
    check_seconds(seconds)?;
    let network = NetworkConfig { canonical_suits, rule_features, ..NetworkConfig::default() };
    let info = BotInfo {
        steps,
        deals,
        train_seconds: seconds,
        command,
        any_rules,
        value_in_points: reward_scale.is_some(),
        ..BotInfo::new(rule_set(rules)?, network, value_unit(reward_scale)?, seed)
    };
    let bundle = OnnxBundle::new(info, model.to_vec());
    let trained = TrainedBot::Onnx(bundle.clone());
    NamedBot::from_trained("bot", &path, &trained).map_err(value_error)?;
    bundle.save(&path).map_err(value_error)
}

/// Arrays by the names of their tensors.
type Arrays<'py> = HashMap<String, Bound<'py, PyAny>>;

/// Returns the metadata of a bundle, and its weights by name.
#[pyfunction]
pub fn read_bundle<'py>(py: Python<'py>, name: &str) -> PyResult<(Bound<'py, PyAny>, Arrays<'py>)> {
    let (_, bundle) = troel_agents::registry::find_bundle(name).map_err(value_error)?;
    let mut weights = HashMap::new();
    for spec in bundle.weights.config.tensors() {
        let values = bundle.weights.values[spec.offset..spec.offset + spec.len()].to_vec();
        let array = numpy::PyArray1::from_vec(py, values);
        weights.insert(spec.name, array.call_method1("reshape", (spec.shape,))?);
    }
    Ok((to_python(py, &bundle.info)?, weights))
}
