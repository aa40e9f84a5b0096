use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};

use axum::Router;
use axum::extract::ws::WebSocketUpgrade;
use axum::routing::get;
use serde_json::json;
use tungstenite::stream::MaybeTlsStream;

use troel_protocol::ServerLink;

use super::*;
use crate::testing::services;

/// Serves tables on the runtime; returns their address.
fn tables(runtime: &tokio::runtime::Runtime, services: Arc<Services>) -> SocketAddr {
    let listener = tokio::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0));
    let listener = runtime.block_on(listener).expect("a free port");
    let address = listener.local_addr().expect("bound");
    let tables = Arc::new(SharedTables::new(Arc::clone(&services), 8, ServerLink::default(), None));
    let table = |upgrade: WebSocketUpgrade| async move {
        upgrade.on_upgrade(move |socket| async move {
            let (limits, client) = (Limits::default(), Ipv4Addr::LOCALHOST.into());
            play(&services, &tables, &limits, client, socket).await;
        })
    };
    let app = Router::new().route("/", get(table));
    runtime.spawn(async { axum::serve(listener, app).await });
    address
}

/// Connects; a read fails after a minute without a message.
fn connect(address: SocketAddr) -> tungstenite::WebSocket<MaybeTlsStream<TcpStream>> {
    let (socket, _) = tungstenite::connect(format!("ws://{address}/")).expect("listens");
    let MaybeTlsStream::Plain(stream) = socket.get_ref() else { panic!("without TLS") };
    stream.set_read_timeout(Some(Duration::from_secs(60))).expect("set");
    socket
}

/// Sends a message, and returns the answers up to one that satisfies the condition.
fn ask(
    socket: &mut tungstenite::WebSocket<MaybeTlsStream<TcpStream>>,
    said: Value,
    is_last: impl Fn(&Value) -> bool,
) -> Vec<Value> {
    socket.send(tungstenite::Message::text(said.to_string())).expect("open");
    let mut answers = Vec::new();
    while !answers.last().is_some_and(&is_last) {
        let answer = socket.read().expect("answers").into_text().expect("text");
        answers.push(serde_json::from_str(&answer).expect("JSON"));
    }
    answers
}

/// Checks that a panic in a bot's move or in a hint is refused, and that the match continues.
#[test]
fn a_panic_ends_no_match() {
    let is_broken = Arc::new(AtomicBool::new(false));
    let broken = Arc::clone(&is_broken);
    let services = services(move |_| {
        assert!(!broken.load(Ordering::Relaxed), "a panic that the test wants");
    });
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    let runtime = runtime.enable_all().build().expect("starts");
    let address = tables(&runtime, services);
    let mut socket = connect(address);
    let is_settled = |shown: &Value| shown["turn"] == shown["you"] || shown["turn"].is_null();
    let is_refused = |shown: &Value| shown["type"] == "refused";
    let act = |shown: &Value| {
        let action = shown["legal"].as_array().and_then(|legal| legal.last());
        json!({"type": "act", "action": action.expect("there is one")})
    };
    let new = json!({"type": "new", "rules": "wiezen", "seat": "S", "seed": 1});
    let mut shown = ask(&mut socket, new, is_settled).pop().expect("an answer");
    let mut panics = 0;
    while shown["turn"] == shown["you"] {
        is_broken.store(true, Ordering::Relaxed);
        let hint = ask(&mut socket, json!({"type": "hint"}), is_refused);
        assert_eq!((hint.len(), &hint[0]["of"]), (1, &json!("hint")), "{hint:?}");
        let stopped = |shown: &Value| is_refused(shown) || is_settled(shown);
        let answers = ask(&mut socket, act(&shown), stopped);
        is_broken.store(false, Ordering::Relaxed);
        let last = answers.last().expect("an answer");
        if is_refused(last) {
            panics += 1;
            assert_eq!((answers.len(), &last["of"]), (2, &json!("bot")), "{answers:?}");
            // The decision is taken back, and made again with bots that work.
            let undone = ask(&mut socket, json!({"type": "undo"}), is_settled);
            assert_eq!(undone[0], shown);
            shown = ask(&mut socket, act(&shown), is_settled).pop().expect("an answer");
        } else {
            shown = last.clone();
        }
    }
    assert!(shown["scores"].is_object() && panics > 5, "{panics} panics");
}

/// A server without room in the queue says so, and leaves the table as it is.
#[test]
fn a_busy_server_refuses_a_command() {
    let services = services(|_| {});
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    let runtime = runtime.enable_all().build().expect("starts");
    let address = tables(&runtime, Arc::clone(&services));
    let mut socket = connect(address);
    let is_settled = |shown: &Value| shown["turn"] == shown["you"];
    let is_refused = |shown: &Value| shown["type"] == "refused";
    let new = json!({"type": "new", "rules": "wiezen", "seat": "S", "seed": 1});
    ask(&mut socket, new, is_settled);
    let reserve = || services.compute.try_reserve(Ipv4Addr::LOCALHOST.into()).ok();
    // The slot of the last bot may be given back after its message.
    let deadline = Instant::now() + Duration::from_secs(60);
    let mut slots = Vec::new();
    let refused = loop {
        slots.extend(std::iter::from_fn(reserve));
        let answers = ask(&mut socket, json!({"type": "hint"}), |_| true);
        if is_refused(&answers[0]) {
            break answers[0].clone();
        }
        assert!(Instant::now() < deadline, "never busy");
    };
    let message = "the server is busy; try again";
    let expected =
        json!({"type": "refused", "of": "hint", "message": message, "lost": false, "busy": true});
    assert_eq!(refused, expected);
    drop(slots);
    let hint = ask(&mut socket, json!({"type": "hint"}), |_| true);
    assert_eq!(hint[0]["type"], "hint", "{hint:?}");
}
