//! The task of a shared table. It executes commands, asks the bots, and shows the table to all
//! persons.

use std::net::IpAddr;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc;

use serde_json::Value;
use tokio::sync::mpsc;
use tokio::sync::mpsc::error::TrySendError;
use tokio::time::Instant;
use troel_env::{Action, BySeat, Observation, Seat};
use troel_protocol::commands::{Command, Request};
use troel_protocol::messages::RefusedView;
use troel_protocol::room::Outcome;
use troel_protocol::{BotTurn, Message, Room, TableError};

use super::event::{Connection, Event};
use super::study::Study;
use super::timing::{AWAY_TIMEOUT, BOT_RETRY_DELAY, EMPTY_TIMEOUT, TURN_TIMEOUT, next_beat};
use crate::services::Services;

/// State of the connection of a seat.
#[derive(Default)]
enum Presence {
    /// No person has the seat, or a bot plays on for an absent person.
    #[default]
    Free,
    /// The person is connected.
    Here(Connection),
    /// The connection of this number took no messages and is about to end.
    Stuck(u64),
    /// The connection was lost at this time.
    Away(Instant),
}

/// A bot's decision; `None` if the bot panicked.
type Decision = Option<(BotTurn, Result<Action, TableError>)>;

/// A decision that is being made.
struct Thinking {
    /// The bot's observation. The decision is dropped when the table waits for another one.
    view: Observation,
    decision: Pin<Box<dyn Future<Output = Decision> + Send>>,
}

/// The owner of a shared table's connections and timers.
pub(super) struct Host {
    services: Arc<Services>,
    /// The client that opened the table. The processor time of the table's bots counts for it.
    client: IpAddr,
    /// Secret that a link to the table needs, if the server has one.
    token: Option<String>,
    places: BySeat<Presence>,
    studies: BySeat<Option<Study>>,
    /// Time of the last call, card or request for the next deal. The turn limit starts here.
    changed: Instant,
    thinking: Option<Thinking>,
    /// Time at which a bot that failed is asked again, unless another event comes first.
    retry: Option<Instant>,
}

/// Runs a step. Returns an error if it panicked.
fn caught<R>(step: impl FnOnce() -> Result<R, TableError>) -> Result<R, TableError> {
    catch_unwind(AssertUnwindSafe(step)).unwrap_or(Err(TableError::Internal))
}

/// Runs a step on a room. If the step panics, returns an error and restores the room.
pub(super) fn attempt<R>(
    room: &mut Room,
    step: impl FnOnce(&mut Room) -> Result<R, TableError>,
) -> Result<R, TableError> {
    let before = room.clone();
    let done = caught(|| step(room));
    if matches!(done, Err(TableError::Internal)) {
        *room = before;
    }
    done
}

/// Waits for the decision that is being made; forever if there is none.
async fn decided(thinking: &mut Option<Thinking>) -> Decision {
    match thinking {
        Some(thinking) => thinking.decision.as_mut().await,
        None => std::future::pending().await,
    }
}

impl Host {
    /// Returns the host of a table that has no connections yet.
    pub(super) fn new(services: &Arc<Services>, client: IpAddr, token: Option<String>) -> Host {
        Host {
            services: Arc::clone(services),
            client,
            token,
            places: BySeat::default(),
            studies: BySeat::default(),
            changed: Instant::now(),
            thinking: None,
            retry: None,
        }
    }

    /// Runs the table until no person has a seat, or no person has been connected for long.
    pub(super) async fn run(mut self, mut room: Room, mut events: mpsc::Receiver<Event>) {
        loop {
            self.go_on(&mut room);
            let deadline = self.deadline(&room);
            tokio::select! {
                event = events.recv() => {
                    let Some(event) = event else { return };
                    self.retry = None;
                    self.take(&mut room, event);
                    if room.is_deserted() {
                        return;
                    }
                }
                decision = decided(&mut self.thinking) => self.apply(&mut room, decision),
                () = tokio::time::sleep_until(deadline) => {
                    if !room.is_visited() {
                        return;
                    }
                    self.stand_in(&mut room);
                }
            }
        }
    }

    /// Deals the next deal or asks a bot, if that is due. Drops a decision that the table no longer
    /// waits for.
    fn go_on(&mut self, room: &mut Room) {
        if self.retry.is_some() {
            return;
        }
        let provider = Arc::clone(&self.services);
        if room.is_due() && room.bot_view().is_none() {
            match attempt(room, |room| room.go_on(provider.as_ref())) {
                Ok(()) => {
                    self.changed = Instant::now();
                    self.show(room);
                }
                Err(error) => return self.fail(&error),
            }
        }
        let view = room.bot_view();
        if self.thinking.as_ref().map(|thinking| thinking.view) != view {
            let turn = view.and_then(|_| room.bot_turn());
            self.thinking = turn.map(|turn| self.think(turn));
        }
    }

    /// Starts a bot's decision, which waits for a free core.
    fn think(&self, mut turn: BotTurn) -> Thinking {
        let view = *turn.view();
        let (services, client, since) = (Arc::clone(&self.services), self.client, Instant::now());
        let decision = async move {
            let place = services.compute.next_place(client).await;
            let decided = place.run(None, move || {
                let action = turn.decide();
                (turn, action)
            });
            let decided = decided.await;
            tokio::time::sleep_until(next_beat(since, Instant::now())).await;
            decided
        };
        Thinking { view, decision: Box::pin(decision) }
    }

    /// Applies a bot's decision.
    fn apply(&mut self, room: &mut Room, decision: Decision) {
        self.thinking = None;
        let decision = decision.ok_or(TableError::Internal);
        let done = decision.and_then(|(turn, action)| {
            let action = action?;
            attempt(room, |room| room.finish(turn, action))
        });
        match done {
            Ok(()) => {
                self.changed = Instant::now();
                self.keep(room);
                self.show(room);
            }
            Err(error) => self.fail(&error),
        }
    }

    /// Reports to all persons that the bot or the next deal failed, and schedules a retry.
    fn fail(&mut self, error: &TableError) {
        tracing::warn!("shared table: {error}");
        self.retry = Some(Instant::now() + BOT_RETRY_DELAY);
        let refused = Message::Refused(RefusedView::of_bot(error));
        Seat::ALL.into_iter().for_each(|seat| self.send(seat, &refused));
    }

    /// Returns the time until which the table waits for events.
    fn deadline(&self, room: &Room) -> Instant {
        if !room.is_visited() {
            return Instant::now() + EMPTY_TIMEOUT;
        }
        let away = Seat::ALL.into_iter().filter_map(|seat| match self.places[seat] {
            Presence::Away(since) => Some(since + AWAY_TIMEOUT),
            _ => None,
        });
        away.chain(self.retry).fold(self.changed + TURN_TIMEOUT, Instant::min)
    }

    /// Lets bots play on for persons who are away or let the others wait.
    fn stand_in(&mut self, room: &mut Room) {
        let now = Instant::now();
        self.retry.take_if(|at| *at <= now);
        let mut is_new = false;
        for seat in Seat::ALL {
            if matches!(self.places[seat], Presence::Away(since) if since + AWAY_TIMEOUT <= now) {
                self.places[seat] = Presence::Free;
                room.hand_over(seat);
                is_new = true;
            }
        }
        if self.changed + TURN_TIMEOUT <= now {
            self.changed = now;
            match room.waits_for() {
                Some(seat) => room.hand_over(seat),
                // Between deals, if a person wants to go on.
                None if room.is_over() && room.is_wanted() => {
                    room.not_ready().iter().for_each(|s| room.hand_over(s));
                }
                None => {}
            }
            is_new = true;
        }
        if is_new {
            self.show(room);
        }
    }

    /// Handles an event.
    fn take(&mut self, room: &mut Room, event: Event) {
        match event {
            Event::Enter { entrance, connection, seated } => {
                let provider = Arc::clone(&self.services);
                let entered = attempt(room, |room| room.enter(entrance, provider.as_ref()));
                if let Ok(seat) = entered {
                    if let Presence::Here(before) = &self.places[seat] {
                        // The person has connected again, for example from another window.
                        let _ = before.page.try_send(Message::Moved.to_string());
                    }
                    self.places[seat] = Presence::Here(connection);
                    self.studies[seat] = None;
                    if room.waits_for() == Some(seat) {
                        self.changed = Instant::now();
                    }
                }
                let is_seated = entered.is_ok();
                // Fails if the page is gone, which its next event reports.
                let _ = seated.send(entered);
                if is_seated {
                    self.show(room);
                }
            }
            Event::Command { seat, number, request } if self.is_of(seat, number) => {
                let Request { of, command } = *request;
                let done = command.and_then(|command| self.execute(room, seat, &of, command));
                if let Err(error) = done {
                    self.send(seat, &Message::Refused(RefusedView::new(&of, &error)));
                }
            }
            Event::Gone { seat, number, leaves } if self.is_of(seat, number) => {
                self.studies[seat] = None;
                if leaves {
                    self.places[seat] = Presence::Free;
                    room.leave(seat);
                } else {
                    self.places[seat] = Presence::Away(Instant::now());
                    room.lose(seat);
                }
                self.show(room);
            }
            // The connection has lost its seat to another one.
            Event::Command { .. } | Event::Gone { .. } => {}
        }
    }

    /// Executes a command of the person of a seat.
    fn execute(
        &mut self,
        room: &mut Room,
        seat: Seat,
        of: &Value,
        command: Command,
    ) -> Result<(), TableError> {
        if matches!(command, Command::Study(_)) {
            return self.study(room, seat, Request { of: of.clone(), command: Ok(command) });
        }
        // The page sends `rules` without the person, who may still be away.
        let is_back = !matches!(command, Command::Rules { .. }) && room.wake(seat);
        let provider = Arc::clone(&self.services);
        let done = attempt(room, |room| room.execute(seat, command, provider.as_ref()));
        let has_changed = matches!(done, Ok(Outcome::Changed));
        if has_changed {
            self.changed = Instant::now();
            self.keep(room);
        }
        if is_back || has_changed {
            self.show(room);
        }
        if let Outcome::Answer(message) = done? {
            self.send(seat, &message);
        }
        Ok(())
    }

    /// Passes on a question about a deal that is over, to be answered while the table plays on.
    fn study(&mut self, room: &Room, seat: Seat, question: Request) -> Result<(), TableError> {
        let study = match self.studies[seat].take().filter(Study::is_running) {
            Some(study) => study,
            None => {
                let copy = caught(|| room.copy(seat))?;
                let Presence::Here(connection) = &self.places[seat] else { return Ok(()) };
                Study::begin(&self.services, self.client, copy, connection.page.clone())
            }
        };
        let asked = study.ask(question);
        self.studies[seat] = Some(study);
        asked
    }

    fn is_of(&self, seat: Seat, number: u64) -> bool {
        match &self.places[seat] {
            Presence::Here(connection) => connection.number == number,
            Presence::Stuck(stuck) => *stuck == number,
            Presence::Free | Presence::Away(_) => false,
        }
    }

    /// Shows the table to all who are connected. A new deal cancels open questions about the
    /// previous one.
    fn show(&mut self, room: &Room) {
        for seat in Seat::ALL {
            if !room.is_over() {
                self.studies[seat] = None;
            }
            if matches!(self.places[seat], Presence::Here(_)) {
                // Every person at the table has the token already.
                let shown = caught(|| Ok(room.show(seat, self.token.as_deref())));
                let refused = |error| Message::Refused(RefusedView::new(&Value::Null, &error));
                self.send(seat, &shown.unwrap_or_else(refused));
            }
        }
    }

    fn send(&mut self, seat: Seat, message: &Message) {
        if let Presence::Here(connection) = &self.places[seat]
            && let Err(TrySendError::Full(_)) = connection.page.try_send(message.to_string())
        {
            // The page takes no messages. Dropping the sender closes the connection, which then
            // reports its end.
            self.places[seat] = Presence::Stuck(connection.number);
            self.studies[seat] = None;
        }
    }

    /// Appends the record of a deal that has ended.
    fn keep(&self, room: &mut Room) {
        if let Ok(Some(record)) = attempt(room, |room| Ok(room.take_record())) {
            self.services.append(&record);
        }
    }
}
