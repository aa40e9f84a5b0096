//! The double-dummy solver.

use pyo3::prelude::*;
use pyo3::types::PyDict;
use troel_agents::search;
use troel_env::{BySeat, Card, ContractView, Record, Seat, SeatSet, Suit, parse_hands};
use troel_solver::{Bounds, DEFAULT_MEMORY, Goal, Objective, Position, Solver};

use crate::arguments::{SeatArgument, from_python, nodes, to_python, value_error};
use crate::game::state_of;
use crate::parallel::interruptible;
use crate::rule_sets::rule_set;

/// Returns the minimum and maximum number of tricks by code of card.
fn by_card<'py>(py: Python<'py>, values: &[(Card, Bounds)]) -> PyResult<Bound<'py, PyDict>> {
    let cards = PyDict::new(py);
    for (card, bounds) in values {
        cards.set_item(card.to_string(), (bounds.least, bounds.most))?;
    }
    Ok(cards)
}

/// Solves four hands ("N:… … … …"). Returns the minimum and maximum total tricks of the declarers
/// by card of the seat to play.
#[pyfunction]
#[pyo3(signature = (hands, declarers, trump, goal, leader, actions, nodes))]
#[expect(clippy::too_many_arguments, reason = "they have names in Python")]
pub fn solve<'py>(
    py: Python<'py>,
    hands: &str,
    declarers: &str,
    trump: Option<&str>,
    goal: &str,
    leader: SeatArgument,
    actions: Vec<String>,
    #[pyo3(from_py_with = nodes)] nodes: u64,
) -> PyResult<Bound<'py, PyDict>> {
    let seats = SeatSet::parse(declarers).ok_or_else(|| {
        value_error(format!("declarers={declarers:?}: name one to three seats, such as \"NS\""))
    })?;
    let trump = match trump {
        None => None,
        Some(name) => {
            let suit = Suit::ALL.into_iter().find(|suit| name == suit.letter().to_string());
            Some(
                suit.ok_or_else(|| value_error(format!("trump={name:?}: use S, H, D, C or None")))?,
            )
        }
    };
    let goal = match goal {
        "most" => Goal::Most,
        "fewest" => Goal::Fewest,
        "one" => Goal::One,
        other => {
            return Err(value_error(format!(
                "goal={other:?}: use \"most\", \"fewest\" or \"one\""
            )));
        }
    };
    let objective = Objective { declarers: seats, trump, goal };
    let hands = parse_hands(hands).map_err(value_error)?;
    if let Some(seat) = Seat::ALL.into_iter().find(|&s| hands[s].is_none()) {
        return Err(value_error(format!("the hand of {seat} is hidden: give all four hands")));
    }
    let hands = BySeat::from_fn(|s| hands[s].unwrap_or_default());
    let mut position = Position::new(objective, hands, leader.seat()?).map_err(value_error)?;
    for code in actions {
        let card =
            Card::parse(&code).ok_or_else(|| value_error(format!("{code:?} is not a card")))?;
        position.play(card).map_err(value_error)?;
    }
    let values =
        interruptible(py, move || Solver::new(DEFAULT_MEMORY).values_within(&position, nodes))?;
    by_card(py, &values)
}

/// Solves a full game record in card play.
#[pyfunction]
#[pyo3(signature = (record, rules, nodes))]
pub fn solve_record<'py>(
    py: Python<'py>,
    record: &Bound<'py, PyAny>,
    rules: Option<&str>,
    #[pyo3(from_py_with = nodes)] nodes: u64,
) -> PyResult<Bound<'py, PyDict>> {
    let (state, _) = state_of(record, rules)?;
    let values =
        interruptible(py, move || Solver::new(DEFAULT_MEMORY).card_values_within(&state, nodes))?;
    let phase = state.phase().name();
    by_card(
        py,
        &values.ok_or_else(|| value_error(format!("no card is to be played (phase {phase})")))?,
    )
}

/// Returns the contract and points of a deal if all seats see all cards.
///
/// `None` if `nodes` positions are not enough for a contract.
#[pyfunction]
#[pyo3(signature = (record, rules, nodes))]
pub fn par<'py>(
    py: Python<'py>,
    record: &Bound<'py, PyAny>,
    rules: Option<&str>,
    #[pyo3(from_py_with = nodes)] nodes: u64,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let record: Record = from_python(record, "a game record")?;
    let rules = rule_set(rules.unwrap_or(&record.rules))?;
    let deal = record.full_deal(rules).map_err(value_error)?;
    let found =
        interruptible(py, move || search::par(rules, &deal, &mut Solver::default(), nodes))?;
    let Some(par) = found.map_err(value_error)? else { return Ok(None) };
    let contract = par.contract.as_ref().map(ContractView::from);
    to_python(py, &serde_json::json!({"contract": contract, "points": par.points.0})).map(Some)
}
