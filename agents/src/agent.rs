//! What a bot is.

use troel_env::rng::{Purpose, Stream};
use troel_env::{Action, Observation};

/// A bot. It sees observations and nothing else, always in batches.
pub trait Agent: Send {
    /// Chooses a legal action for each observation; `out` has the length of `observations`, and
    /// in each of them it is the observing seat's turn.
    fn act(&mut self, observations: &[Observation], out: &mut [Action]);
}

/// Plays uniformly at random among the legal actions.
#[derive(Clone, Debug)]
pub struct Random {
    stream: Stream,
}

impl Random {
    /// A random bot with its own stream.
    pub fn new(seed: u64) -> Random {
        Random { stream: Stream::new(seed, Purpose::Action, 0) }
    }
}

impl Agent for Random {
    fn act(&mut self, observations: &[Observation], out: &mut [Action]) {
        for (observation, action) in observations.iter().zip(out) {
            let legal = observation.legal_actions();
            *action = legal.nth_action(self.stream.below(legal.len())).unwrap_or(Action::PASS);
        }
    }
}
