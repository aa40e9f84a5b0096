//! Values of actions over sampled worlds, compared with each other.

use troel_env::Action;

use super::weighted::{REQUIRED_STANDARD_ERRORS, mean_and_error};
use super::world_sampling::World;

/// A mean over sampled worlds and its standard error.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Mean {
    /// The mean.
    pub value: f32,
    /// Its standard error; infinite for a single world.
    pub error: f32,
}

impl Mean {
    /// The mean if it is positive by more than its standard error, else 0.
    pub fn clear(self) -> f32 {
        if self.value > REQUIRED_STANDARD_ERRORS * self.error { self.value.max(0.0) } else { 0.0 }
    }
}

/// The value of an action by search. All actions of a decision are judged in the same worlds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Judged {
    /// The action.
    pub action: Action,
    /// Points of the deal for the seat.
    pub points: Mean,
    /// Points more than after the bot's choice.
    pub gain: Mean,
    /// Points less than after the best action.
    pub loss: Mean,
}

/// Compares actions, of which the first is the bot's choice, by their values in each world.
pub(super) fn compare(
    actions: &[Action],
    worlds: &[World],
    value: impl Fn(usize, usize) -> f32,
) -> Vec<Judged> {
    let mean = |of: &dyn Fn(usize) -> f32| {
        let (value, error) = mean_and_error(worlds, (0..worlds.len()).map(of));
        Mean { value, error }
    };
    let gain = |nth: usize| mean(&|world| value(world, nth) - value(world, 0));
    let score = |nth: usize| {
        let gain = gain(nth);
        if nth == 0 { 0.0 } else { gain.value - REQUIRED_STANDARD_ERRORS * gain.error }
    };
    let range = 0..actions.len();
    let best = range.max_by(|&a, &b| score(a).total_cmp(&score(b)).then(b.cmp(&a))).unwrap_or(0);
    let judged = |(nth, &action): (usize, &Action)| Judged {
        action,
        points: mean(&|world| value(world, nth)),
        gain: gain(nth),
        loss: mean(&|world| value(world, best) - value(world, nth)),
    };
    let mut all: Vec<Judged> = actions.iter().enumerate().map(judged).collect();
    let is_best = |judged: &Judged| judged.action == actions[best];
    all.sort_by(|a, b| is_best(b).cmp(&is_best(a)).then(b.points.value.total_cmp(&a.points.value)));
    all
}

#[cfg(test)]
mod tests {
    use troel_env::{BySeat, Deals, RuleSet, Seat, State};

    use super::*;

    /// Compares passing with other calls by their values in four worlds.
    fn compared(values: &[[f32; 4]]) -> Vec<Judged> {
        let rules = RuleSet::built_in("wiezen").unwrap();
        let state = State::new(rules, &Deals::new(rules, 1).shuffled(0, Seat::North));
        let worlds = vec![World { state, weight: 1.0 }; 4];
        let legal = state.observe(state.turn(), BySeat::default()).legal_actions();
        let actions: Vec<Action> = legal.into_iter().take(values.len()).collect();
        assert_eq!(actions.len(), values.len());
        let mut judged = compare(&actions, &worlds, |world, nth| values[nth][world]);
        // Named by their place.
        for one in &mut judged {
            let place = actions.iter().position(|&action| action == one.action).unwrap();
            one.action = Action::from_index(place).unwrap();
        }
        judged
    }

    #[test]
    fn the_best_action_is_clearly_better_than_the_bots_choice() {
        // The second action is better on average by one world's luck, the third in all worlds.
        let judged = compared(&[[1.0; 4], [-1.0, -1.0, -1.0, 13.0], [3.0, 3.0, 3.0, 2.0]]);
        let order: Vec<usize> = judged.iter().map(|one| one.action.index()).collect();
        assert_eq!(order, [2, 1, 0]);
        assert_eq!(judged[0].points.value, 2.75);
        assert_eq!((judged[0].gain.value, judged[0].loss.value), (1.75, 0.0));
        assert_eq!((judged[1].gain.clear(), judged[1].loss.clear()), (0.0, 0.0));
        assert_eq!((judged[2].gain.value, judged[2].loss.clear()), (0.0, 1.75));
        // Nothing is clearly better than the bot's choice.
        let judged = compared(&[[1.0; 4], [-1.0, -1.0, -1.0, 13.0], [1.0; 4]]);
        assert_eq!(judged[0].action.index(), 0);
        assert!(judged.iter().all(|one| one.loss.clear() == 0.0), "{judged:?}");
    }
}
