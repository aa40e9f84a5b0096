//! Bots written in Python, and the bots that arguments name.

use std::sync::{Arc, Mutex};

use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyString, PyType};
use troel_agents::{Bot, BotError, Decision, DecisionDetail, NamedBot};
use troel_env::{Action, History, N_ACTIONS, N_FEATURES, Observation, RuleSet};

use crate::actions::action_argument;
use crate::agent::Agent;
use crate::arguments::{shown, value_error};
use crate::view::{View, history_tokens, suits_of};

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
    #[pyo3(signature = (*, canonical_suits = false))]
    fn features<'py>(
        &self,
        py: Python<'py>,
        canonical_suits: bool,
    ) -> PyResult<Bound<'py, PyArray2<f32>>> {
        let array = PyArray2::zeros(py, [self.observations.len(), N_FEATURES], false);
        for (row, observation) in
            array.readwrite().as_slice_mut()?.chunks_mut(N_FEATURES).zip(&self.observations)
        {
            observation.encode(row);
            suits_of(observation, canonical_suits).rename_features(row);
        }
        Ok(array)
    }

    /// Returns the masks of legal actions, bool of shape `(n, N_ACTIONS)`.
    #[pyo3(signature = (*, canonical_suits = false))]
    fn masks<'py>(
        &self,
        py: Python<'py>,
        canonical_suits: bool,
    ) -> PyResult<Bound<'py, PyArray2<bool>>> {
        let array = PyArray2::zeros(py, [self.observations.len(), N_ACTIONS], false);
        for (row, observation) in
            array.readwrite().as_slice_mut()?.as_chunks_mut().0.iter_mut().zip(&self.observations)
        {
            let suits = suits_of(observation, canonical_suits);
            suits.rename_actions(observation.legal_actions()).write_mask(row);
        }
        Ok(array)
    }

    /// Returns the histories as tokens, int64 of shape `(n, HISTORY_LENGTH)`.
    #[pyo3(signature = (*, canonical_suits = false))]
    fn history_tokens<'py>(
        &self,
        py: Python<'py>,
        canonical_suits: bool,
    ) -> PyResult<Bound<'py, PyArray2<i64>>> {
        let suits = |obs| suits_of(obs, canonical_suits);
        let rows = self.observations.iter().map(|obs| history_tokens(obs, suits(obs)));
        let tokens: Vec<i64> = rows.flatten().collect();
        PyArray1::from_vec(py, tokens).reshape([self.observations.len(), History::CAPACITY])
    }

    /// Returns the actions, int64 of shape `(n,)`, of numbers in canonical suits, one for each row.
    fn real_actions<'py>(
        &self,
        py: Python<'py>,
        actions: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let numbers: Vec<Bound<'_, PyAny>> = actions.try_iter()?.collect::<PyResult<_>>()?;
        if numbers.len() != self.observations.len() {
            let (given, rows) = (numbers.len(), self.observations.len());
            return Err(value_error(format!(
                "actions has {given} entries: give one for each of the {rows} rows of the batch"
            )));
        }
        let real = numbers.iter().zip(&self.observations).map(|(number, observation)| {
            let action = action_argument(number)?;
            Ok(suits_of(observation, true).inverse().rename_action(action).index() as i64)
        });
        Ok(real.collect::<PyResult<Vec<i64>>>()?.into_pyarray(py))
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
        detail: DecisionDetail,
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

/// A bot as an argument from Python. It creates an instance per seat.
pub enum BotArgument {
    /// A bot of Troel.
    Native(Box<NamedBot>),
    /// A bot written in Python, with its name.
    Python(String, PythonBotFactory),
}

/// Reads a bot from an argument. It is a name, an [`Agent`], a callable, or a class that is called
/// with a seed and returns a callable.
pub fn bot_argument(
    bot: &Bound<'_, PyAny>,
    rules: &RuleSet,
    raised: &Raised,
) -> PyResult<BotArgument> {
    if let Ok(name) = bot.extract::<String>() {
        return NamedBot::find(&name, rules)
            .map(|bot| BotArgument::Native(Box::new(bot)))
            .map_err(value_error);
    }
    if let Ok(agent) = bot.extract::<PyRef<'_, Agent>>() {
        if agent.rules != rules {
            let (mine, theirs) = (agent.rules.id(), rules.id());
            return Err(value_error(format!("{} plays {mine}, not {theirs}", agent.name)));
        }
        return Ok(BotArgument::Native(Box::new(agent.named_bot.clone())));
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
    Ok(BotArgument::Python(name, PythonBotFactory { callable, is_class, raised }))
}

/// Returns a bot as a [`NamedBot`] for matches.
pub fn named_bot(bot: &Bound<'_, PyAny>, rules: &RuleSet, raised: &Raised) -> PyResult<NamedBot> {
    Ok(match bot_argument(bot, rules, raised)? {
        BotArgument::Native(bot) => *bot,
        BotArgument::Python(name, factory) => {
            NamedBot::new(&name, move |seed| Box::new(factory.instantiate(seed)))
        }
    })
}

/// Returns the exception that a bot written in Python raised, or else the error as a `ValueError`.
pub fn raised_or_value_error(raised: &Raised, error: impl std::fmt::Display) -> PyErr {
    let first = raised.lock().ok().and_then(|mut raised| raised.take());
    first.unwrap_or_else(|| value_error(error))
}
