//! Bots: those of the registry for Python, and those that are written in Python.

use std::sync::{Mutex, PoisonError};

use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use troel_agents::{Bot, Decision, DecisionDetail, NamedBot, decide, registry, rules_of_bots};
use troel_env::{Observation, RuleSet};

use crate::arguments::{seed, value_error};
use crate::rule_sets::{DEFAULT_RULES, restored_rules, rule_set, spec_of};
use crate::view::View;

/// A bot: built in (`random`, `rules`, `expert`, `pimc:worlds=20`), released, the path of a
/// checkpoint, or a program (`bot:COMMAND`).
#[pyclass(frozen, module = "troel")]
pub struct Agent {
    pub name: String,
    pub rules: &'static RuleSet,
    seed: u64,
    pub named_bot: NamedBot,
    instance: Mutex<Box<dyn Bot>>,
}

/// Reduced form of an agent for pickle: a function and its arguments.
type ReducedAgent<'py> = (Bound<'py, PyAny>, (String, &'static str, Option<String>, u64));

/// Decision of a bot: action, log-probability, value in points, and probabilities by action number.
type Decided<'py> = (usize, f32, Option<f32>, Bound<'py, PyDict>);

#[pymethods]
impl Agent {
    #[new]
    #[pyo3(signature = (name, rules = None, seed = 1))]
    fn new(
        name: &str,
        rules: Option<&str>,
        #[pyo3(from_py_with = seed)] seed: u64,
    ) -> PyResult<Agent> {
        let rules = match rules {
            Some(rules) => rule_set(rules)?,
            None => trained_for(name)?.map_or_else(|| rule_set(DEFAULT_RULES), Ok)?,
        };
        Agent::load(name, rules, seed)
    }

    /// Returns name, rules and seed, for pickle; a copy draws like a bot that was just loaded.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<ReducedAgent<'py>> {
        let restore = py.import("troel._troel")?.getattr("_restore_agent")?;
        let spec = spec_of(self.rules)?;
        Ok((restore, (self.name.clone(), self.rules.id(), spec, self.seed)))
    }

    /// Returns a deep copy, which shares the loaded weights.
    fn __deepcopy__(&self, _memo: &Bound<'_, PyAny>) -> Agent {
        Agent::with_bot(self.name.clone(), self.rules, self.seed, self.named_bot.clone())
    }

    /// Name under which the bot was loaded.
    #[getter]
    fn name(&self) -> &str {
        &self.name
    }

    /// Name of the rule set that the bot plays.
    #[getter]
    fn rules(&self) -> &'static str {
        self.rules.id()
    }

    /// Seed of its random draws.
    #[getter]
    fn seed(&self) -> u64 {
        self.seed
    }

    /// Identity of the bot: a hash of the weights of a trained bot, the name of another.
    #[getter]
    fn identity(&self) -> &str {
        self.named_bot.identity()
    }

    /// Resets the random draws: the next decisions are those of a bot that was just loaded.
    fn reset(&self, py: Python<'_>) {
        // Without the interpreter's lock: the thread that holds the bot may be waiting for it.
        py.detach(|| {
            *self.instance.lock().unwrap_or_else(PoisonError::into_inner) =
                self.named_bot.instantiate(self.seed);
            self.instance.clear_poison();
        });
    }

    /// Returns the actions for views, int64 of shape `(len(views),)`.
    fn act_views<'py>(
        &self,
        py: Python<'py>,
        views: Vec<PyRef<'py, View>>,
    ) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let decisions = self.decide(py, &observations_of(&views), DecisionDetail::Action)?;
        let actions: Vec<i64> = decisions.iter().map(|d| d.action.index() as i64).collect();
        Ok(actions.into_pyarray(py))
    }

    /// Returns the full decisions on views.
    fn decide_views<'py>(
        &self,
        py: Python<'py>,
        views: Vec<PyRef<'py, View>>,
    ) -> PyResult<Vec<Decided<'py>>> {
        let decisions = self.decide(py, &observations_of(&views), DecisionDetail::Policy)?;
        let full = |decision: Decision| {
            let policy = PyDict::new(py);
            for (action, probability) in decision.policy {
                policy.set_item(action.index(), probability)?;
            }
            Ok((decision.action.index(), decision.log_prob, decision.value, policy))
        };
        decisions.into_iter().map(full).collect()
    }

    fn __repr__(&self) -> String {
        format!("<troel.Agent {} for {}>", self.name, self.rules.id())
    }
}

impl Agent {
    fn load(name: &str, rules: &'static RuleSet, seed: u64) -> PyResult<Agent> {
        let named_bot = NamedBot::find(name, rules).map_err(value_error)?;
        Ok(Agent::with_bot(name.to_string(), rules, seed, named_bot))
    }

    fn with_bot(name: String, rules: &'static RuleSet, seed: u64, named_bot: NamedBot) -> Agent {
        let instance = Mutex::new(named_bot.instantiate(seed));
        Agent { name, rules, seed, named_bot, instance }
    }

    /// Returns the bot's decisions on a batch of observations.
    pub fn decide(
        &self,
        py: Python<'_>,
        observations: &[Observation],
        detail: DecisionDetail,
    ) -> PyResult<Vec<Decision>> {
        for observation in observations {
            let rules = observation.public().rules();
            if rules != self.rules {
                let (mine, theirs) = (self.rules.id(), rules.id());
                return Err(value_error(format!(
                    "{} plays {mine}, not {theirs}: load it for those rules",
                    self.name
                )));
            }
            if observation.public().is_done() {
                return Err(value_error("there is nothing to decide: the deal is over"));
            }
            if observation.legal_actions().is_empty() {
                let seat = observation.seat();
                return Err(value_error(format!(
                    "there is nothing to decide for {seat}: it is not its turn"
                )));
            }
        }
        py.detach(|| {
            let mut bot = self
                .instance
                .lock()
                .map_err(|_| value_error("the bot failed earlier: load it again"))?;
            decide(bot.as_mut(), observations, detail).map_err(value_error)
        })
    }
}

fn observations_of(views: &[PyRef<'_, View>]) -> Vec<Observation> {
    views.iter().map(|view| view.observation).collect()
}

/// Returns the agent that [`Agent::__reduce__`] describes.
#[pyfunction]
pub fn _restore_agent(name: &str, rules: &str, spec: Option<&str>, seed: u64) -> PyResult<Agent> {
    Agent::load(name, restored_rules(rules, spec)?, seed)
}

/// Returns the rule set that a bot was trained for, by its name.
fn trained_for(name: &str) -> PyResult<Option<&'static RuleSet>> {
    let found = registry::find_bundle_of_bot(name).map_err(value_error)?;
    found.map(|(path, trained)| trained.info().rule_set(&path).map_err(value_error)).transpose()
}

/// Returns the rule set of a name. The default is that of the first [`Agent`], else that of the
/// trained bots ([`rules_of_bots`]), else [`DEFAULT_RULES`].
pub fn rules_for(rules: Option<&str>, bots: &[&Bound<'_, PyAny>]) -> PyResult<&'static RuleSet> {
    if let Some(rules) = rules {
        return rule_set(rules);
    }
    let agents = bots.iter().filter_map(|bot| bot.extract::<PyRef<'_, Agent>>().ok());
    if let Some(rules) = agents.map(|agent| agent.rules).next() {
        return Ok(rules);
    }
    let names: Vec<String> = bots.iter().filter_map(|bot| bot.extract().ok()).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    match rules_of_bots(&names).map_err(value_error)? {
        Some((rules, _)) => Ok(rules),
        None => rule_set(DEFAULT_RULES),
    }
}
