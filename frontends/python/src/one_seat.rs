//! Many environments in which one seat learns and bots hold the others.

mod copies;

pub use copies::_restore_one_seat;

use std::sync::Mutex;

use numpy::ndarray::Axis;
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use troel_agents::BotError;
use troel_env::record::ContractView;
use troel_env::rng::{Purpose, Stream};
use troel_env::session::Outcome;
use troel_env::{Action, Env, N_ACTIONS, N_FEATURES, RuleSet, Seat, VecEnv};

use crate::agent::{Maker, Raised, maker, raise};
use crate::arguments::{
    SeatArgument, action_of, bad, config, draw, reset_seed, rule_set, seed, to_python,
};
use crate::game::outcome_of;
use crate::lane::{Autoreset, LANE, Lane, LaneRows, Player, Table};
use crate::parallel::pool;
use crate::self_play::{exclusive, locked, number, shared, view_of};
use crate::view::View;
use copies::Reduced;

/// Where a deal ended, bool of shape `(n,)`; its "scores", "tricks" and "totals", int32 of shape
/// `(n, 4)`, zeros elsewhere; and the contracts of those that ended, in order.
type Ended<'py> = (Bound<'py, PyArray1<bool>>, Bound<'py, PyDict>, Bound<'py, PyAny>);

/// Numbers by seat of a deal that ended.
type Column = fn(&Outcome) -> [i32; 4];

/// Settings of the environments, and the state that is not part of a deal.
#[derive(Clone, Serialize, Deserialize)]
struct Settings {
    /// The learner's seat; `None`: environment i learns seat i modulo 4.
    seat: Option<Seat>,
    autoreset: Autoreset,
    /// What the bots' draws follow from.
    seed: u64,
    /// Whether a bot failed, so that tables stand where it was to act.
    has_failed: bool,
    /// What `sample` draws from.
    stream: Stream,
}

/// Many environments in which one seat learns; bots hold the other three.
///
/// Every row is the learner, at its turn or at the end of the episode. The arrays are made once, and each step writes
/// into them.
#[pyclass(module = "troel")]
pub struct OneSeat {
    lanes: Vec<Lane>,
    /// The bots as Python handed them in.
    given: [Py<PyAny>; 3],
    bots: [Maker; 3],
    raised: Raised,
    settings: Settings,
    n: usize,
    /// Features of the learner, float32 of shape `(n, N_FEATURES)`.
    observations: Py<PyArray2<f32>>,
    /// Its legal actions, bool of shape `(n, N_ACTIONS)`; none once its episode is over.
    masks: Py<PyArray2<bool>>,
    /// Its rewards since its action before, float32 of shape `(n,)`.
    rewards: Py<PyArray1<f32>>,
    /// Whether the episode ended, bool of shape `(n,)`.
    dones: Py<PyArray1<bool>>,
    /// With "same-step", the last observations of the episodes that ended, float32 of shape `(n, N_FEATURES)`.
    finals: Option<Py<PyArray2<f32>>>,
    sampled: Py<PyArray1<i64>>,
}

#[pymethods]
impl OneSeat {
    /// `seat` is the learner's (`None`: environment i learns seat i modulo 4), `bots` sit to its left, opposite, and to
    /// its right. `autoreset` is "same-step", "next-step" or "disabled".
    #[new]
    #[pyo3(signature = (num_envs, rules, bots, *, seat, r#match, reward, scenario, seed, autoreset))]
    #[expect(clippy::too_many_arguments, reason = "they have names in Python")]
    fn new(
        py: Python<'_>,
        #[pyo3(from_py_with = number)] num_envs: usize,
        rules: &str,
        bots: [Bound<'_, PyAny>; 3],
        seat: Option<SeatArgument>,
        r#match: bool,
        reward: &str,
        scenario: &str,
        #[pyo3(from_py_with = seed)] seed: u64,
        autoreset: &str,
    ) -> PyResult<OneSeat> {
        let rules = rule_set(rules)?;
        let config = config(rules, r#match, reward, scenario)?;
        let seat = seat.map(|seat| seat.seat()).transpose()?;
        let autoreset = match autoreset {
            "same-step" => Autoreset::SameStep,
            "next-step" => Autoreset::NextStep,
            "disabled" => Autoreset::Disabled,
            other => {
                return Err(bad(format!(
                    "autoreset={other:?}: use \"same-step\", \"next-step\" or \"disabled\""
                )));
            }
        };
        let stream = Stream::new(seed, Purpose::Action, 1);
        let settings = Settings { seat, autoreset, seed, has_failed: false, stream };
        let envs = VecEnv::new(rules, config, num_envs, seed);
        let raised = Raised::default();
        let makers = makers(&bots, rules, &raised)?;
        let mut new = OneSeat::of(py, &envs, (bots, makers, raised), settings);
        new.advance(py, &vec![None; num_envs])?;
        Ok(new)
    }

    fn __len__(slf: &Bound<'_, Self>) -> PyResult<usize> {
        Ok(shared(slf)?.n)
    }

    /// Features of the learner, float32 of shape `(n, N_FEATURES)`.
    #[getter]
    fn observations<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        view_of(shared(slf)?.observations.bind(slf.py()))
    }

    /// Its legal actions, bool of shape `(n, N_ACTIONS)`; none once its episode is over.
    #[getter]
    fn masks<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        view_of(shared(slf)?.masks.bind(slf.py()))
    }

    /// Its rewards since its action before, float32 of shape `(n,)`.
    #[getter]
    fn rewards<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        view_of(shared(slf)?.rewards.bind(slf.py()))
    }

    /// Whether the episode ended, bool of shape `(n,)`.
    #[getter]
    fn dones<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        view_of(shared(slf)?.dones.bind(slf.py()))
    }

    /// With "same-step", the last observations of the episodes that ended, float32 of shape `(n, N_FEATURES)`.
    #[getter]
    fn finals<'py>(slf: &Bound<'py, Self>) -> PyResult<Option<Bound<'py, PyAny>>> {
        shared(slf)?.finals.as_ref().map(|finals| view_of(finals.bind(slf.py()))).transpose()
    }

    /// Starts new episodes: with the first deals of a seed and bots seated anew if one is given,
    /// else with the next deals. `which` are the environments to start, bool of shape `(n,)`; all
    /// without it. With `seeds`, one or `None` for each environment, each starts with the first
    /// deal of its own.
    #[pyo3(signature = (seed = None, which = None, seeds = None))]
    fn reset(
        slf: &Bound<'_, Self>,
        #[pyo3(from_py_with = reset_seed)] seed: Option<u64>,
        which: Option<PyReadonlyArray1<'_, bool>>,
        seeds: Option<Vec<Bound<'_, PyAny>>>,
    ) -> PyResult<()> {
        let (py, mut this) = (slf.py(), exclusive(slf)?);
        let n = this.n;
        let which = which.as_ref().map(|which| which.as_array());
        if which.is_some_and(|which| which.len() != n) {
            return Err(bad(format!("reset_mask has one entry for each of {n} environments")));
        }
        let seeds = seeds.map(|seeds| seeds.iter().map(reset_seed).collect::<PyResult<Vec<_>>>());
        let seeds = seeds.transpose()?;
        if seeds.as_ref().is_some_and(|seeds| seeds.len() != n) {
            let given = seeds.map_or(0, |seeds| seeds.len());
            return Err(bad(format!(
                "seed has {given} entries: give one for each of {n} environments"
            )));
        }
        // What the bots' draws and those of `sample` follow from.
        let first = seed.or_else(|| seeds.iter().flatten().find_map(|&seed| seed));
        if let (Some(first), None) = (first, which) {
            let env = &this.lanes[0].tables[0].env;
            let (rules, config) = (env.session().rules(), env.config());
            this.settings.stream = Stream::new(first, Purpose::Action, 1);
            this.settings.seed = first;
            let envs = match seeds {
                None => VecEnv::new(rules, config, n, first),
                Some(_) => this.envs(),
            };
            this.seat_all(py, &envs);
        }
        if seed.is_none() || which.is_some() {
            for (at, table) in this.lanes.iter_mut().flat_map(|lane| &mut lane.tables).enumerate() {
                if which.is_none_or(|which| which[at]) {
                    table.env.reset(match &seeds {
                        Some(seeds) => seeds[at],
                        None => seed.map(|seed| seed.wrapping_add(at as u64)),
                    });
                }
            }
        }
        this.advance(py, &vec![None; n])
    }

    /// Takes one action (int64) of each learner. Where an episode is over, the action is ignored.
    ///
    /// Raises `IllegalAction`, a `ValueError`, if one is not legal; no environment has stepped then.
    fn step(slf: &Bound<'_, Self>, actions: PyReadonlyArray1<'_, i64>) -> PyResult<()> {
        let (py, mut this, actions) = (slf.py(), exclusive(slf)?, actions.as_array());
        this.check()?;
        let n = this.n;
        if actions.len() != n {
            return Err(bad(format!("{} actions for {n} environments", actions.len())));
        }
        let mut chosen = Vec::with_capacity(n);
        for (index, (table, &number)) in this.tables().zip(actions).enumerate() {
            if table.env.is_done() {
                chosen.push(None);
                continue;
            }
            let phase = table.env.state().phase();
            chosen.push(Some(action_of(py, (index, n), number, table.legal(), phase)?));
        }
        this.advance(py, &chosen)
    }

    /// An action drawn uniformly from the learner's legal ones in each environment, int64 of shape `(n,)`; 0 where the
    /// episode is over. The array is written anew by each call.
    fn sample<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let mut this = exclusive(slf)?;
        this.check()?;
        let this = &mut *this;
        let sampled = this.sampled.bind(slf.py());
        let mut into = sampled.try_readwrite().map_err(locked)?;
        let tables = this.lanes.iter().flat_map(|lane| &lane.tables);
        for (table, into) in tables.zip(into.as_slice_mut()?) {
            *into = draw(table.legal(), &mut this.settings.stream);
        }
        view_of(sampled)
    }

    /// What the learner of an environment knows.
    fn view(slf: &Bound<'_, Self>, index: &Bound<'_, PyAny>) -> PyResult<View> {
        Ok(View { observation: shared(slf)?.table(index)?.view() })
    }

    /// Points, tricks, contract and match points of the deal that ended with the last step of an environment, if one did.
    fn outcome<'py>(
        slf: &Bound<'py, Self>,
        index: &Bound<'py, PyAny>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let this = shared(slf)?;
        let outcome = this.table(index)?.outcome.as_ref();
        outcome.map(|outcome| outcome_of(slf.py(), outcome)).transpose()
    }

    /// The deals that ended with the last step; `None` if none did.
    fn ended<'py>(slf: &Bound<'py, Self>) -> PyResult<Option<Ended<'py>>> {
        let (py, this) = (slf.py(), shared(slf)?);
        if this.tables().all(|table| table.outcome.is_none()) {
            return Ok(None);
        }
        let numbers = PyDict::new(py);
        let columns: [(&str, Column); 3] = [
            ("scores", |outcome| outcome.scores.0),
            ("tricks", |outcome| outcome.tricks.0.map(i32::from)),
            ("totals", |outcome| outcome.totals.0),
        ];
        for (name, column) in columns {
            let rows = this.tables().map(|table| table.outcome.as_ref().map_or([0; 4], column));
            let flat: Vec<i32> = rows.flatten().collect();
            numbers.set_item(name, PyArray1::from_vec(py, flat).reshape([this.n, 4])?)?;
        }
        let contracts = this.tables().filter_map(|table| table.outcome.as_ref());
        let contracts = contracts.map(|outcome| outcome.contract.as_ref().map(ContractView::from));
        let contracts: Vec<Option<ContractView>> = contracts.collect();
        let has_ended: Vec<bool> = this.tables().map(|table| table.outcome.is_some()).collect();
        Ok(Some((has_ended.into_pyarray(py), numbers, to_python(py, &contracts)?)))
    }

    /// The seat that learns in an environment, 0 to 3.
    fn learner(slf: &Bound<'_, Self>, index: &Bound<'_, PyAny>) -> PyResult<usize> {
        Ok(shared(slf)?.table(index)?.learner.index())
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Reduced<'py>> {
        shared(slf)?.reduced(slf.py())
    }

    /// A deep copy, which shares the loaded weights of bots.
    fn __deepcopy__<'py>(slf: &Bound<'py, Self>, memo: &Bound<'py, PyAny>) -> PyResult<OneSeat> {
        shared(slf)?.copied(slf.py(), memo)
    }
}

/// What makes the bots that Python handed in.
fn makers(bots: &[Bound<'_, PyAny>; 3], rules: &RuleSet, raised: &Raised) -> PyResult<[Maker; 3]> {
    let [left, opposite, right] = bots;
    Ok([maker(left, rules, raised)?, maker(opposite, rules, raised)?, maker(right, rules, raised)?])
}

impl OneSeat {
    fn tables(&self) -> impl Iterator<Item = &Table> {
        self.lanes.iter().flat_map(|lane| &lane.tables)
    }

    fn table(&self, index: &Bound<'_, PyAny>) -> PyResult<&Table> {
        let at = crate::arguments::index(index, self.n)?;
        Ok(&self.lanes[at / LANE].tables[at % LANE])
    }

    fn envs(&self) -> VecEnv {
        self.tables().map(|table| table.env.clone()).collect()
    }

    /// Environments with all seats taken, by the bots as Python handed them in; nobody has acted,
    /// and the arrays are zeros.
    fn of(
        py: Python<'_>,
        envs: &VecEnv,
        (given, bots, raised): ([Bound<'_, PyAny>; 3], [Maker; 3], Raised),
        settings: Settings,
    ) -> OneSeat {
        let n = envs.len();
        let finals = settings.autoreset == Autoreset::SameStep;
        let mut new = OneSeat {
            lanes: Vec::new(),
            given: given.map(Bound::unbind),
            bots,
            raised,
            settings,
            n,
            observations: PyArray2::zeros(py, [n, N_FEATURES], false).unbind(),
            masks: PyArray2::zeros(py, [n, N_ACTIONS], false).unbind(),
            rewards: PyArray1::zeros(py, n, false).unbind(),
            dones: PyArray1::zeros(py, n, false).unbind(),
            finals: finals.then(|| PyArray2::zeros(py, [n, N_FEATURES], false).unbind()),
            sampled: PyArray1::zeros(py, n, false).unbind(),
        };
        new.seat_all(py, envs);
        new
    }

    /// Fails after a bot did.
    fn check(&self) -> PyResult<()> {
        match self.settings.has_failed {
            true => {
                Err(bad("a bot failed in the middle of a step; call reset() to start new episodes"))
            }
            false => Ok(()),
        }
    }

    /// Seats learners and bots at environments.
    fn seat_all(&mut self, py: Python<'_>, envs: &VecEnv) {
        let (settings, bots) = (&self.settings, &self.bots);
        self.lanes = py.detach(|| {
            let lane = |(number, envs): (usize, &[Env])| {
                let table = |(at, env): (usize, &Env)| Table {
                    env: env.clone(),
                    learner: settings.seat.unwrap_or(Seat::from_index((number * LANE + at) % 4)),
                    reward: 0.0,
                    outcome: None,
                };
                let tables = envs.iter().enumerate().map(table).collect();
                let player = |bot: usize| {
                    let seed = settings.seed.wrapping_add((3 * number + bot) as u64);
                    match &bots[bot] {
                        Maker::Native(entry) => Player::Native(entry.seat(seed)),
                        Maker::Python(_, maker) => Player::Python(maker.seat(seed)),
                    }
                };
                Lane { tables, bots: Mutex::new([player(0), player(1), player(2)]) }
            };
            envs.envs().chunks(LANE).enumerate().map(lane).collect()
        });
    }

    /// Writes what the learners know, without a step.
    fn write(&self, py: Python<'_>) -> PyResult<()> {
        let mut observations = self.observations.bind(py).try_readwrite().map_err(locked)?;
        let mut masks = self.masks.bind(py).try_readwrite().map_err(locked)?;
        let (mut observations, mut masks) = (observations.as_array_mut(), masks.as_array_mut());
        let rows = observations.axis_chunks_iter_mut(Axis(0), LANE);
        for (lane, (observations, masks)) in
            self.lanes.iter().zip(rows.zip(masks.axis_chunks_iter_mut(Axis(0), LANE)))
        {
            lane.write(observations, masks);
        }
        Ok(())
    }

    fn advance(&mut self, py: Python<'_>, actions: &[Option<Action>]) -> PyResult<()> {
        let mut observations = self.observations.bind(py).try_readwrite().map_err(locked)?;
        let mut masks = self.masks.bind(py).try_readwrite().map_err(locked)?;
        let mut rewards = self.rewards.bind(py).try_readwrite().map_err(locked)?;
        let mut dones = self.dones.bind(py).try_readwrite().map_err(locked)?;
        let mut finals = match &self.finals {
            Some(finals) => Some(finals.bind(py).try_readwrite().map_err(locked)?),
            None => None,
        };
        let (mut observations, mut masks) = (observations.as_array_mut(), masks.as_array_mut());
        let (mut rewards, mut dones) = (rewards.as_array_mut(), dones.as_array_mut());
        let mut finals = finals.as_mut().map(|finals| finals.as_array_mut());
        let mut finals = finals.as_mut().map(|finals| finals.axis_chunks_iter_mut(Axis(0), LANE));
        let rows = observations
            .axis_chunks_iter_mut(Axis(0), LANE)
            .zip(masks.axis_chunks_iter_mut(Axis(0), LANE))
            .zip(rewards.axis_chunks_iter_mut(Axis(0), LANE))
            .zip(dones.axis_chunks_iter_mut(Axis(0), LANE))
            .map(|(((observations, masks), rewards), dones)| LaneRows {
                observations,
                masks,
                rewards,
                dones,
                finals: finals.as_mut().and_then(Iterator::next),
            });
        let work: Vec<_> = self.lanes.iter_mut().zip(actions.chunks(LANE)).zip(rows).collect();
        let autoreset = self.settings.autoreset;
        let step = |((lane, actions), rows): ((&mut Lane, &[Option<Action>]), LaneRows<'_>)| {
            lane.step(actions, autoreset, rows)
        };
        // Where others wait, a bot written in Python that computes in parallel itself would be asked a second time before
        // its first answer.
        let is_python = self.bots.iter().any(|bot| matches!(bot, Maker::Python(..)));
        let stepped: Result<(), BotError> = match is_python || work.len() == 1 {
            true => py.detach(|| work.into_iter().try_for_each(step)),
            false => {
                let pool = pool()?;
                py.detach(|| pool.install(|| work.into_par_iter().try_for_each(step)))
            }
        };
        self.settings.has_failed = stepped.is_err();
        stepped.map_err(|error| raise(&self.raised, error))
    }
}
