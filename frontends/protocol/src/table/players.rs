//! The bots of a table: one at each seat, created at its first decision.

use troel_agents::{Bot, Detail, NamedBot, decide_one};
use troel_env::{Action, Observation, Seat};

use super::opening::Opening;
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
pub(super) struct Player {
    entry: NamedBot,
    seed: u64,
    bot: Cache<Box<dyn Bot>>,
}

impl Player {
    /// Returns the bot of a seat, with its own random draws.
    pub(super) fn new(opening: &Opening, seat: Seat) -> Player {
        let seed = opening.seed.wrapping_add(seat.index() as u64);
        Player { entry: opening.bots[seat].clone(), seed, bot: Cache::default() }
    }

    /// Returns the bot, one instance for all decisions.
    pub(super) fn bot(&mut self) -> &mut dyn Bot {
        self.bot.0.get_or_insert_with(|| self.entry.instantiate(self.seed)).as_mut()
    }
}

/// A bot's turn, taken out of its table, so that the table stays usable while the bot decides.
pub struct BotTurn {
    pub(super) seat: Seat,
    pub(super) view: Observation,
    pub(super) player: Player,
}

impl BotTurn {
    /// Returns the bot's observation.
    pub fn view(&self) -> &Observation {
        &self.view
    }

    /// Asks the bot for its action.
    ///
    /// # Errors
    /// The bot failed.
    pub fn decide(&mut self) -> Result<Action, TableError> {
        let decision = decide_one(self.player.bot(), &self.view, Detail::Action)?;
        Ok(decision.action)
    }
}
