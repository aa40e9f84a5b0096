//! Shared tables: each is a task that owns its `Table` and receives the events of the persons.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{mpsc, oneshot};
use troel_env::Seat;
use troel_protocol::commands::{NewMatch, Request, SeatRequest};
use troel_protocol::{ServerLink, StartError, Table, TableError, catch_panic};

use self::event::{Connection, Event};
use self::host::Host;
use self::store::{FoundTable, StoredTable, TableFile};
use crate::services::Services;

mod event;
mod host;
mod store;
mod study;
mod timing;

pub use store::TableStore;

/// Maximum number of messages that wait for a person's connection; a deal has less than a hundred.
/// The connection is closed when a message does not fit.
const MAX_WAITING_MESSAGES: usize = 128;

/// Maximum number of events that wait at a table.
const MAX_WAITING_EVENTS: usize = 16;

/// Maximum number of tables that one client may have opened.
const MAX_TABLES_PER_CLIENT: usize = 16;

/// The shared tables of the server.
pub struct SharedTables {
    services: Arc<Services>,
    /// Maximum number of tables.
    max_tables: usize,
    /// Address and token for the links to tables.
    link: ServerLink,
    /// Folder that keeps the tables while the server is away, if there is one.
    store: Option<TableStore>,
    /// The tables by the secret in their links.
    by_secret: Mutex<HashMap<String, OpenTable>>,
    /// Number of connections to tables so far.
    connections: AtomicU64,
}

/// A shared table whose task runs.
struct OpenTable {
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

impl SharedTables {
    /// Returns the tables of a server, which has none yet.
    pub fn new(
        services: Arc<Services>,
        max_tables: usize,
        link: ServerLink,
        store: Option<TableStore>,
    ) -> SharedTables {
        let (by_secret, connections) = (Mutex::default(), AtomicU64::new(0));
        SharedTables { services, max_tables, link, store, by_secret, connections }
    }

    /// Opens the tables of the store again, as an earlier server left them. One that cannot be
    /// opened is reported, and its file stays.
    pub fn reopen(self: &Arc<SharedTables>) {
        let stored = self.store.iter().flat_map(TableStore::read_all);
        for FoundTable { path, stored: StoredTable { secret, client, table } } in stored {
            match catch_panic(|| Table::load(table, self.services.as_ref())) {
                Ok(table) => {
                    let host = self.host(&secret, client).waiting_for_persons(&table);
                    drop(self.run(&mut self.lock(), secret, client, host, table));
                }
                Err(error) => {
                    let path = path.display();
                    tracing::warn!("the shared table in {path} cannot be opened again: {error}");
                }
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, OpenTable>> {
        self.by_secret.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the number of tables.
    pub fn len(&self) -> usize {
        self.lock().len()
    }

    /// Gives a person a seat at an existing table, or at a new one if `new_match` is given.
    ///
    /// # Errors
    /// A table cannot be opened, no table has this link, or all its seats are taken.
    pub async fn enter(
        self: &Arc<SharedTables>,
        client: IpAddr,
        seat_request: SeatRequest,
        new_match: Option<NewMatch>,
    ) -> Result<SeatHandle, TableError> {
        let found = self.lock().get(&seat_request.table).map(|open| open.events.clone());
        let events = match (found, new_match) {
            (Some(events), _) => events,
            (None, Some(new_match)) => self.open(client, new_match, seat_request.clone()).await?,
            (None, None) => return Err(TableError::NoTable),
        };
        let (page, messages) = mpsc::channel(MAX_WAITING_MESSAGES);
        let (seated, seat) = oneshot::channel();
        let number = self.connections.fetch_add(1, Ordering::Relaxed);
        let connection = Connection { number, page };
        let sent = events.send(Event::Enter { seat_request, connection, seated }).await;
        sent.map_err(|_| TableError::NoTable)?;
        let seat = seat.await.map_err(|_| TableError::NoTable)??;
        Ok(SeatHandle { seat, number, events, messages })
    }

    /// Opens a table.
    async fn open(
        self: &Arc<SharedTables>,
        client: IpAddr,
        new_match: NewMatch,
        seat_request: SeatRequest,
    ) -> Result<mpsc::Sender<Event>, TableError> {
        let secret = seat_request.table.clone();
        let provider = Arc::clone(&self.services);
        let slot = self.services.compute.try_reserve(client).map_err(|_| TableError::Busy)?;
        let opened =
            slot.run(None, move || Table::shared(new_match, seat_request, provider.as_ref()));
        let table = opened.await.unwrap_or(Err(TableError::Internal))?;
        let mut tables = self.lock();
        // Another person may have opened the table of this link in the meantime.
        if let Some(open) = tables.get(&secret) {
            return Ok(open.events.clone());
        }
        let own = tables.values().filter(|open| open.client == client).count();
        if tables.len() >= self.max_tables || own >= MAX_TABLES_PER_CLIENT {
            return Err(StartError::TooManyTables.into());
        }
        let host = self.host(&secret, client);
        Ok(self.run(&mut tables, secret, client, host, table))
    }

    /// Returns the host of a table that has no connections yet.
    fn host(&self, secret: &str, client: IpAddr) -> Host {
        let file: Option<TableFile> = self.store.as_ref().map(|store| store.file(secret, client));
        Host::new(&self.services, client, self.link.clone(), file)
    }

    /// Starts the task of a table, and adds it to the open `tables`.
    fn run(
        self: &Arc<SharedTables>,
        tables: &mut HashMap<String, OpenTable>,
        secret: String,
        client: IpAddr,
        host: Host,
        table: Table,
    ) -> mpsc::Sender<Event> {
        let (sender, events) = mpsc::channel(MAX_WAITING_EVENTS);
        tables.insert(secret.clone(), OpenTable { events: sender.clone(), client });
        let tables = Arc::clone(self);
        tokio::spawn(async move {
            // Removed also if the task of the table panics.
            let _ = tokio::spawn(host.run(table, events)).await;
            tables.lock().remove(&secret);
        });
        sender
    }
}

#[cfg(test)]
mod tests;
