//! Many environments that step together, with all four seats.

use std::collections::HashMap;

use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1};
use pyo3::prelude::*;
use rayon::ThreadPool;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use troel_agents::DecisionDetail;
use troel_env::features::PackedFeatures;
use troel_env::rng::{Purpose, Stream};
use troel_env::{
    Action, Buffers, Env, N_ACTIONS, N_FEATURES, N_FULL_FEATURES, Observation, PackedArrays, VecEnv,
};
use troel_nn::SuitPermutation;

use crate::actions::{action_of_environment, draw_action};
use crate::agent::Agent;
use crate::arguments::{config, reset_seed, seed, value_error};
use crate::game::Game;
use crate::packed::{self, PACKED_FULL_SIZE, PACKED_SIZE, PackedObservations};
use crate::parallel::pool;
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
}

/// Arrays of observations of the seats to act.
enum Observations {
    /// Dense features.
    Dense {
        /// Float32 of shape `(n, N_FEATURES)`.
        observations: Py<PyArray2<f32>>,
        /// Full information for critics, float32 of shape `(n, N_FULL_FEATURES)`. `None` unless
        /// requested.
        full: Option<Py<PyArray2<f32>>>,
    },
    /// Packed rows.
    Packed(PackedObservations),
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
    /// Result of `sample`, int64 of shape `(n,)`.
    sampled: Py<PyArray1<i64>>,
}

#[pymethods]
impl SelfPlay {
    #[new]
    #[pyo3(signature = (num_envs, rules = "luxembourg", *, r#match = false, reward = "centred", scenario = "any", seed = 0, full = false, canonical_suits = false, packed = false, buffers = None))]
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
        buffers: Option<HashMap<String, Bound<'_, PyAny>>>,
    ) -> PyResult<SelfPlay> {
        let rules = rule_set(rules)?;
        let config = config(rules, r#match, reward, scenario)?;
        let envs = VecEnv::new(rules, config, num_envs, seed);
        let stream = Stream::new(seed, Purpose::Action, 0);
        let saved = SavedSelfPlay { envs, stream, has_full: full, canonical_suits, packed };
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
            Observations::Dense { observations, .. } => view_of(observations.bind(slf.py())),
            Observations::Packed(packed) => view_of(packed.observations.bind(slf.py())),
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
            Observations::Dense { full, .. } => {
                full.as_ref().map(|full| view_of(full.bind(py))).transpose()
            }
            Observations::Packed(packed) => {
                packed.full.as_ref().map(|full| view_of(full.bind(py))).transpose()
            }
        }
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
        let mut new = SelfPlay {
            actions: Vec::with_capacity(n),
            suits: saved.canonical_suits.then(|| vec![SuitPermutation::default(); n]),
            stream: saved.stream,
            observations: Observations::new(py, n, saved.has_full, saved.packed, &mut buffers)?,
            masks: buffers.take(py, "masks", [n, N_ACTIONS])?,
            seats: buffers.take(py, "seats", [n])?,
            rewards: buffers.take(py, "rewards", [n, 4])?,
            dones: buffers.take(py, "dones", [n])?,
            scores: buffers.take(py, "scores", [n, 4])?,
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
            Observations::Dense { full, .. } => (full.is_some(), false),
            Observations::Packed(packed) => (packed.full.is_some(), true),
        };
        SavedSelfPlay { envs, stream, has_full, canonical_suits: self.suits.is_some(), packed }
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
        // For few environments, other threads would cost more time than they save.
        let step_alone = self.envs.len() <= MAX_SERIAL_ENVIRONMENTS;
        let pool = if step_alone { None } else { Some(pool()?) };
        let pool = pool.as_deref();
        let (envs, actions) = (&mut self.envs, steps.then_some(&self.actions[..]));
        match &mut self.observations {
            Observations::Dense { observations, full } => {
                let mut observations = observations.bind(py).try_readwrite().map_err(locked)?;
                let mut full = match full {
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
                let stepped = run(py, pool, || match actions {
                    Some(actions) => envs.step(actions, buffers),
                    None => envs.observe(buffers),
                });
                stepped.map_err(value_error)?;
                let Some(suits) = &mut self.suits else {
                    return Ok(());
                };
                let mut full = match &mut full {
                    Some(full) => Some(full.as_slice_mut()?.chunks_mut(N_FULL_FEATURES)),
                    None => None,
                };
                let rows = (envs.envs().iter())
                    .zip(suits)
                    .zip(observations.as_slice_mut()?.chunks_mut(N_FEATURES))
                    .zip(masks.as_slice_mut()?.as_chunks_mut().0)
                    .map(|(((env, suits), observation), mask)| {
                        let full = full.as_mut().and_then(Iterator::next);
                        RenamedRow { env, suits, observation, mask, full }
                    });
                each_row(py, pool, rows.collect(), RenamedRow::rename);
            }
            Observations::Packed(PackedObservations { observations, full, arrays }) => {
                let mut observations = observations.bind(py).try_readwrite().map_err(locked)?;
                let mut full = match full {
                    Some(full) => Some(full.bind(py).try_readwrite().map_err(locked)?),
                    None => None,
                };
                run(py, pool, || envs.step_packed(actions, arrays.buffers()))
                    .map_err(value_error)?;
                let mut full = match &mut full {
                    Some(full) => Some(full.as_slice_mut()?.chunks_mut(PACKED_FULL_SIZE)),
                    None => None,
                };
                let mut suits = self.suits.as_mut().map(|suits| suits.iter_mut());
                let rows = (envs.envs().iter())
                    .zip(&arrays.observations)
                    .zip(observations.as_slice_mut()?.chunks_mut(PACKED_SIZE))
                    .zip(masks.as_slice_mut()?.as_chunks_mut().0)
                    .map(|(((env, features), observation), mask)| {
                        let suits = suits.as_mut().and_then(Iterator::next);
                        let full = full.as_mut().and_then(Iterator::next);
                        PackedRow { env, features, suits, observation, mask, full }
                    });
                each_row(py, pool, rows.collect(), PackedRow::write);
                let results = (arrays.seats.iter())
                    .zip(&arrays.rewards)
                    .zip(&arrays.dones)
                    .zip(&arrays.outcomes);
                let into = (seats.as_slice_mut()?.iter_mut())
                    .zip(rewards.as_slice_mut()?.as_chunks_mut().0)
                    .zip(dones.as_slice_mut()?)
                    .zip(scores.as_slice_mut()?.as_chunks_mut().0);
                for (
                    (((seat, reward), done), outcome),
                    (((to_seat, to_reward), to_done), to_score),
                ) in results.zip(into)
                {
                    *to_seat = *seat as u8;
                    *to_reward = reward.0;
                    *to_done = *done;
                    *to_score = outcome.map_or([0; 4], |outcome| outcome.scores.0);
                }
            }
        }
        Ok(())
    }
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
            let full = has_full.then(|| buffers.take(py, "full", [n, PACKED_FULL_SIZE]));
            return Ok(Observations::Packed(PackedObservations {
                observations: buffers.take(py, "observations", [n, PACKED_SIZE])?,
                full: full.transpose()?,
                arrays: PackedArrays::new(n),
            }));
        }
        let full = has_full.then(|| buffers.take(py, "full", [n, N_FULL_FEATURES]));
        let observations = buffers.take(py, "observations", [n, N_FEATURES])?;
        Ok(Observations::Dense { observations, full: full.transpose()? })
    }
}

/// Runs work without the interpreter lock, on the threads of `pool` if there is one.
fn run<R: Send>(py: Python<'_>, pool: Option<&ThreadPool>, work: impl FnOnce() -> R + Send) -> R {
    match pool {
        None => py.detach(work),
        Some(pool) => py.detach(|| pool.install(work)),
    }
}

/// Calls a function on each row, in parallel if there is a pool.
fn each_row<R: Send>(
    py: Python<'_>,
    pool: Option<&ThreadPool>,
    rows: Vec<R>,
    write: impl Fn(R) + Send + Sync,
) {
    run(py, pool, || match pool {
        None => rows.into_iter().for_each(write),
        Some(_) => rows.into_par_iter().with_min_len(MAX_SERIAL_ENVIRONMENTS).for_each(write),
    });
}

/// Row of an environment whose packed features were written.
struct PackedRow<'a> {
    env: &'a Env,
    features: &'a PackedFeatures,
    suits: Option<&'a mut SuitPermutation>,
    observation: &'a mut [u8],
    mask: &'a mut [bool; N_ACTIONS],
    full: Option<&'a mut [u8]>,
}

impl PackedRow<'_> {
    /// Writes the arrays of Python.
    fn write(self) {
        let mut legal = self.env.legal_actions();
        let mut permutation = SuitPermutation::default();
        if let Some(suits) = self.suits {
            permutation = SuitPermutation::canonical(&self.env.observe());
            *suits = permutation;
            legal = permutation.rename_actions(legal);
        }
        legal.write_mask(self.mask);
        packed::write_row(self.observation, self.features, permutation, &[]);
        if let Some(full) = self.full {
            packed::write_row(full, self.features, permutation, &packed::others(self.env));
        }
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
