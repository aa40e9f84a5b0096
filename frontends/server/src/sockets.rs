//! The connections of pages: each to a table of its own, or to a seat at a table of several persons.

use std::collections::VecDeque;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Bytes;
use axum::extract::ws::{Message, WebSocket};
use serde_json::{Value, json};
use tokio::time::Instant;
use troel_protocol::room::Entrance;
use troel_protocol::{TableError, commands};

use crate::rooms::{Chair, Rooms};
use crate::{PATIENCE, Server};

/// Persons at a shared table are asked so often whether they are there; they are gone when they have been silent three times as long.
const PING: Duration = Duration::from_secs(10);

/// Messages of a page that wait while a bot thinks; one that sends more is no page of ours.
const MOST_WAITING: usize = 16;

/// Plays with a page until it is gone.
pub async fn play(server: &Arc<Server>, client: IpAddr, mut socket: WebSocket) {
    let mut table = None;
    let mut waiting = VecDeque::new();
    // When the connection or the last message at a table came. Neither pings nor messages without
    // a table keep a connection.
    let mut active = Instant::now();
    let limits = &server.limits;
    loop {
        let limit = if table.is_some() { limits.idle } else { limits.opening };
        if active.elapsed() >= limit {
            return;
        }
        let text = match waiting.pop_front() {
            Some(text) => text,
            None => match tokio::time::timeout_at(active + limit, socket.recv()).await {
                Ok(Some(Ok(Message::Text(text)))) => text,
                Ok(Some(Ok(Message::Close(_)) | Err(_)) | None) | Err(_) => return,
                Ok(Some(Ok(_))) => continue,
            },
        };
        if let Some(entrance) = Entrance::parse(text.as_bytes()) {
            match enter(server, client, &text, entrance).await {
                Ok(chair) => {
                    if !sit(chair, &mut socket, limits.idle).await {
                        return;
                    }
                    table = None;
                    active = Instant::now();
                }
                Err(error) => {
                    let message = error.to_string();
                    // No seat, rather than a server that cannot at this moment.
                    let is_lost = matches!(error, TableError::NoTable | TableError::Full);
                    let refused = json!({"type": "refused", "of": "join", "message": message, "lost": is_lost});
                    if !send(&mut socket, &refused).await {
                        return;
                    }
                }
            }
            continue;
        }
        let Ok(place) = server.compute.place(client) else {
            let refused = json!({"type": "refused", "message": "the server is busy; try again"});
            if !send(&mut socket, &refused).await {
                return;
            }
            continue;
        };
        let (mut taken, here) = (table.take(), Arc::clone(server));
        // As long as it takes, and as the page is there.
        let thinking = place.run(None, move || {
            let answers = commands::handle(&mut taken, text.as_bytes(), here.as_ref());
            here.keep(&text, answers.last());
            (taken, answers)
        });
        tokio::pin!(thinking);
        // A page that leaves while a bot thinks cancels it.
        let thought = loop {
            tokio::select! {
                thought = &mut thinking => break thought,
                message = socket.recv() => match message {
                    Some(Ok(Message::Text(text))) if waiting.len() < MOST_WAITING => waiting.push_back(text),
                    Some(Ok(Message::Text(_) | Message::Close(_)) | Err(_)) | None => return,
                    Some(Ok(_)) => {}
                },
            }
        };
        let Some((left, answers)) = thought else { return };
        table = left;
        if table.is_some() {
            active = Instant::now();
        }
        for answer in answers {
            if !send(&mut socket, &answer).await {
                return;
            }
        }
    }
}

async fn enter(
    server: &Arc<Server>,
    client: IpAddr,
    text: &str,
    entrance: Result<Entrance, TableError>,
) -> Result<Chair, TableError> {
    Rooms::enter(server, client, text.as_bytes(), entrance?).await
}

/// Carries messages between a page and a table of several persons; false if the page is gone.
async fn sit(mut chair: Chair, socket: &mut WebSocket, idle: Duration) -> bool {
    let (mut heard, mut told) = (Instant::now(), Instant::now());
    let mut ping = tokio::time::interval_at(heard + PING, PING);
    loop {
        let is_sent = tokio::select! {
            said = socket.recv() => {
                heard = Instant::now();
                match said {
                    Some(Ok(Message::Text(text))) => {
                        told = Instant::now();
                        let command = serde_json::from_str::<Value>(&text).unwrap_or_default();
                        if command["type"] == "leave" {
                            chair.go(true).await;
                            return true;
                        }
                        chair.say(text.to_string()).await
                    }
                    Some(Ok(Message::Close(_)) | Err(_)) | None => false,
                    Some(Ok(_)) => true,
                }
            }
            message = chair.messages.recv() => match message {
                Some(message) => send_text(socket, message).await,
                None => false,
            },
            // A telephone that vanishes says nothing: without an answer it is gone.
            _ = ping.tick() => {
                let pinged = socket.send(Message::Ping(Bytes::new()));
                heard.elapsed() < 3 * PING
                    && told.elapsed() < idle
                    && matches!(tokio::time::timeout(PING, pinged).await, Ok(Ok(())))
            }
        };
        if !is_sent {
            chair.go(false).await;
            return false;
        }
    }
}

/// Sends a message to a page; false if it is gone.
async fn send(socket: &mut WebSocket, message: &Value) -> bool {
    send_text(socket, message.to_string()).await
}

async fn send_text(socket: &mut WebSocket, message: String) -> bool {
    let sent = socket.send(Message::Text(message.into()));
    matches!(tokio::time::timeout(PATIENCE, sent).await, Ok(Ok(())))
}
