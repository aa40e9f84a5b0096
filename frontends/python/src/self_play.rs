//! Many environments that step together, with all four seats.

use std::collections::HashMap;

use numpy::{Element, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1};
use pyo3::prelude::*;
use serde::{Deserialize, Serialize};
use troel_agents::DecisionDetail;
use troel_env::rng::{Purpose, Stream};
use troel_env::{
    Action, ActionSet, Env, History, N_ACTIONS, N_FEATURES, N_FULL_FEATURES, Observation, VecEnv,
};
use troel_nn::SuitPermutation;

use crate::actions::{action_of_environment, draw_action};
use crate::agent::Agent;
use crate::arguments::{config, reset_seed, seed, value_error};
use crate::game::Game;
use crate::packed::{PACKED_FULL_SIZE, PACKED_SIZE};
use crate::parallel::pool;
use crate::rows::{self, Rows, SharedRows, WriteObservation};
use crate::rule_sets::rule_set;
use crate::vectorised::{
    CallerBuffers, MAX_ENVIRONMENTS, copy_into, copy_of, exclusive, from_json, locked, num_envs,
    shared, view_of,
};
use crate::view::View;

/// Maximum number of environments that the calling thread steps alone.
const MAX_SERIAL_ENVIRONMENTS: usize = 64;

/// The function that restores pickled environments, and its arguments.
type ReducedSelfPlay<'py> = (Bound<'py, PyAny>, (String, [Bound<'py, PyAny>; 3]));

/// Environments without the arrays that the last step wrote (rewards, dones, scores).
#[derive(Serialize, Deserialize)]
struct SavedSelfPlay {
    envs: VecEnv,
    stream: Stream,
    has_full: bool,
    #[serde(default)]
    canonical_suits: bool,
    #[serde(default)]
    packed: bool,
    #[serde(default)]
    has_history: bool,
}

/// Arrays of observations of the seats to act.
enum Observations {
    /// Dense features, float32 of shape `(n, N_FEATURES)`; for critics `(n, N_FULL_FEATURES)`.
    Dense(Py<PyArray2<f32>>, Option<Py<PyArray2<f32>>>),
    /// Packed rows, uint8 of shape `(n, PACKED_SIZE)`; for critics `(n, PACKED_FULL_SIZE)`.
    Packed(Py<PyArray2<u8>>, Option<Py<PyArray2<u8>>>),
}

/// Many environments that step together, with all four seats. Each row is for the seat to act.
///
/// The arrays are created once, and each step writes into them. The next episode follows a finished
/// one at once.
#[pyclass(module = "troel")]
pub struct SelfPlay {
    envs: VecEnv,
    actions: Vec<Action>,
    /// Legal actions in each row, with the real suits.
    legal: Vec<ActionSet>,
    /// Permutation of the suits in each row. `None` without canonical suits.
    suits: Option<Vec<SuitPermutation>>,
    stream: Stream,
    observations: Observations,
    /// Masks of legal actions, bool of shape `(n, N_ACTIONS)`.
    masks: Py<PyArray2<bool>>,
    /// The seat to act, uint8 of shape `(n,)`.
    seats: Py<PyArray1<u8>>,
    /// Rewards of the last step, float32 of shape `(n, 4)`.
    rewards: Py<PyArray2<f32>>,
    /// Whether an episode ended with the last step, bool of shape `(n,)`.
    dones: Py<PyArray1<bool>>,
    /// Points of the deal that ended with the last step, int32 of shape `(n, 4)`; else zeros.
    scores: Py<PyArray2<i32>>,
    /// Tokens of the history, int64 of shape `(n, HISTORY_LENGTH)`. `None` unless requested.
    history: Option<Py<PyArray2<i64>>>,
    /// Result of `sample`, int64 of shape `(n,)`.
    sampled: Py<PyArray1<i64>>,
}

#[pymethods]
impl SelfPlay {
    #[new]
    #[pyo3(signature = (num_envs, rules = "luxembourg", *, r#match = false, reward = "centred", scenario = "any", seed = 0, full = false, canonical_suits = false, packed = false, history = false, buffers = None))]
    #[expect(clippy::too_many_arguments, reason = "they have names in Python")]
    fn new(
        py: Python<'_>,
        #[pyo3(from_py_with = num_envs)] num_envs: usize,
        rules: &str,
        r#match: bool,
        reward: &str,
        scenario: &str,
        #[pyo3(from_py_with = seed)] seed: u64,
        full: bool,
        canonical_suits: bool,
        packed: bool,
        history: bool,
        buffers: Option<HashMap<String, Bound<'_, PyAny>>>,
    ) -> PyResult<SelfPlay> {
        let rules = rule_set(rules)?;
        let config = config(rules, r#match, reward, scenario)?;
        let envs = VecEnv::new(rules, config, num_envs, seed);
        let stream = Stream::new(seed, Purpose::Action, 0);
        let (has_full, has_history) = (full, history);
        let saved = SavedSelfPlay { envs, stream, has_full, canonical_suits, packed, has_history };
        SelfPlay::from_saved(py, saved, CallerBuffers::new(buffers))
    }

    fn __len__(slf: &Bound<'_, Self>) -> PyResult<usize> {
        Ok(shared(slf)?.envs.len())
    }

    /// Features of the seat to act, float32 of shape `(n, N_FEATURES)`, or packed rows, uint8 of
    /// shape `(n, PACKED_SIZE)`.
    #[getter]
    fn observations<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        match &shared(slf)?.observations {
            Observations::Dense(observations, _) => view_of(observations.bind(slf.py())),
            Observations::Packed(observations, _) => view_of(observations.bind(slf.py())),
        }
    }

    /// Masks of legal actions, bool of shape `(n, N_ACTIONS)`.
    #[getter]
    fn masks<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        view_of(shared(slf)?.masks.bind(slf.py()))
    }

    /// The seat to act, uint8 of shape `(n,)`.
    #[getter]
    fn seats<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        view_of(shared(slf)?.seats.bind(slf.py()))
    }

    /// Rewards of the last step, float32 of shape `(n, 4)`.
    #[getter]
    fn rewards<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        view_of(shared(slf)?.rewards.bind(slf.py()))
    }

    /// Whether an episode ended with the last step, bool of shape `(n,)`.
    #[getter]
    fn dones<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        view_of(shared(slf)?.dones.bind(slf.py()))
    }

    /// Points of the deal that ended with the last step, int32 of shape `(n, 4)`; else zeros.
    #[getter]
    fn scores<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        view_of(shared(slf)?.scores.bind(slf.py()))
    }

    /// Full information for critics, float32 of shape `(n, N_FULL_FEATURES)`, or packed rows, uint8
    /// of shape `(n, PACKED_FULL_SIZE)`. `None` unless requested.
    #[getter]
    fn full<'py>(slf: &Bound<'py, Self>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let (py, this) = (slf.py(), shared(slf)?);
        match &this.observations {
            Observations::Dense(_, full) => {
                full.as_ref().map(|full| view_of(full.bind(py))).transpose()
            }
            Observations::Packed(_, full) => {
                full.as_ref().map(|full| view_of(full.bind(py))).transpose()
            }
        }
    }

    /// Tokens of the history, int64 of shape `(n, HISTORY_LENGTH)`. `None` unless requested.
    #[getter]
    fn history<'py>(slf: &Bound<'py, Self>) -> PyResult<Option<Bound<'py, PyAny>>> {
        shared(slf)?.history.as_ref().map(|history| view_of(history.bind(slf.py()))).transpose()
    }

    /// Starts new episodes with the next deals, or with the first deals of a seed if it is given.
    #[pyo3(signature = (seed = None))]
    fn reset(
        slf: &Bound<'_, Self>,
        #[pyo3(from_py_with = reset_seed)] seed: Option<u64>,
    ) -> PyResult<()> {
        let mut this = exclusive(slf)?;
        if let Some(seed) = seed {
            this.stream = Stream::new(seed, Purpose::Action, 0);
        }
        this.envs.reset(seed);
        this.advance(slf.py(), false)
    }

    /// Takes one action (int64) in each environment.
    ///
    /// Raises `IllegalAction`, a `ValueError`, if an action is not legal.
    /// No environment has stepped then.
    fn step(slf: &Bound<'_, Self>, actions: PyReadonlyArray1<'_, i64>) -> PyResult<()> {
        let (py, mut this, actions) = (slf.py(), exclusive(slf)?, actions.as_array());
        let n = this.envs.len();
        if actions.len() != n {
            return Err(value_error(format!(
                "{} actions for {n} environments: give one for each",
                actions.len()
            )));
        }
        let this = &mut *this;
        this.actions.clear();
        for (index, &number) in actions.iter().enumerate() {
            let renamed = usize::try_from(number).ok().and_then(Action::from_index);
            let action = match &this.suits {
                Some(suits) => renamed.map(|action| suits[index].inverse().rename_action(action)),
                None => renamed,
            };
            let action = match action.filter(|&action| this.legal[index].has(action)) {
                Some(action) => action,
                // Raises the error that names the legal actions.
                None => {
                    let phase = this.envs.envs()[index].state().phase();
                    let (legal, suits) = (this.legal[index], row_suits(&this.suits, index));
                    action_of_environment(py, (index, n), number, legal, phase, suits)?
                }
            };
            this.actions.push(action);
        }
        this.advance(py, true)
    }

    /// Draws a legal action in each environment uniformly, int64 of shape `(n,)`.
    /// Each call overwrites the array of the last one.
    fn sample<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let mut this = exclusive(slf)?;
        let this = &mut *this;
        let sampled = this.sampled.bind(slf.py());
        let mut into = sampled.try_readwrite().map_err(locked)?;
        for (row, (&legal, into)) in this.legal.iter().zip(into.as_slice_mut()?).enumerate() {
            let suits = row_suits(&this.suits, row);
            *into = draw_action(legal, suits, &mut this.stream);
        }
        view_of(sampled)
    }

    /// Returns the actions of a bot for the seats to act in some environments, int64 of shape
    /// `(len(rows),)`. It decides on all of them in one batch.
    fn act<'py>(
        slf: &Bound<'py, Self>,
        bot: &Agent,
        rows: PyReadonlyArray1<'py, i64>,
    ) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let (py, this) = (slf.py(), shared(slf)?);
        let (rows, observations) = this.observations_of(rows)?;
        let decisions = bot.decide(py, &observations, DecisionDetail::Action)?;
        let actions = rows.iter().zip(decisions).map(|(&row, decision)| {
            row_suits(&this.suits, row).rename_action(decision.action).index() as i64
        });
        Ok(PyArray1::from_iter(py, actions))
    }

    /// Returns the probabilities of the actions by a bot for the seats to act in some environments,
    /// float32 of shape `(len(rows), N_ACTIONS)`. It decides on all of them in one batch.
    fn policy<'py>(
        slf: &Bound<'py, Self>,
        bot: &Agent,
        rows: PyReadonlyArray1<'py, i64>,
    ) -> PyResult<Bound<'py, PyArray2<f32>>> {
        let (py, this) = (slf.py(), shared(slf)?);
        let (rows, observations) = this.observations_of(rows)?;
        let decisions = bot.decide(py, &observations, DecisionDetail::Policy)?;
        let policies = PyArray2::zeros(py, [rows.len(), N_ACTIONS], false);
        let mut into = policies.readwrite();
        let into = into.as_slice_mut()?.chunks_mut(N_ACTIONS);
        for ((&row, decision), into) in rows.iter().zip(decisions).zip(into) {
            let suits = row_suits(&this.suits, row);
            for (action, probability) in decision.policy {
                into[suits.rename_action(action).index()] = probability;
            }
        }
        Ok(policies)
    }

    /// Returns an independent copy of an environment.
    fn game(slf: &Bound<'_, Self>, index: &Bound<'_, PyAny>) -> PyResult<Game> {
        Ok(Game::from_env(shared(slf)?.env(index)?.clone()))
    }

    /// Returns the observation of the seat to act in an environment.
    fn view(slf: &Bound<'_, Self>, index: &Bound<'_, PyAny>) -> PyResult<View> {
        Ok(View { observation: shared(slf)?.env(index)?.observe() })
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<ReducedSelfPlay<'py>> {
        let (py, this) = (slf.py(), shared(slf)?);
        let restore = py.import("troel._troel")?.getattr("_restore_self_play")?;
        let saved = serde_json::to_string(&this.saved()).map_err(value_error)?;
        let [rewards, dones, scores] = this.written(py);
        Ok((restore, (saved, [copy_of(rewards)?, copy_of(dones)?, copy_of(scores)?])))
    }

    /// Returns a deep copy.
    fn __deepcopy__(slf: &Bound<'_, Self>, _memo: &Bound<'_, PyAny>) -> PyResult<SelfPlay> {
        let (py, this) = (slf.py(), shared(slf)?);
        SelfPlay::with(py, this.saved(), this.written(py))
    }
}

/// Returns the environments that `SelfPlay.__reduce__` describes.
#[pyfunction]
pub fn _restore_self_play(
    py: Python<'_>,
    saved: &str,
    arrays: [Bound<'_, PyAny>; 3],
) -> PyResult<SelfPlay> {
    let saved: SavedSelfPlay = from_json(saved)?;
    if !(1..=MAX_ENVIRONMENTS).contains(&(saved.envs.len() as u64)) {
        return Err(value_error("not saved environments: their number is out of range"));
    }
    SelfPlay::with(py, saved, arrays.each_ref())
}

impl SelfPlay {
    fn from_saved<'py>(
        py: Python<'py>,
        saved: SavedSelfPlay,
        mut buffers: CallerBuffers<'py>,
    ) -> PyResult<SelfPlay> {
        let n = saved.envs.len();
        let history =
            saved.has_history.then(|| buffers.take(py, "history", [n, History::CAPACITY]));
        let mut new = SelfPlay {
            actions: Vec::with_capacity(n),
            legal: vec![ActionSet::EMPTY; n],
            suits: saved.canonical_suits.then(|| vec![SuitPermutation::default(); n]),
            stream: saved.stream,
            observations: Observations::new(py, n, saved.has_full, saved.packed, &mut buffers)?,
            masks: buffers.take(py, "masks", [n, N_ACTIONS])?,
            seats: buffers.take(py, "seats", [n])?,
            rewards: buffers.take(py, "rewards", [n, 4])?,
            dones: buffers.take(py, "dones", [n])?,
            scores: buffers.take(py, "scores", [n, 4])?,
            history: history.transpose()?,
            sampled: PyArray1::zeros(py, n, false).unbind(),
            envs: saved.envs,
        };
        buffers.check_used()?;
        new.advance(py, false)?;
        Ok(new)
    }

    fn saved(&self) -> SavedSelfPlay {
        let (envs, stream) = (self.envs.clone(), self.stream.clone());
        let (has_full, packed) = match &self.observations {
            Observations::Dense(_, full) => (full.is_some(), false),
            Observations::Packed(_, full) => (full.is_some(), true),
        };
        let (canonical_suits, has_history) = (self.suits.is_some(), self.history.is_some());
        SavedSelfPlay { envs, stream, has_full, canonical_suits, packed, has_history }
    }

    /// Returns the arrays with the results of the last step.
    fn written<'a, 'py>(&'a self, py: Python<'py>) -> [&'a Bound<'py, PyAny>; 3] {
        [self.rewards.bind(py), self.dones.bind(py), self.scores.bind(py)]
    }

    /// Returns the environments after a step that wrote these arrays.
    fn with(
        py: Python<'_>,
        saved: SavedSelfPlay,
        written: [&Bound<'_, PyAny>; 3],
    ) -> PyResult<SelfPlay> {
        let new = SelfPlay::from_saved(py, saved, CallerBuffers::default())?;
        for (array, from) in new.written(py).into_iter().zip(written) {
            copy_into(array, from)?;
        }
        Ok(new)
    }

    /// Returns the numbers of environments, and the observations of their seats to act.
    fn observations_of(
        &self,
        rows: PyReadonlyArray1<'_, i64>,
    ) -> PyResult<(Vec<usize>, Vec<Observation>)> {
        let n = self.envs.len();
        let index = |&row: &i64| {
            let index = usize::try_from(row).ok().filter(|&index| index < n);
            index.ok_or_else(|| value_error(format!("rows has {row}: use 0 to {}", n - 1)))
        };
        let rows: Vec<usize> = rows.as_array().iter().map(index).collect::<PyResult<_>>()?;
        let observations = rows.iter().map(|&row| self.envs.envs()[row].observe()).collect();
        Ok((rows, observations))
    }

    fn env(&self, index: &Bound<'_, PyAny>) -> PyResult<&Env> {
        let envs = self.envs.envs();
        Ok(&envs[crate::arguments::index(index, envs.len())?])
    }

    /// Steps if actions were set, and writes the arrays.
    fn advance(&mut self, py: Python<'_>, steps: bool) -> PyResult<()> {
        let mut masks = self.masks.bind(py).try_readwrite().map_err(locked)?;
        let mut seats = self.seats.bind(py).try_readwrite().map_err(locked)?;
        let mut rewards = self.rewards.bind(py).try_readwrite().map_err(locked)?;
        let mut dones = self.dones.bind(py).try_readwrite().map_err(locked)?;
        let mut scores = self.scores.bind(py).try_readwrite().map_err(locked)?;
        let history = self.history.as_ref();
        let mut history =
            history.map(|history| history.bind(py).try_readwrite().map_err(locked)).transpose()?;
        let shared = SharedRows {
            masks: masks.as_slice_mut()?.as_chunks_mut().0,
            seats: seats.as_slice_mut()?,
            rewards: rewards.as_slice_mut()?.as_chunks_mut().0,
            dones: dones.as_slice_mut()?,
            scores: scores.as_slice_mut()?.as_chunks_mut().0,
            history: match &mut history {
                Some(history) => Some(history.as_slice_mut()?.as_chunks_mut().0),
                None => None,
            },
            legal: &mut self.legal,
            suits: self.suits.as_deref_mut(),
        };
        let (envs, actions) = (&mut self.envs, steps.then_some(&self.actions[..]));
        match &self.observations {
            Observations::Dense(observations, full) => {
                let arrays = (observations, full.as_ref());
                step_into(py, envs, actions, arrays, shared, rows::write_dense)
            }
            Observations::Packed(observations, full) => {
                let arrays = (observations, full.as_ref());
                step_into(py, envs, actions, arrays, shared, rows::write_packed)
            }
        }
    }
}

/// Steps (if there are actions) without the interpreter lock, and writes the rows. `arrays` are
/// those of the observations and of the full information.
fn step_into<T: Element + Send, const N: usize, const M: usize>(
    py: Python<'_>,
    envs: &mut VecEnv,
    actions: Option<&[Action]>,
    arrays: (&Py<PyArray2<T>>, Option<&Py<PyArray2<T>>>),
    shared: SharedRows<'_>,
    write: WriteObservation<T, N, M>,
) -> PyResult<()> {
    let (observations, full) = arrays;
    let mut observations = observations.bind(py).try_readwrite().map_err(locked)?;
    let full = full.map(|full| full.bind(py).try_readwrite().map_err(locked));
    let mut full = full.transpose()?;
    let rows = Rows {
        observations: observations.as_slice_mut()?.as_chunks_mut().0,
        full: match &mut full {
            Some(full) => Some(full.as_slice_mut()?.as_chunks_mut().0),
            None => None,
        },
        shared,
        write,
    };
    // For few environments, other threads would cost more time than they save.
    let stepped = if envs.len() <= MAX_SERIAL_ENVIRONMENTS {
        py.detach(|| envs.step_into(actions, rows))
    } else {
        let pool = pool()?;
        py.detach(|| pool.install(|| envs.step_into(actions, rows)))
    };
    stepped.map_err(value_error)
}

impl Observations {
    fn new<'py>(
        py: Python<'py>,
        n: usize,
        has_full: bool,
        packed: bool,
        buffers: &mut CallerBuffers<'py>,
    ) -> PyResult<Observations> {
        if packed {
            let observations = buffers.take(py, "observations", [n, PACKED_SIZE])?;
            let full = has_full.then(|| buffers.take(py, "full", [n, PACKED_FULL_SIZE]));
            return Ok(Observations::Packed(observations, full.transpose()?));
        }
        let observations = buffers.take(py, "observations", [n, N_FEATURES])?;
        let full = has_full.then(|| buffers.take(py, "full", [n, N_FULL_FEATURES]));
        Ok(Observations::Dense(observations, full.transpose()?))
    }
}

/// Returns the permutation of the suits in a row.
fn row_suits(suits: &Option<Vec<SuitPermutation>>, row: usize) -> SuitPermutation {
    suits.as_ref().map_or_else(SuitPermutation::default, |suits| suits[row])
}
