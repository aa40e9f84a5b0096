//! Critics: networks that see all four hands and estimate the return of a deal for a seat. Training
//! uses them; no bot does.

use troel_env::rng::{Purpose, Stream};

use crate::weights::{NetworkConfig, count_weights, initial_values};

/// Weights of a critic.
#[derive(Clone, Debug, PartialEq)]
pub struct Critic {
    /// Width and depth.
    pub config: NetworkConfig,
    /// All values: of each of [`NetworkConfig::critic_layers`] the matrix `[inputs, outputs]`, then
    /// the bias.
    pub values: Vec<f32>,
}

impl Critic {
    /// Creates random initial weights, from another stream than those of acting networks.
    pub fn init(config: NetworkConfig, seed: u64) -> Critic {
        let mut stream = Stream::new(seed, Purpose::Weights, 1);
        Critic { config, values: initial_values(&config.critic_layers(), &mut stream) }
    }

    /// Returns the number of weights of a critic of these sizes, biases included.
    pub fn weight_count(config: &NetworkConfig) -> usize {
        count_weights(&config.critic_layers())
    }
}
