//! Many environments in which one seat learns and bots play at the others.

mod copies;
mod ended;
mod environments;
mod reset;
mod seated_bots;
mod seating;
mod step;

pub use copies::_restore_one_seat;
pub use environments::OneSeat;

use numpy::{PyArrayMethods, PyReadonlyArray1};
use pyo3::prelude::*;
use troel_env::VecEnv;
use troel_env::rng::{Purpose, Stream};

use crate::actions::{action_of_environment, draw_action};
use crate::arguments::{SeatArgument, config, reset_seed, seed, value_error};
use crate::environment_group::Autoreset;
use crate::game::outcome_of;
use crate::rule_sets::rule_set;
use crate::vectorised::{exclusive, locked, num_envs, shared, view_of};
use crate::view::View;
use copies::ReducedOneSeat;
use ended::Ended;
use environments::EnvironmentSettings;
use seated_bots::SeatedBots;

#[pymethods]
impl OneSeat {
    /// Creates environments and starts their first episodes.
    ///
    /// `seat` is the learner's; if `None`, environment i learns seat i modulo 4. `bots` sit to its
    /// left, opposite, and to its right. `autoreset` is "same-step", "next-step" or "disabled".
    #[new]
    #[pyo3(signature = (num_envs, rules, bots, *, seat, r#match, reward, scenario, seed, autoreset, canonical_suits = false))]
    #[expect(clippy::too_many_arguments, reason = "they have names in Python")]
    fn new(
        py: Python<'_>,
        #[pyo3(from_py_with = num_envs)] num_envs: usize,
        rules: &str,
        bots: [Bound<'_, PyAny>; 3],
        seat: Option<SeatArgument>,
        r#match: bool,
        reward: &str,
        scenario: &str,
        #[pyo3(from_py_with = seed)] seed: u64,
        autoreset: &str,
        canonical_suits: bool,
    ) -> PyResult<OneSeat> {
        let rules = rule_set(rules)?;
        let config = config(rules, r#match, reward, scenario)?;
        let seat = seat.map(|seat| seat.seat()).transpose()?;
        let autoreset = match autoreset {
            "same-step" => Autoreset::SameStep,
            "next-step" => Autoreset::NextStep,
            "disabled" => Autoreset::Disabled,
            other => {
                return Err(value_error(format!(
                    "autoreset={other:?}: use \"same-step\", \"next-step\" or \"disabled\""
                )));
            }
        };
        let stream = Stream::new(seed, Purpose::Action, 1);
        let has_failed = false;
        let settings =
            EnvironmentSettings { seat, autoreset, canonical_suits, seed, has_failed, stream };
        let envs = VecEnv::new(rules, config, num_envs, seed);
        let mut new = OneSeat::seated(py, &envs, SeatedBots::new(bots, rules)?, settings);
        new.advance(py, &vec![None; num_envs])?;
        Ok(new)
    }

    fn __len__(slf: &Bound<'_, Self>) -> PyResult<usize> {
        Ok(shared(slf)?.n)
    }

    /// Features of the learner's observation, float32 of shape `(n, N_FEATURES)`.
    #[getter]
    fn observations<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        view_of(shared(slf)?.observations.bind(slf.py()))
    }

    /// Legal actions of the learner, bool of shape `(n, N_ACTIONS)`; none once its episode is over.
    #[getter]
    fn masks<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        view_of(shared(slf)?.masks.bind(slf.py()))
    }

    /// Rewards of the learner since its previous action, float32 of shape `(n,)`.
    #[getter]
    fn rewards<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        view_of(shared(slf)?.rewards.bind(slf.py()))
    }

    /// Whether the episode ended, bool of shape `(n,)`.
    #[getter]
    fn dones<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        view_of(shared(slf)?.dones.bind(slf.py()))
    }

    /// Last observations of the episodes that ended, float32 of shape `(n, N_FEATURES)`.
    ///
    /// `None` unless `autoreset` is "same-step".
    #[getter]
    fn finals<'py>(slf: &Bound<'py, Self>) -> PyResult<Option<Bound<'py, PyAny>>> {
        shared(slf)?.finals.as_ref().map(|finals| view_of(finals.bind(slf.py()))).transpose()
    }

    /// Starts new episodes with the next deals, or with the first deals of a seed if it is given.
    ///
    /// A seed also creates new bots, unless `which` is given. `which` selects the environments to
    /// start, bool of shape `(n,)`; the default is all. With `seeds`, one or `None` for each
    /// environment, each starts with the first deal of its own seed.
    #[pyo3(signature = (seed = None, which = None, seeds = None))]
    fn reset(
        slf: &Bound<'_, Self>,
        #[pyo3(from_py_with = reset_seed)] seed: Option<u64>,
        which: Option<PyReadonlyArray1<'_, bool>>,
        seeds: Option<Vec<Bound<'_, PyAny>>>,
    ) -> PyResult<()> {
        let which = which.as_ref().map(|which| which.as_array());
        exclusive(slf)?.restart(slf.py(), seed, which, seeds)
    }

    /// Takes one action (int64) of each learner. Where an episode is over, the action is ignored.
    ///
    /// Raises `IllegalAction`, a `ValueError`, if an action is not legal.
    /// No environment has stepped then.
    fn step(slf: &Bound<'_, Self>, actions: PyReadonlyArray1<'_, i64>) -> PyResult<()> {
        let (py, mut this, actions) = (slf.py(), exclusive(slf)?, actions.as_array());
        this.check()?;
        let n = this.n;
        if actions.len() != n {
            return Err(value_error(format!(
                "{} actions for {n} environments: give one for each",
                actions.len()
            )));
        }
        let mut chosen = Vec::with_capacity(n);
        for (index, (table, &number)) in this.tables().zip(actions).enumerate() {
            if table.env.is_over() {
                chosen.push(None);
                continue;
            }
            let (legal, phase) = (table.legal(), table.env.state().phase());
            let suits = table.suits();
            chosen.push(Some(action_of_environment(py, (index, n), number, legal, phase, suits)?));
        }
        this.advance(py, &chosen)
    }

    /// Draws a legal action of each learner uniformly, int64 of shape `(n,)`.
    ///
    /// The action is 0 where the episode is over. Each call overwrites the array of the last one.
    fn sample<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let mut this = exclusive(slf)?;
        this.check()?;
        let this = &mut *this;
        let sampled = this.sampled.bind(slf.py());
        let mut into = sampled.try_readwrite().map_err(locked)?;
        let tables = this.groups.iter().flat_map(|group| &group.tables);
        for (table, into) in tables.zip(into.as_slice_mut()?) {
            *into = draw_action(table.legal(), table.suits(), &mut this.settings.stream);
        }
        view_of(sampled)
    }

    /// Returns the observation of the learner of an environment.
    fn view(slf: &Bound<'_, Self>, index: &Bound<'_, PyAny>) -> PyResult<View> {
        Ok(View { observation: shared(slf)?.table(index)?.view() })
    }

    /// Returns the outcome of the deal that ended with the last step of an environment, if one did.
    ///
    /// The outcome has the points, the tricks, the contract and the match points.
    fn outcome<'py>(
        slf: &Bound<'py, Self>,
        index: &Bound<'py, PyAny>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let this = shared(slf)?;
        let outcome = this.table(index)?.outcome.as_ref();
        outcome.map(|outcome| outcome_of(slf.py(), outcome)).transpose()
    }

    /// Returns the deals that ended with the last step, or `None` if none did.
    fn ended<'py>(slf: &Bound<'py, Self>) -> PyResult<Option<Ended<'py>>> {
        shared(slf)?.ended_deals(slf.py())
    }

    /// Returns the seat that learns in an environment, 0 to 3.
    fn learner(slf: &Bound<'_, Self>, index: &Bound<'_, PyAny>) -> PyResult<usize> {
        Ok(shared(slf)?.table(index)?.learner.index())
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<ReducedOneSeat<'py>> {
        shared(slf)?.reduced(slf.py())
    }

    /// Returns a deep copy, which shares the loaded weights of bots.
    fn __deepcopy__<'py>(slf: &Bound<'py, Self>, memo: &Bound<'py, PyAny>) -> PyResult<OneSeat> {
        shared(slf)?.copied(slf.py(), memo)
    }
}
