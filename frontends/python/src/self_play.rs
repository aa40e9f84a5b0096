//! Many environments that step together, with all four seats.

use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1};
use pyo3::prelude::*;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use troel_env::rng::{Purpose, Stream};
use troel_env::{Action, Buffers, Env, History, N_ACTIONS, N_FEATURES, N_FULL_FEATURES, VecEnv};
use troel_nn::SuitPermutation;

use crate::actions::{action_of_environment, draw_action};
use crate::arguments::{config, reset_seed, seed, value_error};
use crate::game::Game;
use crate::parallel::pool;
use crate::rule_sets::rule_set;
use crate::vectorised::{
    MAX_ENVIRONMENTS, copy_into, copy_of, exclusive, from_json, locked, num_envs, shared, view_of,
};
use crate::view::{View, history_tokens};

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
    has_history: bool,
}

/// Many environments that step together, with all four seats. Each row is for the seat to act.
///
/// The arrays are created once, and each step writes into them. The next episode follows a finished
/// one at once.
#[pyclass(module = "troel")]
pub struct SelfPlay {
    envs: VecEnv,
    actions: Vec<Action>,
    /// Permutation of the suits in each row. `None` without canonical suits.
    suits: Option<Vec<SuitPermutation>>,
    stream: Stream,
    /// Features of the seat to act, float32 of shape `(n, N_FEATURES)`.
    observations: Py<PyArray2<f32>>,
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
    /// Full information for critics, float32 of shape `(n, N_FULL_FEATURES)`. `None` unless
    /// requested.
    full: Option<Py<PyArray2<f32>>>,
    /// Tokens of the history, int64 of shape `(n, HISTORY_LENGTH)`. `None` unless requested.
    history: Option<Py<PyArray2<i64>>>,
    /// Result of `sample`, int64 of shape `(n,)`.
    sampled: Py<PyArray1<i64>>,
}

#[pymethods]
impl SelfPlay {
    #[new]
    #[pyo3(signature = (num_envs, rules = "luxembourg", *, r#match = false, reward = "centred", scenario = "any", seed = 0, full = false, canonical_suits = false, history = false))]
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
        history: bool,
    ) -> PyResult<SelfPlay> {
        let rules = rule_set(rules)?;
        let config = config(rules, r#match, reward, scenario)?;
        let envs = VecEnv::new(rules, config, num_envs, seed);
        let stream = Stream::new(seed, Purpose::Action, 0);
        let (has_full, has_history) = (full, history);
        let saved = SavedSelfPlay { envs, stream, has_full, canonical_suits, has_history };
        SelfPlay::from_saved(py, saved)
    }

    fn __len__(slf: &Bound<'_, Self>) -> PyResult<usize> {
        Ok(shared(slf)?.envs.len())
    }

    /// Features of the seat to act, float32 of shape `(n, N_FEATURES)`.
    #[getter]
    fn observations<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        view_of(shared(slf)?.observations.bind(slf.py()))
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

    /// Full information for critics, float32 of shape `(n, N_FULL_FEATURES)`.
    ///
    /// `None` unless requested.
    #[getter]
    fn full<'py>(slf: &Bound<'py, Self>) -> PyResult<Option<Bound<'py, PyAny>>> {
        shared(slf)?.full.as_ref().map(|full| view_of(full.bind(slf.py()))).transpose()
    }

    /// Tokens of the history, int64 of shape `(n, HISTORY_LENGTH)`.
    ///
    /// `None` unless requested.
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
        for (index, (&number, env)) in actions.iter().zip(this.envs.envs()).enumerate() {
            let (legal, phase) = (env.legal_actions(), env.state().phase());
            let suits = row_suits(&this.suits, index);
            this.actions.push(action_of_environment(py, (index, n), number, legal, phase, suits)?);
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
        for (row, (env, into)) in this.envs.envs().iter().zip(into.as_slice_mut()?).enumerate() {
            let suits = row_suits(&this.suits, row);
            *into = draw_action(env.legal_actions(), suits, &mut this.stream);
        }
        view_of(sampled)
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
    fn from_saved(py: Python<'_>, saved: SavedSelfPlay) -> PyResult<SelfPlay> {
        let n = saved.envs.len();
        let full = saved.has_full;
        let mut new = SelfPlay {
            envs: saved.envs,
            actions: Vec::with_capacity(n),
            suits: saved.canonical_suits.then(|| vec![SuitPermutation::default(); n]),
            stream: saved.stream,
            observations: PyArray2::zeros(py, [n, N_FEATURES], false).unbind(),
            masks: PyArray2::zeros(py, [n, N_ACTIONS], false).unbind(),
            seats: PyArray1::zeros(py, n, false).unbind(),
            rewards: PyArray2::zeros(py, [n, 4], false).unbind(),
            dones: PyArray1::zeros(py, n, false).unbind(),
            scores: PyArray2::zeros(py, [n, 4], false).unbind(),
            full: full.then(|| PyArray2::zeros(py, [n, N_FULL_FEATURES], false).unbind()),
            history: (saved.has_history)
                .then(|| PyArray2::zeros(py, [n, History::CAPACITY], false).unbind()),
            sampled: PyArray1::zeros(py, n, false).unbind(),
        };
        new.advance(py, false)?;
        Ok(new)
    }

    fn saved(&self) -> SavedSelfPlay {
        let (envs, stream) = (self.envs.clone(), self.stream.clone());
        let (has_full, canonical_suits) = (self.full.is_some(), self.suits.is_some());
        let has_history = self.history.is_some();
        SavedSelfPlay { envs, stream, has_full, canonical_suits, has_history }
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
        let new = SelfPlay::from_saved(py, saved)?;
        for (array, from) in new.written(py).into_iter().zip(written) {
            copy_into(array, from)?;
        }
        Ok(new)
    }

    fn env(&self, index: &Bound<'_, PyAny>) -> PyResult<&Env> {
        let envs = self.envs.envs();
        Ok(&envs[crate::arguments::index(index, envs.len())?])
    }

    /// Steps if actions were set, and writes the arrays.
    fn advance(&mut self, py: Python<'_>, steps: bool) -> PyResult<()> {
        self.write_rows(py, steps)?;
        self.write_histories(py)
    }

    /// Writes the tokens of the histories, if they were requested.
    fn write_histories(&self, py: Python<'_>) -> PyResult<()> {
        let Some(history) = &self.history else {
            return Ok(());
        };
        let mut history = history.bind(py).try_readwrite().map_err(locked)?;
        let rows = history.as_slice_mut()?.as_chunks_mut::<{ History::CAPACITY }>().0;
        let (envs, has_canonical_suits) = (self.envs.envs(), self.suits.is_some());
        let write = |(row, env): (&mut [i64; History::CAPACITY], &Env)| {
            *row = history_tokens(&env.observe(), has_canonical_suits);
        };
        if envs.len() <= MAX_SERIAL_ENVIRONMENTS {
            py.detach(|| rows.iter_mut().zip(envs).for_each(write));
        } else {
            let pool = pool()?;
            py.detach(|| pool.install(|| rows.par_iter_mut().zip(envs).for_each(write)));
        }
        Ok(())
    }

    /// Steps if actions were set, and writes the arrays other than the histories.
    fn write_rows(&mut self, py: Python<'_>, steps: bool) -> PyResult<()> {
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
        let buffers = Buffers {
            observations: observations.as_array_mut(),
            masks: masks.as_array_mut(),
            seats: seats.as_array_mut(),
            rewards: rewards.as_array_mut(),
            dones: dones.as_array_mut(),
            deal_over: None,
            scores: Some(scores.as_array_mut()),
            full: full.as_mut().map(|full| full.as_array_mut()),
        };
        // For few environments, other threads would cost more time than they save.
        let step_alone = self.envs.len() <= MAX_SERIAL_ENVIRONMENTS;
        let (envs, actions) = (&mut self.envs, &self.actions);
        let step = || if steps { envs.step(actions, buffers) } else { envs.observe(buffers) };
        let pool = if step_alone { None } else { Some(pool()?) };
        let stepped = match &pool {
            None => py.detach(step),
            Some(pool) => py.detach(|| pool.install(step)),
        };
        stepped.map_err(value_error)?;
        let Some(suits) = &mut self.suits else {
            return Ok(());
        };
        let mut full = match &mut full {
            Some(full) => Some(full.as_slice_mut()?.chunks_mut(N_FULL_FEATURES)),
            None => None,
        };
        let rows = (self.envs.envs().iter())
            .zip(suits)
            .zip(observations.as_slice_mut()?.chunks_mut(N_FEATURES))
            .zip(masks.as_slice_mut()?.as_chunks_mut().0)
            .map(|(((env, suits), observation), mask)| {
                let full = full.as_mut().and_then(Iterator::next);
                RenamedRow { env, suits, observation, mask, full }
            });
        let rows: Vec<RenamedRow<'_>> = rows.collect();
        match &pool {
            None => py.detach(|| rows.into_iter().for_each(RenamedRow::rename)),
            Some(pool) => {
                py.detach(|| pool.install(|| rows.into_par_iter().for_each(RenamedRow::rename)))
            }
        }
        Ok(())
    }
}

/// Row of an environment with canonical suits, which was written with the real suits.
struct RenamedRow<'a> {
    env: &'a Env,
    suits: &'a mut SuitPermutation,
    observation: &'a mut [f32],
    mask: &'a mut [bool; N_ACTIONS],
    full: Option<&'a mut [f32]>,
}

impl RenamedRow<'_> {
    /// Renames the suits of the row.
    fn rename(self) {
        *self.suits = SuitPermutation::canonical(&self.env.observe());
        self.suits.rename_features(self.observation);
        self.suits.rename_actions(self.env.legal_actions()).write_mask(self.mask);
        if let Some(full) = self.full {
            self.suits.rename_features(full);
        }
    }
}

/// Returns the permutation of the suits in a row.
fn row_suits(suits: &Option<Vec<SuitPermutation>>, row: usize) -> SuitPermutation {
    suits.as_ref().map_or_else(SuitPermutation::default, |suits| suits[row])
}
