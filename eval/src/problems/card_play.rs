//! Positions with few worlds: the value of every card in every world that the record allows.
//!
//! Three suites come from here: endings, cards that score less than another card in every world,
//! and the defence against open misères. In the last one, the seat sees two of the four hands.

use std::ops::RangeInclusive;

use troel_agents::{DecisionDetail, NamedBot, decide_one};
use troel_env::rng::{Purpose, Stream};
use troel_env::{
    Action, BySeat, Card, Contract, ContractKind, Deals, Observation, Phase, RuleSet, Scenario,
    Seat, State, score_side,
};
use troel_solver::Solver;

use super::types::{AnswerBasis, Problem, Suite, record};
use super::worlds::worlds;

/// Numbers of cards in the hand of the seat that decides, in an ending.
const ENDING_HAND_SIZES: RangeInclusive<u32> = 3..=5;
/// Numbers of cards in that hand, in the defence against an open misère.
const DEFENCE_HAND_SIZES: RangeInclusive<u32> = 4..=7;

/// Minimum difference in points between the best and the worst card of a problem.
const MIN_POINT_DIFFERENCE: f64 = 0.5;

/// Returns problem number `number` of a suite. It is `None` if the deal does not come to a suitable
/// position.
pub(super) fn problem(
    suite: Suite,
    rules: &'static RuleSet,
    seed: u64,
    number: u64,
    solver: &mut Solver,
) -> Option<Problem> {
    let mut stream = Stream::new(seed, Purpose::Position, number);
    let (scenario, sizes) = match suite {
        Suite::MisereDefence => (Scenario::Promising(ContractKind::OpenMisere), DEFENCE_HAND_SIZES),
        _ => (Scenario::Any, ENDING_HAND_SIZES),
    };
    let cards = sizes.start() + stream.below(sizes.end() - sizes.start() + 1);
    let place = stream.below(4) as usize;
    let deals = Deals::for_evaluation(rules, seed).with_scenario(scenario);
    let mut state = State::new(rules, &deals.shuffled(number, deals.first_dealer(number)));
    let mut bot = NamedBot::find("rules", rules).ok()?.instantiate(seed);
    while !state.is_done() {
        let (turn, legal) = (state.turn(), state.legal_actions());
        let is_asked = state.phase() == Phase::Play
            && legal.len() > 1
            && state.hands()[turn].len() == cards
            && state.trick().len() == place;
        if is_asked {
            return pose(suite, &state, solver);
        }
        let only = legal.nth_action(0).filter(|_| legal.len() == 1);
        let action = match only {
            Some(action) => action,
            None => {
                let obs = state.observe(turn, BySeat::default());
                decide_one(&mut *bot, &obs, DecisionDetail::Action).ok()?.action
            }
        };
        state.apply(action).ok()?;
    }
    None
}

/// Returns the problem of a position; `None` if the position does not suit the suite.
fn pose(suite: Suite, state: &State, solver: &mut Solver) -> Option<Problem> {
    let obs = state.observe(state.turn(), BySeat::default());
    let contract = state.contract().filter(|contract| is_of(suite, contract, &obs))?;
    // A turn-up that the seat does not see is hidden in the history, too.
    if state.deal().turn_up.is_some() && obs.turn_up().is_none() {
        return None;
    }
    let worlds = worlds(state)?;
    let cards = values(contract, &worlds, state.turn(), solver)?;
    match suite {
        Suite::Never => pose_never(state, &cards, worlds.len()),
        _ => pose_values(suite, state, &cards, worlds.len()),
    }
}

/// A card of the seat, with the points of the deal in each world.
type CardValues = (Card, Vec<i32>);

/// Returns the problem not to play a card that scores less than another card in every world. `None`
/// if there is no such card.
fn pose_never(state: &State, cards: &[CardValues], n_worlds: usize) -> Option<Problem> {
    let loses = |values: &[i32]| {
        let beats = |other: &[i32]| other.iter().zip(values).all(|(other, own)| other > own);
        cards.iter().any(|(_, other)| beats(other))
    };
    let (never, others): (Vec<_>, Vec<_>) = cards.iter().partition(|(_, values)| loses(values));
    if never.is_empty() {
        return None;
    }
    let accept: Vec<Action> = others.iter().map(|(card, _)| Action::card(*card)).collect();
    let never: Vec<String> = never.iter().map(|(card, _)| card.to_string()).collect();
    let reason = format!(
        "{} scores less than another card in each of the {n_worlds} deals of the unseen cards that \
         the record allows, with all cards seen",
        never.join(" or ")
    );
    Problem::with_answers(Suite::Never, state, &accept, reason, AnswerBasis::Solver)
}

/// Returns the problem with the mean points of every card over the worlds. `None` if they differ
/// too little.
fn pose_values(
    suite: Suite,
    state: &State,
    cards: &[CardValues],
    n_worlds: usize,
) -> Option<Problem> {
    let mean = |values: &[i32]| values.iter().map(|&v| f64::from(v)).sum::<f64>() / n_worlds as f64;
    let means: Vec<f64> = cards.iter().map(|(_, values)| mean(values)).collect();
    let most = means.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let least = means.iter().copied().fold(f64::INFINITY, f64::min);
    if most - least < MIN_POINT_DIFFERENCE {
        return None;
    }
    // A file returns short decimals exactly, so that equal cards stay equal.
    let rounded = |mean: f64| (mean * 1e4).round() / 1e4;
    let values =
        cards.iter().zip(&means).map(|((card, _), &mean)| (card.to_string(), rounded(mean)));
    Some(Problem {
        suite: suite.into(),
        record: record(state),
        seat: state.turn(),
        accept: Vec::new(),
        values: Some(values.collect()),
        reason: format!(
            "mean of the double-dummy points over all {n_worlds} deals of the unseen cards that \
             the record allows"
        ),
        basis: AnswerBasis::ExactExpectation,
    })
}

/// Returns whether a position under this contract suits the suite.
fn is_of(suite: Suite, contract: &Contract, obs: &Observation) -> bool {
    if suite == Suite::MisereDefence {
        let open = obs.open_miseres();
        return contract.declarers.len() == 1 && open == contract.declarers;
    }
    // Several declarers of a misère play each for themselves: no single value decides.
    !contract.kind.is_negative() && (contract.trump.is_some() || !contract.kind.is_pair())
}

/// Returns the legal cards with the double-dummy points of the seat in each world. `None` if the
/// solver cannot solve a world.
fn values(
    contract: &Contract,
    worlds: &[State],
    seat: Seat,
    solver: &mut Solver,
) -> Option<Vec<CardValues>> {
    let mut found: Vec<CardValues> = Vec::new();
    for world in worlds {
        for (nth, (card, taken)) in solver.card_values(world)?.into_iter().enumerate() {
            let points = score_side(world.rules(), contract, taken)[seat];
            match found.get_mut(nth) {
                Some((known, values)) if *known == card => values.push(points),
                Some(_) => return None,
                None => found.push((card, vec![points])),
            }
        }
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use troel_solver::Position;

    use super::*;

    #[test]
    fn cards_that_are_never_right_lose_in_every_world() {
        let mut solver = Solver::default();
        for rules in RuleSet::all_built_in() {
            let mut find = |number| problem(Suite::Never, rules, 5, number, &mut solver);
            let found = (0..400).find_map(&mut find).expect("a problem");
            let state = found.record.play(rules, |_, _| ()).expect("a state");
            let worlds = worlds(&state).expect("few worlds");
            let legal = state.legal_actions();
            assert!(found.accept.len() < legal.len() as usize);
            let contract = *state.contract().expect("a contract");
            let cards = values(&contract, &worlds, found.seat, &mut solver).expect("values");
            for (card, values) in &cards {
                let is_accepted = found.accept.contains(&card.to_string());
                let is_beaten = cards
                    .iter()
                    .any(|(_, other)| (0..worlds.len()).all(|world| other[world] > values[world]));
                assert_eq!(is_accepted, !is_beaten, "{card}");
            }
        }
    }

    #[test]
    fn values_of_an_ending_are_means_over_its_worlds() {
        let rules = RuleSet::built_in("luxembourg").expect("rules");
        let mut solver = Solver::default();
        let found =
            (0..400).find_map(|number| problem(Suite::Endings, rules, 5, number, &mut solver));
        let found = found.expect("an ending");
        let state = found.record.play(rules, |_, _| ()).expect("a state");
        let contract = *state.contract().expect("a contract");
        let worlds = worlds(&state).expect("few worlds");
        for (code, &value) in found.values.as_ref().expect("values") {
            let action = Action::parse(code, Phase::Play).expect("a card");
            let points = worlds.iter().map(|world| {
                let mut after = *world;
                after.apply(action).expect("legal");
                let taken: u8 = if after.is_done() {
                    contract.declarers.iter().map(|seat| after.tricks()[seat]).sum()
                } else {
                    solver.value(&Position::from_state(&after).expect("a position"))
                };
                f64::from(score_side(rules, &contract, taken)[found.seat])
            });
            let mean = points.sum::<f64>() / worlds.len() as f64;
            assert!((mean - value).abs() < 1e-4, "{code}: {mean} and {value}");
        }
    }
}
