//! Beliefs of searching bots about hidden cards.

use troel_env::Observation;
use troel_env::rng::Stream;

use super::worlds::{WeightedWorld, call_likelihood, network_likelihood};
use crate::bot::BotError;
use crate::network::Evaluator;

/// Weighting of sampled worlds.
pub enum Beliefs {
    /// By the calls that bidding by expected points would make, as `expert` and `pimc` weight them.
    Calls,
    /// By the probability that this network takes the others' actions, as in `search:BOT`.
    Network(Evaluator),
}

impl Beliefs {
    /// Samples at most `count` worlds for an observation; their weights add up to `count`.
    ///
    /// # Errors
    /// No world fits the observation, or the search was cancelled.
    pub fn worlds(
        &self,
        obs: &Observation,
        count: usize,
        stream: &mut Stream,
    ) -> Result<Vec<WeightedWorld>, BotError> {
        match self {
            Beliefs::Calls => call_likelihood::draw_weighted_worlds(obs, count, stream),
            Beliefs::Network(evaluator) => {
                network_likelihood::draw_weighted_worlds(evaluator, obs, count, stream)
            }
        }
    }
}
