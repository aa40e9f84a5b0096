//! Low hands with which a misère nearly always fails.

use troel_agents::heuristic;
use troel_agents::search::{WeightedWorld, consistent_worlds};
use troel_env::rng::{Purpose, Stream};
use troel_env::scenario::low_hand;
use troel_env::{Action, BySeat, ContractKind, Phase, RuleSet, State};
use troel_solver::Solver;

use super::position::{after_silence, passing_can_be_free, position_with};
use super::types::{AnswerBasis, Problem, Suite};

/// Number of sampled worlds in which a misère must fail.
const SAMPLED_WORLDS: usize = 30;

/// Largest number of these worlds in which `rules`, in all seats, makes it.
const MAX_WORLDS_MADE: usize = 3;

/// Positions that the solver may search in a world. A misère that needs more is not judged.
const MAX_PROBLEM_NODES: u64 = 50_000;

/// Returns whether a call bids a misère with all thirteen cards. In a small misère the declarer may
/// lay a bare ace aside.
fn is_misere(call: Action) -> bool {
    call.as_bid().is_some_and(|bid| bid.kind.is_misere() && bid.kind != ContractKind::SmallMisere)
}

/// Returns the state in card play after a call and silence of the others. `None` if the caller does
/// not declare a misère then, or may exchange the turn-up first, which can make the hand safe.
fn played_alone(state: &State, call: Action) -> Option<State> {
    let seat = state.turn();
    let mut state = *state;
    state.apply(call).ok()?;
    let state = after_silence(state).filter(|state| state.phase() == Phase::Play)?;
    let contract = state.contract()?;
    (contract.kind.is_misere() && contract.declarers.has(seat)).then_some(state)
}

/// Returns whether the misère of a call fails in all worlds, double dummy. It must also fail in
/// nearly all of them with `rules` in all seats.
fn fails(worlds: &[WeightedWorld], call: Action, solver: &mut Solver) -> bool {
    let mut made = 0;
    for world in worlds {
        let seat = world.state.turn();
        let Some(state) = played_alone(&world.state, call) else { return false };
        if solver.declarer_makes(&state, seat, MAX_PROBLEM_NODES) != Ok(Some(false)) {
            return false;
        }
        made += usize::from(heuristic::roll_out(state).tricks()[seat] == 0);
    }
    made <= MAX_WORLDS_MADE
}

/// Returns problem number `number` of the suite of losing misères. `None` if no misère fails nearly
/// always, or passing cannot be shown to be better.
pub(super) fn losing_misere(
    rules: &'static RuleSet,
    seed: u64,
    number: u64,
    solver: &mut Solver,
) -> Option<Problem> {
    let mut stream = Stream::new(seed, Purpose::Position, number);
    let hand = low_hand(&mut stream);
    let place = stream.below(4) as usize;
    let state = position_with(rules, seed, number, hand, place)?;
    let silent = state.legal_actions().silent_call()?;
    if !passing_can_be_free(&state, state.turn()) {
        return None;
    }
    let obs = state.observe(state.turn(), BySeat::default());
    let miseres: Vec<Action> =
        obs.legal_actions().into_iter().filter(|&call| is_misere(call)).collect();
    let worlds = consistent_worlds(&obs, SAMPLED_WORLDS, &mut stream).ok()?;
    // What is found must not depend on the problems before.
    solver.clear();
    // Misères are sorted from easy to hard: where one fails, those after it fail, too.
    let first_losing = miseres.iter().position(|&call| fails(&worlds, call, solver))?;
    let losing = &miseres[first_losing..];
    let others =
        obs.legal_actions().into_iter().filter(|call| *call != silent && !losing.contains(call));
    let accept: Vec<Action> = [silent].into_iter().chain(others).collect();
    let codes: Vec<String> = losing.iter().map(ToString::to_string).collect();
    let reason = format!(
        "{} fails double dummy in all of {SAMPLED_WORLDS} sampled worlds, and in nearly all when \
         played by rules; passing can cost nothing",
        codes.join(" or ")
    );
    Problem::with_answers(Suite::LosingMiseres, &state, &accept, reason, AnswerBasis::SampledWorlds)
}
