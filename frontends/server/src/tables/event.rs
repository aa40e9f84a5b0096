//! Events of shared tables, and the connections of persons.

use tokio::sync::{mpsc, oneshot};
use troel_env::Seat;
use troel_protocol::TableError;
use troel_protocol::commands::{Request, SeatRequest};

/// An event at a shared table.
pub(super) enum Event {
    /// A person asks for a seat, with this connection.
    Enter {
        seat_request: SeatRequest,
        connection: Connection,
        seated: oneshot::Sender<Result<Seat, TableError>>,
    },
    /// The person at a seat sent a command over the connection of this number.
    Command { seat: Seat, number: u64, request: Box<Request> },
    /// The connection of this number has ended; with `leaves` the person does not come back.
    Gone { seat: Seat, number: u64, leaves: bool },
}

/// The connection of a person to a shared table.
pub(super) struct Connection {
    /// Number that distinguishes the connections of a seat.
    pub(super) number: u64,
    /// Messages for the page.
    pub(super) page: mpsc::Sender<String>,
}
