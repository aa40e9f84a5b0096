//! Shared tables: each is a task that owns its room and receives the events of the persons.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{mpsc, oneshot};
use troel_env::Seat;
use troel_protocol::commands::{Entrance, NewMatch, Request};
use troel_protocol::{Room, TableError};

use self::event::{Connection, Event};
use self::host::Host;
use crate::services::Services;

mod event;
mod host;
mod study;
mod timing;

/// Maximum number of messages that wait for a person's connection; a deal has less than a hundred.
/// The connection is closed when a message does not fit.
const MAX_WAITING_MESSAGES: usize = 128;

/// Maximum number of events that wait at a table.
const MAX_WAITING_EVENTS: usize = 16;

/// Maximum number of tables that one client may have opened.
const MAX_TABLES_PER_CLIENT: usize = 16;

/// The shared tables of the server.
pub struct Rooms {
    services: Arc<Services>,
    /// Maximum number of tables.
    max_tables: usize,
    /// Secret that every request must carry, for the links to tables.
    token: Option<String>,
    /// The tables by the secret in their links.
    by_secret: Mutex<HashMap<String, Entry>>,
    /// Number of connections to tables so far.
    connections: AtomicU64,
}

/// A table of the server.
struct Entry {
    events: mpsc::Sender<Event>,
    /// The client that opened it.
    client: IpAddr,
}

/// A person's end of a seat at a table.
pub struct SeatHandle {
    seat: Seat,
    number: u64,
    events: mpsc::Sender<Event>,
    /// Messages for the page. They end when another connection takes the seat.
    pub messages: mpsc::Receiver<String>,
}

impl SeatHandle {
    /// Passes on a command; false if the table has ended.
    pub async fn send(&self, request: Request) -> bool {
        let (seat, number, request) = (self.seat, self.number, Box::new(request));
        self.events.send(Event::Command { seat, number, request }).await.is_ok()
    }

    /// Gives up the seat if the person `leaves`, or reports that the connection is lost.
    pub async fn end(self, leaves: bool) {
        // Fails only if the table has ended.
        let gone = Event::Gone { seat: self.seat, number: self.number, leaves };
        let _ = self.events.send(gone).await;
    }
}

impl Rooms {
    /// Returns the tables of a server, which has none yet.
    pub fn new(services: Arc<Services>, max_tables: usize, token: Option<String>) -> Rooms {
        let (by_secret, connections) = (Mutex::default(), AtomicU64::new(0));
        Rooms { services, max_tables, token, by_secret, connections }
    }

    fn all(&self) -> MutexGuard<'_, HashMap<String, Entry>> {
        self.by_secret.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the number of tables.
    pub fn len(&self) -> usize {
        self.all().len()
    }

    /// Gives a person a seat at an existing table, or at a new one if `new_match` is given.
    ///
    /// # Errors
    /// A table cannot be opened, no table has this link, or all its seats are taken.
    pub async fn enter(
        self: &Arc<Rooms>,
        client: IpAddr,
        entrance: Entrance,
        new_match: Option<NewMatch>,
    ) -> Result<SeatHandle, TableError> {
        let found = self.all().get(&entrance.table).map(|entry| entry.events.clone());
        let events = match (found, new_match) {
            (Some(events), _) => events,
            (None, Some(new_match)) => self.open(client, new_match, entrance.clone()).await?,
            (None, None) => return Err(TableError::NoTable),
        };
        let (page, messages) = mpsc::channel(MAX_WAITING_MESSAGES);
        let (seated, seat) = oneshot::channel();
        let number = self.connections.fetch_add(1, Ordering::Relaxed);
        let connection = Connection { number, page };
        let sent = events.send(Event::Enter { entrance, connection, seated }).await;
        sent.map_err(|_| TableError::NoTable)?;
        let seat = seat.await.map_err(|_| TableError::NoTable)??;
        Ok(SeatHandle { seat, number, events, messages })
    }

    /// Opens a table.
    async fn open(
        self: &Arc<Rooms>,
        client: IpAddr,
        new_match: NewMatch,
        entrance: Entrance,
    ) -> Result<mpsc::Sender<Event>, TableError> {
        let cannot = |why: &str| TableError::CannotOpen(why.into());
        let secret = entrance.table.clone();
        let provider = Arc::clone(&self.services);
        let place = self.services.compute.place(client).map_err(|_| TableError::Busy)?;
        let opened = place.run(None, move || Room::shared(new_match, entrance, provider.as_ref()));
        let room = opened.await.unwrap_or(Err(TableError::Internal))?;
        let (sender, events) = mpsc::channel(MAX_WAITING_EVENTS);
        let mut rooms = self.all();
        // Another person may have opened the table of this link in the meantime.
        if let Some(entry) = rooms.get(&secret) {
            return Ok(entry.events.clone());
        }
        let own = rooms.values().filter(|entry| entry.client == client).count();
        if rooms.len() >= self.max_tables || own >= MAX_TABLES_PER_CLIENT {
            return Err(cannot("there are too many tables: leave one, or try later"));
        }
        rooms.insert(secret.clone(), Entry { events: sender.clone(), client });
        drop(rooms);
        let host = Host::new(&self.services, client, self.token.clone());
        let rooms = Arc::clone(self);
        tokio::spawn(async move {
            // Removed also if the task of the table panics.
            let _ = tokio::spawn(host.run(room, events)).await;
            rooms.all().remove(&secret);
        });
        Ok(sender)
    }
}

#[cfg(test)]
mod tests;
