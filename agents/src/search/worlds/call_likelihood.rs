//! Worlds weighted by the likelihood of the other seats' calls.

use troel_env::rng::Stream;
use troel_env::{BySeat, Deal, Observation, Phase, Seat, State};

use super::sampler::{DrawnWorld, draw_worlds};
use super::weighted_world::{WeightedWorld, consistent_worlds, resample};
use crate::bot::BotError;
use crate::heuristic;

/// Number of worlds drawn for each world that is kept.
const DRAWS_PER_WORLD: usize = 3;
/// Minimum likelihood of a call: other seats may bid differently from the model of them.
const MIN_CALL_LIKELIHOOD: f32 = 0.04;

/// Samples at most `count` worlds for an observation; their weights add up to `count`.
///
/// If another seat has called, three times as many worlds are drawn. Resampling keeps those in
/// which the calls of the other seats are likely.
///
/// # Errors
/// No world fits the observation, or the search was cancelled.
pub(in crate::search) fn draw_weighted_worlds(
    obs: &Observation,
    count: usize,
    stream: &mut Stream,
) -> Result<Vec<WeightedWorld>, BotError> {
    if !others_have_called(obs) {
        return consistent_worlds(obs, count, stream);
    }
    let weighted = |world: DrawnWorld| WeightedWorld {
        state: world.state,
        weight: call_likelihood(obs, &world.deal),
    };
    let drawn = draw_worlds(obs, DRAWS_PER_WORLD * count, stream)?;
    let worlds: Vec<WeightedWorld> = drawn.into_iter().map(weighted).collect();
    Ok(resample(&worlds, count, stream))
}

/// Returns whether another seat has called.
fn others_have_called(obs: &Observation) -> bool {
    Seat::ALL.into_iter().any(|seat| seat != obs.seat() && !obs.calls(seat).is_empty())
}

/// Returns the likelihood of the other seats' calls, given the deal: the product over their calls.
fn call_likelihood(obs: &Observation, deal: &Deal) -> f32 {
    let mut state = State::new(obs.public().rules(), deal);
    let mut weight = 1.0;
    for (seat, action) in obs.history().iter() {
        let (Phase::Auction, Some(action)) = (state.phase(), action) else { break };
        if seat != obs.seat() && state.legal_actions().len() > 1 {
            let caller_obs = state.observe(seat, BySeat::default());
            weight *= heuristic::likelihood(&caller_obs, action).max(MIN_CALL_LIKELIHOOD);
        }
        state.apply_unchecked(action);
    }
    weight
}
