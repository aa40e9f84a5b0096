//! `expert`: bids and plays by rules of thumb with a fitted trick model. It solves the last six
//! cards of each hand in sampled worlds.

use troel_env::{Action, Observation, Phase};

use super::card_chooser::choose_card;
use super::settings::SearchSettings;
use super::solver_pool::{SolverMemory, SolverPool};
use super::worlds::{call_likelihood, world_stream};
use crate::bot::{BotError, deterministic_bot};
use crate::heuristic::{self, TrickModel};

/// Maximum number of cards in hand at which worlds are solved.
const MAX_SOLVED_CARDS: u32 = 6;
/// Number of worlds by the maximum number of cards in hand: as many as a millisecond allows.
const WORLDS_BY_CARDS: [(u32, usize); 3] = [(4, 24), (5, 16), (MAX_SOLVED_CARDS, 8)];

/// Memory of the solver's table, in bytes: endings need little.
const SOLVER_BYTES: usize = 4 << 20;

/// The bot `expert`. Its draws depend only on its seed and on the observation.
pub struct Expert {
    seed: u64,
    settings: SearchSettings,
    solvers: SolverPool,
}

impl Expert {
    /// Creates an expert.
    pub fn new(seed: u64) -> Expert {
        let settings = SearchSettings::new(MAX_SOLVED_CARDS);
        let solvers = SolverPool::new(SolverMemory::FirstAndOthers(SOLVER_BYTES));
        Expert { seed, settings, solvers }
    }

    fn choose(&mut self, obs: &Observation) -> Result<Action, BotError> {
        let default_action = heuristic::choose_by(obs, &TrickModel::FITTED);
        if obs.public().phase() != Phase::Play || obs.legal_actions().len() <= 1 {
            return Ok(default_action);
        }
        let held = obs.hand().len();
        let Some(&(_, worlds)) = WORLDS_BY_CARDS.iter().find(|(cards, _)| held <= *cards) else {
            return Ok(default_action);
        };
        let mut stream = world_stream(self.seed, obs);
        let worlds = call_likelihood::draw_weighted_worlds(obs, worlds, &mut stream)?;
        let (settings, solvers) = (&self.settings, &mut self.solvers);
        Ok(Action::card(choose_card(obs, &worlds, default_action, settings, solvers)?))
    }
}

deterministic_bot!(Expert, Expert::choose);
