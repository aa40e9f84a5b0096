//! `expert`: the bot by rules of thumb grown up. It ends every deal by counting: the last cards are solved in
//! sampled worlds that fit all that was seen.

use troel_env::rng::{Purpose, Stream};
use troel_env::{Action, Observation, Phase};

use super::belief;
use super::pimc::Cards;
use crate::agent::Agent;
use crate::rule_based::{self, Judgement};

/// Cards in hand from which on an ending is solved, and the worlds it is solved in: as many as a millisecond
/// allows.
const ENDINGS: [(u32, usize); 3] = [(4, 24), (5, 16), (6, 8)];

/// Memory of the solver's table, in bytes: endings need little.
const MEMORY: usize = 4 << 20;

/// The expert. Its draws depend on its seed and on what it sees, nothing else.
pub struct Expert {
    seed: u64,
    cards: Cards,
}

impl Expert {
    /// An expert with its own seed.
    pub fn new(seed: u64) -> Expert {
        Expert { seed, cards: Cards::new(MEMORY) }
    }

    fn choose(&mut self, obs: &Observation) -> Action {
        let natural = rule_based::choose_by(obs, &Judgement::FITTED);
        if obs.state().phase() != Phase::Play || obs.legal_actions().len() <= 1 {
            return natural;
        }
        let held = obs.hand().len();
        let Some(&(_, worlds)) = ENDINGS.iter().find(|(cards, _)| held <= *cards) else {
            return natural;
        };
        let mut stream = Stream::new(self.seed, Purpose::Search, obs.fingerprint());
        let worlds = belief::worlds(obs, worlds, &mut stream);
        Action::card(self.cards.choose(obs, &worlds, natural))
    }
}

impl Agent for Expert {
    fn act(&mut self, observations: &[Observation], out: &mut [Action]) {
        for (observation, action) in observations.iter().zip(out) {
            *action = self.choose(observation);
        }
    }
}
