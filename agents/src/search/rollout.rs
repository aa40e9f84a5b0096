//! Playing actions out in sampled worlds.

use std::cell::RefCell;

use troel_env::{Action, BySeat, Observation, State};
use troel_solver::Solver;

use super::evaluate::advance;
use super::worlds::WeightedWorld;
use crate::bot::{Bot, BotError};
use crate::cancel::CurrentToken;
use crate::driver::{self, Batch, Game, Recorder};

/// Maximum number of cards in hand at which the last tricks of a rollout with a network are solved.
pub(super) const NETWORK_MAX_SOLVED_CARDS: u32 = 5;

/// Plays each action out in each world with a bot in all seats.
///
/// Returns the points of the deal: for each world in order, those after each action in order.
///
/// # Errors
/// The search was cancelled, or the bot failed.
pub(super) fn roll_out_actions(
    obs: &Observation,
    worlds: &[WeightedWorld],
    actions: &[Action],
    bot: impl Bot + 'static,
    solver: &mut Solver,
) -> Result<Vec<BySeat<i32>>, BotError> {
    let solver = RefCell::new(solver);
    let start = |(world, action): (&WeightedWorld, Action)| {
        let mut state = world.state;
        // The observer's legal actions are the same in every world.
        state.apply_unchecked(action);
        RolloutGame { state, totals: obs.totals(), solver: &solver, points: None }
    };
    let all = worlds.iter().flat_map(|w| actions.iter().map(move |&action| (w, action)));
    let mut rollouts: Vec<RolloutGame> = all.map(start).collect();
    driver::run(&mut rollouts, &mut [Box::new(bot)], &mut StopIfCancelled(CurrentToken::get()))?;
    Ok(rollouts.into_iter().map(|rollout| rollout.points.unwrap_or_default()).collect())
}

/// Game that plays a deal on after an action in one sampled world.
struct RolloutGame<'a> {
    state: State,
    /// Totals of the match.
    totals: &'a BySeat<i32>,
    /// Solver of the last tricks.
    solver: &'a RefCell<&'a mut Solver>,
    /// Points of the deal, once they are known.
    points: Option<BySeat<i32>>,
}

/// Stops the driver when the search is cancelled.
struct StopIfCancelled(CurrentToken);

impl<G> Recorder<G> for StopIfCancelled {
    type Error = BotError;

    fn decided(&mut self, _batch: &Batch<'_, G>) -> Result<(), BotError> {
        self.0.check()
    }
}

impl Game for RolloutGame<'_> {
    /// Ends with the last tricks, which are solved.
    fn next_bot(&mut self, _deal_over: &mut dyn FnMut(&Self)) -> Option<usize> {
        if self.points.is_some() {
            return None;
        }
        self.points =
            advance(&mut self.state, NETWORK_MAX_SOLVED_CARDS, &mut self.solver.borrow_mut());
        self.points.is_none().then_some(0)
    }

    fn observe(&self) -> Observation {
        self.state.observe(self.state.turn(), *self.totals)
    }

    fn apply(&mut self, action: Action) -> Result<(), BotError> {
        // The driver has checked it.
        self.state.apply_unchecked(action);
        Ok(())
    }
}
