//! Many environments in which one seat learns and bots hold the others.

use std::sync::{Mutex, PoisonError};

use numpy::ndarray::{ArrayViewMut1, ArrayViewMut2, Axis};
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1};
use pyo3::prelude::*;
use rayon::prelude::*;
use troel_agents::{Bot, BotError, Detail, Entry, decide};
use troel_env::rng::{Purpose, Stream};
use troel_env::session::Outcome;
use troel_env::{Action, ActionSet, Env, N_ACTIONS, N_FEATURES, Observation, Seat, VecEnv};

use crate::agent::{Raised, entry, is_python, raise};
use crate::arguments::{SeatArgument, action_of, bad, config, draw, rule_set};
use crate::game::outcome_of;
use crate::parallel::pool;
use crate::self_play::{locked, number, view_of};
use crate::view::View;

/// Environments whose bots decide together. Fixed, so that results do not depend on the number of threads.
const LANE: usize = 64;

/// Points by seat, and where there are any.
type Scores<'py> = (Bound<'py, PyArray2<i32>>, Bound<'py, PyArray1<bool>>);

/// When a finished episode is followed by the next.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Autoreset {
    /// With the step that ends it.
    SameStep,
    /// With the step after it, whose action is ignored.
    NextStep,
    /// When it is asked for.
    Disabled,
}

/// One environment and its learner.
struct Table {
    env: Env,
    learner: Seat,
    /// Rewards of the learner since its last action.
    reward: f32,
    /// The deal that ended since then.
    outcome: Option<Outcome>,
}

/// Some environments, and the bots of the other seats: to the left, opposite and to the right of the learner.
struct Lane {
    tables: Vec<Table>,
    /// Never shared: the mutex lets threads other than the interpreter's have the lane.
    bots: Mutex<[Box<dyn Bot>; 3]>,
}

/// Rows of a lane.
struct LaneRows<'a> {
    observations: ArrayViewMut2<'a, f32>,
    masks: ArrayViewMut2<'a, bool>,
    rewards: ArrayViewMut1<'a, f32>,
    dones: ArrayViewMut1<'a, bool>,
    finals: Option<ArrayViewMut2<'a, f32>>,
}

impl Table {
    fn is_waiting(&self) -> bool {
        !self.env.is_done() && self.env.turn() != self.learner
    }

    fn apply(&mut self, action: Action) -> Result<(), BotError> {
        let step = self.env.step(action).map_err(|e| BotError::Failed(e.to_string()))?;
        self.reward += step.rewards[self.learner];
        self.outcome = step.outcome.or(self.outcome.take());
        Ok(())
    }

    /// The learner's legal actions; none once the episode is over.
    fn legal(&self) -> ActionSet {
        if self.is_waiting() { ActionSet::EMPTY } else { self.env.legal_actions() }
    }

    fn observe(&self) -> Observation {
        self.env.session().observe_as(self.learner)
    }

    /// Writes the features of what the learner knows.
    fn encode(&self, out: &mut [f32]) {
        self.env.state().view(self.learner, self.env.totals()).encode(out);
    }
}

impl Lane {
    /// Lets the bots act until every learner is to act, or its episode is over.
    fn advance(&mut self) -> Result<(), BotError> {
        let bots = self.bots.get_mut().unwrap_or_else(PoisonError::into_inner);
        loop {
            let mut asked: [Vec<usize>; 3] = Default::default();
            for (at, table) in self.tables.iter().enumerate() {
                if table.is_waiting() {
                    let step = (table.env.turn().index() + 4 - table.learner.index()) % 4;
                    asked[step - 1].push(at);
                }
            }
            if asked.iter().all(Vec::is_empty) {
                return Ok(());
            }
            for (bot, asked) in bots.iter_mut().zip(asked) {
                if asked.is_empty() {
                    continue;
                }
                let observations: Vec<Observation> =
                    asked.iter().map(|&at| self.tables[at].env.observe()).collect();
                let decisions = decide(bot.as_mut(), &observations, Detail::Action)?;
                for (at, decision) in asked.into_iter().zip(decisions) {
                    self.tables[at].apply(decision.action)?;
                }
            }
        }
    }

    /// Takes the learners' actions, if there are any, and writes what comes of them.
    fn step(
        &mut self,
        actions: &[Option<Action>],
        autoreset: Autoreset,
        mut rows: LaneRows<'_>,
    ) -> Result<(), BotError> {
        for (table, action) in self.tables.iter_mut().zip(actions) {
            (table.reward, table.outcome) = (0.0, None);
            match action {
                Some(action) => table.apply(*action)?,
                None if table.env.is_done() && autoreset == Autoreset::NextStep => {
                    table.env.reset(None);
                }
                None => {}
            }
        }
        self.advance()?;
        let mut is_fresh = false;
        for (row, table) in self.tables.iter_mut().enumerate() {
            let done = table.env.is_done();
            rows.dones[row] = done;
            rows.rewards[row] = table.reward;
            if done && autoreset == Autoreset::SameStep {
                if let Some(finals) = &mut rows.finals
                    && let Some(out) = finals.row_mut(row).as_slice_mut()
                {
                    table.encode(out);
                }
                table.env.reset(None);
                is_fresh = true;
            }
        }
        if is_fresh {
            self.advance()?;
        }
        self.write(rows.observations.view_mut(), rows.masks.view_mut());
        Ok(())
    }

    fn write(&self, mut observations: ArrayViewMut2<'_, f32>, mut masks: ArrayViewMut2<'_, bool>) {
        for (row, table) in self.tables.iter().enumerate() {
            if let Some(out) = observations.row_mut(row).as_slice_mut() {
                table.encode(out);
            }
            let mut mask = [false; N_ACTIONS];
            table.legal().write_mask(&mut mask);
            masks.row_mut(row).iter_mut().zip(mask).for_each(|(out, legal)| *out = legal);
        }
    }
}

/// Many environments in which one seat learns; bots hold the other three.
///
/// Every row is the learner, at its turn or at the end of the episode. The arrays are made once, and each step writes
/// into them.
#[pyclass(module = "troel")]
pub struct OneSeat {
    lanes: Vec<Lane>,
    bots: [Entry; 3],
    raised: Raised,
    /// Whether a bot is written in Python: its lanes are asked one after the other, by the thread that steps.
    is_python: bool,
    /// Whether a bot failed, so that tables stand where it was to act.
    has_failed: bool,
    seat: Option<Seat>,
    autoreset: Autoreset,
    stream: Stream,
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
        num_envs: usize,
        rules: &str,
        bots: [Bound<'_, PyAny>; 3],
        seat: Option<SeatArgument>,
        r#match: bool,
        reward: &str,
        scenario: &str,
        seed: u64,
        autoreset: &str,
    ) -> PyResult<OneSeat> {
        let n = number(num_envs)?;
        let rules = rule_set(rules)?;
        let config = config(r#match, reward, scenario)?;
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
        let raised = Raised::default();
        let is_python = bots.iter().any(is_python);
        let [left, opposite, right] = &bots;
        let bots = [
            entry(left, rules, &raised)?,
            entry(opposite, rules, &raised)?,
            entry(right, rules, &raised)?,
        ];
        let finals = autoreset == Autoreset::SameStep;
        let mut new = OneSeat {
            lanes: Vec::new(),
            bots,
            raised,
            is_python,
            has_failed: false,
            seat,
            autoreset,
            stream: Stream::new(seed, Purpose::Action, 1),
            n,
            observations: PyArray2::zeros(py, [n, N_FEATURES], false).unbind(),
            masks: PyArray2::zeros(py, [n, N_ACTIONS], false).unbind(),
            rewards: PyArray1::zeros(py, n, false).unbind(),
            dones: PyArray1::zeros(py, n, false).unbind(),
            finals: finals.then(|| PyArray2::zeros(py, [n, N_FEATURES], false).unbind()),
            sampled: PyArray1::zeros(py, n, false).unbind(),
        };
        new.seat_all(py, VecEnv::new(rules, config, n, seed), seed);
        new.advance(py, &vec![None; n])?;
        Ok(new)
    }

    fn __len__(&self) -> usize {
        self.n
    }

    /// Features of the learner, float32 of shape `(n, N_FEATURES)`.
    #[getter]
    fn observations<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        view_of(self.observations.bind(py))
    }

    /// Its legal actions, bool of shape `(n, N_ACTIONS)`; none once its episode is over.
    #[getter]
    fn masks<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        view_of(self.masks.bind(py))
    }

    /// Its rewards since its action before, float32 of shape `(n,)`.
    #[getter]
    fn rewards<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        view_of(self.rewards.bind(py))
    }

    /// Whether the episode ended, bool of shape `(n,)`.
    #[getter]
    fn dones<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        view_of(self.dones.bind(py))
    }

    /// With "same-step", the last observations of the episodes that ended, float32 of shape `(n, N_FEATURES)`.
    #[getter]
    fn finals<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.finals.as_ref().map(|finals| view_of(finals.bind(py))).transpose()
    }

    /// Starts new episodes: with the first deals of a seed and bots seated anew if one is given, else with the next
    /// deals. `which` are the environments to start, bool of shape `(n,)`; all without it.
    #[pyo3(signature = (seed = None, which = None))]
    fn reset(
        &mut self,
        py: Python<'_>,
        seed: Option<u64>,
        which: Option<PyReadonlyArray1<'_, bool>>,
    ) -> PyResult<()> {
        let which = which.as_ref().map(|which| which.as_array());
        if which.is_some_and(|which| which.len() != self.n) {
            return Err(bad(format!(
                "reset_mask has one entry for each of {} environments",
                self.n
            )));
        }
        if let (Some(seed), None) = (seed, which) {
            let first = &self.lanes[0].tables[0].env;
            let (rules, config) = (first.session().rules(), first.config());
            self.stream = Stream::new(seed, Purpose::Action, 1);
            self.seat_all(py, VecEnv::new(rules, config, self.n, seed), seed);
        } else {
            for (at, table) in self.lanes.iter_mut().flat_map(|lane| &mut lane.tables).enumerate() {
                if which.is_none_or(|which| which[at]) {
                    table.env.reset(seed.map(|seed| seed.wrapping_add(at as u64)));
                }
            }
        }
        self.advance(py, &vec![None; self.n])
    }

    /// Takes one action (int64) of each learner. Where an episode is over, the action is ignored.
    ///
    /// Raises `IllegalAction`, a `ValueError`, if one is not legal; no environment has stepped then.
    fn step(&mut self, py: Python<'_>, actions: PyReadonlyArray1<'_, i64>) -> PyResult<()> {
        self.check()?;
        let actions = actions.as_array();
        if actions.len() != self.n {
            return Err(bad(format!("{} actions for {} environments", actions.len(), self.n)));
        }
        let mut chosen = Vec::with_capacity(self.n);
        for (index, (table, &number)) in self.tables().zip(actions).enumerate() {
            if table.env.is_done() {
                chosen.push(None);
                continue;
            }
            let phase = table.env.state().phase();
            let action = action_of(py, (index, self.n), number, table.legal(), phase)?;
            chosen.push(Some(action));
        }
        self.advance(py, &chosen)
    }

    /// An action drawn uniformly from the learner's legal ones in each environment, int64 of shape `(n,)`; 0 where the
    /// episode is over. The array is written anew by each call.
    fn sample<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.check()?;
        let mut sampled = self.sampled.bind(py).try_readwrite().map_err(locked)?;
        let tables = self.lanes.iter().flat_map(|lane| &lane.tables);
        for (table, sampled) in tables.zip(sampled.as_slice_mut()?) {
            *sampled = draw(table.legal(), &mut self.stream);
        }
        view_of(self.sampled.bind(py))
    }

    /// What the learner of an environment knows.
    fn view(&self, index: usize) -> PyResult<View> {
        Ok(View { observation: self.table(index)?.observe() })
    }

    /// Points, tricks, contract and match points of the deal that ended with the last step of an environment, if one did.
    fn outcome<'py>(&self, py: Python<'py>, index: usize) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.table(index)?.outcome.as_ref().map(|outcome| outcome_of(py, outcome)).transpose()
    }

    /// Points of the deals that ended with the last step, int32 of shape `(n, 4)`, and where one did, bool of shape `(n,)`;
    /// `None` if none did.
    fn scores<'py>(&self, py: Python<'py>) -> PyResult<Option<Scores<'py>>> {
        if self.tables().all(|table| table.outcome.is_none()) {
            return Ok(None);
        }
        let scores = PyArray2::zeros(py, [self.n, 4], false);
        let has_ended: Vec<bool> = self.tables().map(|table| table.outcome.is_some()).collect();
        for (row, table) in
            scores.readwrite().as_slice_mut()?.as_chunks_mut::<4>().0.iter_mut().zip(self.tables())
        {
            *row = table.outcome.as_ref().map_or([0; 4], |outcome| outcome.scores.0);
        }
        Ok(Some((scores, has_ended.into_pyarray(py))))
    }

    /// The seat that learns in an environment, 0 to 3.
    fn learner(&self, index: usize) -> PyResult<usize> {
        Ok(self.table(index)?.learner.index())
    }
}

impl OneSeat {
    fn tables(&self) -> impl Iterator<Item = &Table> {
        self.lanes.iter().flat_map(|lane| &lane.tables)
    }

    fn table(&self, index: usize) -> PyResult<&Table> {
        let table = self.tables().nth(index);
        table.ok_or_else(|| bad(format!("there are {} environments", self.n)))
    }

    /// Fails after a bot did.
    fn check(&self) -> PyResult<()> {
        match self.has_failed {
            true => {
                Err(bad("a bot failed in the middle of a step; call reset() to start new episodes"))
            }
            false => Ok(()),
        }
    }

    /// Seats learners and bots at environments.
    fn seat_all(&mut self, py: Python<'_>, envs: VecEnv, seed: u64) {
        let (seat, bots) = (self.seat, &self.bots);
        self.lanes = py.detach(|| {
            let lane = |(number, envs): (usize, &[Env])| {
                let table = |(at, env): (usize, &Env)| Table {
                    env: env.clone(),
                    learner: seat.unwrap_or(Seat::from_index((number * LANE + at) % 4)),
                    reward: 0.0,
                    outcome: None,
                };
                let tables = envs.iter().enumerate().map(table).collect();
                let seed = |bot: u64| seed.wrapping_add(3 * number as u64 + bot);
                let bots = [bots[0].seat(seed(0)), bots[1].seat(seed(1)), bots[2].seat(seed(2))];
                Lane { tables, bots: Mutex::new(bots) }
            };
            envs.envs().chunks(LANE).enumerate().map(lane).collect()
        });
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
        let autoreset = self.autoreset;
        let step = |((lane, actions), rows): ((&mut Lane, &[Option<Action>]), LaneRows<'_>)| {
            lane.step(actions, autoreset, rows)
        };
        // Where others wait, a bot written in Python that computes in parallel itself would be asked a second time before
        // its first answer.
        let stepped: Result<(), BotError> = match self.is_python || work.len() == 1 {
            true => py.detach(|| work.into_iter().try_for_each(step)),
            false => {
                let pool = pool()?;
                py.detach(|| pool.install(|| work.into_par_iter().try_for_each(step)))
            }
        };
        self.has_failed = stepped.is_err();
        stepped.map_err(|error| raise(&self.raised, error))
    }
}
