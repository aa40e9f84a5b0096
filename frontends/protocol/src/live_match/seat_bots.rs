//! The bots of a match: one at each seat, created at its first decision.

use troel_agents::{Bot, DecisionDetail, NamedBot, decide_one};
use troel_env::{Action, Observation, Seat};

use super::settings::MatchSettings;
use crate::error::TableError;

/// Value that can be computed again. A clone starts without it.
pub(super) struct Cache<T>(pub(super) Option<T>);

impl<T> Default for Cache<T> {
    fn default() -> Cache<T> {
        Cache(None)
    }
}

impl<T> Clone for Cache<T> {
    fn clone(&self) -> Cache<T> {
        Cache(None)
    }
}

/// The bot of a seat.
#[derive(Clone)]
pub(super) struct SeatBot {
    named_bot: NamedBot,
    seed: u64,
    instance: Cache<Box<dyn Bot>>,
}

impl SeatBot {
    /// Returns the bot of a seat, with its own random draws.
    pub(super) fn new(settings: &MatchSettings, seat: Seat) -> SeatBot {
        let seed = settings.seed.wrapping_add(seat.index() as u64);
        SeatBot { named_bot: settings.bots[seat].clone(), seed, instance: Cache::default() }
    }

    /// Returns the bot, one instance for all decisions.
    pub(super) fn instance(&mut self) -> &mut dyn Bot {
        self.instance.0.get_or_insert_with(|| self.named_bot.instantiate(self.seed)).as_mut()
    }
}

/// A bot's turn, taken out of its match, so that the match stays usable while the bot decides.
pub struct BotTurn {
    pub(super) seat: Seat,
    pub(super) observation: Observation,
    pub(super) bot: SeatBot,
}

impl BotTurn {
    /// Returns the bot's observation.
    pub fn observation(&self) -> &Observation {
        &self.observation
    }

    /// Asks the bot for its action.
    ///
    /// # Errors
    /// The bot failed.
    pub fn decide(&mut self) -> Result<Action, TableError> {
        let decision = decide_one(self.bot.instance(), &self.observation, DecisionDetail::Action)?;
        Ok(decision.action)
    }
}
