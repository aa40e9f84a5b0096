//! Tables of several persons: each is a task that owns its room and is told what people say.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{mpsc, oneshot};
use troel_env::Seat;
use troel_protocol::commands::{Entrance, NewMatch, Request};
use troel_protocol::{Room, TableError};

use self::host::Host;
use crate::Server;

mod host;
mod study;

/// A bot plays on for somebody whose connection has been lost for so long: a reload, or a telephone
/// that looks for its network, takes less.
const AWAY_TIMEOUT: Duration = Duration::from_secs(20);

/// A bot plays on for somebody who has let the others wait for so long.
const TURN_TIMEOUT: Duration = Duration::from_secs(120);

/// A table at which nobody is any more is kept for so long.
const EMPTY_TIMEOUT: Duration = Duration::from_secs(60);

/// Messages that wait for a person's connection; a deal has less than a hundred. A connection that
/// takes none is closed.
const BACKLOG: usize = 128;

/// Commands that wait at a table.
const COMMANDS: usize = 16;

/// Questions about a deal that is over which wait for an answer, of one person.
const QUESTIONS: usize = 4;

/// Tables that one address may have opened.
const MAX_TABLES_PER_CLIENT: usize = 16;

/// A bot that failed is asked again after so long.
const RETRY_DELAY: Duration = Duration::from_secs(10);

/// Bots' moves are shown on the beats of this pace, counted from when the bot could begin: how long
/// it thought, which would tell whether it had a choice, is not seen. Longer than bots usually
/// need, and no slower than people follow a game.
const BEAT: Duration = Duration::from_millis(300);

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
    Said { seat: Seat, number: u64, request: Box<Request> },
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
pub struct SeatHandle {
    seat: Seat,
    number: u64,
    room: mpsc::Sender<Event>,
    /// What the page is to be sent; ends when the seat is no longer this connection's.
    pub messages: mpsc::Receiver<String>,
}

impl SeatHandle {
    /// Passes on a command; false if the table has ended.
    pub async fn say(&self, request: Request) -> bool {
        let (seat, number, request) = (self.seat, self.number, Box::new(request));
        self.room.send(Event::Said { seat, number, request }).await.is_ok()
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

    /// Gives a person a seat at an existing table, or at a new one if `new_match` is given.
    ///
    /// # Errors
    /// There can be no such table, there is none of this link, or all its seats are taken.
    pub async fn enter(
        server: &Arc<Server>,
        client: IpAddr,
        entrance: Entrance,
        new_match: Option<NewMatch>,
    ) -> Result<SeatHandle, TableError> {
        let found = server.rooms.all().get(&entrance.table).map(|entry| entry.events.clone());
        let room = match (found, new_match) {
            (Some(room), _) => room,
            (None, Some(new_match)) => {
                Rooms::open(server, client, new_match, entrance.clone()).await?
            }
            (None, None) => return Err(TableError::NoTable),
        };
        let (page, messages) = mpsc::channel(BACKLOG);
        let (seated, seat) = oneshot::channel();
        let number = server.next_connection();
        let connection = Connection { number, page };
        let sent = room.send(Event::Enter { entrance, connection, seated }).await;
        sent.map_err(|_| TableError::NoTable)?;
        let seat = seat.await.map_err(|_| TableError::NoTable)??;
        Ok(SeatHandle { seat, number, room, messages })
    }

    /// Opens a table.
    async fn open(
        server: &Arc<Server>,
        client: IpAddr,
        new_match: NewMatch,
        entrance: Entrance,
    ) -> Result<mpsc::Sender<Event>, TableError> {
        let cannot = |why: &str| TableError::CannotOpen(why.into());
        let name = entrance.table.clone();
        let provider = Arc::clone(server);
        let busy = |_| cannot("the server is busy; try again");
        let place = server.compute.place(client).map_err(busy)?;
        let opened = place.run(None, move || Room::shared(new_match, entrance, provider.as_ref()));
        let room = opened.await.unwrap_or(Err(TableError::Internal))?;
        let (sender, events) = mpsc::channel(COMMANDS);
        let mut rooms = server.rooms.all();
        // Two that share one table at the same moment share that of the first.
        if let Some(entry) = rooms.get(&name) {
            return Ok(entry.events.clone());
        }
        let own = rooms.values().filter(|entry| entry.client == client).count();
        if rooms.len() >= server.most_tables || own >= MAX_TABLES_PER_CLIENT {
            return Err(cannot("there are too many tables; leave one, or try later"));
        }
        rooms.insert(name.clone(), Entry { events: sender.clone(), client });
        drop(rooms);
        let host = Host::new(server, client);
        let server = Arc::clone(server);
        tokio::spawn(async move {
            // Whatever happens to the table, its place is free afterwards.
            let _ = tokio::spawn(host.run(room, events)).await;
            server.rooms.all().remove(&name);
        });
        Ok(sender)
    }
}

#[cfg(test)]
mod tests;
