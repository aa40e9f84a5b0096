//! Conversion of arguments and results: names, numbers, JSON.

use std::ops::RangeInclusive;

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;
use troel_env::features::BLOCKS;
use troel_env::{EnvConfig, Episode, Reward, RuleSet, Scenario, Seat, excerpt};

/// Returns a `ValueError`.
pub fn value_error(message: impl std::fmt::Display) -> PyErr {
    PyValueError::new_err(message.to_string())
}

/// Returns the start of the `repr` of a value, for errors.
pub fn shown(value: &Bound<'_, PyAny>) -> String {
    let text = value.repr().map_or_else(|_| "?".to_string(), |text| text.to_string());
    excerpt(&text, 40)
}

/// Returns the argument `name`, a whole number: an `int`, or an object with `__index__`.
///
/// Raises `TypeError` for other types, floats included, and `ValueError` for a number out of range.
pub fn whole(value: &Bound<'_, PyAny>, name: &str, range: RangeInclusive<u64>) -> PyResult<u64> {
    match value.extract::<u64>() {
        Ok(number) if range.contains(&number) => Ok(number),
        Err(error) if error.is_instance_of::<PyTypeError>(value.py()) => {
            let (value, kind) = (shown(value), value.get_type().name()?);
            Err(PyTypeError::new_err(format!(
                "{name}={value} is of type {kind}: use a whole number (int)"
            )))
        }
        _ => {
            let (least, most) = range.into_inner();
            let most = match most {
                u64::MAX => "2^64 - 1".to_string(),
                most => most.to_string(),
            };
            let value = shown(value);
            Err(value_error(format!("{name}={value}: use a whole number from {least} to {most}")))
        }
    }
}

/// Returns the argument `seed`: a number, or drawn from the operating system if it is `None`.
pub fn seed(value: &Bound<'_, PyAny>) -> PyResult<u64> {
    match reset_seed(value)? {
        Some(seed) => Ok(seed),
        None => value.py().import("secrets")?.call_method1("randbits", (64,))?.extract(),
    }
}

/// Returns the argument `seed` of a reset: a number, or `None` to continue with the next deals.
pub fn reset_seed(value: &Bound<'_, PyAny>) -> PyResult<Option<u64>> {
    if value.is_none() { Ok(None) } else { whole(value, "seed", 0..=u64::MAX).map(Some) }
}

/// Maximum number of records that one call returns. More would take gigabytes.
const MAX_RECORDS: u64 = 1 << 20;

/// Returns the argument `count`.
pub fn count(value: &Bound<'_, PyAny>) -> PyResult<u64> {
    whole(value, "count", 0..=MAX_RECORDS)
}

/// Returns the argument `nodes`: the number of positions that the solver may visit.
pub fn nodes(value: &Bound<'_, PyAny>) -> PyResult<u64> {
    whole(value, "nodes", 0..=u64::MAX)
}

/// Returns the argument `index`, which is the number of one of `n` environments.
pub fn index(value: &Bound<'_, PyAny>, n: usize) -> PyResult<usize> {
    Ok(whole(value, "index", 0..=n as u64 - 1)? as usize)
}

/// Returns the layout of the feature vector: name, length and meaning of each block, in order.
#[pyfunction]
pub fn feature_blocks() -> Vec<(&'static str, usize, &'static str)> {
    BLOCKS.iter().map(|block| (block.name, block.len, block.doc)).collect()
}

/// Returns the settings of an environment by their names.
pub fn config(
    rules: &RuleSet,
    is_match: bool,
    reward: &str,
    scenario: &str,
) -> PyResult<EnvConfig> {
    let reward = reward_of(reward)?;
    let scenario = scenario_of(scenario)?;
    let remedy = match (rules.spec().match_target, is_match, reward) {
        (0, true, _) => Some(("match=True", "leave it out to play single deals")),
        (0, false, Reward::Match) => Some(("reward=\"match\"", "use \"points\" or \"centred\"")),
        _ => None,
    };
    if let Some((argument, remedy)) = remedy {
        let rules = rules.id();
        return Err(value_error(format!(
            "{argument}: {rules} has no target (match_target) that would end a match; {remedy}"
        )));
    }
    let episode = if is_match { Episode::Match } else { Episode::Deal };
    Ok(EnvConfig { episode, reward, scenario })
}

/// Returns a reward by its name.
pub fn reward_of(name: &str) -> PyResult<Reward> {
    match name {
        "points" => Ok(Reward::Points),
        "centred" => Ok(Reward::Centred),
        "match" => Ok(Reward::Match),
        _ => Err(value_error(format!("reward={name:?}: use \"points\", \"centred\" or \"match\""))),
    }
}

/// Returns a scenario by its name.
pub fn scenario_of(name: &str) -> PyResult<Scenario> {
    Scenario::parse(name).ok_or_else(|| {
        let names = Scenario::NAMES.map(|name| format!("{name:?}")).join(", ");
        value_error(format!(
            "scenario={name:?}: use {names} or a kind of contract such as \"misere\""
        ))
    })
}

/// A seat: 0 to 3, a letter of NESW, or a name such as `south`.
#[derive(FromPyObject)]
pub enum SeatArgument {
    /// 0 to 3 for N, E, S, W.
    Number(i64),
    /// A letter or a name.
    Name(String),
    /// Any other value, which is an error.
    Other(Py<PyAny>),
}

impl SeatArgument {
    /// Returns the seat.
    pub fn seat(&self) -> PyResult<Seat> {
        let seat = match self {
            SeatArgument::Number(n) => {
                usize::try_from(*n).ok().and_then(|n| Seat::ALL.get(n).copied())
            }
            SeatArgument::Name(text) => {
                let name = text.to_ascii_lowercase();
                let names = Seat::ALL.into_iter().zip(["north", "east", "south", "west"]);
                let mut found = names.filter(|(_, full)| name == *full || name == full[..1]);
                found.next().map(|(seat, _)| seat)
            }
            SeatArgument::Other(_) => None,
        };
        seat.ok_or_else(|| {
            let given = match self {
                SeatArgument::Number(n) => n.to_string(),
                SeatArgument::Name(name) => format!("{name:.20?}"),
                SeatArgument::Other(what) => excerpt(&what.to_string(), 20),
            };
            value_error(format!(
                "seat={given}: a seat is 0 to 3, a letter of NESW, or a name such as \"south\""
            ))
        })
    }
}

/// Converts a value to Python by way of JSON.
pub fn to_python<'py>(py: Python<'py>, value: &impl Serialize) -> PyResult<Bound<'py, PyAny>> {
    let text = serde_json::to_string(value).map_err(value_error)?;
    py.import("json")?.call_method1("loads", (text,))
}

/// Converts a value from Python by way of JSON. A string must be JSON itself. `what` names the
/// value in errors.
pub fn from_python<T: DeserializeOwned>(value: &Bound<'_, PyAny>, what: &str) -> PyResult<T> {
    let text: String = match value.extract() {
        Ok(text) => text,
        Err(_) => value.py().import("json")?.call_method1("dumps", (value,))?.extract()?,
    };
    serde_json::from_str(&text).map_err(|error| value_error(format!("not {what}: {error}")))
}
