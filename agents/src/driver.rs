//! Driver that plays many games at once, with any bot in any seat and phase. It reports events to a
//! recorder.
//!
//! It plays the deals of evaluations, rollouts of a look-ahead, the bots of an environment and the
//! collection of training samples.

use std::convert::Infallible;

use troel_env::{Action, BySeat, Observation, Session, State};

use crate::bot::{Bot, BotError, Decision, DecisionDetail, decide};

/// Game that bots play to an end.
pub trait Game {
    /// Moves on to the next decision and returns the index of its bot; `None` if none is left.
    ///
    /// A game whose deals are recorded calls `deal_over` after each deal, before the next one is
    /// dealt. Others may ignore it.
    fn next_bot(&mut self, deal_over: &mut dyn FnMut(&Self)) -> Option<usize>;

    /// Returns the observation of the seat that decides.
    fn observe(&self) -> Observation;

    /// Applies a legal decision.
    ///
    /// # Errors
    /// The game refused it.
    fn apply(&mut self, action: Action) -> Result<(), BotError>;
}

/// Bots that decide at one table: for each seat, an index into the list of bots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seating {
    /// Bots for the auction and the choice of trumps.
    pub bidding: BySeat<usize>,
    /// Bots for the play of the cards, discards, exchanges and answers.
    pub play: BySeat<usize>,
}

impl Seating {
    /// Assigns the same bots to bidding and play.
    pub fn full(bots: BySeat<usize>) -> Seating {
        Seating { bidding: bots, play: bots }
    }

    /// Assigns the same bot to all seats and phases.
    pub fn all(bot: usize) -> Seating {
        Seating::full(BySeat([bot; 4]))
    }

    fn bot(&self, state: &State) -> usize {
        let bots = if state.phase().is_bidding() { self.bidding } else { self.play };
        bots[state.turn()]
    }
}

/// Session and the bots that play it. Moves with a single legal action are not decisions.
#[derive(Clone, Debug)]
pub struct BotTable {
    /// The session.
    pub session: Session,
    /// The bots that decide.
    pub seating: Seating,
}

impl Game for BotTable {
    fn next_bot(&mut self, deal_over: &mut dyn FnMut(&BotTable)) -> Option<usize> {
        loop {
            self.session.apply_only_actions();
            if !self.session.is_deal_over() {
                return Some(self.seating.bot(self.session.state()));
            }
            deal_over(self);
            self.session.next_deal().ok()?;
        }
    }

    fn observe(&self) -> Observation {
        self.session.observe()
    }

    fn apply(&mut self, action: Action) -> Result<(), BotError> {
        self.session.apply(action).map_err(|error| BotError::Failed(error.to_string()))
    }
}

/// Decisions of one bot in several games, before they are applied.
pub struct Batch<'a, G = BotTable> {
    /// Index of the bot.
    pub bot: usize,
    /// All games, as they were when the bot decided.
    pub games: &'a [G],
    /// Indices of the games that the bot decided in.
    pub game_indices: &'a [usize],
    /// The bot's observations, in the order of `game_indices`.
    pub observations: &'a [Observation],
    /// The bot's decisions, in the order of `game_indices`.
    pub decisions: &'a [Decision],
}

/// Receives the events of the driver.
pub trait Recorder<G = BotTable> {
    /// Reason why the recorder stops the driver.
    type Error;

    /// Called when a bot has decided, before its decisions are applied.
    ///
    /// # Errors
    /// The driver should stop, for example because a bot that the recorder itself uses failed.
    fn decided(&mut self, _batch: &Batch<'_, G>) -> Result<(), Self::Error> {
        Ok(())
    }

    /// Called when a deal is over, before the next one is dealt, with the index of the game.
    fn deal_over(&mut self, _game_index: usize, _game: &G) {}

    /// Called when every open game has moved on by one decision.
    fn moved(&mut self, _games: &[G]) {}
}

/// Ignores all events.
impl<G> Recorder<G> for () {
    type Error = Infallible;
}

/// Reason why the driver stopped. `E` is the error of the recorder.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DriverError<E = Infallible> {
    /// A bot failed.
    #[error("bot {bot}: {error}")]
    Bot {
        /// Index of the bot.
        bot: usize,
        /// Its fault.
        error: BotError,
    },
    /// The recorder stopped it.
    #[error("{0}")]
    Recorder(E),
}

impl From<DriverError> for BotError {
    fn from(stopped: DriverError) -> BotError {
        match stopped {
            DriverError::Bot { error, .. } => error,
            DriverError::Recorder(never) => match never {},
        }
    }
}

impl From<DriverError<BotError>> for BotError {
    fn from(stopped: DriverError<BotError>) -> BotError {
        match stopped {
            DriverError::Bot { error, .. } | DriverError::Recorder(error) => error,
        }
    }
}

/// Plays all games until no decision is left.
///
/// Observations are collected per bot, so that networks receive batches.
///
/// # Errors
/// A bot failed, a game refers to a bot that does not exist, or the recorder stopped it.
pub fn run<G: Game, R: Recorder<G>>(
    games: &mut [G],
    bots: &mut [Box<dyn Bot + '_>],
    recorder: &mut R,
) -> Result<(), DriverError<R::Error>> {
    let mut open: Vec<usize> = (0..games.len()).collect();
    // Indices of the games in which each bot is to decide.
    let mut waiting: Vec<Vec<usize>> = vec![Vec::new(); bots.len()];
    let mut observations: Vec<Observation> = Vec::new();
    loop {
        let mut missing = None;
        open.retain(|&index| {
            let mut deal_over = |game: &G| recorder.deal_over(index, game);
            let Some(bot) = games[index].next_bot(&mut deal_over) else { return false };
            match waiting.get_mut(bot) {
                Some(game_indices) => game_indices.push(index),
                None => missing = Some(bot),
            }
            true
        });
        if let Some(bot) = missing {
            let count = bots.len();
            let error =
                BotError::Failed(format!("a game names it, but there are only {count} bots"));
            return Err(DriverError::Bot { bot, error });
        }
        if open.is_empty() {
            return Ok(());
        }
        for (bot, game_indices) in waiting.iter_mut().enumerate() {
            if game_indices.is_empty() {
                continue;
            }
            let failed = |error| DriverError::Bot { bot, error };
            observations.clear();
            observations.extend(game_indices.iter().map(|&index| games[index].observe()));
            let decisions = decide(bots[bot].as_mut(), &observations, DecisionDetail::Action)
                .map_err(failed)?;
            let batch = Batch {
                bot,
                games,
                game_indices,
                observations: &observations,
                decisions: &decisions,
            };
            recorder.decided(&batch).map_err(DriverError::Recorder)?;
            for (index, decision) in game_indices.drain(..).zip(decisions) {
                // Legal, as `decide` has checked.
                games[index].apply(decision.action).map_err(failed)?;
            }
        }
        recorder.moved(games);
    }
}

/// Plays the current deals of sessions to their ends with one bot in all seats. Returns the
/// sessions.
///
/// # Errors
/// The bot failed.
pub fn roll_out<'a>(
    sessions: impl Iterator<Item = &'a Session>,
    bot: &mut dyn Bot,
) -> Result<Vec<Session>, BotError> {
    let table = |session: &Session| BotTable {
        session: session.ending_with_deal(),
        seating: Seating::all(0),
    };
    let mut tables: Vec<BotTable> = sessions.map(table).collect();
    run(&mut tables, &mut [Box::new(bot)], &mut ())?;
    Ok(tables.into_iter().map(|table| table.session).collect())
}
