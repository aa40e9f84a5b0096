//! Worlds weighted by the probability that a network acts as the other seats did.

use troel_env::rng::Stream;
use troel_env::{Observation, State};
use troel_nn::probabilities;

use super::mean::effective_sample_size;
use super::sampler::{DrawnWorld, draw_worlds};
use super::weighted_world::{WeightedWorld, resample};
use crate::bot::{BotError, probability_of};
use crate::cancel::CurrentToken;
use crate::network::{ActionSelection, Evaluator, NetworkBot};
use crate::threads::map_on_threads;

/// Number of worlds that a thread gives to the network together. More worlds make larger batches
/// and give work to fewer threads.
pub(in crate::search) const WORLDS_PER_BATCH: usize = 8;
/// Number of worlds drawn for each world that is kept.
const DRAWS_PER_WORLD: usize = 4;

/// Probability that another seat plays a uniformly random legal action.
const RANDOM_ACTION_PROBABILITY: f32 = 0.1;
/// Number of bisection steps that find how far to flatten weights.
const FLATTENING_STEPS: u32 = 12;

/// Samples at most `count` worlds for an observation; their weights add up to `count`.
///
/// If another seat has acted, four times as many worlds are drawn. Resampling keeps those in which
/// the network is likely to act as the other seats did.
///
/// # Errors
/// No world fits the observation, the search was cancelled, or the policy is not finite.
pub(in crate::search) fn draw_weighted_worlds(
    evaluator: &Evaluator,
    obs: &Observation,
    count: usize,
    stream: &mut Stream,
) -> Result<Vec<WeightedWorld>, BotError> {
    let others_acted = obs.history().iter().any(|(seat, _)| seat != obs.seat());
    let draws = if others_acted { DRAWS_PER_WORLD * count } else { count };
    let drawn = draw_worlds(obs, draws, stream)?;
    let batches: Vec<&[DrawnWorld]> = drawn.chunks(WORLDS_PER_BATCH).collect();
    let log_likelihoods = map_on_threads(&batches, |batch| {
        let mut network = NetworkBot::new(evaluator.clone(), ActionSelection::MostProbable, None);
        let mut logs = Vec::with_capacity(batch.len());
        for world in *batch {
            logs.push(log_likelihood(&mut network, obs, world)?);
        }
        Ok(logs)
    })?;
    let weights = weights(&log_likelihoods.concat(), count as f32);
    let weighted = drawn.iter().zip(weights);
    let worlds: Vec<WeightedWorld> =
        weighted.map(|(world, weight)| WeightedWorld { state: world.state, weight }).collect();
    Ok(resample(&worlds, count, stream))
}

/// Returns the log-probability that the network acts as the other seats did in a world.
fn log_likelihood(
    network: &mut NetworkBot,
    obs: &Observation,
    world: &DrawnWorld,
) -> Result<f32, BotError> {
    CurrentToken::get().check()?;
    let mut state = State::new(world.state.rules(), &world.deal);
    let (mut observations, mut actions) = (Vec::new(), Vec::new());
    for (seat, action) in world.state.history().iter() {
        let Some(action) = action else { break };
        if seat != obs.seat() && state.legal_actions().len() > 1 {
            observations.push(state.observe(seat, *obs.totals()));
            actions.push(action);
        }
        state.apply_unchecked(action);
    }
    let mut log = 0.0;
    network.evaluate(&observations, |index, evaluation| {
        let policy = probabilities(observations[index].legal_actions(), evaluation.logits);
        let probability = probability_of(&policy, actions[index]);
        log += ((1.0 - RANDOM_ACTION_PROBABILITY) * probability
            + RANDOM_ACTION_PROBABILITY / policy.len() as f32)
            .ln();
    })?;
    if log.is_finite() { Ok(log) } else { Err(BotError::NotFinite("policy")) }
}

/// Returns weights of worlds, given the logarithms of their likelihoods.
///
/// The weights are flattened until their effective sample size is about `wanted`, if it is smaller.
/// Otherwise only a few worlds would be left.
fn weights(logs: &[f32], wanted: f32) -> Vec<f32> {
    let highest = logs.iter().copied().fold(f32::MIN, f32::max);
    let flattened = |exponent: f32| {
        logs.iter().map(|log| (exponent * (log - highest)).exp()).collect::<Vec<_>>()
    };
    let size = |weights: Vec<f32>| effective_sample_size(weights.into_iter());
    let (mut low, mut exponent) = (0.0, 1.0);
    if size(flattened(exponent)) < wanted {
        for _ in 0..FLATTENING_STEPS {
            let middle = f32::midpoint(low, exponent);
            if size(flattened(middle)) < wanted {
                exponent = middle;
            } else {
                low = middle;
            }
        }
        exponent = low;
    }
    flattened(exponent)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_flattened_as_far_as_it_takes() {
        let count = |weights: &[f32]| effective_sample_size(weights.iter().copied());
        // Enough as they are.
        let logs = [0.0f32, -0.5, -1.0, -1.5];
        assert_eq!(weights(&logs, 2.0), logs.map(f32::exp));
        // One towers above all others; those keep their order.
        let flat = weights(&[-400.0, -3.0, -90.0, -80.0], 2.0);
        assert!(count(&flat) >= 2.0 && count(&flat) < 2.1, "{flat:?}");
        assert!(flat[1] > flat[3] && flat[3] > flat[2] && flat[2] > flat[0]);
        // As many as there are can be had only of equal ones.
        assert_eq!(weights(&[-1.0; 3], 3.0), [1.0; 3]);
        assert_eq!(weights(&[-7.0], 1.0), [1.0]);
    }
}
