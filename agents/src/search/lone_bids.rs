//! Bids for a contract alone that rollouts with `rules` find best.

use troel_env::hand::{misere_risk, trick_estimate};
use troel_env::rng::Stream;
use troel_env::{Action, Contract, Observation, Seat, State};

use super::weighted::Mean;
use super::world_sampling::{WeightedWorld, consistent_worlds};
use crate::bot::BotError;
use crate::heuristic;

/// Number of bids with the highest estimated gain that are judged, besides the calls that announce
/// nothing.
const MAX_BIDS: usize = 6;

/// Number of tricks that the estimate of a hand may fall short of a contract that is worth judging.
const MAX_SHORTFALL: f32 = 2.0;

/// Risk ([`misere_risk`]) up to which a hand may be better in a misère. `rules` plays these too
/// badly to compare them.
const MAX_MISERE_RISK: f32 = 1.6;

/// Number of standard errors by which a call must be worse than the best one to be clearly worse.
const CLEAR_STANDARD_ERRORS: f32 = 2.0;

/// Returns the bids of the observing seat that are not clearly worse than the best call, the best
/// one first, if all of them are contracts alone for tricks. Otherwise returns none.
///
/// Each call is played out by `rules` in the same `worlds` sampled worlds (at least 1). A call is
/// clearly worse if its mean difference from the best one is more than two standard errors, which
/// needs at least two worlds.
///
/// Nothing is returned in three further cases:
///
/// - Another seat has bid: the worlds ignore the information of its call about its cards.
/// - The hand makes no contract alone for tricks, even by a generous estimate.
/// - The hand may make a misère, which `rules` plays badly.
///
/// # Errors
/// No world fits the observation, or the search was cancelled.
pub fn best_lone_bids(
    obs: &Observation,
    worlds: usize,
    stream: &mut Stream,
) -> Result<Vec<Action>, BotError> {
    let is_strong = obs.legal_actions().into_iter().any(|call| is_plausible(obs, call));
    let may_duck = misere_risk(obs.hand(), obs.state().rules().deck()) <= MAX_MISERE_RISK;
    if !others_passed(obs) || !is_strong || may_duck {
        return Ok(Vec::new());
    }
    let calls = heuristic::candidates(obs, MAX_BIDS);
    let worlds = consistent_worlds(obs, worlds, stream)?;
    let points: Vec<Vec<f32>> = calls.iter().map(|&call| points_after(call, &worlds)).collect();
    let sums: Vec<f32> = points.iter().map(|points| points.iter().sum()).collect();
    let Some(best) = (0..calls.len()).max_by(|&a, &b| sums[a].total_cmp(&sums[b])) else {
        return Ok(Vec::new());
    };
    let mut accepted: Vec<usize> = (0..calls.len())
        .filter(|&nth| nth == best || !is_clearly_worse(&worlds, &points[nth], &points[best]))
        .collect();
    accepted.sort_by(|&a, &b| sums[b].total_cmp(&sums[a]));
    let accepted: Vec<Action> = accepted.into_iter().map(|nth| calls[nth]).collect();
    let all_alone = accepted.iter().all(|&call| contract_for_tricks(obs, call).is_some());
    Ok(if all_alone { accepted } else { Vec::new() })
}

/// Returns whether all calls of the other seats were passes.
fn others_passed(obs: &Observation) -> bool {
    let mut others = Seat::ALL.into_iter().filter(|&seat| seat != obs.seat());
    others.all(|seat| obs.calls(seat).into_iter().all(|call| call == Action::PASS))
}

/// Returns the contract of a call that its caller plays alone, for tricks.
fn contract_for_tricks(obs: &Observation, call: Action) -> Option<Contract> {
    let turn_up = obs.turn_up().map(|card| card.suit());
    let contract = obs.state().rules().contract_alone(call, obs.seat(), turn_up)?;
    (!contract.kind.is_pair() && !contract.kind.is_negative()).then_some(contract)
}

/// Returns whether a call bids a contract alone that the hand may make, generously judged.
fn is_plausible(obs: &Observation, call: Action) -> bool {
    let reaches = |contract: Contract| {
        trick_estimate(obs.hand(), contract.trump) + MAX_SHORTFALL >= f32::from(contract.level)
    };
    contract_for_tricks(obs, call).is_some_and(reaches)
}

/// Returns the points of the seat to act after a call, in each world, with `rules` in all seats.
fn points_after(call: Action, worlds: &[WeightedWorld]) -> Vec<f32> {
    let points = |world: &WeightedWorld| {
        let (mut state, seat) = (world.state, world.state.turn());
        state.apply_unchecked(call);
        while !state.is_done() {
            state.apply_unchecked(heuristic::choose(&observe(&state)));
        }
        state.scores().unwrap_or_default()[seat] as f32
    };
    worlds.iter().map(points).collect()
}

fn observe(state: &State) -> Observation {
    state.observe(state.turn(), Default::default())
}

/// Returns whether points are below those of the best call in the same worlds by more than chance.
fn is_clearly_worse(worlds: &[WeightedWorld], points: &[f32], best: &[f32]) -> bool {
    let loss = Mean::over(worlds, best.iter().zip(points).map(|(best, points)| best - points));
    loss.value > CLEAR_STANDARD_ERRORS * loss.standard_error
}

#[cfg(test)]
mod tests {
    use troel_env::deal::parse_hand;
    use troel_env::rng::Purpose;
    use troel_env::{Deals, RuleSet, Scenario};

    use super::*;

    fn best(rules: &str, hand: &str, before: &[Action]) -> Vec<String> {
        let rules = RuleSet::built_in(rules).unwrap();
        let hand = parse_hand(hand).unwrap();
        let deals = Deals::new(rules, 1).with_scenario(Scenario::EldestHolds(hand));
        let mut state = State::new(rules, &deals.shuffled(0, deals.first_dealer(0)));
        before.iter().for_each(|&call| state.apply(call).unwrap());
        let mut stream = Stream::new(1, Purpose::Search, 0);
        let bids = best_lone_bids(&observe(&state), 200, &mut stream).unwrap();
        bids.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn nearly_certain_contracts_are_found() {
        for rules in ["luxembourg", "iwwa"] {
            let bids = best(rules, "KQJT98765.AK.A2.", &[]);
            assert!(!bids.is_empty(), "{rules}");
            let is_low = |bid: &String| bid.starts_with("abondance-9");
            assert!(!bids.iter().any(is_low), "{rules}: {bids:?}");
        }
    }

    #[test]
    fn weak_hands_have_no_lone_bid() {
        assert_eq!(best("luxembourg", "5432.5432.543.32", &[]), [""; 0]);
        assert_eq!(best("luxembourg", "AK32.Q432.K43.32", &[]), [""; 0]);
    }
}
