//! The driver: plays many sessions at once, with any bot in any seat and phase, and tells a recorder what happens.
//!
//! Duplicate matches, the deals of gathered decks, baselines that play on and the collection of training samples are all
//! played here.

use troel_agents::{Bot, BotError, Decision, Detail, decide};
use troel_env::{BySeat, Observation, Phase, Session, State};

/// Who decides what at one table: an index into the bots, by seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seating {
    /// Who calls (and names trumps).
    pub bidding: BySeat<usize>,
    /// Who plays the cards (and lays aside, exchanges and answers).
    pub play: BySeat<usize>,
}

impl Seating {
    /// The same bots for bidding and play.
    pub fn full(bots: BySeat<usize>) -> Seating {
        Seating { bidding: bots, play: bots }
    }

    /// The same bot for everything.
    pub fn all(bot: usize) -> Seating {
        Seating::full(BySeat([bot; 4]))
    }

    fn bot(&self, state: &State) -> usize {
        match state.phase() {
            Phase::Auction | Phase::Trump => self.bidding[state.turn()],
            _ => self.play[state.turn()],
        }
    }
}

/// A session and who plays it.
#[derive(Clone, Debug)]
pub struct Table {
    /// The match.
    pub session: Session,
    /// Who decides.
    pub seating: Seating,
}

/// Decisions that a bot has made at several tables at once, before they are carried out.
pub struct Batch<'a> {
    /// Index of the bot.
    pub bot: usize,
    /// All tables, as they stood when the bot decided.
    pub tables: &'a [Table],
    /// Indices of the tables that the decisions are of.
    pub at: &'a [usize],
    /// What the bot saw, in the order of `at`.
    pub observations: &'a [Observation],
    /// What it decided, in the order of `at`.
    pub decisions: &'a [Decision],
}

/// Is told what happens at the tables. Moves with a single legal action are no decisions, and are not told.
pub trait Recorder {
    /// A bot has decided.
    ///
    /// # Errors
    /// A bot that the recorder asked in its turn failed; the driver stops.
    fn decided(&mut self, _batch: &Batch<'_>) -> Result<(), BotError> {
        Ok(())
    }

    /// A deal is over; the next one is not dealt yet.
    fn deal_over(&mut self, _table: usize, _session: &Session) {}

    /// Each table has moved on by one decision.
    fn moved(&mut self, _tables: &[Table]) {}
}

/// Records nothing.
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

/// Plays all tables until their sessions are over. Decisions are collected per bot, so that networks see batches.
///
/// # Errors
/// A bot failed, or a table seats one that is not there.
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

/// Makes moves that are no decision, tells of finished deals and deals on; false once the session is over.
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
