//! Many environments that step together, all four seats of each.

use numpy::{PyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1};
use pyo3::prelude::*;
use troel_env::rng::{Purpose, Stream};
use troel_env::vec_env::{Buffers, Extras};
use troel_env::{Action, Env, N_ACTIONS, N_FEATURES, N_FULL_FEATURES, VecEnv};

use crate::arguments::{action_of, bad, config, draw, rule_set};
use crate::game::Game;
use crate::parallel::pool;
use crate::view::View;

/// The most environments: beyond it the buffers alone take gigabytes.
const MOST: usize = 1 << 20;

/// Environments that are stepped by the calling thread alone.
const FEW: usize = 64;

/// Number `n` of environments, if it is a possible one.
pub fn number(n: usize) -> PyResult<usize> {
    if (1..=MOST).contains(&n) { Ok(n) } else { Err(bad(format!("num_envs is 1 to {MOST}"))) }
}

/// Many environments that step together, all four seats of each; every row is the seat to act.
///
/// The arrays are made once, and each step writes into them. An episode that ends is followed by the next at once.
#[pyclass(module = "troel")]
pub struct SelfPlay {
    envs: VecEnv,
    actions: Vec<Action>,
    stream: Stream,
    /// Features of the seat to act, float32 of shape `(n, N_FEATURES)`.
    observations: Py<PyArray2<f32>>,
    /// Its legal actions, bool of shape `(n, N_ACTIONS)`.
    masks: Py<PyArray2<bool>>,
    /// The seat to act, uint8 of shape `(n,)`.
    seats: Py<PyArray1<u8>>,
    /// Rewards of the step just taken, float32 of shape `(n, 4)`.
    rewards: Py<PyArray2<f32>>,
    /// Whether an episode ended with it, bool of shape `(n,)`.
    dones: Py<PyArray1<bool>>,
    /// Points of the deal that ended with it, int32 of shape `(n, 4)`; zeros where none did.
    scores: Py<PyArray2<i32>>,
    /// Full information for critics, float32 of shape `(n, N_FULL_FEATURES)`; `None` unless asked for.
    full: Option<Py<PyArray2<f32>>>,
    /// What `sample` wrote, int64 of shape `(n,)`.
    sampled: Py<PyArray1<i64>>,
}

#[pymethods]
impl SelfPlay {
    #[new]
    #[pyo3(signature = (num_envs, rules = "luxembourg", *, r#match = false, reward = "centred", scenario = "any", seed = 0, full = false))]
    #[expect(clippy::too_many_arguments, reason = "they have names in Python")]
    fn new(
        py: Python<'_>,
        num_envs: usize,
        rules: &str,
        r#match: bool,
        reward: &str,
        scenario: &str,
        seed: u64,
        full: bool,
    ) -> PyResult<SelfPlay> {
        let n = number(num_envs)?;
        let config = config(r#match, reward, scenario)?;
        let mut new = SelfPlay {
            envs: VecEnv::new(rule_set(rules)?, config, n, seed),
            actions: Vec::with_capacity(n),
            stream: Stream::new(seed, Purpose::Action, 0),
            observations: PyArray2::zeros(py, [n, N_FEATURES], false).unbind(),
            masks: PyArray2::zeros(py, [n, N_ACTIONS], false).unbind(),
            seats: PyArray1::zeros(py, n, false).unbind(),
            rewards: PyArray2::zeros(py, [n, 4], false).unbind(),
            dones: PyArray1::zeros(py, n, false).unbind(),
            scores: PyArray2::zeros(py, [n, 4], false).unbind(),
            full: full.then(|| PyArray2::zeros(py, [n, N_FULL_FEATURES], false).unbind()),
            sampled: PyArray1::zeros(py, n, false).unbind(),
        };
        new.advance(py, false)?;
        Ok(new)
    }

    fn __len__(&self) -> usize {
        self.envs.len()
    }

    /// Features of the seat to act, float32 of shape `(n, N_FEATURES)`.
    #[getter]
    fn observations<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        view_of(self.observations.bind(py))
    }

    /// Its legal actions, bool of shape `(n, N_ACTIONS)`.
    #[getter]
    fn masks<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        view_of(self.masks.bind(py))
    }

    /// The seat to act, uint8 of shape `(n,)`.
    #[getter]
    fn seats<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        view_of(self.seats.bind(py))
    }

    /// Rewards of the step just taken, float32 of shape `(n, 4)`.
    #[getter]
    fn rewards<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        view_of(self.rewards.bind(py))
    }

    /// Whether an episode ended with it, bool of shape `(n,)`.
    #[getter]
    fn dones<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        view_of(self.dones.bind(py))
    }

    /// Points of the deal that ended with it, int32 of shape `(n, 4)`; zeros where none did.
    #[getter]
    fn scores<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        view_of(self.scores.bind(py))
    }

    /// Full information for critics, float32 of shape `(n, N_FULL_FEATURES)`; `None` unless asked for.
    #[getter]
    fn full<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.full.as_ref().map(|full| view_of(full.bind(py))).transpose()
    }

    /// Starts new episodes: with the first deals of a seed if one is given, else with the next deals.
    #[pyo3(signature = (seed = None))]
    fn reset(&mut self, py: Python<'_>, seed: Option<u64>) -> PyResult<()> {
        if let Some(seed) = seed {
            self.stream = Stream::new(seed, Purpose::Action, 0);
        }
        self.envs.reset(seed);
        self.advance(py, false)
    }

    /// Takes one action (int64) in each environment.
    ///
    /// Raises `IllegalAction`, a `ValueError`, if one is not legal; no environment has stepped then.
    fn step(&mut self, py: Python<'_>, actions: PyReadonlyArray1<'_, i64>) -> PyResult<()> {
        let actions = actions.as_array();
        if actions.len() != self.envs.len() {
            return Err(bad(format!(
                "{} actions for {} environments",
                actions.len(),
                self.envs.len()
            )));
        }
        self.actions.clear();
        for (index, (&number, env)) in actions.iter().zip(self.envs.envs()).enumerate() {
            let (legal, phase) = (env.legal_actions(), env.state().phase());
            let action = action_of(py, (index, self.envs.len()), number, legal, phase)?;
            self.actions.push(action);
        }
        self.advance(py, true)
    }

    /// An action drawn uniformly from the legal ones of each environment, int64 of shape `(n,)`. The array is written
    /// anew by each call.
    fn sample<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let mut sampled = self.sampled.bind(py).try_readwrite().map_err(locked)?;
        for (env, sampled) in self.envs.envs().iter().zip(sampled.as_slice_mut()?) {
            *sampled = draw(env.legal_actions(), &mut self.stream);
        }
        view_of(self.sampled.bind(py))
    }

    /// A copy of an environment, to be played on by itself.
    fn game(&self, index: usize) -> PyResult<Game> {
        Ok(Game::of_env(self.env(index)?.clone()))
    }

    /// What the seat to act of an environment knows.
    fn view(&self, index: usize) -> PyResult<View> {
        Ok(View { observation: self.env(index)?.observe() })
    }
}

impl SelfPlay {
    fn env(&self, index: usize) -> PyResult<&Env> {
        let env = self.envs.envs().get(index);
        env.ok_or_else(|| bad(format!("there are {} environments", self.envs.len())))
    }

    /// Steps if actions were set, and writes the arrays.
    fn advance(&mut self, py: Python<'_>, steps: bool) -> PyResult<()> {
        let mut observations = self.observations.bind(py).try_readwrite().map_err(locked)?;
        let mut masks = self.masks.bind(py).try_readwrite().map_err(locked)?;
        let mut seats = self.seats.bind(py).try_readwrite().map_err(locked)?;
        let mut rewards = self.rewards.bind(py).try_readwrite().map_err(locked)?;
        let mut dones = self.dones.bind(py).try_readwrite().map_err(locked)?;
        let mut scores = self.scores.bind(py).try_readwrite().map_err(locked)?;
        let mut full = match &self.full {
            Some(full) => Some(full.bind(py).try_readwrite().map_err(locked)?),
            None => None,
        };
        let mut buffers = Buffers {
            observations: observations.as_array_mut(),
            masks: masks.as_array_mut(),
            seats: seats.as_array_mut(),
            rewards: rewards.as_array_mut(),
            dones: dones.as_array_mut(),
        };
        let mut extras = Extras {
            deal_over: None,
            scores: Some(scores.as_array_mut()),
            full: full.as_mut().map(|full| full.as_array_mut()),
        };
        // So few that a step hands nothing to other threads.
        let step_alone = self.envs.len() <= FEW;
        let (envs, actions) = (&mut self.envs, &self.actions);
        let actions = steps.then_some(actions.as_slice());
        let mut step = || envs.step_with(actions, &mut buffers, &mut extras);
        let stepped = match step_alone {
            true => py.detach(step),
            false => {
                let pool = pool()?;
                py.detach(|| pool.install(&mut step))
            }
        };
        stepped.map_err(bad)
    }
}

/// An array of the environment as Python gets it: what is done to its shape and flags does not reach the environment's.
pub fn view_of<'py, T, D>(array: &Bound<'py, PyArray<T, D>>) -> PyResult<Bound<'py, PyAny>> {
    array.call_method0("view")
}

/// An array that cannot be written.
pub fn locked(error: numpy::BorrowError) -> PyErr {
    bad(format!(
        "an array of the environment cannot be written ({error}): copy it instead of keeping it locked"
    ))
}
