//! What a state is worth: played on by rules of thumb while many cards are left, then solved.

use troel_env::scoring::score;
use troel_env::{BySeat, Contract, ContractKind, Phase, RuleSet, Seat, SeatSet, State};

use crate::double_dummy::{Game, Position, Solver};
use crate::rule_based::{self, Judgement};

/// Points that winning the match is worth to a bot, on top of those of the deal; losing it costs as much.
const MATCH: f32 = 20.0;

/// What the points of a deal are worth to a seat: the points themselves, and more or less where they end the
/// match. `totals` are the match points before the deal.
pub fn utility(rules: &RuleSet, totals: &BySeat<i32>, points: &BySeat<i32>, seat: Seat) -> f32 {
    let own = points[seat] as f32;
    let target = rules.spec().match_target;
    let after = BySeat::from_fn(|s| totals[s] + points[s]);
    let best = after.iter().copied().max().unwrap_or(0);
    if target == 0 || best < target {
        return own;
    }
    let rival = Seat::ALL.into_iter().filter(|&s| s != seat).map(|s| after[s]).max().unwrap_or(0);
    match after[seat].cmp(&rival) {
        std::cmp::Ordering::Greater => own + MATCH,
        std::cmp::Ordering::Equal => own,
        std::cmp::Ordering::Less => own - MATCH,
    }
}

/// Points of a contract whose declaring side takes so many tricks. Of contracts that several declarers play
/// each for himself see [`solved`].
pub(crate) fn points_for(rules: &RuleSet, contract: &Contract, taken: u8) -> BySeat<i32> {
    let mut tricks = BySeat::default();
    if let Some(declarer) = contract.declarers.first() {
        tricks[declarer] = taken;
    }
    score(rules, contract, &tricks)
}

/// Points of a deal in play if all see all cards. Declarers of a misère or piccolo are judged one by one, each
/// against the three others.
pub(crate) fn solved(state: &State, contract: &Contract, solver: &mut Solver) -> BySeat<i32> {
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
    let game = Game { declarers: SeatSet::single(declarer), ..Game::of(contract) };
    let reached = solver.reaches(&Position::in_game(state, game), 1);
    match (contract.kind == ContractKind::Piccolo, reached) {
        (true, true) => 1,
        (true, false) => 2,
        (false, reached) => u8::from(reached),
    }
}

/// Plays a deal on by rules of thumb until each hand holds at most `cards` cards at the start of a trick, then
/// solves it; points of all seats.
pub(crate) fn played_on(mut state: State, cards: u32, solver: &mut Solver) -> BySeat<i32> {
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
            return solved(&state, &contract, solver);
        }
        let legal = state.legal_actions();
        let action = match legal.into_iter().next() {
            Some(only) if legal.len() == 1 => only,
            _ => rule_based::choose_by(&state.observe(turn, BySeat::default()), &Judgement::FITTED),
        };
        state.apply_unchecked(action);
    }
}
