//! Value of a state: play-out by rules of thumb while many cards are left, then the solver.

use troel_env::scoring::score;
use troel_env::{BySeat, Contract, ContractKind, Phase, RuleSet, Seat, SeatSet, State};
use troel_solver::{Objective, Position, Solver};

use crate::heuristic::{self, Judgement};

/// Returns the points of a contract whose declaring side takes `taken` tricks. For contracts that
/// several declarers play each for himself, see [`solved_points`].
pub(crate) fn points_for(rules: &RuleSet, contract: &Contract, taken: u8) -> BySeat<i32> {
    let mut tricks = BySeat::default();
    if let Some(declarer) = contract.declarers.first() {
        tricks[declarer] = taken;
    }
    score(rules, contract, &tricks)
}

/// Points of a deal in play if all see all cards. Declarers of a misère or piccolo are judged one
/// by one, each against the three others.
pub(crate) fn solved_points(
    state: &State,
    contract: &Contract,
    solver: &mut Solver,
) -> BySeat<i32> {
    if !contract.kind.is_negative() {
        return match Position::of_state(state) {
            Some(position) => points_for(state.rules(), contract, solver.value(&position)),
            None => points_for(state.rules(), contract, contract.level),
        };
    }
    let mut tricks = BySeat::default();
    for declarer in contract.declarers.iter() {
        tricks[declarer] = declarer_tricks(state, contract, declarer, solver);
    }
    score(state.rules(), contract, &tricks)
}

/// Tricks of a lone declarer of a misère or piccolo, as far as they decide whether he makes it.
fn declarer_tricks(state: &State, contract: &Contract, declarer: Seat, solver: &mut Solver) -> u8 {
    let allowed = u8::from(contract.kind == ContractKind::Piccolo);
    if state.tricks()[declarer] > allowed {
        return allowed + 1;
    }
    let objective = Objective { declarers: SeatSet::single(declarer), ..Objective::of(contract) };
    let position = Position::of_state_for(state, objective);
    let reached = position.is_ok_and(|position| solver.reaches(&position, 1));
    match (contract.kind == ContractKind::Piccolo, reached) {
        (true, true) => 1,
        (true, false) => 2,
        (false, reached) => u8::from(reached),
    }
}

/// Plays a deal out by rules of thumb until each hand holds at most `cards` cards at the start of a
/// trick, then solves it; points of all seats.
pub(crate) fn play_out(mut state: State, cards: u32, solver: &mut Solver) -> BySeat<i32> {
    loop {
        if state.is_done() {
            return state.scores().unwrap_or_default();
        }
        let turn = state.turn();
        if state.phase() == Phase::Play
            && state.trick().is_empty()
            && state.hands()[turn].len() <= cards
            && let Some(contract) = state.contract().copied()
        {
            return solved_points(&state, &contract, solver);
        }
        let legal = state.legal_actions();
        let action = match legal.into_iter().next() {
            Some(only) if legal.len() == 1 => only,
            _ => heuristic::choose_by(&state.observe(turn, BySeat::default()), &Judgement::FITTED),
        };
        state.apply_unchecked(action);
    }
}
