//! Value of a state: a rollout by rules of thumb while many cards are left, then the solver.

use troel_env::{BySeat, Contract, ContractKind, Phase, Seat, State, score, score_side};
use troel_solver::{Position, PositionError, Solver};

use crate::heuristic::{self, TrickModel};

/// Maximum number of cards in hand at which rollouts by rules of thumb solve the last tricks.
const HEURISTIC_MAX_SOLVED_CARDS: u32 = 6;

/// Returns the points of a deal in play if all see all cards.
///
/// Declarers of a misère or piccolo are judged one by one, each against the three others.
pub(super) fn solved_points(
    state: &State,
    contract: &Contract,
    solver: &mut Solver,
) -> BySeat<i32> {
    if !contract.kind.is_negative() {
        let taken = match Position::from_state(state) {
            Ok(position) => solver.value(&position),
            // Before the first lead of a troel settles trumps, the contract counts as just made.
            Err(PositionError::NotInPlay) => contract.goal,
            Err(error) => unreachable!("a world in play has equal hands and two sides: {error}"),
        };
        return score_side(state.rules(), contract, taken);
    }
    let mut tricks = BySeat::default();
    for declarer in contract.declarers.iter() {
        tricks[declarer] = declarer_tricks(state, contract, declarer, solver);
    }
    score(state.rules(), contract, &tricks)
}

/// Returns a number of tricks with which a lone declarer's misère or piccolo is made, or one too
/// many. It is not the number that the declarer takes.
fn declarer_tricks(state: &State, contract: &Contract, declarer: Seat, solver: &mut Solver) -> u8 {
    if state.tricks()[declarer] > contract.kind.allowed_tricks() {
        return deciding_tricks(contract.kind, false);
    }
    match solver.declarer_makes(state, declarer, u64::MAX) {
        Ok(makes) => deciding_tricks(contract.kind, makes == Some(true)),
        Err(error) => unreachable!("a misère or piccolo in play has equal hands: {error}"),
    }
}

/// Returns a number of tricks with which a misère or piccolo is made, or one too many.
pub(super) fn deciding_tricks(kind: ContractKind, is_made: bool) -> u8 {
    kind.allowed_tricks() + u8::from(!is_made)
}

/// Plays forced actions until the points are known, or a seat has a choice.
///
/// The points are known at the end of the deal. At the start of a trick with at most
/// `max_solved_cards` cards in each hand, the rest of the deal is solved. Returns the points of all
/// seats, or `None` if a seat has a choice.
pub(super) fn advance(
    state: &mut State,
    max_solved_cards: u32,
    solver: &mut Solver,
) -> Option<BySeat<i32>> {
    loop {
        if state.is_done() {
            return state.scores();
        }
        if state.phase() == Phase::Play
            && state.trick().is_empty()
            && state.hands()[state.turn()].len() <= max_solved_cards
            && let Some(contract) = state.contract().copied()
        {
            return Some(solved_points(state, &contract, solver));
        }
        let legal = state.legal_actions();
        match legal.into_iter().next() {
            Some(only) if legal.len() == 1 => state.apply_unchecked(only),
            _ => return None,
        }
    }
}

/// Plays a deal out by rules of thumb, and solves the last tricks. Returns the points of all seats.
pub(super) fn roll_out_by_heuristic(mut state: State, solver: &mut Solver) -> BySeat<i32> {
    loop {
        if let Some(points) = advance(&mut state, HEURISTIC_MAX_SOLVED_CARDS, solver) {
            return points;
        }
        let obs = state.observe(state.turn(), BySeat::default());
        state.apply_unchecked(heuristic::choose_by(&obs, &TrickModel::FITTED));
    }
}
