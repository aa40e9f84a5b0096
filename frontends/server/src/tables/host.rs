//! The task of a shared table. It executes commands, asks the bots, and shows the table to all
//! persons.

use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;

use serde_json::Value;
use tokio::sync::mpsc;
use tokio::sync::mpsc::error::TrySendError;
use tokio::time::Instant;
use troel_env::{Action, BySeat, Observation, Seat};
use troel_protocol::commands::{Command, Phrase, Request, SharedCommand};
use troel_protocol::{
    BotTurn, CommandOutcome, Message, SaidView, ServerLink, Table, TableError, attempt, catch_panic,
};

use super::event::{Connection, Event};
use super::store::TableFile;
use super::study::Study;
use super::timing::{
    AWAY_TIMEOUT, BOT_RETRY_DELAY, EMPTY_TIMEOUT, PHRASE_INTERVAL, RETURN_TIMEOUT, TURN_TIMEOUT,
    next_beat,
};
use crate::services::Services;

/// State of the connection of a seat.
#[derive(Default)]
enum Presence {
    /// No person has the seat, or a bot plays on for an absent person.
    #[default]
    Free,
    /// The person is connected.
    Connected(Connection),
    /// The connection of this number took no messages and is about to end.
    Stuck(u64),
    /// The connection was lost at this time.
    Away(Instant),
}

/// A bot's decision; `None` if the bot panicked.
type FinishedTurn = Option<(BotTurn, Result<Action, TableError>)>;

/// A decision that is being made.
struct Thinking {
    /// The bot's observation. The decision is dropped when the table waits for another one.
    observation: Observation,
    decision: Pin<Box<dyn Future<Output = FinishedTurn> + Send>>,
}

/// Task of a shared table: its connections, its timers and the decisions of its bots.
pub(super) struct Host {
    services: Arc<Services>,
    /// The client that opened the table. The processor time of the table's bots counts for it.
    client: IpAddr,
    /// Address and token for links to the table.
    link: ServerLink,
    /// File that keeps the table while the server is away, if there is one.
    file: Option<TableFile>,
    /// The connection of each seat.
    presence: BySeat<Presence>,
    /// Answers to questions about the last deal, by the seat that asks.
    studies: BySeat<Option<Study>>,
    /// Time of the last call, card or request for the next deal. The turn limit starts here.
    last_change: Instant,
    thinking: Option<Thinking>,
    /// Time at which a bot that failed is asked again, unless another event comes first.
    retry_at: Option<Instant>,
    /// Time from which the person of a seat may say the next phrase.
    may_say_at: BySeat<Option<Instant>>,
    /// Time until which the table waits for persons, connected or not.
    kept_until: Instant,
}

/// Waits for the decision that is being made; forever if there is none.
async fn decision_of(thinking: &mut Option<Thinking>) -> FinishedTurn {
    match thinking {
        Some(thinking) => thinking.decision.as_mut().await,
        None => std::future::pending().await,
    }
}

impl Host {
    /// Returns the host of a table that has no connections yet.
    pub(super) fn new(
        services: &Arc<Services>,
        client: IpAddr,
        link: ServerLink,
        file: Option<TableFile>,
    ) -> Host {
        Host {
            services: Arc::clone(services),
            client,
            link,
            file,
            presence: BySeat::default(),
            studies: BySeat::default(),
            last_change: Instant::now(),
            thinking: None,
            retry_at: None,
            may_say_at: BySeat::default(),
            kept_until: Instant::now(),
        }
    }

    /// Returns this host for a table that an earlier server left, and whose persons may come back.
    pub(super) fn waiting_for_persons(mut self, table: &Table) -> Host {
        let now = Instant::now();
        self.presence = BySeat::from_fn(|seat| {
            if table.has_person(seat) { Presence::Away(now) } else { Presence::Free }
        });
        self.kept_until = now + RETURN_TIMEOUT;
        self
    }

    /// Runs the table until no person has a seat, or no person has been connected for long.
    pub(super) async fn run(mut self, mut table: Table, mut events: mpsc::Receiver<Event>) {
        loop {
            self.go_on(&mut table);
            let deadline = self.deadline(&table);
            tokio::select! {
                event = events.recv() => {
                    let Some(event) = event else { return };
                    self.retry_at = None;
                    self.handle(&mut table, event);
                    if table.has_no_person() {
                        break;
                    }
                }
                decision = decision_of(&mut self.thinking) => self.apply(&mut table, decision),
                () = tokio::time::sleep_until(deadline) => {
                    if !table.has_connected_person() {
                        break;
                    }
                    self.hand_over_late_seats(&mut table);
                }
            }
        }
        self.file.iter().for_each(TableFile::remove);
    }

    /// Deals the next deal or asks a bot, if that is due. Drops a decision that the table no longer
    /// waits for.
    fn go_on(&mut self, table: &mut Table) {
        if self.retry_at.is_some() {
            return;
        }
        let provider = Arc::clone(&self.services);
        if table.can_go_on() && table.bot_observation().is_none() {
            match attempt(table, |table| table.go_on(provider.as_ref())) {
                Ok(()) => {
                    self.last_change = Instant::now();
                    self.show(table);
                }
                Err(error) => return self.report_failure(&error),
            }
        }
        let observation = table.bot_observation();
        if self.thinking.as_ref().map(|thinking| thinking.observation) != observation {
            let turn = observation.and_then(|_| table.take_bot_turn());
            self.thinking = turn.map(|turn| self.think(turn));
        }
    }

    /// Starts a bot's decision, which waits for a free core.
    fn think(&self, mut turn: BotTurn) -> Thinking {
        let obs = *turn.observation();
        let (services, client, since) = (Arc::clone(&self.services), self.client, Instant::now());
        let decision = async move {
            let slot = services.compute.reserve(client).await;
            let decided = slot.run(None, move || {
                let action = turn.decide();
                (turn, action)
            });
            let decided = decided.await;
            tokio::time::sleep_until(next_beat(since, Instant::now())).await;
            decided
        };
        Thinking { observation: obs, decision: Box::pin(decision) }
    }

    /// Applies a bot's decision.
    fn apply(&mut self, table: &mut Table, decision: FinishedTurn) {
        self.thinking = None;
        let decision = decision.ok_or(TableError::Internal);
        let done = decision.and_then(|(turn, action)| {
            let action = action?;
            attempt(table, |table| table.finish_bot_turn(turn, action))
        });
        match done {
            Ok(()) => {
                self.last_change = Instant::now();
                self.store_record(table);
                self.show(table);
            }
            Err(error) => self.report_failure(&error),
        }
    }

    /// Reports to all persons that the bot or the next deal failed, and schedules a retry.
    fn report_failure(&mut self, error: &TableError) {
        tracing::warn!("shared table: {error}");
        self.retry_at = Some(Instant::now() + BOT_RETRY_DELAY);
        let refused = Message::bot_failed(error);
        Seat::ALL.into_iter().for_each(|seat| self.send(seat, &refused));
    }

    /// Returns the time until which the table waits for events.
    fn deadline(&self, table: &Table) -> Instant {
        if !table.has_connected_person() {
            return self.kept_until.max(Instant::now() + EMPTY_TIMEOUT);
        }
        let away = Seat::ALL.into_iter().filter_map(|seat| match self.presence[seat] {
            Presence::Away(since) => Some(since + AWAY_TIMEOUT),
            _ => None,
        });
        away.chain(self.retry_at).fold(self.last_change + TURN_TIMEOUT, Instant::min)
    }

    /// Lets bots play on for persons who are away or let the others wait.
    fn hand_over_late_seats(&mut self, table: &mut Table) {
        let now = Instant::now();
        self.retry_at.take_if(|at| *at <= now);
        let mut has_changed = false;
        for seat in Seat::ALL {
            if matches!(self.presence[seat], Presence::Away(since) if since + AWAY_TIMEOUT <= now) {
                self.presence[seat] = Presence::Free;
                table.hand_over_to_bot(seat);
                has_changed = true;
            }
        }
        if self.last_change + TURN_TIMEOUT <= now {
            self.last_change = now;
            match table.waits_for() {
                // Friends may be on their way.
                Some(_) if table.waits_for_newcomers() => {}
                Some(seat) => table.hand_over_to_bot(seat),
                // Between deals, if a person wants to go on.
                None if table.is_deal_over() && table.next_deal_is_wanted() => {
                    table.not_ready().iter().for_each(|s| table.hand_over_to_bot(s));
                }
                None => {}
            }
            has_changed = true;
        }
        if has_changed {
            self.show(table);
        }
    }

    /// Handles an event.
    fn handle(&mut self, table: &mut Table, event: Event) {
        match event {
            Event::Enter { seat_request, connection, seated } => {
                let provider = Arc::clone(&self.services);
                let entered = attempt(table, |table| table.enter(seat_request, provider.as_ref()));
                if let Ok(seat) = entered {
                    self.connect(table, seat, connection);
                }
                let is_seated = entered.is_ok();
                // Fails if the page is gone, which its next event reports.
                let _ = seated.send(entered);
                if is_seated {
                    self.show(table);
                }
            }
            Event::Command { seat, number, request } if self.is_current(seat, number) => {
                let command_type = request.command_type.clone();
                if let Err(error) = self.execute(table, seat, *request) {
                    self.send(seat, &Message::refused(&command_type, &error));
                }
            }
            Event::Gone { seat, number, leaves } if self.is_current(seat, number) => {
                self.studies[seat] = None;
                if leaves {
                    self.presence[seat] = Presence::Free;
                    table.leave(seat);
                } else {
                    self.presence[seat] = Presence::Away(Instant::now());
                    table.disconnect(seat);
                }
                self.show(table);
            }
            // The connection has lost its seat to another one.
            Event::Command { .. } | Event::Gone { .. } => {}
        }
    }

    /// Connects the person who entered a seat, and disconnects an earlier page of theirs.
    fn connect(&mut self, table: &Table, seat: Seat, connection: Connection) {
        if let Presence::Connected(before) = &self.presence[seat] {
            // The person has connected again, for example from another window.
            let _ = before.page.try_send(Message::Moved.to_string());
        }
        self.presence[seat] = Presence::Connected(connection);
        self.studies[seat] = None;
        if table.waits_for() == Some(seat) {
            self.last_change = Instant::now();
        }
    }

    /// Executes a command of the person of a seat.
    fn execute(
        &mut self,
        table: &mut Table,
        seat: Seat,
        request: Request,
    ) -> Result<(), TableError> {
        if matches!(request.command, Ok(Command::Study(_))) {
            return self.study(table, seat, request);
        }
        let command = request.command?;
        if let Command::Shared(SharedCommand::Say { phrase }) = command {
            return self.say(seat, phrase);
        }
        // The page sends `rules` without the person, who may still be away.
        let is_back = !matches!(command, Command::Rules { .. }) && table.resume_seat(seat);
        let provider = Arc::clone(&self.services);
        let done = attempt(table, |table| table.execute(seat, command, provider.as_ref()));
        let has_changed = matches!(done, Ok(CommandOutcome::Changed));
        if has_changed {
            self.last_change = Instant::now();
            self.store_record(table);
        }
        if is_back || has_changed {
            self.show(table);
        }
        if let CommandOutcome::Answer(message) = done? {
            self.send(seat, &message);
        }
        Ok(())
    }

    /// Passes on what the person at this seat says to the others.
    fn say(&mut self, seat: Seat, phrase: Phrase) -> Result<(), TableError> {
        let now = Instant::now();
        if self.may_say_at[seat].is_some_and(|at| now < at) {
            return Err(TableError::TooManyPhrases);
        }
        self.may_say_at[seat] = Some(now + PHRASE_INTERVAL);
        let said = Message::Said(SaidView { seat, phrase });
        Seat::ALL.into_iter().for_each(|to| self.send(to, &said));
        Ok(())
    }

    /// Passes on a question about a deal that is over, to be answered while the table plays on.
    fn study(&mut self, table: &Table, seat: Seat, question: Request) -> Result<(), TableError> {
        let study = match self.studies[seat].take().filter(Study::is_running) {
            Some(study) => study,
            None => {
                let copy = catch_panic(|| table.private_copy(seat))?;
                let Presence::Connected(connection) = &self.presence[seat] else { return Ok(()) };
                Study::begin(&self.services, self.client, copy, connection.page.clone())
            }
        };
        let asked = study.ask(question);
        self.studies[seat] = Some(study);
        asked
    }

    /// Returns whether a seat has the connection of this number.
    fn is_current(&self, seat: Seat, number: u64) -> bool {
        match &self.presence[seat] {
            Presence::Connected(connection) => connection.number == number,
            Presence::Stuck(stuck) => *stuck == number,
            Presence::Free | Presence::Away(_) => false,
        }
    }

    /// Stores the table, and shows it to all who are connected. A new deal cancels open questions
    /// about the previous one.
    fn show(&mut self, table: &Table) {
        // First, so that a crash loses nothing that a person has seen.
        if let Some(file) = &mut self.file {
            tokio::task::block_in_place(|| file.write(table));
        }
        for seat in Seat::ALL {
            if !table.is_deal_over() {
                self.studies[seat] = None;
            }
            if matches!(self.presence[seat], Presence::Connected(_)) {
                // Every person at the table has the token already.
                let shown = catch_panic(|| Ok(table.show(seat, Some(&self.link))));
                let refused = |error| Message::refused(&Value::Null, &error);
                self.send(seat, &shown.unwrap_or_else(refused));
            }
        }
    }

    /// Sends a message to the person at a seat, if they are connected.
    fn send(&mut self, seat: Seat, message: &Message) {
        if let Presence::Connected(connection) = &self.presence[seat]
            && let Err(TrySendError::Full(_)) = connection.page.try_send(message.to_string())
        {
            // The page takes no messages. Dropping the sender closes the connection, which then
            // reports its end.
            self.presence[seat] = Presence::Stuck(connection.number);
            self.studies[seat] = None;
        }
    }

    /// Appends the record of a deal that has ended.
    fn store_record(&self, table: &mut Table) {
        if let Ok(Some(record)) = attempt(table, |table| Ok(table.take_record())) {
            self.services.append(&record);
        }
    }
}
