//! `expert`: bids and plays by rules of thumb with a fitted judgement, and solves the last six
//! cards of every deal in sampled worlds that fit all that was seen.

use troel_env::rng::{Purpose, Stream};
use troel_env::{Action, Observation, Phase};

use super::call_likelihood;
use super::card_chooser::CardChooser;
use super::pimc::Pimc;
use crate::bot::{BotError, deterministic_bot};
use crate::heuristic::{self, Judgement};

/// Cards in hand from which on an ending is solved, and the worlds it is solved in: as many as a
/// millisecond allows.
const ENDINGS: [(u32, usize); 3] = [(4, 24), (5, 16), (6, 8)];

/// Memory of the solver's table, in bytes: endings need little.
const SOLVER_BYTES: usize = 4 << 20;

/// The bot called `expert`. Its draws depend on its seed and on what it sees, nothing else.
pub struct Expert {
    seed: u64,
    cards: CardChooser,
}

impl Expert {
    /// An expert with its own seed.
    pub fn new(seed: u64) -> Expert {
        Expert { seed, cards: CardChooser::new(SOLVER_BYTES, Pimc::SOLVED_CARDS) }
    }

    fn choose(&mut self, obs: &Observation) -> Result<Action, BotError> {
        let default_action = heuristic::choose_by(obs, &Judgement::FITTED);
        if obs.state().phase() != Phase::Play || obs.legal_actions().len() <= 1 {
            return Ok(default_action);
        }
        let held = obs.hand().len();
        let Some(&(_, worlds)) = ENDINGS.iter().find(|(cards, _)| held <= *cards) else {
            return Ok(default_action);
        };
        let mut stream = Stream::new(self.seed, Purpose::Search, obs.fingerprint());
        let worlds = call_likelihood::worlds(obs, worlds, &mut stream)?;
        Ok(Action::card(self.cards.choose(obs, &worlds, default_action)?))
    }
}

deterministic_bot!(Expert, |bot: &mut Expert, observation: &Observation| bot.choose(observation));
