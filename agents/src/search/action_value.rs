//! Values of actions over sampled worlds, compared with each other.

use troel_env::{Action, Observation};

use super::worlds::{WeightedMean, WeightedWorld};
use crate::bot::BotError;

/// Maximum number of rounds in which worlds are sampled for the values of calls.
const MAX_CALL_ROUNDS: u32 = 4;
/// Difference of points from which it is worth another round to find the better call.
const MIN_GAP: f32 = 1.0;

/// Value of an action by search. All actions of a decision are judged in the same worlds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ActionValue {
    /// The action.
    pub action: Action,
    /// Points of the deal for the seat.
    pub points: WeightedMean,
    /// Points more than after the bot's choice.
    pub gain: WeightedMean,
    /// Points less than after the best action.
    pub loss: WeightedMean,
}

/// Compares actions in worlds that `sample` returns with the outcomes, as for [`compare`].
///
/// Calls whose contracts are made or lost altogether have wide errors. While a call looks better
/// than the best one, but not clearly, more worlds are sampled. The first action is the bot's
/// choice; the result is that of [`compare`].
///
/// # Errors
/// `sample` failed.
pub(super) fn compare_in_rounds(
    obs: &Observation,
    actions: &[Action],
    mut sample: impl FnMut() -> Result<(Vec<WeightedWorld>, Vec<Vec<f32>>), BotError>,
) -> Result<Vec<ActionValue>, BotError> {
    let (mut worlds, mut outcomes) = sample()?;
    let further_rounds = if obs.public().phase().is_bidding() { MAX_CALL_ROUNDS - 1 } else { 0 };
    let mut compared = compare(actions, &worlds, &outcomes);
    for _ in 0..further_rounds {
        if is_decided(&compared) {
            break;
        }
        let (more_worlds, more_outcomes) = sample()?;
        worlds.extend(more_worlds);
        outcomes.extend(more_outcomes);
        compared = compare(actions, &worlds, &outcomes);
    }
    Ok(compared)
}

/// Returns whether no action has [`MIN_GAP`] points more than the best one, which comes first.
fn is_decided(compared: &[ActionValue]) -> bool {
    let Some((best, others)) = compared.split_first() else { return true };
    others.iter().all(|other| other.points.value < best.points.value + MIN_GAP)
}

/// Compares actions by their outcomes in each world. The first action is the bot's choice.
///
/// `outcomes` has a row for each world, with the value of each action in order.
/// The result begins with the best action; the others follow by points.
pub(super) fn compare(
    actions: &[Action],
    worlds: &[WeightedWorld],
    outcomes: &[Vec<f32>],
) -> Vec<ActionValue> {
    // Mean by which the outcome of one action is higher than that of another one.
    let difference = |index: usize, other: usize| {
        WeightedMean::over(worlds, outcomes.iter().map(|row| row[index] - row[other]))
    };
    let best = best_index(actions.len(), |index| difference(index, 0).lower_bound());
    let judged = |(index, &action): (usize, &Action)| ActionValue {
        action,
        points: WeightedMean::over(worlds, outcomes.iter().map(|row| row[index])),
        gain: difference(index, 0),
        loss: difference(best, index),
    };
    let mut all: Vec<ActionValue> = actions.iter().enumerate().map(judged).collect();
    let is_best = |judged: &ActionValue| judged.action == actions[best];
    all.sort_by(|a, b| is_best(b).cmp(&is_best(a)).then(b.points.value.total_cmp(&a.points.value)));
    all
}

/// Returns the index of the action with the highest score, the first one of equals.
///
/// The first action is the bot's choice, and has the score 0.
pub(super) fn best_index(actions: usize, score: impl Fn(usize) -> f32) -> usize {
    let score = |index| if index == 0 { 0.0 } else { score(index) };
    let best = (0..actions).max_by(|&a, &b| score(a).total_cmp(&score(b)).then(b.cmp(&a)));
    best.unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use troel_env::{BySeat, Deals, RuleSet, Seat, State};

    use super::*;

    /// Returns four worlds and the first observation of their auction.
    fn four_worlds() -> (Vec<WeightedWorld>, Observation) {
        let rules = RuleSet::built_in("wiezen").unwrap();
        let state = State::new(rules, &Deals::new(rules, 1).shuffled(0, Seat::North));
        let worlds = vec![WeightedWorld { state, weight: 1.0 }; 4];
        (worlds, state.observe(state.turn(), BySeat::default()))
    }

    /// Compares passing with other calls by their values in four worlds.
    fn compared(values: &[[f32; 4]]) -> Vec<ActionValue> {
        let (worlds, obs) = four_worlds();
        let actions: Vec<Action> = obs.legal_actions().into_iter().take(values.len()).collect();
        assert_eq!(actions.len(), values.len());
        let of_world = |world: usize| values.iter().map(|values| values[world]).collect();
        let outcomes: Vec<Vec<f32>> = (0..worlds.len()).map(of_world).collect();
        let mut judged = compare(&actions, &worlds, &outcomes);
        // The index of an action is that of its values.
        for value in &mut judged {
            let index = actions.iter().position(|&action| action == value.action).unwrap();
            value.action = Action::from_index(index).unwrap();
        }
        judged
    }

    /// Returns the number of rounds in which two calls are compared, and the best one's index. The
    /// second call is better by 3 points on average, or by `gap` in all worlds.
    fn rounds(gap: Option<f32>) -> (u32, usize) {
        let (worlds, obs) = four_worlds();
        let actions: Vec<Action> = obs.legal_actions().into_iter().take(2).collect();
        let mut rounds = 0;
        let compared = compare_in_rounds(&obs, &actions, || {
            rounds += 1;
            let gains = gap.map_or([9.0, 9.0, -3.0, -3.0], |gap| [gap; 4]);
            Ok((worlds.clone(), gains.map(|gain| vec![0.0, gain]).to_vec()))
        });
        let best = compared.unwrap()[0].action;
        (rounds, actions.iter().position(|&action| action == best).unwrap())
    }

    #[test]
    fn calls_that_look_better_are_compared_in_more_worlds() {
        assert_eq!(rounds(Some(3.0)), (1, 1), "clearly better");
        assert_eq!(rounds(Some(-3.0)), (1, 0), "clearly worse");
        // 3 ± 3.5 points in four worlds, 3 ± 2.3 in eight.
        assert_eq!(rounds(None), (2, 1));
    }

    #[test]
    fn the_best_action_is_clearly_better_than_the_bots_choice() {
        // The second action is better on average by one world's luck, the third in all worlds.
        let judged = compared(&[[1.0; 4], [-1.0, -1.0, -1.0, 13.0], [3.0, 3.0, 3.0, 2.0]]);
        let order: Vec<usize> = judged.iter().map(|judged| judged.action.index()).collect();
        assert_eq!(order, [2, 1, 0]);
        assert_eq!(judged[0].points.value, 2.75);
        assert_eq!((judged[0].gain.value, judged[0].loss.value), (1.75, 0.0));
        assert_eq!((judged[1].gain.if_clear(), judged[1].loss.if_clear()), (0.0, 0.0));
        assert_eq!((judged[2].gain.value, judged[2].loss.if_clear()), (0.0, 1.75));
        // Nothing is clearly better than the bot's choice.
        let judged = compared(&[[1.0; 4], [-1.0, -1.0, -1.0, 13.0], [1.0; 4]]);
        assert_eq!(judged[0].action.index(), 0);
        assert!(judged.iter().all(|judged| judged.loss.if_clear() == 0.0), "{judged:?}");
    }
}
