//! Values of actions over sampled worlds, compared with each other.

use troel_env::Action;

use super::worlds::{Mean, WeightedWorld};

/// Value of an action by search. All actions of a decision are judged in the same worlds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ActionValue {
    /// The action.
    pub action: Action,
    /// Points of the deal for the seat.
    pub points: Mean,
    /// Points more than after the bot's choice.
    pub gain: Mean,
    /// Points less than after the best action.
    pub loss: Mean,
}

/// Compares actions by their values in each world. The first action is the bot's choice.
///
/// The result begins with the best action; the others follow by points.
pub(super) fn compare(
    actions: &[Action],
    worlds: &[WeightedWorld],
    value: impl Fn(usize, usize) -> f32,
) -> Vec<ActionValue> {
    let mean = |value: &dyn Fn(usize) -> f32| Mean::over(worlds, (0..worlds.len()).map(value));
    let gain = |nth: usize| mean(&|world| value(world, nth) - value(world, 0));
    let best = best_index(actions.len(), |nth| gain(nth).lower_bound());
    let judged = |(nth, &action): (usize, &Action)| ActionValue {
        action,
        points: mean(&|world| value(world, nth)),
        gain: gain(nth),
        loss: mean(&|world| value(world, best) - value(world, nth)),
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
    let score = |nth| if nth == 0 { 0.0 } else { score(nth) };
    let best = (0..actions).max_by(|&a, &b| score(a).total_cmp(&score(b)).then(b.cmp(&a)));
    best.unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use troel_env::{BySeat, Deals, RuleSet, Seat, State};

    use super::*;

    /// Compares passing with other calls by their values in four worlds.
    fn compared(values: &[[f32; 4]]) -> Vec<ActionValue> {
        let rules = RuleSet::built_in("wiezen").unwrap();
        let state = State::new(rules, &Deals::new(rules, 1).shuffled(0, Seat::North));
        let worlds = vec![WeightedWorld { state, weight: 1.0 }; 4];
        let legal = state.observe(state.turn(), BySeat::default()).legal_actions();
        let actions: Vec<Action> = legal.into_iter().take(values.len()).collect();
        assert_eq!(actions.len(), values.len());
        let mut judged = compare(&actions, &worlds, |world, nth| values[nth][world]);
        // The index of an action is that of its values.
        for value in &mut judged {
            let index = actions.iter().position(|&action| action == value.action).unwrap();
            value.action = Action::from_index(index).unwrap();
        }
        judged
    }

    #[test]
    fn the_best_action_is_clearly_better_than_the_bots_choice() {
        // The second action is better on average by one world's luck, the third in all worlds.
        let judged = compared(&[[1.0; 4], [-1.0, -1.0, -1.0, 13.0], [3.0, 3.0, 3.0, 2.0]]);
        let order: Vec<usize> = judged.iter().map(|judged| judged.action.index()).collect();
        assert_eq!(order, [2, 1, 0]);
        assert_eq!(judged[0].points.value, 2.75);
        assert_eq!((judged[0].gain.value, judged[0].loss.value), (1.75, 0.0));
        assert_eq!((judged[1].gain.if_significant(), judged[1].loss.if_significant()), (0.0, 0.0));
        assert_eq!((judged[2].gain.value, judged[2].loss.if_significant()), (0.0, 1.75));
        // Nothing is clearly better than the bot's choice.
        let judged = compared(&[[1.0; 4], [-1.0, -1.0, -1.0, 13.0], [1.0; 4]]);
        assert_eq!(judged[0].action.index(), 0);
        assert!(judged.iter().all(|judged| judged.loss.if_significant() == 0.0), "{judged:?}");
    }
}
