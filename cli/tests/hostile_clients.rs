//! `troel serve` under clients that hold on to what they get, alone and behind a reverse proxy. The
//! clients have several addresses, of which Linux has a whole network on the loopback interface.
#![cfg(target_os = "linux")]

mod support;

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
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

/// nginx with the settings of SECURITY.md, except TLS and the ports.
struct Nginx {
    process: Child,
    address: String,
    _folder: tempfile::TempDir,
}

impl Nginx {
    /// `None` where it is not installed, which [`support::tools::missing`] judges.
    fn start(server: &str) -> Option<Nginx> {
        let program = ["/usr/sbin/nginx", "/usr/bin/nginx"].map(PathBuf::from);
        let Some(program) = program.iter().find(|path| path.exists()) else {
            support::tools::missing("nginx", ".ci/run installs it (nginx-light)");
            return None;
        };
        // Another process may take the port before nginx does.
        (0..5)
            .find_map(|_| Nginx::try_start(program, server))
            .or_else(|| panic!("nginx does not start"))
    }

    fn try_start(program: &Path, server: &str) -> Option<Nginx> {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("bound").to_string();
        drop(listener);
        let security = Path::new(env!("CARGO_MANIFEST_DIR")).join("../SECURITY.md");
        let security = std::fs::read_to_string(security).expect("there");
        let (_, settings) = security.split_once("```nginx\n").expect("settings for nginx");
        let (settings, _) = settings.split_once("```").expect("an end");
        let lines = settings.lines().filter(|line| !line.trim().starts_with("ssl_"));
        let settings = lines.collect::<Vec<_>>().join("\n");
        let replaced = [("443 ssl", &address[..]), ("127.0.0.1:7200", server)];
        let settings = replaced.iter().fold(settings, |text, (from, to)| {
            assert!(text.contains(from), "{from} is not in the settings");
            text.replace(from, to)
        });
        let folder = tempfile::tempdir().expect("a folder");
        let at = folder.path().display();
        let kinds = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
        let temporary: String =
            kinds.iter().map(|kind| format!("{kind}_temp_path {at}/{kind};\n")).collect();
        // One process, which ends with this one's handle.
        let text = format!(
            "daemon off;\nmaster_process off;\npid {at}/pid;\nerror_log {at}/error.log;\n\
             events {{}}\nhttp {{\naccess_log off;\n{temporary}{settings}\n}}\n"
        );
        let file = folder.path().join("nginx.conf");
        std::fs::write(&file, text).expect("written");
        let mut command = Command::new(program);
        command.arg("-p").arg(folder.path()).arg("-e").arg(folder.path().join("start.log"));
        command.arg("-c").arg(&file).stdin(Stdio::null()).stderr(Stdio::inherit());
        let process = command.spawn().expect("nginx starts");
        let mut nginx = Nginx { process, address, _folder: folder };
        let began = Instant::now();
        while nginx.process.try_wait().expect("a child").is_none() {
            if std::net::TcpStream::connect(&nginx.address).is_ok() {
                return Some(nginx);
            }
            assert!(began.elapsed() < PATIENCE, "nginx does not listen");
            std::thread::sleep(Duration::from_millis(20));
        }
        None
    }
}

impl Drop for Nginx {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Each client behind a proxy has its own share. Headers that it sends do not change that.
#[test]
fn clients_behind_a_proxy_have_their_own_shares() {
    let token = "0123456789abcdef";
    let server = Server::start(&[
        "--bot",
        "rules",
        "--token",
        token,
        "--host-name",
        "whist.example",
        "--trusted-proxy",
        "127.0.0.1",
    ]);
    let address = server.address.split('/').next().expect("an address");
    let Some(nginx) = Nginx::start(address) else { return };
    let bearer = format!("Bearer {token}");
    let share = |from: &str, number: usize, more: &[(&'static str, &str)]| {
        let headers = [("Host", "whist.example"), ("Authorization", &bearer[..])];
        let headers = [&headers[..], more].concat();
        let mut table = table_from(from, &nginx.address, &headers).expect("a place");
        let name = format!("table-{number}-0123456789abcdef");
        table.send(&json!({"type": "share", "table": name, "key": name, "name": "anna", "rules": "wiezen", "seat": "S"}));
        let first = table.read();
        (table, first)
    };
    let is_full = |first: &Value| {
        first["type"] == "refused"
            && first["message"].as_str().is_some_and(|why| why.contains("too many tables"))
    };
    let mut tables = Vec::new();
    for number in 0..16 {
        let (table, first) = share("127.0.0.2", number, &[]);
        assert_eq!(first["type"], "table", "{number}: {first}");
        tables.push(table);
    }
    for more in [
        &[][..],
        &[("X-Forwarded-For", "192.0.2.1")],
        &[("X-Forwarded-For", "192.0.2.1, 127.0.0.1")],
        &[("Forwarded", "for=192.0.2.1")],
    ] {
        let (_, first) = share("127.0.0.2", 16, more);
        assert!(is_full(&first), "{more:?}: {first}");
    }
    let (_table, first) = share("127.0.0.3", 17, &[]);
    assert_eq!(first["type"], "table", "another client has its own share: {first}");

    let get = |from: &str, given: &str| {
        let headers = format!("Host: whist.example\r\nAuthorization: Bearer {given}\r\n");
        get_from(from, &nginx.address, "/troel.wasm", &headers)
    };
    let guessed = (0..200).any(|_| get("127.0.0.2", "wrong").status == 429);
    assert!(guessed, "wrong tokens are not counted");
    assert_eq!(get("127.0.0.3", "wrong").status, 401, "another client has its own count");
    let page = get("127.0.0.2", token);
    assert_eq!(page.status, 200);
    assert!(page.body.ends_with(troel_web::WASM), "the file comes whole");
}
