//! Sampled worlds with weights, and resampling by weight.

use troel_env::rng::Stream;
use troel_env::{Observation, State};

use super::sampler::draw_worlds;
use crate::bot::BotError;

/// Sampled world: the current state of the deal, with a weight.
#[derive(Clone, Debug)]
pub struct WeightedWorld {
    /// State of the deal, with all cards.
    pub state: State,
    /// Weight of the world relative to the others of its sample.
    pub weight: f32,
}

/// Samples `count` worlds that the record allows, each as likely as any other, with weight 1.
///
/// # Errors
/// No world fits the observation, or the search was cancelled.
pub fn consistent_worlds(
    obs: &Observation,
    count: usize,
    stream: &mut Stream,
) -> Result<Vec<WeightedWorld>, BotError> {
    let drawn = draw_worlds(obs, count, stream)?;
    Ok(drawn.into_iter().map(|world| WeightedWorld { state: world.state, weight: 1.0 }).collect())
}

/// Resamples worlds systematically. The new weight of a world is the number of its copies, which is
/// proportional to its old weight. The new weights add up to `count`. If all weights are 0, the
/// worlds are returned as they are.
pub(in crate::search) fn resample(
    drawn: &[WeightedWorld],
    count: usize,
    stream: &mut Stream,
) -> Vec<WeightedWorld> {
    let total: f32 = drawn.iter().map(|world| world.weight).sum();
    if total <= 0.0 {
        return drawn.to_vec();
    }
    let step = total / count as f32;
    let mut next = stream.unit() * step;
    let mut sum = 0.0;
    let mut kept = Vec::with_capacity(count);
    for world in drawn {
        sum += world.weight;
        let mut times = 0.0;
        while next < sum {
            times += 1.0;
            next += step;
        }
        if times > 0.0 {
            kept.push(WeightedWorld { state: world.state, weight: times });
        }
    }
    kept
}
