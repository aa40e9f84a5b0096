//! The server as a library: time limits, with short ones, and the headers, errors and compression
//! of its responses.

use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use flate2::read::GzDecoder;
use serde_json::{Value, json};
use troel_server::{Limits, ServerConfig, serve};
use tungstenite::client::IntoClientRequest;
use tungstenite::protocol::frame::coding::CloseCode;
use tungstenite::{Bytes, Message, WebSocket};

const TOKEN: &str = "0123456789abcdef";

/// Deadline with room for a machine under load.
const LONG: Duration = Duration::from_secs(60);

/// Returns the settings of a server with only the bot `rules`.
fn config(limits: Limits) -> ServerConfig {
    ServerConfig {
        address: ([127, 0, 0, 1], 0).into(),
        bots: vec!["rules".to_string()],
        rules: Vec::new(),
        tables: 10,
        names: Vec::new(),
        records: None,
        state: None,
        token: Some(TOKEN.to_string()),
        trusted_proxies: Vec::new(),
        limits,
    }
}

/// Starts a server that ends with the tests.
fn start_with(config: ServerConfig) -> SocketAddr {
    let (ready, address) = mpsc::channel();
    std::thread::spawn(move || {
        serve(&config, |reached| {
            ready.send(reached.here).expect("the test waits");
            Ok(())
        })
    });
    address.recv_timeout(LONG).expect("the server listens")
}

fn start(limits: Limits) -> SocketAddr {
    start_with(config(limits))
}

/// Opens a connection whose reads fail after a while without data.
fn connect(address: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(address).expect("listens");
    stream.set_read_timeout(Some(LONG)).expect("set");
    stream
}

/// Returns head and body of the response to a request with these lines after the first.
fn ask(address: SocketAddr, first: &str, headers: &[&str]) -> (String, Vec<u8>) {
    ask_with(address, first, headers, "")
}

/// Returns head and body of the response to a request with this body and these lines after the
/// first.
fn ask_with(address: SocketAddr, first: &str, headers: &[&str], body: &str) -> (String, Vec<u8>) {
    let mut stream = connect(address);
    let lines: String = headers.iter().map(|line| format!("{line}\r\n")).collect();
    let request = format!("{first} HTTP/1.1\r\n{lines}Connection: close\r\n\r\n{body}");
    stream.write_all(request.as_bytes()).expect("sent");
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).expect("answered");
    let end = answer.windows(4).position(|four| four == b"\r\n\r\n").expect("a head") + 4;
    let head = String::from_utf8(answer[..end].to_vec()).expect("text").to_ascii_lowercase();
    let body = &answer[end..];
    let is_chunked = header(&head, "transfer-encoding") == Some("chunked");
    let body = if is_chunked { joined(body) } else { body.to_vec() };
    (head, body)
}

/// Returns the content of a chunked body.
fn joined(mut chunks: &[u8]) -> Vec<u8> {
    let mut content = Vec::new();
    loop {
        let line = chunks.windows(2).position(|two| two == b"\r\n").expect("a length");
        let digits = std::str::from_utf8(&chunks[..line]).expect("digits");
        let length = usize::from_str_radix(digits, 16).expect("digits");
        if length == 0 {
            return content;
        }
        content.extend_from_slice(&chunks[line + 2..][..length]);
        chunks = &chunks[line + 2 + length + 2..];
    }
}

fn status(head: &str) -> u16 {
    head.split(' ').nth(1).and_then(|code| code.parse().ok()).expect("a status")
}

fn header<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
}

fn table(address: SocketAddr) -> WebSocket<TcpStream> {
    let url = format!("ws://{address}/v1/table?token={TOKEN}");
    let request = url.into_client_request().expect("a request");
    let stream = TcpStream::connect(address).expect("listens");
    stream.set_read_timeout(Some(Duration::from_millis(100))).expect("set");
    // The handshake may take longer than that.
    let mut shaking = tungstenite::client(request, stream);
    let began = Instant::now();
    loop {
        assert!(began.elapsed() < LONG, "no handshake");
        match shaking {
            Ok((socket, _)) => return socket,
            Err(tungstenite::HandshakeError::Interrupted(middle)) => shaking = middle.handshake(),
            Err(error) => panic!("{error}"),
        }
    }
}

/// Waits for the next message of the server.
fn read(socket: &mut WebSocket<TcpStream>) -> Message {
    let began = Instant::now();
    loop {
        assert!(began.elapsed() < LONG, "no message");
        match socket.read() {
            Err(tungstenite::Error::Io(error)) if error.kind() == ErrorKind::WouldBlock => {}
            message => return message.expect("a message"),
        }
    }
}

/// Sends a message every 100 ms until the server closes; returns how long that took.
fn time_until_closed(socket: &mut WebSocket<TcpStream>, message: &Message) -> Duration {
    let began = Instant::now();
    loop {
        assert!(began.elapsed() < LONG, "never closed");
        let is_late = |error: &tungstenite::Error| matches!(error, tungstenite::Error::Io(io) if io.kind() == std::io::ErrorKind::WouldBlock);
        let sent = socket.send(message.clone());
        if sent.and_then(|()| socket.read()).is_err_and(|error| !is_late(&error)) {
            return began.elapsed();
        }
    }
}

#[test]
fn a_connection_that_only_pings_or_talks_is_closed() {
    let limits = Limits { match_timeout: Duration::from_secs(1), ..Limits::default() };
    let address = start(limits);
    let ping = Message::Ping(Bytes::new());
    for message in [ping, Message::text(r#"{"type":"rules","rules":"wiezen"}"#), Message::text("1")]
    {
        time_until_closed(&mut table(address), &message);
    }
}

#[test]
fn pings_keep_no_table_and_messages_do() {
    let short = Duration::from_secs(2);
    let address = start(Limits { idle_timeout: short, ..Limits::default() });
    let new = Message::text(r#"{"type":"new","rules":"wiezen","seat":"S","seed":1}"#);
    let mut pinging = table(address);
    pinging.send(new.clone()).expect("open");
    time_until_closed(&mut pinging, &Message::Ping(Bytes::new()));

    let is_kept = || {
        let mut talking = table(address);
        talking.send(new.clone()).expect("open");
        let began = Instant::now();
        while began.elapsed() < 2 * short {
            let sent = talking.send(Message::text(r#"{"type":"rules","rules":"wiezen"}"#));
            let is_late = |error: &tungstenite::Error| matches!(error, tungstenite::Error::Io(io) if io.kind() == std::io::ErrorKind::WouldBlock);
            if sent.and_then(|()| talking.read()).is_err_and(|error| !is_late(&error)) {
                return false;
            }
        }
        true
    };
    // A machine under load may send no messages for two seconds.
    assert!((0..10).any(|_| is_kept()), "tables are closed in spite of messages");
}

#[test]
fn wrong_tokens_take_time_and_are_forgotten() {
    let (wrong_token_delay, wrong_token_window) =
        (Duration::from_millis(300), Duration::from_secs(5));
    let address = start(Limits {
        max_wrong_tokens: 1,
        wrong_token_delay,
        wrong_token_window,
        ..Limits::default()
    });
    let guess = || status(&ask(address, "GET /?token=wrong", &["Host: localhost"]).0);
    let began = Instant::now();
    while guess() != 429 {
        assert!(began.elapsed() < LONG, "wrong tokens are not counted");
    }
    // One connection, many max_wrong_tokens: one after the other.
    let mut stream = connect(address);
    let guesses = "GET /?token=wrong HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(4);
    let began = Instant::now();
    stream.write_all(guesses.as_bytes()).expect("sent");
    let mut answers = String::new();
    while answers.matches("HTTP/1.1 4").count() < 4 {
        let mut some = [0; 4096];
        let n = stream.read(&mut some).expect("answered");
        assert!(n > 0, "closed after {answers}");
        answers.push_str(&String::from_utf8_lossy(&some[..n]));
    }
    let refused = answers.matches("HTTP/1.1 429").count() as u32;
    assert!(began.elapsed() >= wrong_token_delay * refused, "{refused} in {:?}", began.elapsed());
    assert!(refused >= 1, "{answers}");
    let began = Instant::now();
    while guess() != 401 {
        assert!(began.elapsed() < LONG, "wrong tokens are never forgotten");
    }
}

/// A guess that is not answered at once is not known to be wrong.
#[test]
fn the_right_token_takes_as_long_as_a_wrong_one() {
    let (wrong_token_delay, wrong_token_window) =
        (Duration::from_millis(500), Duration::from_secs(3600));
    let address = start(Limits {
        max_wrong_tokens: 2,
        wrong_token_delay,
        wrong_token_window,
        ..Limits::default()
    });
    let host = "Host: localhost";
    let wrong = || status(&ask(address, "GET /?token=wrong", &[host]).0);
    assert_eq!([wrong(), wrong(), wrong()], [401, 401, 429]);
    let query = &format!("GET /?token={TOKEN}")[..];
    let bearer = &format!("Authorization: Bearer {TOKEN}")[..];
    let cookie = &format!("Cookie: troel_token={TOKEN}")[..];
    for (first, headers, expected) in [
        (query, &[host][..], 200),
        ("GET /", &[host, bearer], 200),
        ("GET /", &[host, cookie], 200),
        ("GET /", &[host, "Cookie: troel_token=wrong"], 429),
    ] {
        let began = Instant::now();
        assert_eq!(status(&ask(address, first, headers).0), expected, "{first} {headers:?}");
        assert!(began.elapsed() >= wrong_token_delay, "{first} {headers:?}: {:?}", began.elapsed());
    }
}

/// A connection from a proxy counts for its client until the next request or its end, even if the
/// client does not read the response.
#[test]
fn a_response_through_a_proxy_holds_a_connection() {
    let limits = Limits { connections_per_client: 1, header_timeout: LONG, ..Limits::default() };
    let trusted_proxies = vec!["127.0.0.1/32".parse().expect("a network")];
    let address = start_with(ServerConfig { trusted_proxies, ..config(limits) });
    let lines = |client: &str| {
        format!("Host: localhost\r\nAuthorization: Bearer {TOKEN}\r\nX-Forwarded-For: {client}")
    };
    let get = |client: &str| status(&ask(address, "GET /health", &[&lines(client)]).0);
    let request =
        |path: &str, client: &str| format!("GET {path} HTTP/1.1\r\n{}\r\n\r\n", lines(client));
    let mut held = connect(address);
    // The second response does not fit into the buffers of the connection.
    let requests = request("/health", "192.0.2.1") + &request("/troel.wasm", "192.0.2.1");
    held.write_all(requests.as_bytes()).expect("sent");
    let mut read = Vec::new();
    while String::from_utf8_lossy(&read).matches("HTTP/1.1 200").count() < 2 {
        let mut some = [0; 64];
        let n = held.read(&mut some).expect("answered");
        assert!(n > 0, "closed");
        read.extend_from_slice(&some[..n]);
    }
    assert_eq!(get("192.0.2.1"), 503, "the response is not read to its end");
    assert_eq!(get("192.0.2.2"), 200, "another client");
    drop(held);
    let began = Instant::now();
    while get("192.0.2.1") != 200 {
        assert!(began.elapsed() < LONG, "the connection is still counted");
    }
}

#[test]
fn all_responses_have_the_headers_of_safety() {
    let address = start(Limits { connections_per_client: 50, ..Limits::default() });
    let host = "Host: localhost";
    let bearer = &format!("Authorization: Bearer {TOKEN}")[..];
    let json = "Content-Type: application/json";
    for (first, headers, expected) in [
        ("GET /", &[host, bearer][..], 200),
        ("GET /metrics", &[host, bearer], 200),
        ("GET /nothing", &[host, bearer], 404),
        ("DELETE /", &[host, bearer], 405),
        ("GET /", &[host], 401),
        ("GET /", &["Host: evil.example", bearer], 403),
        ("GET /", &[bearer], 400),
        ("GET /", &[host, "Host: evil.example", bearer], 400),
        ("POST /v1/act", &[host, bearer, "Content-Length: 0"], 415),
        ("POST /v1/act", &[host, bearer, json, "Content-Length: 0"], 400),
    ] {
        let (head, _) = ask(address, first, headers);
        assert_eq!(status(&head), expected, "{first} {headers:?}");
        assert_eq!(header(&head, "x-content-type-options"), Some("nosniff"), "{head}");
        assert_eq!(header(&head, "referrer-policy"), Some("no-referrer"), "{head}");
        assert!(header(&head, "content-security-policy").is_some(), "{head}");
        let kept =
            if expected == 200 && first == "GET /" { "private, no-cache" } else { "no-store" };
        assert_eq!(header(&head, "cache-control"), Some(kept), "{first}: {head}");
    }
    // Responses to connections that are refused before a request is read have the headers as well.
    let held: Vec<_> = (0..50).map(|_| TcpStream::connect(address).expect("listens")).collect();
    let mut stream = connect(address);
    let mut answer = String::new();
    let _ = stream.read_to_string(&mut answer);
    assert!(answer.starts_with("HTTP/1.1 503"), "{answer}");
    let answer = answer.to_ascii_lowercase();
    assert_eq!(header(&answer, "x-content-type-options"), Some("nosniff"));
    assert_eq!(header(&answer, "content-length"), Some("31"));
    assert_eq!(answer.split("\r\n\r\n").nth(1).map(str::len), Some(31));
    drop(held);
}

/// A request without a route, with a body that is too long or for rules that no bot plays is
/// answered with the remedy.
#[test]
fn errors_name_the_remedy() {
    let bots = ["rules", "expert"].map(String::from).to_vec();
    let address = start_with(ServerConfig { bots, ..config(Limits::default()) });
    let bearer = format!("Authorization: Bearer {TOKEN}");
    let json = "Content-Type: application/json";
    let error = |first: &str, length: usize, body: &str| {
        let length = format!("Content-Length: {length}");
        let headers = ["Host: localhost", &bearer, json, &length];
        let (head, body) = ask_with(address, first, &headers, body);
        assert_eq!(header(&head, "content-type"), Some("application/json"), "{head}");
        let answer: Value = serde_json::from_slice(&body).expect("JSON");
        assert_eq!(answer["id"], Value::Null, "{answer}");
        let code = answer["error"]["code"].as_str().expect("a code").to_string();
        let message = answer["error"]["message"].as_str().expect("text").to_string();
        (status(&head), code, message)
    };
    for (first, length, expected, remedy) in [
        ("GET /v1/nothing", 0, (404, "not-found"), "/v1/legal"),
        ("POST /v1/act/", 0, (404, "not-found"), "/v1/legal"),
        ("GET /v1/act", 0, (405, "wrong-method"), "use POST"),
        ("DELETE /", 0, (405, "wrong-method"), "GET for the others"),
        ("POST /v1/act", 2 << 20, (413, "too-long"), "1048576 bytes"),
    ] {
        let (status, code, message) = error(first, length, "");
        assert_eq!((status, &code[..]), expected, "{first}");
        assert!(message.contains(remedy), "{first}: {message}");
    }
    let (head, _) = ask(address, "GET /v1/act", &["Host: localhost", &bearer]);
    assert_eq!(header(&head, "allow"), Some("post"));

    let record = json!({"rules": "club", "dealer": "E", "deal": "N:- - K6.A62.A42.AT953 -"});
    let request = json!({"record": record, "seat": "S"}).to_string();
    let (status, code, message) = error("POST /v1/act", request.len(), &request);
    assert_eq!((status, &code[..]), (400, "wrong-rules"));
    for bot in ["rules plays horesca, iwwa", "expert plays horesca, iwwa", "\"club\""] {
        assert!(message.contains(bot), "{bot}: {message}");
    }
}

/// A message above the limit is refused, and the connection is closed with the code for it, also
/// at a shared table.
#[test]
fn a_message_that_is_too_long_is_refused() {
    let address = start(Limits::default());
    let share = json!({
        "type": "share", "table": "0123456789abcdef", "key": "0123456789abcdef", "rules": "wiezen",
        "seat": "S",
    });
    for first in [None, Some(share)] {
        let mut socket = table(address);
        if let Some(first) = first {
            socket.send(Message::text(first.to_string())).expect("open");
        }
        socket.send(Message::text(" ".repeat((1 << 18) + 1))).expect("open");
        let mut refused = None;
        let close = loop {
            match read(&mut socket) {
                Message::Text(text) => refused = Some(text),
                Message::Close(close) => break close.expect("a code"),
                _ => {}
            }
        };
        assert_eq!(close.code, CloseCode::Size);
        let refused: Value = serde_json::from_str(&refused.expect("an answer")).expect("JSON");
        assert_eq!((&refused["type"], &refused["of"]), (&json!("refused"), &Value::Null));
        assert!(refused["message"].as_str().is_some_and(|text| text.contains("262144")));
    }
}

#[test]
fn static_files_are_compressed_and_kept() {
    let address = start(Limits::default());
    let cookie = &format!("Cookie: troel_token={TOKEN}")[..];
    let get = |path: &str, more: &[&str]| {
        ask(address, &format!("GET {path}"), &[&["Host: localhost", cookie], more].concat())
    };
    for path in [
        "/",
        "/app.js",
        "/words/nl.json",
        "/style.css",
        "/troel.mjs",
        "/troel.wasm",
        "/sw.js",
        "/icon.svg",
    ] {
        let (head, plain) = get(path, &[]);
        assert_eq!((status(&head), header(&head, "content-encoding")), (200, None), "{path}");
        let (packed_head, packed) = get(path, &["Accept-Encoding: gzip, deflate, br"]);
        assert_eq!(header(&packed_head, "content-encoding"), Some("gzip"), "{path}");
        let mut unpacked = Vec::new();
        GzDecoder::new(&packed[..]).read_to_end(&mut unpacked).expect("gzip");
        assert!(unpacked == plain, "{path}: the same file");
        assert_eq!(header(&head, "content-type"), header(&packed_head, "content-type"));
        if plain.len() > 10_000 {
            assert!(packed.len() * 2 < plain.len(), "{path}: {} of {}", packed.len(), plain.len());
        }
        let tags = [&head, &packed_head].map(|head| {
            assert_eq!(header(head, "vary"), Some("accept-encoding"), "{path}: {head}");
            assert_eq!(header(head, "cache-control"), Some("private, no-cache"), "{path}");
            let tag = header(head, "etag").expect("a tag");
            tag.strip_prefix("w/").expect("a weak tag").to_string()
        });
        assert_eq!(tags[0], tags[1], "{path}");
        let known = |tag: &str, more: &[&str]| {
            let line = format!("If-None-Match: \"other\", W/{tag}");
            let (head, body) = get(path, &[&[&line[..]], more].concat());
            assert!(header(&head, "etag").is_some(), "{path}: {head}");
            (status(&head), body.len())
        };
        assert_eq!(known(&tags[0], &[]), (304, 0), "{path}");
        assert_eq!(known(&tags[0], &["Accept-Encoding: gzip"]), (304, 0), "{path}");
        assert_eq!(known("\"old\"", &[]).0, 200, "{path}");
    }
    // Answers are never compressed, because they may hold secrets.
    for path in ["/metrics", "/health", "/nothing"] {
        let (head, _) = get(path, &["Accept-Encoding: gzip"]);
        assert_eq!(header(&head, "content-encoding"), None, "{path}");
    }
}
