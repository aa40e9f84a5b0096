//! The connections of pages. Each drives a private table, or has a seat at a shared one.

use std::collections::VecDeque;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Bytes;
use axum::extract::ws::{CloseFrame, Message, Utf8Bytes, WebSocket, close_code};
use serde_json::Value;
use tokio::time::Instant;
use troel_protocol::commands::{Command, Request, SharedCommand};
use troel_protocol::private_table::{self, Answer};
use troel_protocol::{Message as TableMessage, Table, TableError};

use crate::limits::{Limits, REQUEST_TIMEOUT};
use crate::services::Services;
use crate::tables::{SeatHandle, SharedTables};

/// Interval between pings to a person at a shared table. After three intervals without a message
/// or an answer the connection counts as lost.
const PING_INTERVAL: Duration = Duration::from_secs(10);

/// Maximum size of a message from the page, in bytes.
pub const MAX_COMMAND_BYTES: usize = 1 << 18;

/// Maximum number of messages of a page that wait while a bot thinks. Our page sends fewer; the
/// connection of another program is closed.
const MAX_WAITING_COMMANDS: usize = 16;

/// Connection of a page, and its messages that wait.
struct Page {
    socket: WebSocket,
    waiting: VecDeque<Utf8Bytes>,
    /// Time of the connection or of the last message at a table. Neither pings nor messages without
    /// a table extend a connection.
    last_active: Instant,
}

impl Page {
    /// Returns the next message; `None` if the page is gone, or has been idle for `limit`.
    async fn next(&mut self, limit: Duration) -> Option<Request> {
        let end = self.last_active + limit;
        if Instant::now() >= end {
            return None;
        }
        if let Some(text) = self.waiting.pop_front() {
            return Some(Request::parse(text.as_bytes()));
        }
        loop {
            match tokio::time::timeout_at(end, receive(&mut self.socket)).await {
                Ok(Received::Text(text)) => return Some(Request::parse(text.as_bytes())),
                Ok(Received::Other) => {}
                Ok(Received::TooLong) => {
                    refuse_long_message(&mut self.socket).await;
                    return None;
                }
                Ok(Received::End) | Err(_) => return None,
            }
        }
    }

    /// Waits for a computation, while messages queue. If the page leaves first, returns `None`,
    /// which cancels it.
    async fn wait_for<T>(&mut self, computed: impl Future<Output = T>) -> Option<T> {
        tokio::pin!(computed);
        loop {
            tokio::select! {
                result = &mut computed => return Some(result),
                message = receive(&mut self.socket) => match message {
                    Received::Text(text) if self.waiting.len() < MAX_WAITING_COMMANDS => {
                        self.waiting.push_back(text);
                    }
                    Received::Other => {}
                    Received::TooLong => {
                        refuse_long_message(&mut self.socket).await;
                        return None;
                    }
                    Received::Text(_) | Received::End => return None,
                },
            }
        }
    }

    /// Sends a message; `None` if the page is gone.
    async fn send(&mut self, message: &TableMessage) -> Option<()> {
        send(&mut self.socket, message.to_string()).await.then_some(())
    }
}

/// Plays with a page until it is gone.
pub async fn play(
    services: &Arc<Services>,
    tables: &Arc<SharedTables>,
    limits: &Limits,
    client: IpAddr,
    socket: WebSocket,
) {
    let mut page = Page { socket, waiting: VecDeque::new(), last_active: Instant::now() };
    let mut table = None;
    let limit = |table: &Option<Table>| {
        if table.is_some() { limits.idle_timeout } else { limits.match_timeout }
    };
    while let Some(request) = page.next(limit(&table)).await {
        let Ok(Command::Enter { seat_request, new_match }) = &request.command else {
            if execute(services, client, &mut page, &mut table, request).await.is_none() {
                return;
            }
            if table.is_some() {
                page.last_active = Instant::now();
            }
            continue;
        };
        match tables.enter(client, seat_request.clone(), new_match.clone()).await {
            Ok(handle) => {
                if !relay(handle, &mut page.socket, limits.idle_timeout).await {
                    return;
                }
                table = None;
                page.last_active = Instant::now();
            }
            Err(error) => {
                let refused = TableMessage::refused(&request.command_type, &error);
                if page.send(&refused).await.is_none() {
                    return;
                }
            }
        }
    }
}

/// Executes a command at a private table, which it may open or close, and lets the bots act.
///
/// Sends each event when it has happened. Returns `None` if the page is gone.
async fn execute(
    services: &Arc<Services>,
    client: IpAddr,
    page: &mut Page,
    table: &mut Option<Table>,
    request: Request,
) -> Option<()> {
    let Ok(slot) = services.compute.try_reserve(client) else {
        return page.send(&TableMessage::refused(&request.command_type, &TableError::Busy)).await;
    };
    let command_type = request.command_type.clone();
    let provider = Arc::clone(services);
    // Without a time limit, but cancelled when the page leaves.
    let executed = slot.run_on(table.take(), move |table| {
        let answer = private_table::execute(table, request, provider.as_ref());
        table.iter_mut().for_each(|table| store_record(&provider, table));
        answer
    });
    let (executed_table, answer) = page.wait_for(executed).await?;
    *table = executed_table;
    let failed = || Answer::last(TableMessage::refused(&command_type, &TableError::Internal));
    let mut answer = answer.unwrap_or_else(failed);
    loop {
        page.send(&answer.message).await?;
        let Some(waiting) = table.take_if(|_| answer.bots_follow) else { return Some(()) };
        let provider = Arc::clone(services);
        let decided = async {
            let slot = services.compute.reserve(client).await;
            let act = move |table: &mut Table| {
                let answer = private_table::go_on(table, provider.as_ref());
                store_record(&provider, table);
                answer
            };
            slot.run_on(waiting, act).await
        };
        let (waiting, decision) = page.wait_for(decided).await?;
        let failed = || Answer::last(TableMessage::bot_failed(&TableError::Internal));
        *table = Some(waiting);
        answer = decision.unwrap_or_else(failed);
    }
}

/// Appends the record of a deal that has just ended.
fn store_record(services: &Services, table: &mut Table) {
    if let Some(record) = table.take_record() {
        services.append(&record);
    }
}

/// Carries messages between a page and a shared table. Returns false once the page is gone.
async fn relay(mut handle: SeatHandle, socket: &mut WebSocket, idle_timeout: Duration) -> bool {
    let (mut last_heard, mut last_active) = (Instant::now(), Instant::now());
    let mut ping = tokio::time::interval_at(last_heard + PING_INTERVAL, PING_INTERVAL);
    loop {
        let is_sent = tokio::select! {
            said = receive(socket) => {
                last_heard = Instant::now();
                match said {
                    Received::Text(text) => {
                        last_active = Instant::now();
                        let request = Request::parse(text.as_bytes());
                        if matches!(request.command, Ok(Command::Shared(SharedCommand::Leave))) {
                            handle.end(true).await;
                            return true;
                        }
                        handle.send(request).await
                    }
                    Received::Other => true,
                    Received::TooLong => {
                        refuse_long_message(socket).await;
                        false
                    }
                    Received::End => false,
                }
            }
            message = handle.messages.recv() => match message {
                Some(message) => send(socket, message).await,
                None => false,
            },
            // A telephone that loses its network does not close the connection.
            _ = ping.tick() => {
                let pinged = socket.send(Message::Ping(Bytes::new()));
                last_heard.elapsed() < 3 * PING_INTERVAL
                    && last_active.elapsed() < idle_timeout
                    && matches!(tokio::time::timeout(PING_INTERVAL, pinged).await, Ok(Ok(())))
            }
        };
        if !is_sent {
            handle.end(false).await;
            return false;
        }
    }
}

/// Message of a page, or the end of its connection.
enum Received {
    /// A command.
    Text(Utf8Bytes),
    /// A ping, its answer, or a binary message, which is ignored.
    Other,
    /// A message longer than [`MAX_COMMAND_BYTES`]. Nothing can be read after it.
    TooLong,
    /// The page is gone.
    End,
}

/// Waits for the next message of a page.
async fn receive(socket: &mut WebSocket) -> Received {
    match socket.recv().await {
        Some(Ok(Message::Text(text))) => Received::Text(text),
        Some(Ok(Message::Close(_))) | None => Received::End,
        Some(Ok(_)) => Received::Other,
        Some(Err(error)) => match error.into_inner().downcast_ref() {
            Some(tungstenite::Error::Capacity(_)) => Received::TooLong,
            _ => Received::End,
        },
    }
}

/// Refuses a message that is too long, and closes the connection.
async fn refuse_long_message(socket: &mut WebSocket) {
    let error = TableError::TooLong(MAX_COMMAND_BYTES);
    if send(socket, TableMessage::refused(&Value::Null, &error).to_string()).await {
        let reason = format!("more than {MAX_COMMAND_BYTES} bytes").into();
        let close = Message::Close(Some(CloseFrame { code: close_code::SIZE, reason }));
        let sent = socket.send(close);
        // Nothing to do about a page that does not read it.
        let _ = tokio::time::timeout(REQUEST_TIMEOUT, sent).await;
    }
}

/// Sends a message to a page; false if it is gone.
async fn send(socket: &mut WebSocket, message: String) -> bool {
    let sent = socket.send(Message::Text(message.into()));
    matches!(tokio::time::timeout(REQUEST_TIMEOUT, sent).await, Ok(Ok(())))
}

#[cfg(test)]
mod tests;
