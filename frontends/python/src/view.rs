//! The observation of one seat.

use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyList;
use troel_agents::search::WorldSampler;
use troel_env::render::Scene;
use troel_env::rng::{Purpose, Stream};
use troel_env::{
    Action, BySeat, Contract, ContractView, History, N_ACTIONS, N_FEATURES, Observation, Record,
    Seat, Suit,
};
use troel_nn::SuitPermutation;

use crate::actions::{action_argument, codes};
use crate::arguments::{SeatArgument, count, from_python, seed, to_python, value_error};
use crate::rule_sets::{restored_rules, rule_set, spec_of};

/// Observation of one seat: the deal and the match, as far as the seat knows them.
#[pyclass(frozen, eq, hash, module = "troel")]
#[derive(Clone)]
pub struct View {
    pub observation: Observation,
}

impl PartialEq for View {
    fn eq(&self, other: &View) -> bool {
        self.observation == other.observation
    }
}

impl std::hash::Hash for View {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.observation.fingerprint().hash(state);
    }
}

/// Features and mask.
type Encoded<'py> = (Bound<'py, PyArray1<f32>>, Bound<'py, PyArray1<i8>>);

/// Reduced form of a view for pickle: a function and its arguments.
type ReducedView<'py> = (Bound<'py, PyAny>, (Bound<'py, PyAny>, usize, Option<String>));

/// Returns the permutation of the suits of an observation: the canonical one, or the identity.
pub fn suits_of(obs: &Observation, canonical_suits: bool) -> SuitPermutation {
    if canonical_suits { SuitPermutation::canonical(obs) } else { SuitPermutation::default() }
}

/// Returns the features of an observation, `[N_FEATURES]`, −2 to 2.
fn features<'py>(
    py: Python<'py>,
    obs: &Observation,
    suits: SuitPermutation,
) -> Bound<'py, PyArray1<f32>> {
    let mut features = vec![0.0; N_FEATURES];
    obs.encode(&mut features);
    suits.rename_features(&mut features);
    features.into_pyarray(py)
}

/// Returns the mask of legal actions of an observation, `[N_ACTIONS]`.
fn mask<'py>(
    py: Python<'py>,
    obs: &Observation,
    suits: SuitPermutation,
) -> Bound<'py, PyArray1<i8>> {
    let mut mask = [false; N_ACTIONS];
    suits.rename_actions(obs.legal_actions()).write_mask(&mut mask);
    PyArray1::from_slice(py, &mask.map(i8::from))
}

/// Returns a contract as a dict with kind, level, trump and declarers.
pub fn contract_of<'py>(
    py: Python<'py>,
    contract: Option<&Contract>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    contract.map(|contract| to_python(py, &ContractView::from(contract))).transpose()
}

/// Returns the tokens of the history of an observation, in suits renamed by `suits`.
pub fn history_tokens(obs: &Observation, suits: SuitPermutation) -> [i64; History::CAPACITY] {
    obs.history().tokens(obs.seat(), |action| suits.rename_action(action)).map(i64::from)
}

#[pymethods]
impl View {
    /// The observing seat, 0 to 3 for N, E, S, W.
    #[getter]
    fn seat(&self) -> usize {
        self.observation.seat().index()
    }

    /// The seat to act, 0 to 3.
    #[getter]
    fn turn(&self) -> usize {
        self.observation.public().turn().index()
    }

    /// Phase of the deal: "auction", "trump", "discard", "exchange", "answer", "play" or "done".
    #[getter]
    fn phase(&self) -> &'static str {
        self.observation.public().phase().name()
    }

    /// The name of the rule set.
    #[getter]
    fn rules(&self) -> &'static str {
        self.observation.public().rules().id()
    }

    /// Numbers of the legal actions; empty unless it is the seat's turn.
    #[getter]
    fn legal(&self) -> Vec<usize> {
        self.observation.legal_actions().into_iter().map(Action::index).collect()
    }

    /// Codes of the legal actions.
    #[getter]
    fn codes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        codes(py, self.observation.legal_actions())
    }

    /// Codes of the cards that the seat holds.
    #[getter]
    fn hand(&self) -> Vec<String> {
        self.observation.hand().iter().map(|card| card.to_string()).collect()
    }

    /// The dealer, 0 to 3.
    #[getter]
    fn dealer(&self) -> usize {
        self.observation.public().dealer().index()
    }

    /// The contract (kind, level, trump, declarers), or `None` before there is one.
    #[getter]
    fn contract<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        contract_of(py, self.observation.public().contract())
    }

    /// The declarers, 0 to 3; empty before there is a contract.
    #[getter]
    fn declarers(&self) -> Vec<usize> {
        let contract = self.observation.public().contract();
        contract.map_or_else(Vec::new, |c| c.declarers.iter().map(Seat::index).collect())
    }

    /// The letter of the trump suit, or `None` without trumps or a contract.
    #[getter]
    fn trump(&self) -> Option<char> {
        self.observation.public().contract()?.trump.map(Suit::letter)
    }

    /// Calls so far, oldest first: the seat and the code of each.
    #[getter]
    fn calls(&self) -> Vec<(usize, String)> {
        let calls = Scene::from_observation(&self.observation).calls;
        calls.into_iter().map(|(seat, action)| (seat.index(), action.to_string())).collect()
    }

    /// Cards of the current trick, in the order played: the seat and the code of each.
    #[getter]
    fn trick(&self) -> Vec<(usize, String)> {
        let cards = self.observation.public().trick().cards();
        cards.map(|(seat, card)| (seat.index(), card.to_string())).collect()
    }

    /// Numbers of tricks won so far, by seat.
    #[getter]
    fn tricks(&self) -> [u32; 4] {
        self.observation.public().tricks().0.map(u32::from)
    }

    /// Match points before the deal, by seat.
    #[getter]
    fn totals(&self) -> [i32; 4] {
        self.observation.totals().0
    }

    /// Returns features and mask, as the environments do.
    #[pyo3(signature = (*, canonical_suits = false))]
    fn encode<'py>(&self, py: Python<'py>, canonical_suits: bool) -> Encoded<'py> {
        let suits = suits_of(&self.observation, canonical_suits);
        (features(py, &self.observation, suits), mask(py, &self.observation, suits))
    }

    /// Returns the features, float32 of shape `(N_FEATURES,)`, −2 to 2.
    #[pyo3(signature = (*, canonical_suits = false))]
    fn features<'py>(&self, py: Python<'py>, canonical_suits: bool) -> Bound<'py, PyArray1<f32>> {
        features(py, &self.observation, suits_of(&self.observation, canonical_suits))
    }

    /// Returns the mask of legal actions, int8 of shape `(N_ACTIONS,)`.
    ///
    /// It is all 0 unless it is the seat's turn.
    #[pyo3(signature = (*, canonical_suits = false))]
    fn mask<'py>(&self, py: Python<'py>, canonical_suits: bool) -> Bound<'py, PyArray1<i8>> {
        mask(py, &self.observation, suits_of(&self.observation, canonical_suits))
    }

    /// Returns the actions so far, oldest first, int64 of shape `(actions, 2)`.
    ///
    /// Columns are the seat, 0 to 3 clockwise from the observer, and the number of the action. The
    /// number is -1 for a card that another seat laid aside.
    #[pyo3(signature = (*, canonical_suits = false))]
    fn history<'py>(
        &self,
        py: Python<'py>,
        canonical_suits: bool,
    ) -> PyResult<Bound<'py, PyArray2<i64>>> {
        let suits = suits_of(&self.observation, canonical_suits);
        let rows = self.observation.history().iter().map(|(seat, action)| {
            let number = action.map_or(-1, |action| suits.rename_action(action).index() as i64);
            [seat.relative_to(self.observation.seat()) as i64, number]
        });
        let rows: Vec<[i64; 2]> = rows.collect();
        PyArray1::from_vec(py, rows.concat()).reshape([rows.len(), 2])
    }

    /// Returns the actions so far as tokens, int64 of shape `(HISTORY_LENGTH,)`: the input
    /// `history` of ONNX models.
    #[pyo3(signature = (*, canonical_suits = false))]
    fn history_tokens<'py>(
        &self,
        py: Python<'py>,
        canonical_suits: bool,
    ) -> Bound<'py, PyArray1<i64>> {
        let suits = suits_of(&self.observation, canonical_suits);
        PyArray1::from_slice(py, &history_tokens(&self.observation, suits))
    }

    /// Returns the number of an action after the seat's suits were renamed to canonical ones.
    fn canonical_action(&self, action: &Bound<'_, PyAny>) -> PyResult<usize> {
        let suits = SuitPermutation::canonical(&self.observation);
        Ok(suits.rename_action(action_argument(action)?).index())
    }

    /// Returns the action of a number in canonical suits: the inverse of `canonical_action`.
    fn real_action(&self, action: &Bound<'_, PyAny>) -> PyResult<usize> {
        let suits = SuitPermutation::canonical(&self.observation);
        Ok(suits.inverse().rename_action(action_argument(action)?).index())
    }

    /// Returns the number of the suit permutation, 0 to 23, for networks with canonical suits: the
    /// input `suits` of an exported model.
    fn suits(&self) -> u8 {
        SuitPermutation::canonical(&self.observation).number()
    }

    /// Returns the game record of the view. `troel.observe` turns it into an equal view.
    fn record<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &Record::from_observation(&self.observation))
    }

    /// Returns the table as text; `colours` adds ANSI escape sequences.
    #[pyo3(signature = (colours = false))]
    fn text(&self, colours: bool) -> String {
        Scene::from_observation(&self.observation).to_text(colours)
    }

    /// Returns the table as an SVG image.
    fn svg(&self) -> String {
        Scene::from_observation(&self.observation).to_svg()
    }

    /// Returns [`View::svg`], for notebooks.
    fn _repr_svg_(&self) -> String {
        self.svg()
    }

    fn __repr__(&self) -> String {
        let (public, seat) = (self.observation.public(), self.observation.seat());
        let (rules, phase) = (public.rules().id(), public.phase().name());
        format!("<troel.View of {} in {rules}, phase {phase}>", seat.letter())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<ReducedView<'py>> {
        let restore = py.import("troel._troel")?.getattr("_restore")?;
        let spec = spec_of(self.observation.public().rules())?;
        Ok((restore, (self.record(py)?, self.seat(), spec)))
    }
}

/// Returns the view of `seat` in a game record, which must have at least its hand.
///
/// `rules` is the path of a rule file, for records that name one.
#[pyfunction]
#[pyo3(signature = (record, seat, rules = None))]
pub fn observe(
    record: &Bound<'_, PyAny>,
    seat: SeatArgument,
    rules: Option<&str>,
) -> PyResult<View> {
    let record: Record = from_python(record, "a game record")?;
    let rules = rule_set(rules.unwrap_or(&record.rules))?;
    let observation =
        record.observe(rules, seat.seat()?).map_err(|error| value_error(error.message))?;
    Ok(View { observation })
}

/// Returns the view of a record under these house rules, for pickle.
#[pyfunction]
pub fn _restore(
    record: &Bound<'_, PyAny>,
    seat: SeatArgument,
    spec: Option<&str>,
) -> PyResult<View> {
    let record: Record = from_python(record, "a game record")?;
    let rules = restored_rules(&record.rules, spec)?;
    let observation =
        record.observe(rules, seat.seat()?).map_err(|error| value_error(error.message))?;
    Ok(View { observation })
}

/// Returns the seat and the number of each action of a full game record, int64 of shape
/// `(actions, 2)`. Seats are 0 to 3 for N, E, S, W.
///
/// `rules` is the path of a rule file, for records that name one.
#[pyfunction]
#[pyo3(signature = (record, rules = None))]
pub fn action_numbers<'py>(
    py: Python<'py>,
    record: &Bound<'py, PyAny>,
    rules: Option<&str>,
) -> PyResult<Bound<'py, PyArray2<i64>>> {
    let record: Record = from_python(record, "a game record")?;
    let rules = rule_set(rules.unwrap_or(&record.rules))?;
    let mut rows = Vec::new();
    let played = record.play(rules, |state, action| {
        rows.push([state.turn().index() as i64, action.index() as i64]);
    });
    played.map_err(|error| value_error(error.message))?;
    PyArray1::from_vec(py, rows.concat()).reshape([rows.len(), 2])
}

/// Returns `count` uniform samples of the deals that are consistent with a view.
///
/// Each is a full game record of the deal so far.
#[pyfunction]
#[pyo3(signature = (view, count, seed = 0))]
pub fn worlds<'py>(
    py: Python<'py>,
    view: &View,
    #[pyo3(from_py_with = count)] count: u64,
    #[pyo3(from_py_with = seed)] seed: u64,
) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let mut sampler = WorldSampler::new(&view.observation);
    let mut stream = Stream::new(seed, Purpose::Search, view.observation.fingerprint());
    (0..count)
        .map(|_| {
            py.check_signals()?;
            let world = sampler.sample(&mut stream).map_err(value_error)?;
            let totals = BySeat(view.observation.totals().0);
            to_python(py, &Record::from_state(&world.state, &totals))
        })
        .collect()
}
