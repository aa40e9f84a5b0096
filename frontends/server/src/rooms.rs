//! Tables of several persons: each is a task that owns its room and is told what people say.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{mpsc, oneshot};
use tokio::task::AbortHandle;
use tokio::time::Instant;
use troel_env::{BySeat, Seat};
use troel_protocol::room::{Entrance, EntranceKind, Room};
use troel_protocol::{Seated, TableError, commands};

use crate::Server;

/// A bot plays on for somebody whose connection has been lost for so long: a reload, or a telephone that looks for its network,
/// takes less.
const AWAY: Duration = Duration::from_secs(20);

/// A bot plays on for somebody who has let the others wait for so long.
const TURN: Duration = Duration::from_secs(120);

/// A table at which nobody is any more is kept for so long.
const EMPTY: Duration = Duration::from_secs(60);

/// Messages that wait for a person's connection; a deal has less than a hundred. A connection that takes none is closed.
const BACKLOG: usize = 128;

/// Commands that wait at a table.
const COMMANDS: usize = 16;

/// Questions about a deal that is over which wait for an answer, of one person.
const QUESTIONS: usize = 4;

/// Tables that one address may have opened.
const MOST_OF_CLIENT: usize = 16;

/// A bot that failed is asked again after so long.
const RETRY: Duration = Duration::from_secs(10);

/// Where a busy server tries again.
const BREATH: Duration = Duration::from_millis(200);

/// The tables of several persons, by the secret in their links.
#[derive(Default)]
pub struct Rooms(Mutex<HashMap<String, Entry>>);

struct Entry {
    events: mpsc::Sender<Event>,
    /// The address that opened it.
    client: IpAddr,
}

/// What a table is told.
enum Event {
    /// Somebody wants to sit down, with this connection.
    Enter {
        entrance: Entrance,
        connection: Connection,
        seated: oneshot::Sender<Result<Seat, TableError>>,
    },
    /// The person of a seat gave a command.
    Said { seat: Seat, number: u64, text: String },
    /// A connection has ended; with `leaves` the person does not come back.
    Gone { seat: Seat, number: u64, leaves: bool },
}

/// A person's connection: what is sent here is sent to the page.
struct Connection {
    /// Tells connections of one seat apart.
    number: u64,
    page: mpsc::Sender<String>,
}

/// A person's end of a seat at a table.
pub struct Chair {
    seat: Seat,
    number: u64,
    room: mpsc::Sender<Event>,
    /// What the page is to be sent; ends when the seat is no longer this connection's.
    pub messages: mpsc::Receiver<String>,
}

impl Chair {
    /// Passes on a command; false if the table has ended.
    pub async fn say(&self, text: String) -> bool {
        self.room.send(Event::Said { seat: self.seat, number: self.number, text }).await.is_ok()
    }

    /// The person goes: for good, or because the connection is lost.
    pub async fn go(self, leaves: bool) {
        // A table that has ended need not be told.
        let _ = self.room.send(Event::Gone { seat: self.seat, number: self.number, leaves }).await;
    }
}

impl Rooms {
    fn all(&self) -> MutexGuard<'_, HashMap<String, Entry>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Number of tables.
    pub fn len(&self) -> usize {
        self.all().len()
    }

    /// Gives somebody a seat at a new table, or at one that is there.
    ///
    /// # Errors
    /// There can be no such table, there is none of this link, or all its seats are taken.
    pub async fn enter(
        server: &Arc<Server>,
        client: IpAddr,
        message: &[u8],
        entrance: Entrance,
    ) -> Result<Chair, TableError> {
        let found = server.rooms.all().get(&entrance.table).map(|entry| entry.events.clone());
        let room = match (entrance.kind, found) {
            (EntranceKind::Join, None) => return Err(TableError::NoTable),
            (_, Some(room)) => room,
            (EntranceKind::Share, None) => {
                Rooms::open(server, client, message, entrance.clone()).await?
            }
        };
        let (page, messages) = mpsc::channel(BACKLOG);
        let (seated, seat) = oneshot::channel();
        let number = server.next_connection();
        let connection = Connection { number, page };
        let told = room.send(Event::Enter { entrance, connection, seated }).await;
        told.map_err(|_| TableError::NoTable)?;
        let seat = seat.await.map_err(|_| TableError::NoTable)??;
        Ok(Chair { seat, number, room, messages })
    }

    /// Opens a table.
    async fn open(
        server: &Arc<Server>,
        client: IpAddr,
        message: &[u8],
        entrance: Entrance,
    ) -> Result<mpsc::Sender<Event>, TableError> {
        let cannot = |why: &str| TableError::CannotOpen(why.into());
        let name = entrance.table.clone();
        let (message, house) = (message.to_vec(), Arc::clone(server));
        let busy = || cannot("the server is busy; try again");
        let place = server.compute.place(client).map_err(|_| busy())?;
        let opened = place.run(None, move || Room::open(&message, entrance, house.as_ref()));
        let room = opened.await.ok_or_else(busy)??;
        let (sender, events) = mpsc::channel(COMMANDS);
        let mut rooms = server.rooms.all();
        // Two that share one table at the same moment share that of the first.
        if let Some(entry) = rooms.get(&name) {
            return Ok(entry.events.clone());
        }
        let own = rooms.values().filter(|entry| entry.client == client).count();
        if rooms.len() >= server.most_tables || own >= MOST_OF_CLIENT {
            return Err(cannot("there are too many tables; leave one, or try later"));
        }
        rooms.insert(name.clone(), Entry { events: sender.clone(), client });
        drop(rooms);
        let host = Host {
            server: Arc::clone(server),
            client,
            places: BySeat::default(),
            studies: BySeat::default(),
            changed: Instant::now(),
        };
        let server = Arc::clone(server);
        tokio::spawn(async move {
            // Whatever happens to the table, its place is free afterwards.
            let _ = tokio::spawn(host.run(room, events)).await;
            server.rooms.all().remove(&name);
        });
        Ok(sender)
    }
}

/// A seat's connection, or since when there is none.
#[derive(Default)]
enum Place {
    #[default]
    Free,
    Here(Connection),
    /// The connection of this number is to end.
    Stuck(u64),
    Away(Instant),
}

/// What answers a person's questions about a deal that is over. It ends when it is dropped.
struct Study {
    questions: mpsc::Sender<String>,
    task: AbortHandle,
}

impl Drop for Study {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Who keeps a table going.
struct Host {
    server: Arc<Server>,
    /// The address that opened the table: what its bots compute counts for it.
    client: IpAddr,
    places: BySeat<Place>,
    studies: BySeat<Option<Study>>,
    /// Since when the table waits for whom it waits for: when somebody last called, played, or wanted to go on.
    changed: Instant,
}

impl Host {
    /// Keeps the table until nobody is left, or nobody has been there for long.
    async fn run(mut self, mut room: Room, mut events: mpsc::Receiver<Event>) {
        let mut is_stuck = false;
        loop {
            // What people say comes before what bots do.
            let event = match room.is_due() && !is_stuck {
                true => events.try_recv().ok(),
                false => {
                    let until = match is_stuck {
                        true => Instant::now() + RETRY,
                        false => self.deadline(&room),
                    };
                    let wait = tokio::time::timeout_at(until, events.recv());
                    match wait.await {
                        Ok(Some(event)) => Some(event),
                        Ok(None) => return,
                        Err(_) if !room.is_visited() => return,
                        Err(_) => {
                            is_stuck = false;
                            self.stand_in(&mut room);
                            None
                        }
                    }
                }
            };
            if let Some(event) = event {
                is_stuck = false;
                self.take(&mut room, event);
                if room.is_deserted() {
                    return;
                }
            }
            // After each thing that is said one that bots do, so that neither keeps the other waiting.
            if room.is_due() && !is_stuck {
                let house = Arc::clone(&self.server);
                let work = move |room: &mut Room| room.go_on(house.as_ref());
                let Some((left, done)) = self.compute(room, work).await else { return };
                room = left;
                self.keep(&mut room);
                self.changed = Instant::now();
                match done {
                    Ok(()) => self.show(&room),
                    // The next event has it try again, or some seconds.
                    Err(error) => {
                        let message = error.to_string();
                        self.tell(&json!({"type": "refused", "of": "bot", "message": message}));
                        is_stuck = true;
                    }
                }
            }
        }
    }

    /// Until when the table waits for somebody.
    fn deadline(&self, room: &Room) -> Instant {
        if !room.is_visited() {
            return Instant::now() + EMPTY;
        }
        let away = Seat::ALL.into_iter().filter_map(|seat| match self.places[seat] {
            Place::Away(since) => Some(since + AWAY),
            _ => None,
        });
        away.chain([self.changed + TURN]).min().unwrap_or(self.changed)
    }

    /// Lets bots play on for those who are away, and for those who let the others wait.
    fn stand_in(&mut self, room: &mut Room) {
        let now = Instant::now();
        for seat in Seat::ALL {
            if matches!(self.places[seat], Place::Away(since) if since + AWAY <= now) {
                self.places[seat] = Place::Free;
                room.hand_over(seat);
            }
        }
        if self.changed + TURN <= now {
            match room.waits_for() {
                Some(seat) => room.hand_over(seat),
                // Between deals, where somebody wants to go on.
                None if room.is_wanted() => room.not_ready().iter().for_each(|s| room.hand_over(s)),
                None => {}
            }
            self.changed = now;
        }
        self.show(room);
    }

    /// Takes what the table is told.
    fn take(&mut self, room: &mut Room, event: Event) {
        match event {
            Event::Enter { entrance, connection, seated } => {
                let entered = room.enter(entrance, self.server.as_ref());
                if let Ok(seat) = entered {
                    if let Place::Here(before) = &self.places[seat] {
                        // The same person in another window: that one has the seat now.
                        let _ = before.page.try_send(json!({"type": "moved"}).to_string());
                    }
                    self.places[seat] = Place::Here(connection);
                    self.studies[seat] = None;
                    if room.waits_for() == Some(seat) {
                        self.changed = Instant::now();
                    }
                }
                let is_seated = entered.is_ok();
                // A page that is gone already says so by its next event.
                let _ = seated.send(entered);
                if is_seated {
                    self.show(room);
                }
            }
            Event::Said { seat, number, text } if self.is_of(seat, number) => {
                let kind = serde_json::from_str::<Value>(&text).unwrap_or_default()["type"].take();
                match kind.as_str() {
                    // Somebody who had done nothing for long is there.
                    Some("here") => {
                        if room.wake(seat) {
                            self.show(room);
                        }
                    }
                    Some("rules") => {
                        let house = self.server.as_ref();
                        for answer in commands::handle(&mut None, text.as_bytes(), house) {
                            self.send(seat, &answer);
                        }
                    }
                    Some("review" | "values" | "par") => self.study(room, seat, text, &kind),
                    _ => {
                        room.wake(seat);
                        match room.execute(seat, text.as_bytes()) {
                            Ok(has_changed) => {
                                self.keep(room);
                                if has_changed {
                                    self.changed = Instant::now();
                                    self.show(room);
                                }
                            }
                            Err(error) => self.refuse(seat, &kind, &error),
                        }
                    }
                }
            }
            Event::Gone { seat, number, leaves } if self.is_of(seat, number) => {
                self.studies[seat] = None;
                if leaves {
                    self.places[seat] = Place::Free;
                    room.leave(seat);
                } else {
                    self.places[seat] = Place::Away(Instant::now());
                    room.lose(seat);
                }
                self.show(room);
            }
            // Of a connection that has lost its seat to another one.
            Event::Said { .. } | Event::Gone { .. } => {}
        }
    }

    /// Has a question about a deal that is over answered, beside the table.
    fn study(&mut self, room: &Room, seat: Seat, question: String, kind: &Value) {
        let is_running = self.studies[seat].as_ref().is_some_and(|s| !s.questions.is_closed());
        if !is_running {
            let table = match room.copy(seat) {
                Ok(table) => table,
                Err(error) => return self.refuse(seat, kind, &error),
            };
            let Place::Here(connection) = &self.places[seat] else { return };
            let (questions, asked) = mpsc::channel(QUESTIONS);
            let place = Some(Seated { table, seat });
            let page = connection.page.clone();
            let answers = answer(Arc::clone(&self.server), self.client, place, asked, page);
            let task = tokio::spawn(answers).abort_handle();
            self.studies[seat] = Some(Study { questions, task });
        }
        if let Some(study) = &self.studies[seat]
            && study.questions.try_send(question).is_err()
        {
            let many = TableError::Failed("too many questions are waiting".into());
            self.refuse(seat, kind, &many);
        }
    }

    fn is_of(&self, seat: Seat, number: u64) -> bool {
        match &self.places[seat] {
            Place::Here(connection) => connection.number == number,
            Place::Stuck(stuck) => *stuck == number,
            Place::Free | Place::Away(_) => false,
        }
    }

    /// Has the room compute something, as soon as there is a core for it; `None` if that panicked.
    async fn compute<R: Send + 'static>(
        &self,
        mut room: Room,
        work: impl FnOnce(&mut Room) -> R + Send + 'static,
    ) -> Option<(Room, R)> {
        let done = place(&self.server, self.client).await.run(None, move || {
            let result = work(&mut room);
            (room, result)
        });
        done.await
    }

    /// Shows the table to all who are there. A deal that is dealt ends what was asked about the one before.
    fn show(&mut self, room: &Room) {
        for seat in Seat::ALL {
            if !room.is_over() {
                self.studies[seat] = None;
            }
            if matches!(self.places[seat], Place::Here(_)) {
                let mut shown = room.show(seat);
                // For links: whoever reads this knows it.
                shown["token"] = json!(self.server.token);
                self.send(seat, &shown);
            }
        }
    }

    fn tell(&mut self, message: &Value) {
        Seat::ALL.into_iter().for_each(|seat| self.send(seat, message));
    }

    fn refuse(&mut self, seat: Seat, of: &Value, error: &TableError) {
        let message = error.to_string();
        self.send(seat, &json!({"type": "refused", "of": of, "message": message}));
    }

    fn send(&mut self, seat: Seat, message: &Value) {
        if let Place::Here(connection) = &self.places[seat]
            && let Err(TrySendError::Full(_)) = connection.page.try_send(message.to_string())
        {
            // A page that takes no messages; without this end its connection is closed, and its loss is told.
            self.places[seat] = Place::Stuck(connection.number);
            self.studies[seat] = None;
        }
    }

    /// Keeps the record of a deal that has ended.
    fn keep(&self, room: &mut Room) {
        if let Some(record) = room.take_record() {
            self.server.append(&json!(record));
        }
    }
}

/// A place in the queue for a core, as soon as there is one.
async fn place(server: &Server, client: IpAddr) -> crate::compute::Place {
    loop {
        match server.compute.place(client) {
            Ok(place) => return place,
            Err(_) => tokio::time::sleep(BREATH).await,
        }
    }
}

/// Answers questions about a deal that is over, one after the other.
async fn answer(
    server: Arc<Server>,
    client: IpAddr,
    mut seated: Option<Seated>,
    mut questions: mpsc::Receiver<String>,
    page: mpsc::Sender<String>,
) {
    while let Some(question) = questions.recv().await {
        let house = Arc::clone(&server);
        let place = place(&server, client).await;
        let answered = place.run(None, move || {
            let answers = commands::handle(&mut seated, question.as_bytes(), house.as_ref());
            (seated, answers)
        });
        let Some((left, answers)) = answered.await else { return };
        seated = left;
        for answer in answers {
            if page.send(answer.to_string()).await.is_err() {
                return;
            }
        }
    }
}
