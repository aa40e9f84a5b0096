//! One environment with all four seats.

use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyList;
use troel_env::render::Scene;
use troel_env::{
    Action, BySeat, Card, CardSet, ContractView, Deal, Deals, Env, N_ACTIONS, N_FEATURES,
    N_FULL_FEATURES, Outcome, Record, RuleSet, Seat, State,
};
use troel_nn::SuitPermutation;

use crate::actions::{ActionArgument, codes};
use crate::arguments::{
    SeatArgument, config, count, from_python, reset_seed, scenario_of, seed, to_python,
    value_error, whole,
};
use crate::rule_sets::rule_set;
use crate::vectorised::locked;
use crate::view::{View, contract_of, suits_of};

/// Result of a step. It has rewards by seat, whether a deal ended, whether the episode did, and
/// points and contract of the deal that ended.
type StepResult<'py> = ([f32; 4], bool, bool, Option<Bound<'py, PyAny>>);

/// A deal or a match in progress, with all four seats.
///
/// `turn` is the seat to act, and `step` takes its action. Within an episode, the next deal follows
/// without a call. `reset` starts the next episode.
#[pyclass(module = "troel")]
#[derive(Clone)]
pub struct Game {
    env: Env,
}

#[pymethods]
impl Game {
    #[new]
    #[pyo3(signature = (rules = "luxembourg", *, r#match = false, reward = "centred", scenario = "any", seed = 0))]
    fn new(
        rules: &str,
        r#match: bool,
        reward: &str,
        scenario: &str,
        #[pyo3(from_py_with = seed)] seed: u64,
    ) -> PyResult<Game> {
        let rules = rule_set(rules)?;
        let config = config(rules, r#match, reward, scenario)?;
        Ok(Game { env: Env::new(rules, config, seed) })
    }

    /// Returns a game of a single deal that continues at the end of a full game record.
    ///
    /// It has the match points of the record.
    #[staticmethod]
    #[pyo3(signature = (record, *, reward = "centred", rules = None))]
    fn of_record(record: &Bound<'_, PyAny>, reward: &str, rules: Option<&str>) -> PyResult<Game> {
        let (state, totals) = state_of(record, rules)?;
        let config = config(state.rules(), false, reward, "any")?;
        Ok(Game { env: Env::from_state_at(state, config, totals) })
    }

    /// Returns a game of a single deal. `cards` are the numbers of all cards of the deck in the
    /// order in which they are dealt one by one, first to the dealer's left.
    #[staticmethod]
    fn _of_cards(rules: &str, dealer: usize, cards: &[u8], reward: &str) -> PyResult<Game> {
        let dealer = SeatArgument::Number(dealer as i64).seat()?;
        let mut deal = Deal { dealer, hands: BySeat([CardSet::EMPTY; 4]), turn_up: None };
        for (n, &number) in cards.iter().enumerate() {
            let card = Card::from_index(number.into())
                .ok_or_else(|| value_error(format!("{number} is not a card: cards are 0 to 51")))?;
            deal.hands[dealer.plus(n + 1)].insert(card);
            deal.turn_up = Some(card);
        }
        Game::of_deal(rule_set(rules)?, deal, reward)
    }

    /// Returns a game of deal `number` of a seed. `scenario` is as for `deals`.
    #[staticmethod]
    fn _of_seed(
        rules: &str,
        dealer: usize,
        seed: u64,
        number: u64,
        scenario: &str,
        reward: &str,
    ) -> PyResult<Game> {
        let (rules, dealer) = (rule_set(rules)?, SeatArgument::Number(dealer as i64).seat()?);
        let deals = Deals::new(rules, seed).with_scenario(scenario_of(scenario)?);
        Game::of_deal(rules, deals.shuffled(number, dealer), reward)
    }

    /// Starts a new episode with the next deals, or with the first deals of a seed if it is given.
    #[pyo3(signature = (seed = None))]
    fn reset(&mut self, #[pyo3(from_py_with = reset_seed)] seed: Option<u64>) {
        self.env.reset(seed);
    }

    /// Takes an action (number or code) of the seat to act. Returns the rewards by seat, whether a
    /// deal ended, whether the episode ended, and the outcome of a deal that ended.
    ///
    /// With `canonical_suits`, a number is in the suits of `View.encode(canonical_suits=True)`.
    ///
    /// Raises `IllegalAction`, a `ValueError`, if the action is not legal.
    /// Nothing has changed then.
    #[pyo3(signature = (action, *, canonical_suits = false))]
    fn step<'py>(
        &mut self,
        py: Python<'py>,
        action: ActionArgument,
        canonical_suits: bool,
    ) -> PyResult<StepResult<'py>> {
        let (legal, phase) = (self.env.legal_actions(), self.env.state().phase());
        let action = action.legal_action(legal, phase, self.suits(canonical_suits))?;
        let step = self.env.step(action).map_err(value_error)?;
        let outcome = step.outcome.map(|outcome| outcome_of(py, &outcome));
        Ok((step.rewards.0, step.deal_over, step.done, outcome.transpose()?))
    }

    /// The seat to act, 0 to 3 for N, E, S, W. It has no meaning once the episode is over.
    #[getter]
    fn turn(&self) -> usize {
        self.env.turn().index()
    }

    /// Whether the episode is over.
    #[getter]
    fn done(&self) -> bool {
        self.env.is_over()
    }

    /// Phase of the deal: "auction", "trump", "discard", "exchange", "answer", "play" or "done".
    #[getter]
    fn phase(&self) -> &'static str {
        self.env.state().phase().name()
    }

    /// The name of the rule set.
    #[getter]
    fn rules(&self) -> &'static str {
        self.env.state().rules().id()
    }

    /// Numbers of the legal actions of the seat to act.
    #[getter]
    fn legal(&self) -> Vec<usize> {
        self.env.legal_actions().into_iter().map(Action::index).collect()
    }

    /// Codes of the legal actions of the seat to act.
    #[getter]
    fn codes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        codes(py, self.env.legal_actions())
    }

    /// Match points by seat, including those of the last finished deal.
    #[getter]
    fn totals(&self) -> [i32; 4] {
        self.env.totals().0
    }

    /// The contract (kind, level, trump, declarers), or `None` before there is one.
    #[getter]
    fn contract<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        contract_of(py, self.env.state().contract())
    }

    /// Returns the observation of a seat; by default that of the seat to act.
    #[pyo3(signature = (seat = None))]
    fn view(&self, seat: Option<SeatArgument>) -> PyResult<View> {
        let seat = seat.map_or(Ok(self.env.turn()), |seat| seat.seat())?;
        Ok(View { observation: self.env.session().observe_as(seat) })
    }

    /// Writes the features of a seat into an array, float32 of shape `(N_FEATURES,)`.
    fn _write_features(&self, seat: usize, out: &Bound<'_, PyArray1<f32>>) -> PyResult<()> {
        let seat = SeatArgument::Number(seat as i64).seat()?;
        let mut out = out.try_readwrite().map_err(locked)?;
        let out = out.as_slice_mut()?;
        if out.len() != N_FEATURES {
            return Err(value_error(format!("out has {} values: use {N_FEATURES}", out.len())));
        }
        self.env.session().observe_as(seat).encode(out);
        Ok(())
    }

    /// Returns full information with all four hands, for critics, never for bots. It is float32 of
    /// shape `(N_FULL_FEATURES,)`, from the point of view of the seat to act.
    ///
    /// With `canonical_suits`, the suits are those of the seat's canonical order.
    #[pyo3(signature = (*, canonical_suits = false))]
    fn full_features<'py>(
        &self,
        py: Python<'py>,
        canonical_suits: bool,
    ) -> Bound<'py, PyArray1<f32>> {
        let mut features = vec![0.0; N_FULL_FEATURES];
        self.env.observe_full().encode_full(&mut features);
        self.suits(canonical_suits).rename_features(&mut features);
        features.into_pyarray(py)
    }

    /// Returns the full game record of the current deal.
    fn record<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.full_record())
    }

    /// Returns the table as text with all hands open; `colours` adds ANSI escape sequences.
    #[pyo3(signature = (colours = false))]
    fn text(&self, colours: bool) -> String {
        Scene::from_state(self.env.state(), self.totals_before()).to_text(colours)
    }

    /// Returns the table as an SVG image with all hands open.
    fn svg(&self) -> String {
        Scene::from_state(self.env.state(), self.totals_before()).to_svg()
    }

    /// Returns [`Game::svg`], for notebooks.
    fn _repr_svg_(&self) -> String {
        self.svg()
    }

    fn __copy__(&self) -> Game {
        self.clone()
    }

    fn __deepcopy__(&self, _memo: &Bound<'_, PyAny>) -> Game {
        self.clone()
    }

    fn __repr__(&self) -> String {
        let (rules, phase) = (self.rules(), self.phase());
        format!("<troel.Game of {rules}, phase {phase}, {} to act>", self.env.turn().letter())
    }

    /// Returns the state as JSON, for pickle.
    fn __getstate__(&self) -> PyResult<String> {
        serde_json::to_string(&self.env).map_err(value_error)
    }

    fn __setstate__(&mut self, state: &str) -> PyResult<()> {
        self.env = serde_json::from_str(state)
            .map_err(|e| value_error(format!("not a saved game: {e}")))?;
        Ok(())
    }
}

/// Returns points, tricks, contract and match points of a deal that ended.
pub fn outcome_of<'py>(py: Python<'py>, outcome: &Outcome) -> PyResult<Bound<'py, PyAny>> {
    let outcome = serde_json::json!({
        "points": outcome.scores.0,
        "tricks": outcome.tricks.0,
        "totals": outcome.totals.0,
        "contract": outcome.contract.as_ref().map(ContractView::from),
    });
    to_python(py, &outcome)
}

impl Game {
    /// Returns the game of an environment.
    pub fn from_env(env: Env) -> Game {
        Game { env }
    }

    /// Returns a game of a single deal. The deal has a turn-up if the rule set has one.
    fn of_deal(rules: &'static RuleSet, mut deal: Deal, reward: &str) -> PyResult<Game> {
        deal.turn_up = deal.turn_up.filter(|_| rules.has_turn_up());
        deal.check(rules).map_err(value_error)?;
        let config = config(rules, false, reward, "any")?;
        let state = State::new(rules, &deal);
        Ok(Game { env: Env::from_state_at(state, config, BySeat::default()) })
    }

    /// Returns the permutation of the suits for the seat to act.
    fn suits(&self, canonical_suits: bool) -> SuitPermutation {
        // Without the option, the observation is not needed.
        if canonical_suits {
            suits_of(&self.env.observe(), true)
        } else {
            SuitPermutation::default()
        }
    }

    fn totals_before(&self) -> BySeat<i32> {
        let scores = self.env.state().scores().unwrap_or_default();
        let totals = self.env.totals();
        BySeat::from_fn(|s| totals[s].saturating_sub(scores[s]))
    }

    fn full_record(&self) -> Record {
        Record::from_state(self.env.state(), &self.totals_before())
    }
}

/// Returns the argument `first`: the number of a deal.
fn first(value: &Bound<'_, PyAny>) -> PyResult<u64> {
    whole(value, "first", 0..=u64::MAX)
}

/// Returns `count` deals of a seed from number `first` on, as game records without actions.
///
/// `scenario` is one of:
///
/// - "any"
/// - "aces": three in one hand
/// - "low-cards": at most two above the ten in one hand
/// - "near-slam": twelve tricks from the top and a loser in one hand
/// - a kind of contract that suits at least one hand, such as "misere"
///
/// Deal n of a seed is always the same.
#[pyfunction]
#[pyo3(signature = (rules = "luxembourg", count = 1, *, seed = 1, first = 0, scenario = "any"))]
pub fn deals<'py>(
    py: Python<'py>,
    rules: &str,
    #[pyo3(from_py_with = count)] count: u64,
    #[pyo3(from_py_with = seed)] seed: u64,
    #[pyo3(from_py_with = first)] first: u64,
    scenario: &str,
) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let found = rule_set(rules)?;
    let deals = Deals::new(found, seed).with_scenario(scenario_of(scenario)?);
    let end =
        first.checked_add(count).ok_or_else(|| value_error("deals are numbered up to 2^64 - 1"))?;
    (first..end)
        .map(|n| {
            py.check_signals()?;
            let deal = deals.shuffled(n, Seat::dealer(n));
            let mut record = Record::new(found, &deal);
            record.rules = rules.to_string();
            to_python(py, &record)
        })
        .collect()
}

/// Flag of a seat in moves: a card laid aside face down, which only its seat has seen.
const HIDDEN: u8 = 0x80;

/// Writes moves into the rows of an array, float32 of shape `(at least moves, 2)`.
///
/// A move is two bytes: a seat with flags, and an action. Its row has the seat relative to `player`
/// (1 to 4) / 4, and the action (1 to `N_ACTIONS`) / `N_ACTIONS`, or 0 for a card that another seat
/// laid aside. Without a player, the row is as the public sees it, relative to North.
#[pyfunction]
#[pyo3(signature = (moves, player, out))]
pub fn _write_moves(
    moves: &[u8],
    player: Option<u8>,
    out: &Bound<'_, PyArray2<f32>>,
) -> PyResult<()> {
    let mut out = out.try_readwrite().map_err(locked)?;
    let rows = out.as_slice_mut()?.as_chunks_mut().0;
    for ([relative, number], &[mark, action]) in rows.iter_mut().zip(moves.as_chunks().0) {
        let seat = mark & 3;
        *relative = f32::from((4 + seat - (player.unwrap_or(0) & 3)) % 4 + 1) / 4.0;
        let is_seen = mark & HIDDEN == 0 || player == Some(seat);
        *number = if is_seen { f32::from(action + 1) / N_ACTIONS as f32 } else { 0.0 };
    }
    Ok(())
}

/// Returns the state at the end of a full game record, and the match points before the deal.
pub fn state_of(record: &Bound<'_, PyAny>, rules: Option<&str>) -> PyResult<(State, BySeat<i32>)> {
    let record: Record = from_python(record, "a game record")?;
    let rules = rule_set(rules.unwrap_or(&record.rules))?;
    let state = record.play(rules, |_, _| {}).map_err(|error| value_error(error.message))?;
    Ok((state, BySeat(record.scores_before.unwrap_or_default())))
}
