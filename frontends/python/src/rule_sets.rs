//! Rule sets by name, by path and as data.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use pyo3::prelude::*;
use troel_env::{Reward, RuleSet};

use crate::arguments::{reward_of, to_python, value_error};

/// Rule set where neither an argument nor a bot names one. Signatures repeat it as a literal, which
/// is what Python shows.
pub const DEFAULT_RULES: &str = "luxembourg";

/// House rules that were read so far, by the name that their records use.
static HOUSE_RULES: Mutex<BTreeMap<String, &'static RuleSet>> = Mutex::new(BTreeMap::new());

/// Returns the rule set of a name, or of the path of a rule file. House rules that were read before
/// can be named, too.
pub fn rule_set(name: &str) -> PyResult<&'static RuleSet> {
    if let Some(rules) = RuleSet::built_in(name) {
        return Ok(rules);
    }
    let mut known = HOUSE_RULES.lock().unwrap_or_else(PoisonError::into_inner);
    let is_file = std::path::Path::new(name).is_file();
    match known.get(name) {
        Some(rules) if !is_file => Ok(*rules),
        _ => {
            let rules = troel_agents::find_rules(name).map_err(value_error)?;
            known.insert(rules.id().to_string(), rules);
            Ok(rules)
        }
    }
}

/// Returns house rules as JSON, for pickle; `None` for a built-in rule set.
pub fn spec_of(rules: &RuleSet) -> PyResult<Option<String>> {
    rules.custom_spec().map(serde_json::to_string).transpose().map_err(value_error)
}

/// Returns the rule set that [`spec_of`] wrote, or the one of a name.
pub fn restored_rules(name: &str, spec: Option<&str>) -> PyResult<&'static RuleSet> {
    let Some(spec) = spec else { return rule_set(name) };
    let spec = serde_json::from_str(spec).map_err(|e| value_error(format!("not rules: {e}")))?;
    RuleSet::from_spec(spec, "house rules").map_err(value_error)
}

/// Returns a rule set as data: the fields of its rule file, and its hash.
#[pyfunction]
pub fn rules<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    let rules = rule_set(name)?;
    let spec = to_python(py, rules.spec())?;
    spec.set_item("hash", rules.hash())?;
    Ok(spec)
}

/// Returns the lowest and the highest reward of a seat in a single deal.
#[pyfunction]
pub fn reward_range(rules: &str, reward: &str) -> PyResult<(f64, f64)> {
    let rules = rule_set(rules)?;
    let range = match reward_of(reward)? {
        Reward::Points => {
            let (lowest, highest) = rules.score_range().into_inner();
            f64::from(lowest)..=f64::from(highest)
        }
        Reward::Centred => rules.centred_score_range(),
        Reward::Match => {
            return Err(value_error(
                "reward=\"match\": a single deal has \"points\" or \"centred\"",
            ));
        }
    };
    Ok(range.into_inner())
}

/// Returns an upper bound of the number of actions of a deal.
#[pyfunction]
pub fn max_actions(rules: &str) -> PyResult<usize> {
    Ok(rule_set(rules)?.max_actions())
}
