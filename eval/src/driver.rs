//! The driver: plays many sessions at once, with any bot in any seat and phase, and reports events to a recorder.
//!
//! Duplicate matches, the deals of gathered decks, baselines that play on and the collection of training samples are all
//! played here.

use troel_agents::{Bot, BotError, Decision, Detail, decide};
use troel_env::{BySeat, Observation, Session, State};

/// The bots that decide at one table: by seat, indices into the list of bots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seating {
    /// Bots for the auction and the choice of trumps.
    pub bidding: BySeat<usize>,
    /// Bots for the play of the cards, discards, exchanges and answers.
    pub play: BySeat<usize>,
}

impl Seating {
    /// The same bots for bidding and play.
    pub fn full(bots: BySeat<usize>) -> Seating {
        Seating { bidding: bots, play: bots }
    }

    /// The same bot for all seats and phases.
    pub fn all(bot: usize) -> Seating {
        Seating::full(BySeat([bot; 4]))
    }

    fn bot(&self, state: &State) -> usize {
        let bots = if state.phase().is_bidding() { self.bidding } else { self.play };
        bots[state.turn()]
    }
}

/// A session and the bots that play it.
#[derive(Clone, Debug)]
pub struct Table {
    /// The session.
    pub session: Session,
    /// The bots that decide.
    pub seating: Seating,
}

/// Decisions of one bot at several tables, before they are applied.
pub struct Batch<'a> {
    /// Index of the bot.
    pub bot: usize,
    /// All tables, as they were when the bot decided.
    pub tables: &'a [Table],
    /// Indices of the tables that the bot decided at.
    pub at: &'a [usize],
    /// The bot's observations, in the order of `at`.
    pub observations: &'a [Observation],
    /// The bot's decisions, in the order of `at`.
    pub decisions: &'a [Decision],
}

/// Receives the events of the driver. Forced moves, with a single legal action, are not decisions and are not
/// reported.
pub trait Recorder {
    /// Called when a bot has decided, before its decisions are applied.
    ///
    /// # Errors
    /// A bot that the recorder itself uses failed; the driver stops.
    fn decided(&mut self, _batch: &Batch<'_>) -> Result<(), BotError> {
        Ok(())
    }

    /// Called when a deal is over, before the next one is dealt.
    fn deal_over(&mut self, _table: usize, _session: &Session) {}

    /// Called when every open table has moved on by one decision.
    fn moved(&mut self, _tables: &[Table]) {}
}

/// Ignores all events.
impl Recorder for () {}

/// Why the driver stopped.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DriverError {
    /// A bot failed.
    #[error("bot {bot}: {error}")]
    Bot {
        /// Index of the bot.
        bot: usize,
        /// Its fault.
        error: BotError,
    },
    /// A bot that the recorder asked failed.
    #[error("{0}")]
    Recorder(BotError),
}

/// Plays all tables until their sessions are over. Observations are collected per bot, so that networks get batches.
///
/// # Errors
/// A bot failed, or a seating refers to a bot that does not exist.
pub fn run(
    tables: &mut [Table],
    bots: &mut [Box<dyn Bot + '_>],
    recorder: &mut dyn Recorder,
) -> Result<(), DriverError> {
    let mut open: Vec<usize> = (0..tables.len()).collect();
    let mut waiting: Vec<Vec<usize>> = vec![Vec::new(); bots.len()];
    let mut observations: Vec<Observation> = Vec::new();
    loop {
        open.retain(|&i| go_on(&mut tables[i].session, i, recorder));
        for &i in &open {
            let bot = tables[i].seating.bot(tables[i].session.state());
            match waiting.get_mut(bot) {
                Some(waiting) => waiting.push(i),
                None => {
                    let error = BotError::Failed("a table seats it, but it is not there".into());
                    return Err(DriverError::Bot { bot, error });
                }
            }
        }
        if open.is_empty() {
            return Ok(());
        }
        for (bot, at) in waiting.iter_mut().enumerate() {
            if at.is_empty() {
                continue;
            }
            let failed = |error| DriverError::Bot { bot, error };
            observations.clear();
            observations.extend(at.iter().map(|&i| tables[i].session.observe()));
            let decisions =
                decide(bots[bot].as_mut(), &observations, Detail::Action).map_err(failed)?;
            let batch =
                Batch { bot, tables, at, observations: &observations, decisions: &decisions };
            recorder.decided(&batch).map_err(DriverError::Recorder)?;
            for (i, decision) in at.drain(..).zip(decisions) {
                // Legal, as `decide` has checked.
                let applied = tables[i].session.apply(decision.action);
                applied.map_err(|error| failed(BotError::Failed(error.to_string())))?;
            }
        }
        recorder.moved(tables);
    }
}

/// Applies forced moves, reports finished deals and deals the next ones; false once the session is over.
fn go_on(session: &mut Session, table: usize, recorder: &mut dyn Recorder) -> bool {
    loop {
        session.apply_only_actions();
        if !session.is_deal_over() {
            return true;
        }
        recorder.deal_over(table, session);
        if session.next_deal().is_err() {
            return false;
        }
    }
}

/// Lets one bot play all seats of the current deals of some sessions to their ends, and returns those.
///
/// # Errors
/// The bot failed.
pub fn play_on<'a>(
    sessions: impl Iterator<Item = &'a Session>,
    bot: &mut dyn Bot,
) -> Result<Vec<Session>, BotError> {
    let table =
        |session: &Session| Table { session: session.ending_with_deal(), seating: Seating::all(0) };
    let mut tables: Vec<Table> = sessions.map(table).collect();
    match run(&mut tables, &mut [Box::new(bot)], &mut ()) {
        Ok(()) => Ok(tables.into_iter().map(|table| table.session).collect()),
        Err(DriverError::Bot { error, .. } | DriverError::Recorder(error)) => Err(error),
    }
}
