//! Bots: those of the registry for Python, and those that are written in Python.

use std::sync::{Arc, Mutex, PoisonError};

use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyType};
use troel_agents::{Bot, BotError, Decision, Detail, NamedBot, decide, registry, rules_of_bots};
use troel_env::{Action, N_ACTIONS, N_FEATURES, Observation, RuleSet};

use crate::arguments::{restored_rules, rule_set, seed, shown, spec_of, value_error};
use crate::view::View;

/// A bot: built in (`random`, `rules`, `expert`, `pimc:worlds=20`), released, the path of a
/// checkpoint, or a program (`bot:COMMAND`).
#[pyclass(frozen, module = "troel")]
pub struct Agent {
    name: String,
    rules: &'static RuleSet,
    seed: u64,
    pub named_bot: NamedBot,
    instance: Mutex<Box<dyn Bot>>,
}

/// Reduced form of an agent for pickle: a function and its arguments.
type ReducedAgent<'py> = (Bound<'py, PyAny>, (String, &'static str, Option<String>, u64));

/// Decision of a bot: action, log-probability, value estimate in points, and probabilities by
/// action number.
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
            None => trained_for(name)?.map_or_else(|| rule_set("luxembourg"), Ok)?,
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
        let decisions = self.decide(py, &views, Detail::Action)?;
        let actions: Vec<i64> = decisions.iter().map(|d| d.action.index() as i64).collect();
        Ok(actions.into_pyarray(py))
    }

    /// Returns the full decisions on views.
    fn decide_views<'py>(
        &self,
        py: Python<'py>,
        views: Vec<PyRef<'py, View>>,
    ) -> PyResult<Vec<Decided<'py>>> {
        let decisions = self.decide(py, &views, Detail::Policy)?;
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

    fn decide(
        &self,
        py: Python<'_>,
        views: &[PyRef<'_, View>],
        detail: Detail,
    ) -> PyResult<Vec<Decision>> {
        let observations: Vec<Observation> = views.iter().map(|view| view.observation).collect();
        for observation in &observations {
            let rules = observation.state().rules();
            if rules != self.rules {
                let (mine, theirs) = (self.rules.id(), rules.id());
                return Err(value_error(format!(
                    "{} plays {mine}, not {theirs}: load it for those rules",
                    self.name
                )));
            }
            if observation.state().is_done() {
                return Err(value_error("there is nothing to decide: the deal is over"));
            }
            if observation.legal_actions().is_empty() {
                let seat = observation.seat().letter();
                return Err(value_error(format!(
                    "there is nothing to decide for {seat}: it is not its turn"
                )));
            }
        }
        py.detach(|| {
            let mut bot = self.instance.lock().map_err(|_| value_error("the bot failed before"))?;
            decide(bot.as_mut(), &observations, detail).map_err(value_error)
        })
    }
}

/// Returns the agent that [`Agent::__reduce__`] describes.
#[pyfunction]
pub fn _restore_agent(name: &str, rules: &str, spec: Option<&str>, seed: u64) -> PyResult<Agent> {
    Agent::load(name, restored_rules(rules, spec)?, seed)
}

/// Returns the rule set that a bot was trained for, by its name.
fn trained_for(name: &str) -> PyResult<Option<&'static RuleSet>> {
    let found = registry::find_bundle_of_bot(name).map_err(value_error)?;
    found.map(|(path, bundle)| bundle.info.rule_set(&path).map_err(value_error)).transpose()
}

/// Returns the rule set of a name. The default is that of the first [`Agent`], else that of the
/// trained bots ([`rules_of_bots`]), else luxembourg.
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
        None => rule_set("luxembourg"),
    }
}

/// Observations on which a bot written in Python decides in one call.
#[pyclass(frozen, module = "troel")]
pub struct Batch {
    observations: Vec<Observation>,
}

#[pymethods]
impl Batch {
    fn __len__(&self) -> usize {
        self.observations.len()
    }

    /// Observations of the seats to act.
    #[getter]
    fn views(&self) -> Vec<View> {
        self.observations.iter().map(|&observation| View { observation }).collect()
    }

    /// Returns the features, float32 of shape `(n, N_FEATURES)`.
    fn features<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f32>>> {
        let array = PyArray2::zeros(py, [self.observations.len(), N_FEATURES], false);
        for (row, observation) in
            array.readwrite().as_slice_mut()?.chunks_mut(N_FEATURES).zip(&self.observations)
        {
            observation.encode(row);
        }
        Ok(array)
    }

    /// Returns the masks of legal actions, bool of shape `(n, N_ACTIONS)`.
    fn masks<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<bool>>> {
        let array = PyArray2::zeros(py, [self.observations.len(), N_ACTIONS], false);
        for (row, observation) in
            array.readwrite().as_slice_mut()?.as_chunks_mut().0.iter_mut().zip(&self.observations)
        {
            observation.legal_actions().write_mask(row);
        }
        Ok(array)
    }

    /// Numbers of the seats to act.
    #[getter]
    fn seats(&self) -> Vec<usize> {
        self.observations.iter().map(|observation| observation.seat().index()).collect()
    }
}

/// Exception that a bot written in Python raised, to be raised again in the calling thread.
pub type Raised = Arc<Mutex<Option<PyErr>>>;

/// A bot written in Python. It is called with a [`Batch`] and returns an action number for each
/// row.
pub struct PythonBot {
    /// The callable.
    pub act: Py<PyAny>,
    raised: Raised,
}

impl PythonBot {
    fn ask(&self, py: Python<'_>, observations: &[Observation]) -> PyResult<Vec<i64>> {
        let batch = Batch { observations: observations.to_vec() };
        let actions = self.act.call1(py, (batch,))?;
        let actions = py.import("numpy")?.call_method1("asarray", (actions,))?;
        let actions = actions.call_method1("reshape", (-1,))?;
        let kind: String = actions.getattr("dtype")?.getattr("kind")?.extract()?;
        if actions.len()? > 0 && kind != "i" && kind != "u" {
            let dtype = actions.getattr("dtype")?;
            return Err(value_error(format!(
                "the bot returned {dtype}: return whole numbers, one for each row"
            )));
        }
        actions.call_method0("tolist")?.extract()
    }
}

impl Bot for PythonBot {
    fn decide(
        &mut self,
        observations: &[Observation],
        detail: Detail,
    ) -> Result<Vec<Decision>, BotError> {
        let actions = Python::attach(|py| {
            self.ask(py, observations).map_err(|error| {
                let message = format!("the bot raised {error}");
                if let Ok(mut raised) = self.raised.lock() {
                    raised.get_or_insert(error);
                }
                BotError::Failed(message)
            })
        })?;
        let decision = |number: i64| {
            let action = usize::try_from(number).ok().and_then(Action::from_index);
            let action = action.ok_or_else(|| {
                let last = N_ACTIONS - 1;
                BotError::Failed(format!("the bot chose {number}: actions are 0 to {last}"))
            })?;
            Ok(Decision::sure(action, detail))
        };
        actions.into_iter().map(decision).collect()
    }
}

/// Returns whether a bot is written in Python.
pub fn is_python(bot: &Bound<'_, PyAny>) -> bool {
    !bot.is_instance_of::<PyString>() && !bot.is_instance_of::<Agent>()
}

/// Factory of bots written in Python.
pub struct PythonBotFactory {
    /// A callable, or a class that is called with a seed and returns one.
    callable: Py<PyAny>,
    is_class: bool,
    raised: Raised,
}

impl PythonBotFactory {
    /// Creates an instance of the bot from a seed.
    pub fn instantiate(&self, seed: u64) -> PythonBot {
        let act = Python::attach(|py| {
            if self.is_class {
                self.callable.call1(py, (seed,))
            } else {
                Ok(self.callable.clone_ref(py))
            }
        });
        let act = act.unwrap_or_else(|error| {
            Python::attach(|py| {
                if let Ok(mut raised) = self.raised.lock() {
                    raised.get_or_insert(error);
                }
                // `None` is not callable: the first decision fails, and raises this error.
                py.None()
            })
        });
        self.with(act)
    }

    /// Returns the bot of a callable that [`PythonBotFactory::instantiate`] created before.
    pub fn with(&self, act: Py<PyAny>) -> PythonBot {
        PythonBot { act, raised: Arc::clone(&self.raised) }
    }
}

/// Factory of the bots of a seat.
pub enum BotFactory {
    /// A bot of Troel.
    Native(Box<NamedBot>),
    /// A bot written in Python, with its name.
    Python(String, PythonBotFactory),
}

/// Returns the factory of a bot, which is a name, an [`Agent`], a callable, or a class that is
/// called with a seed and returns a callable.
pub fn bot_factory(
    bot: &Bound<'_, PyAny>,
    rules: &RuleSet,
    raised: &Raised,
) -> PyResult<BotFactory> {
    if let Ok(name) = bot.extract::<String>() {
        return NamedBot::find(&name, rules)
            .map(|bot| BotFactory::Native(Box::new(bot)))
            .map_err(value_error);
    }
    if let Ok(agent) = bot.extract::<PyRef<'_, Agent>>() {
        if agent.rules != rules {
            let (mine, theirs) = (agent.rules.id(), rules.id());
            return Err(value_error(format!("{} plays {mine}, not {theirs}", agent.name)));
        }
        return Ok(BotFactory::Native(Box::new(agent.named_bot.clone())));
    }
    if !bot.is_callable() {
        return Err(value_error(format!(
            "{} is not a bot: use a name, a troel.Agent, or a callable that takes a batch",
            shown(bot)
        )));
    }
    let name = match bot.getattr("__name__") {
        Ok(name) => name.extract()?,
        Err(_) => bot.get_type().name()?.to_string(),
    };
    let is_class = bot.is_instance_of::<PyType>();
    let (callable, raised) = (bot.clone().unbind(), Arc::clone(raised));
    Ok(BotFactory::Python(name, PythonBotFactory { callable, is_class, raised }))
}

/// Returns a bot as a [`NamedBot`] for matches.
pub fn named_bot(bot: &Bound<'_, PyAny>, rules: &RuleSet, raised: &Raised) -> PyResult<NamedBot> {
    Ok(match bot_factory(bot, rules, raised)? {
        BotFactory::Native(bot) => *bot,
        BotFactory::Python(name, factory) => {
            NamedBot::new(&name, move |seed| Box::new(factory.instantiate(seed)))
        }
    })
}

/// Returns the exception that a bot written in Python raised, or else the error as a `ValueError`.
pub fn raised_or_value_error(raised: &Raised, error: impl std::fmt::Display) -> PyErr {
    let first = raised.lock().ok().and_then(|mut raised| raised.take());
    first.unwrap_or_else(|| value_error(error))
}
