//! Bids for a contract alone that rollouts with `rules` find best.

use troel_env::hand::misere_risk;
use troel_env::rng::Stream;
use troel_env::{Action, Observation, Seat};

use super::plausible_calls::is_plausible_call;
use super::worlds::{WeightedMean, WeightedWorld, consistent_worlds};
use crate::bot::BotError;
use crate::heuristic;

/// Maximum number of bids to judge: those with the highest estimated gain. Calls that bid nothing
/// are judged too.
const MAX_BIDS: usize = 6;

/// Largest [`misere_risk`] of a hand that may make a misère.
const MAX_MISERE_RISK: f32 = 1.6;

/// Number of standard errors by which a call must be worse than the best one to be clearly worse.
const CLEAR_STANDARD_ERRORS: f32 = 2.0;

/// Returns the best lone bids of the observing seat, the best one first.
///
/// `rules` plays each call out in the same sampled worlds. A call is clearly worse if its mean
/// points are below those of the best call by more than two standard errors of the difference. The
/// calls that are not clearly worse are returned if each of them bids a contract alone for tricks.
///
/// The result is empty in these cases:
/// - Another kind of call may be best.
/// - The hand is too weak for every contract alone.
/// - Another seat has bid. The worlds ignore what its call says about its cards.
/// - The hand may make a misère. `rules` plays misères too badly to compare them with other calls.
///
/// # Errors
/// No world fits the observation, or the search was cancelled.
pub fn best_lone_bids(
    obs: &Observation,
    worlds: usize,
    stream: &mut Stream,
) -> Result<Vec<Action>, BotError> {
    let is_strong =
        obs.legal_actions().iter().any(|call| is_lone_bid(call) && is_plausible_call(obs, call));
    let may_make_misere = misere_risk(obs.hand(), obs.public().rules().deck()) <= MAX_MISERE_RISK;
    if !others_passed(obs) || !is_strong || may_make_misere {
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
        .filter(|&index| !is_clearly_worse(&worlds, &points[index], &points[best]))
        .collect();
    accepted.sort_by(|&a, &b| sums[b].total_cmp(&sums[a]));
    let bids: Vec<Action> = accepted.into_iter().map(|index| calls[index]).collect();
    let are_lone = bids.iter().all(|&bid| is_lone_bid(bid));
    Ok(if are_lone { bids } else { Vec::new() })
}

/// Returns whether all calls of the other seats were passes.
fn others_passed(obs: &Observation) -> bool {
    let mut others = Seat::ALL.into_iter().filter(|&seat| seat != obs.seat());
    others.all(|seat| obs.calls(seat).iter().all(|call| call == Action::PASS))
}

/// Returns whether a call bids a contract alone for tricks.
fn is_lone_bid(call: Action) -> bool {
    call.as_bid().is_some_and(|bid| bid.kind.is_lone())
}

/// Returns, for each world, the points of the seat to act if it makes this call. After the call,
/// `rules` plays at all seats.
fn points_after(call: Action, worlds: &[WeightedWorld]) -> Vec<f32> {
    let points = |world: &WeightedWorld| {
        let (mut state, seat) = (world.state, world.state.turn());
        state.apply_unchecked(call);
        heuristic::roll_out(state).scores().unwrap_or_default()[seat] as f32
    };
    worlds.iter().map(points).collect()
}

/// Returns whether the mean of `points` is clearly below that of `best`. Both have one value for
/// each world.
fn is_clearly_worse(worlds: &[WeightedWorld], points: &[f32], best: &[f32]) -> bool {
    let loss =
        WeightedMean::over(worlds, best.iter().zip(points).map(|(best, points)| best - points));
    loss.value > CLEAR_STANDARD_ERRORS * loss.standard_error
}

#[cfg(test)]
mod tests {
    use troel_env::rng::Purpose;
    use troel_env::{Deals, RuleSet, Scenario, State, Suit, parse_hand};

    use super::*;

    /// Returns the best lone bids of the seat that acts after the calls `before`.
    fn best(rules: &str, hand: &str, before: &[Action]) -> Vec<String> {
        let rules = RuleSet::built_in(rules).unwrap();
        let hand = parse_hand(hand).unwrap();
        let deals = Deals::new(rules, 1).with_scenario(Scenario::EldestHolds(hand));
        let mut deal = deals.shuffled(0, deals.first_dealer(0));
        let eldest = deal.dealer.next();
        deal.hands.0.swap(eldest.index(), eldest.plus(before.len()).index());
        let mut state = State::new(rules, &deal);
        before.iter().for_each(|&call| state.apply(call).unwrap());
        let mut stream = Stream::new(1, Purpose::Search, 0);
        let obs = state.observe(state.turn(), Default::default());
        let bids = best_lone_bids(&obs, 200, &mut stream).unwrap();
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

    #[test]
    fn nothing_is_returned_after_a_bid_of_another_seat() {
        let hand = "KQJT98765.AK.A2.";
        assert_ne!(best("luxembourg", hand, &[Action::PASS]), [""; 0]);
        assert_eq!(best("luxembourg", hand, &[Action::suit_call(8, Suit::Hearts)]), [""; 0]);
    }
}
