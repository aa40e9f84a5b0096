//! What a bot is.

use troel_env::rng::{Purpose, Stream};
use troel_env::{Action, Observation};
use troel_infer::Thought;

/// A bot. It sees observations and nothing else, always in batches.
pub trait Agent: Send {
    /// Chooses a legal action for each observation; `out` has the length of `observations`, and
    /// in each of them it is the observing seat's turn.
    fn act(&mut self, observations: &[Observation], out: &mut [Action]);

    /// What the bot makes of one observation: for people, and for programs that ask it for more than an action.
    fn think(&mut self, observation: &Observation) -> Thought {
        let mut action = [Action::PASS];
        self.act(std::slice::from_ref(observation), &mut action);
        Thought { action: action[0], policy: vec![(action[0], 1.0)], value: None }
    }

    /// How many deals it has forfeited so far by a fault of its own; only programs from outside do.
    fn forfeits(&self) -> u64 {
        0
    }
}

/// Plays uniformly at random among the legal actions: the same action whenever it sees the same.
#[derive(Clone, Copy, Debug)]
pub struct Random {
    seed: u64,
}

impl Random {
    /// A random bot with its own seed.
    pub fn new(seed: u64) -> Random {
        Random { seed }
    }
}

impl Agent for Random {
    fn act(&mut self, observations: &[Observation], out: &mut [Action]) {
        for (observation, action) in observations.iter().zip(out) {
            let legal = observation.legal_actions();
            let mut stream = Stream::new(self.seed, Purpose::Action, observation.fingerprint());
            *action = legal.nth_action(stream.below(legal.len())).unwrap_or(Action::PASS);
        }
    }
}
