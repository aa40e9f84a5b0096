//! Vines: rewards of all plausible calls of some auctions (Schulman et al. 2015, TRPO, section
//! 5.2).
//!
//! A rare contract needs a rare hand. A policy that has seen too few of these hands gives the call
//! a probability near zero, and then never samples the call again. A vine plays the same deal on
//! once for every plausible call; the draws of the policies differ between the calls. The loss
//! raises a call by its advantage even if it is improbable (as NeuRD does, Hennes et al. 2020). It
//! lowers a call down to a probability of 10⁻³.

use troel_agents::Bot;
use troel_agents::driver::{self, BotTable, DriverError, Seating};
use troel_agents::search::is_plausible_call;
use troel_env::rng::Stream;
use troel_env::{Action, Observation, Seat, Session};

use crate::reward::DealReward;
use crate::sample::TriedCall;

/// Largest number of calls that a vine tries.
const MAX_TRIED_CALLS: usize = 10;

/// A decision with calls to try. They are played after the deals of its chunk.
pub(crate) struct Vine {
    /// Index of the decision in its chunk.
    pub index: usize,
    /// The deal before the decision.
    pub session: Session,
    /// Bots of the table.
    pub seating: Seating,
    /// The call that was chosen.
    pub chosen: Action,
}

/// Returns the calls to try at an observation, at most ten. They are passing, `chosen`, and those
/// that the hand makes plausible.
fn calls_to_try(obs: &Observation, chosen: Action, stream: &mut Stream) -> Vec<Action> {
    let is_fixed = |call: Action| call == chosen || call == Action::PASS;
    let legal = obs.legal_actions();
    let mut calls: Vec<Action> =
        legal.into_iter().filter(|&call| !is_fixed(call) && is_plausible_call(obs, call)).collect();
    stream.shuffle(&mut calls);
    let fixed: Vec<Action> = legal.iter().filter(|&call| is_fixed(call)).collect();
    calls.truncate(MAX_TRIED_CALLS - fixed.len());
    calls.extend(fixed);
    calls
}

/// Plays the deal on after each call to try; returns the calls with the indices of their decisions.
/// `bots` are those of the tables; `reward_scale` is the number of points per unit of reward.
///
/// # Errors
/// A bot failed.
pub(crate) fn grow(
    vines: Vec<Vine>,
    bots: &mut [Box<dyn Bot + '_>],
    reward: DealReward,
    reward_scale: f32,
    stream: &mut Stream,
) -> Result<Vec<(usize, TriedCall)>, DriverError> {
    let mut tables = Vec::new();
    let mut tried = Vec::new();
    for Vine { index, session, seating, chosen } in vines {
        let obs = session.observe();
        let calls = calls_to_try(&obs, chosen, stream);
        if calls.len() < 2 {
            continue;
        }
        for call in calls {
            let mut session = session.clone();
            session.apply(call).expect("calls to try are legal");
            tables.push(BotTable { session, seating });
            tried.push((index, call, obs.seat()));
        }
    }
    driver::run(&mut tables, bots, &mut ())?;
    let with_reward = |(table, (index, call, seat)): (BotTable, (usize, Action, Seat))| {
        let rewards = reward.of_deal(&table.session).expect("the deal was played to its end");
        (index, TriedCall { call, reward: rewards[seat] / reward_scale })
    };
    Ok(tables.into_iter().zip(tried).map(with_reward).collect())
}

#[cfg(test)]
mod tests;
