//! `expert`: bids and plays by rules of thumb with a fitted trick model, and solves the last six
//! cards of each hand in sampled worlds.

use troel_env::{Action, Observation, Phase};

use super::card_chooser::CardChooser;
use super::pimc::Pimc;
use super::worlds::{call_likelihood, world_stream};
use crate::bot::{BotError, deterministic_bot};
use crate::heuristic::{self, TrickModel};

/// Number of worlds by the maximum number of cards in hand: as many as a millisecond allows.
const WORLDS_BY_CARDS: [(u32, usize); 3] = [(4, 24), (5, 16), (6, 8)];

/// Memory of the solver's table, in bytes: endings need little.
const SOLVER_BYTES: usize = 4 << 20;

/// The bot `expert`. Its draws depend only on its seed and on the observation.
pub struct Expert {
    seed: u64,
    card_chooser: CardChooser,
}

impl Expert {
    /// Creates an expert.
    pub fn new(seed: u64) -> Expert {
        Expert { seed, card_chooser: CardChooser::new(SOLVER_BYTES, Pimc::DEFAULT_SOLVED_CARDS) }
    }

    fn choose(&mut self, obs: &Observation) -> Result<Action, BotError> {
        let default_action = heuristic::choose_by(obs, &TrickModel::FITTED);
        if obs.state().phase() != Phase::Play || obs.legal_actions().len() <= 1 {
            return Ok(default_action);
        }
        let held = obs.hand().len();
        let Some(&(_, worlds)) = WORLDS_BY_CARDS.iter().find(|(cards, _)| held <= *cards) else {
            return Ok(default_action);
        };
        let mut stream = world_stream(self.seed, obs);
        let worlds = call_likelihood::worlds(obs, worlds, &mut stream)?;
        Ok(Action::card(self.card_chooser.choose(obs, &worlds, default_action)?))
    }
}

deterministic_bot!(Expert, |bot: &mut Expert, observation: &Observation| bot.choose(observation));
