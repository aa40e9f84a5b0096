//! `troel serve` under clients that hold on to what they get. The clients have several addresses,
//! of which Linux has a whole network on the loopback interface. `deploy` has the server behind a
//! reverse proxy.
#![cfg(target_os = "linux")]

mod support;

use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::json;
use support::server::{Server, Table, connect_from, get_from, table_from};
use support::stderr_of;
use tungstenite::{Bytes, Message};

/// Deadline for actions that take half a minute, with room for a machine under load.
const PATIENCE: Duration = Duration::from_secs(120);

/// Repeats something until it is true.
fn until(what: &str, mut is_true: impl FnMut() -> bool) {
    let began = Instant::now();
    while !is_true() {
        assert!(began.elapsed() < PATIENCE, "{what}: not within {PATIENCE:?}");
        std::thread::sleep(Duration::from_millis(200));
    }
}

/// Returns the status of a request for the smallest page.
fn health(server: &Server, from: &str) -> u16 {
    get_from(from, &server.address, "/health", "Host: localhost\r\n").status
}

/// 513 connections that ask for 24 MB each and read nothing.
#[test]
fn clients_that_read_nothing_leave_room_and_are_closed() {
    let server = Server::start(&["--bot", "rules"]);
    let requests = "GET /troel.wasm HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(20);
    let flood: Vec<_> = (0..513)
        .map(|_| {
            let mut stream = connect_from("127.0.0.1", &server.address);
            // Those beyond the limit are closed.
            let _ = stream.write_all(requests.as_bytes());
            stream
        })
        .collect();
    assert_eq!(health(&server, "127.0.0.1"), 503, "the flood takes the client's share");
    for _ in 0..20 {
        assert_eq!(health(&server, "127.0.0.2"), 200, "another client is served");
    }
    until("the client is served again", || {
        assert_eq!(health(&server, "127.0.0.2"), 200, "another client is served");
        health(&server, "127.0.0.1") == 200
    });
    drop(flood);
}

/// Four clients take all 200 WebSockets and only ping.
#[test]
fn websockets_without_a_match_are_closed() {
    let server = Server::start(&["--bot", "rules"]);
    let open = |from: &str| table_from(from, &server.address, &[]);
    let mut silent = Vec::new();
    for from in ["127.0.0.1", "127.0.0.2", "127.0.0.3", "127.0.0.4"] {
        silent.extend((0..50).map(|_| open(from).expect("a place")));
        if from == "127.0.0.1" {
            assert_eq!(open(from).err(), Some(503), "one client has no more than its share");
        }
    }
    assert_eq!(open("127.0.0.5").err(), Some(503), "all tables are taken");
    let mut table = None;
    until("a table is free", || {
        for Table(socket) in &mut silent {
            let _ = socket.send(Message::Ping(Bytes::new()));
        }
        table = open("127.0.0.5").ok();
        table.is_some()
    });
    let mut table = table.expect("opened");
    table.send(&json!({"type": "new", "rules": "iwwa", "seat": "N"}));
    assert_eq!(table.settled()["you"], "N");
}

/// Wrong tokens are answered ever more slowly; the right one always passes.
#[test]
fn guesses_of_the_token_are_limited() {
    let token = "0123456789abcdef";
    let server = Server::start(&["--bot", "rules", "--token", token]);
    let address = server.address.split('/').next().expect("an address").to_string();
    let get = |from: &str, headers: &str| {
        get_from(from, &address, "/", &format!("Host: localhost\r\n{headers}"))
    };
    let mut guesses = 0;
    let refused = loop {
        guesses += 1;
        assert!(guesses < 200, "wrong tokens are not counted");
        // A header that is not from a trusted proxy does not change the client.
        let more = format!(
            "Authorization: Bearer {guesses:016}\r\nX-Forwarded-For: 192.0.2.{guesses}\r\n"
        );
        let reply = get("127.0.0.1", &more);
        if reply.status != 401 {
            break reply;
        }
    };
    assert_eq!(refused.status, 429);
    let wait: u64 = refused.header("retry-after").and_then(|s| s.parse().ok()).expect("seconds");
    assert!((1..=60).contains(&wait), "{wait}");
    assert_eq!(get("127.0.0.1", "").status, 401, "a request without a token is no guess");
    assert_eq!(get("127.0.0.2", "Cookie: troel_token=x\r\n").status, 401, "another client");
    assert_eq!(get("127.0.0.1", &format!("Authorization: Bearer {token}\r\n")).status, 200);
}

#[test]
fn bad_settings_are_refused() {
    for (args, why) in [
        (["--token", "short"], "the token has 5 characters: use at least 16"),
        (["--trusted-proxy", "nginx"], "an address, such as 127.0.0.1, or a network"),
        (["--trusted-proxy", "10.0.0.0/33"], "an address, such as 127.0.0.1, or a network"),
    ] {
        let mut command = support::troel();
        command.args(["serve", "--port", "0"]).args(args);
        let mut process =
            command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("starts");
        // A server that starts anyway prints so. The test does not wait for it.
        let mut said = String::new();
        let output = process.stdout.take().expect("piped");
        BufReader::new(output).read_line(&mut said).expect("text");
        let _ = process.kill();
        let output = process.wait_with_output().expect("ends");
        assert_eq!(said, "", "{args:?}: the server starts");
        let said = stderr_of(&output);
        assert!(said.contains(why), "{args:?}: {said}");
    }
}
