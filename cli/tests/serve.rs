//! `troel serve`: the page's table over a WebSocket, requests over HTTP, hostile ones too, and the
//! page itself in Chromium.

mod support;

use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::Stdio;

use serde_json::{Value, json};
use support::server::{Server, Table};
use support::{stderr_of, stdout_of};
use tungstenite::Message;

#[test]
fn a_person_plays_deals_under_all_rules() {
    let club = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/rules/club-wiezen.toml");
    let folder = tempfile::tempdir().expect("a folder");
    let kept = folder.path().join("kept.jsonl");
    // The same rules twice are one rule set.
    let server = Server::start(&[
        "--rules",
        club,
        "--rules",
        club,
        "--records",
        kept.to_str().expect("UTF-8"),
    ]);
    let page = server.http("GET", "/", b"").1;
    assert!(page.contains("id=\"house-rules\">{\"club-wiezen\":true}"));
    for rules in ["luxembourg", "horesca", "wiezen", "iwwa", "club-wiezen"] {
        let mut table = server.table().expect("a place");
        table.send(&json!({"type": "new", "rules": rules, "seat": "S", "seed": 11}));
        let mut state = table.settled();
        let mut deals = 0;
        while deals < 3 {
            if state["turn"].is_null() {
                deals += 1;
                assert!(state["scores"].is_object() && state["totals"].is_object());
                table.send(&json!({"type": "next"}));
                state = table.settled();
                continue;
            }
            table.send(&json!({"type": "act", "action": "XX"}));
            assert_eq!(table.read()["type"], "refused");
            table.send(&json!({"type": "hint"}));
            let hint = table.read();
            assert!(hint["value"].is_number(), "a trained bot gives hints: {hint}");
            table.send(&json!({"type": "act", "action": hint["action"]}));
            state = table.settled();
        }
    }
    // Records of deals under the club's rules name these by their id.
    let text = std::fs::read_to_string(&kept).expect("kept");
    let under_club = text.lines().rfind(|line| line.contains("\"club-wiezen\"")).expect("played");
    let rules = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/rules");
    std::fs::write(&kept, under_club).expect("written");
    let kept = kept.to_str().expect("UTF-8");
    let output = support::succeed(&["review", kept, "--rules-folder", rules, "--worlds", "1"], b"");
    assert!(stdout_of(&output).contains("universal-v2"));
}

/// Plays deals at a shared table with the first legal actions; returns record, scores and totals of
/// each deal as this person saw them.
fn sit(mut table: Table, first: Value, deals: u64) -> Vec<Value> {
    let (mut seen, mut acted_on) = (Vec::new(), None);
    let mut first = Some(first);
    loop {
        let shown = first.take().unwrap_or_else(|| table.read());
        // Another person sat down, and new cards were dealt.
        if shown["type"] == "refused" {
            continue;
        }
        let actions = shown["history"].as_array().map_or(0, Vec::len);
        let now = (shown["deal"].clone(), actions, shown["hand"].clone());
        // The same table is shown again when a person joins, leaves or is ready.
        if acted_on.as_ref() == Some(&now) {
            continue;
        }
        if shown["scores"].is_object() {
            acted_on = Some(now);
            seen.push(json!([shown["record"], shown["scores"], shown["totals"]]));
            if seen.len() as u64 == deals {
                table.send(&json!({"type": "leave"}));
                return seen;
            }
            table.send(&json!({"type": "next"}));
        } else if shown["turn"] == shown["you"] {
            acted_on = Some(now);
            table.send(&json!({"type": "act", "action": shown["legal"][0]}));
        }
    }
}

/// Three persons and a bot play at one table; one of them leaves early, and a bot takes over.
#[test]
fn several_persons_play_at_one_table() {
    let folder = tempfile::tempdir().expect("a folder");
    let records = folder.path().join("records.jsonl");
    let server = Server::start(&["--bot", "rules", "--records", records.to_str().unwrap()]);
    let secret = "0123456789abcdef-the-table";
    let key = |name: &str| format!("{name}-0123456789abcdef");
    let join = |kind: &str, name: &str| json!({"type": kind, "table": secret, "key": key(name), "name": name});
    let refused = |message: Value, why: &str| {
        let mut table = server.table().expect("a place");
        table.send(&message);
        let answer = table.read();
        assert_eq!(
            (&answer["type"], &answer["of"]),
            (&json!("refused"), &json!("join")),
            "{answer}"
        );
        assert!(answer["message"].as_str().unwrap().contains(why), "{answer}");
        assert_eq!(answer["lost"], why.contains("no such table"), "{answer}");
    };
    refused(join("join", "early"), "no such table");
    refused(json!({"type": "join", "table": "1", "key": "2"}), "16 to 64");
    let mut share = join("share", "anna");
    refused(share.clone(), "rules");
    share["rules"] = json!("luxembourg");
    share["seat"] = json!("S");
    let seat = |message: &Value| {
        let mut table = server.table().expect("a place");
        table.send(message);
        let first = table.read();
        assert_eq!(first["type"], "table", "{first}");
        (table, first)
    };
    let anna = seat(&share);
    let (mut before, _) = seat(&join("join", "bert"));
    // The person connects again and gets the same seat; the earlier connection loses it.
    let bert = seat(&join("join", "bert"));
    while before.read()["type"] != "moved" {}
    assert!(before.0.read().is_err(), "the seat's old connection goes on");
    let cleo = seat(&join("join", "cleo"));
    let people = [(anna, 4), (bert, 2), (cleo, 4)];
    let people =
        people.map(|((table, first), deals)| std::thread::spawn(move || sit(table, first, deals)));
    let [anna, bert, cleo] = people.map(|person| person.join().expect("plays on"));
    assert_eq!((&bert[..], &cleo[..]), (&anna[..2], &anna[..]), "all see the same deals");
    let kept = std::fs::read_to_string(&records).expect("records are kept");
    let kept: Vec<Value> = kept.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let seen: Vec<&Value> = anna.iter().map(|deal| &deal[0]).collect();
    assert_eq!(kept.iter().collect::<Vec<_>>(), seen, "each record once");
}

/// The cards of a shared table are secret: tables with the same requested seed have other cards.
#[test]
fn shared_tables_have_secret_cards() {
    let server = Server::start(&["--bot", "rules"]);
    let mut hands: Vec<String> = (0..8)
        .map(|n| {
            let mut table = server.table().expect("a place");
            table.send(&json!({
                "type": "share", "table": format!("a-table-with-a-secret-{n}"),
                "key": "anna-0123456789abcdef", "name": "Anna", "rules": "iwwa", "seat": "S", "seed": 7,
            }));
            table.read()["hand"].to_string()
        })
        .collect();
    assert!(hands.iter().all(|hand| hand.matches(',').count() == 12), "{hands:?}");
    hands.sort();
    hands.dedup();
    assert_eq!(hands.len(), 8, "tables with equal hands");
}

#[test]
fn hostile_requests_cost_nothing_else() {
    let server = Server::start(&["--bot", "rules", "--tables", "3"]);
    let record = json!({"rules": "luxembourg", "dealer": "E", "deal": "N:- - K6.A62.A42.AT953 -"});
    let good = json!({"id": 7, "record": record, "seat": "S"}).to_string();
    let (status, body) = server.http("POST", "/v1/act", good.as_bytes());
    let answer: Value = serde_json::from_str(&body).expect("JSON");
    assert_eq!((status, &answer["id"], &answer["action"]), (200, &json!(7), &json!("keep")));
    assert_eq!(server.http("POST", "/v1/legal", good.as_bytes()).0, 200);
    for (bad, code) in [
        ("nope".to_string(), "bad-json"),
        ("[1]".to_string(), "bad-json"),
        ("{}".to_string(), "bad-request"),
        (good.replace("luxembourg", "../../etc/passwd"), "wrong-rules"),
        (good.replace("K6", "KK"), "bad-record"),
        (good.replace("\"S\"}", "\"W\"}"), "bad-record"),
    ] {
        let (status, body) = server.http("POST", "/v1/act", bad.as_bytes());
        assert!(status == 400 && body.contains(code), "{bad}: {status} {body}");
    }
    assert_eq!(server.http("POST", "/v1/act", &vec![b' '; 3 << 20]).0, 413);
    for path in ["/../Cargo.toml", "/%2e%2e/Cargo.toml", "/v1/nothing", "//etc/passwd"] {
        assert_eq!(server.http("GET", path, b"").0, 404, "{path}");
    }

    // Three places: the fourth is turned away until one is free again.
    let mut tables: Vec<Table> = (0..3).map(|_| server.table().expect("a place")).collect();
    assert!(server.table().is_none());
    for command in [
        "nope",
        "{}",
        r#"{"type":"act","action":"AS"}"#,
        r#"{"type":"new","rules":"x","seat":"S"}"#,
    ] {
        tables[0].0.send(Message::text(command)).expect("open");
        assert_eq!(tables[0].read()["type"], "refused", "{command}");
    }
    tables[1].0.send(Message::text("x".repeat(1 << 20))).ok();
    assert_eq!(tables[1].read()["type"], "refused", "a message that long");
    assert!(tables[1].0.read().is_ok_and(|message| message.is_close()), "it ends the table");
    drop(tables.pop());
    let mut table = support::wait_for("a place to be free again", || server.table());
    table.send(&json!({"type": "new", "rules": "iwwa", "seat": "N"}));
    assert_eq!(table.settled()["you"], "N");
    assert_eq!(server.http("GET", "/", b"").0, 200);
}

#[test]
fn pages_from_elsewhere_are_turned_away() {
    let server = Server::start(&["--bot", "rules", "--host-name", "whist.example"]);
    let host = format!("Host: {}", server.address);
    let get = |more: &str| server.http_with(more, "GET", "/", b"").0;
    assert_eq!(get(&host), 200);
    assert_eq!(get("Host: whist.example"), 200);
    assert_eq!(get("Host: evil.example"), 403, "a name made to lead here");
    assert_eq!(get(&format!("{host}\r\nOrigin: null")), 403);
    let post =
        |more: &str| server.http_with(&format!("{host}\r\n{more}"), "POST", "/v1/legal", b"{}").0;
    assert_eq!(post("Content-Type: application/json"), 400);
    assert_eq!(post("Content-Type: text/plain"), 415, "what a page may post without asking");
    assert_eq!(post("Content-Type: application/json\r\nOrigin: http://evil.example"), 403);
    // The table as well.
    use tungstenite::client::IntoClientRequest;
    let connect = |origin: Option<&str>| {
        let url = format!("ws://{}/v1/table", server.address);
        let mut request = url.into_client_request().expect("a request");
        if let Some(origin) = origin {
            request.headers_mut().insert("Origin", origin.parse().expect("a header"));
        }
        tungstenite::connect(request).is_ok()
    };
    assert!(connect(None) && connect(Some(&format!("http://{}", server.address))));
    assert!(!connect(Some("null")) && !connect(Some("http://evil.example")));
}

#[test]
fn a_server_for_others_asks_for_a_token() {
    let mut command = support::troel();
    command.args(["serve", "--lan", "--port", "0", "--bot", "rules"]);
    let mut process = command.stdout(Stdio::piped()).spawn().expect("starts");
    let line = support::first_line(process.stdout.take().expect("piped"));
    let (address, token) = line.trim().split_once("/?token=").expect("a token");
    let address = address.trim_start_matches("http://").to_string();
    let (token, server) = (token.to_string(), Server { process, address });
    assert_eq!(token.len(), 32);
    assert_eq!(server.http("GET", "/", b"").0, 401);
    assert_eq!(server.http("GET", "/app.js", b"").0, 401);
    assert!(server.table().is_none());
    assert_eq!(server.http("GET", &format!("/?token={token}"), b"").0, 200);
    let with = |more: &str| {
        server.http_with(&format!("Host: {}\r\n{more}", server.address), "GET", "/app.js", b"").0
    };
    assert_eq!(with(&format!("Authorization: Bearer {token}")), 200);
    assert_eq!(with(&format!("Cookie: troel_token={token}")), 200);
    assert_eq!(with("Cookie: troel_token=x"), 401);
}

/// The random token outlives the server with its folder, so that links stay valid.
#[test]
fn a_kept_server_keeps_its_token() {
    let folder = tempfile::tempdir().expect("created");
    let address = || {
        let mut command = support::troel();
        command.args(["serve", "--lan", "--port", "0", "--bot", "rules", "--state"]);
        let process = command.arg(folder.path()).stdout(Stdio::piped()).spawn();
        let mut process = process.expect("starts");
        let line = support::first_line(process.stdout.take().expect("piped"));
        drop(Server { process, address: String::new() });
        line
    };
    let [first, second] = [address(), address()];
    let token = |line: &str| line.trim().split_once("/?token=").expect("a token").1.to_string();
    assert_eq!(token(&first), token(&second));
}

/// Clients leave after requests that take minutes: the page still works, the work is cancelled, and
/// the server ends on a signal.
#[test]
#[cfg(unix)]
fn abandoned_requests_do_not_hold_the_server() {
    let mut server = Server::start(&["--bot", "pimc:worlds=10000"]);
    let record = json!({"rules": "luxembourg", "dealer": "E", "deal": "N:- - K6.A62.A42.AT953 -"});
    let body = json!({"id": 7, "record": record, "seat": "S"}).to_string();
    let head = format!(
        "POST /v1/act HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
        server.address,
        body.len()
    );
    let ask = || {
        let mut stream = TcpStream::connect(&server.address).expect("listens");
        stream.write_all(format!("{head}{body}").as_bytes()).expect("written");
        stream
    };
    let waiting = || -> usize {
        let (status, figures) = server.http("GET", "/metrics", b"");
        assert_eq!(status, 200);
        let line = figures.lines().find(|line| line.starts_with("troel_waiting ")).expect("there");
        line.rsplit(' ').next().and_then(|n| n.parse().ok()).expect("a number")
    };
    let until = |what: &str, wanted: &dyn Fn(usize) -> bool| {
        support::wait_for(what, || wanted(waiting()).then_some(()));
    };
    let mut asked: Vec<TcpStream> = (0..20).map(|_| ask()).collect();
    until("twenty requests to wait", &|n| n == 20);
    assert_eq!(server.http("GET", "/", b"").0, 200);
    assert_eq!(server.http("GET", "/health", b"").1.trim(), "ok");
    // They leave, and their requests are cancelled.
    asked.clear();
    until("requests whose clients left to be cancelled", &|n| n == 0);
    // Requests beyond the queue are refused at once.
    let flood: Vec<TcpStream> = (0..300).map(|_| ask()).collect();
    until("the queue to fill", &|n| n > 200);
    let shed = |mut stream: &TcpStream| {
        let mut status = [0; 12];
        stream.set_nonblocking(true).is_ok()
            && stream.read_exact(&mut status).is_ok()
            && &status == b"HTTP/1.1 503"
    };
    support::wait_for("a request to be turned away", || flood.iter().any(shed).then_some(()));
    let kill = std::process::Command::new("kill").arg(server.process.id().to_string()).status();
    assert!(kill.expect("kill is there").success());
    let _deadline = support::deadline(&server.process, "the server to end");
    assert!(server.process.wait().expect("ends").success());
}

#[test]
fn two_hundred_tables_at_once() {
    let server = Server::start(&["--bot", "rules", "--tables-per-client", "200"]);
    let mut tables: Vec<Table> = (0..200).map(|_| server.table().expect("a place")).collect();
    for (seed, table) in tables.iter_mut().enumerate() {
        table.send(&json!({"type": "new", "rules": "wiezen", "seat": "S", "seed": seed + 1}));
    }
    for table in &mut tables {
        assert_eq!(table.settled()["rules"], "wiezen");
    }
}

/// Idle and incomplete connections leave room for others and do not disturb tables.
#[test]
fn thousands_of_connections_cost_nothing_else() {
    let server = Server::start(&["--bot", "rules"]);
    let mut table = server.table().expect("a place");
    table.send(&json!({"type": "new", "rules": "wiezen", "seat": "S", "seed": 1}));
    assert_eq!(table.settled()["type"], "table");
    let slow = b"POST /v1/act HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{";
    let half: [&[u8]; 3] = [b"", b"GET / HT", slow];
    // Leaves 400 of the files that this process may open to the other tests.
    let limits = std::fs::read_to_string("/proc/self/limits").unwrap_or_default();
    let files = limits.lines().find_map(|line| line.strip_prefix("Max open files"));
    let files = files.and_then(|rest| rest.split_whitespace().next()?.parse().ok());
    let many = files.unwrap_or(1024_usize).saturating_sub(400).min(3000);
    let mut flood = Vec::new();
    for i in 0..many {
        let mut stream = TcpStream::connect(&server.address).expect("listens");
        let _ = stream.write_all(half[i % 3]);
        flood.push(stream);
    }
    table.send(&json!({"type": "hint"}));
    assert_eq!(table.read()["type"], "hint", "tables go on");
    let refused = |mut stream: &TcpStream| {
        let mut status = [0; 12];
        stream.set_nonblocking(true).is_ok()
            && stream.read_exact(&mut status).is_ok()
            && &status == b"HTTP/1.1 503"
    };
    assert!(flood.iter().any(refused), "connections beyond the limit are refused");
    // Idle connections are closed after a while, and others have room again.
    flood.truncate(600);
    support::wait_for("room for others", || (server.http("GET", "/", b"").0 == 200).then_some(()));
    table.send(&json!({"type": "hint"}));
    assert_eq!(table.read()["type"], "hint");
}

/// The memory of closed tables is freed.
#[test]
#[cfg(target_os = "linux")]
fn the_server_does_not_grow() {
    let server = Server::start(&["--bot", "rules", "--tables", "60"]);
    let memory = || -> usize {
        let status = std::fs::read_to_string(format!("/proc/{}/status", server.process.id()));
        let status = status.expect("runs");
        let line = status.lines().find(|line| line.starts_with("VmRSS:")).expect("there");
        line.split_whitespace().nth(1).and_then(|kib| kib.parse().ok()).expect("a number")
    };
    let round = |n: usize| {
        let place = |_| support::wait_for("a free table", || server.table());
        let mut tables: Vec<Table> = (0..50).map(place).collect();
        for (i, table) in tables.iter_mut().enumerate() {
            let seed = 100 * n + i;
            table.send(&json!({"type": "new", "rules": "iwwa", "seat": "S", "seed": seed}));
            let mut state = table.settled();
            while !state["turn"].is_null() {
                table.send(&json!({"type": "act", "action": state["legal"][0]}));
                state = table.settled();
            }
            for _ in 0..3 {
                assert_eq!(server.http("POST", "/v1/act", b"nope").0, 400);
            }
        }
    };
    (0..15).for_each(round);
    let before = memory();
    (15..60).for_each(round);
    let after = memory();
    assert!(after < before + 4_000, "{before} KiB became {after} over 2,250 tables");
}

/// The page itself: a deal played by clicking. Needs Chromium, node and playwright-core, which
/// `.ci/run` installs where it can; says so and passes where they are not there.
#[test]
fn a_deal_is_played_in_a_browser() {
    let server = Server::start(&[]);
    let folder = tempfile::tempdir().expect("a folder");
    support::browser(&format!("http://{}/", server.address), folder.path());
}

/// Cards, calls, choices, hints and results can all be seen, in windows from a phone to a large
/// screen, at 200 % zoom too.
#[test]
fn nothing_on_the_page_covers_anything_else() {
    let server = Server::start(&["--bot", "rules"]);
    let folder = tempfile::tempdir().expect("a folder");
    support::in_chromium("layout.cjs", &format!("http://{}/", server.address), folder.path());
}

/// Sentences of the page about a deal, in all languages: person, number and gender agree.
#[test]
fn sentences_of_the_page_are_grammatical() {
    let server = Server::start(&["--bot", "rules"]);
    let folder = tempfile::tempdir().expect("a folder");
    support::in_chromium("sentences.cjs", &format!("http://{}/", server.address), folder.path());
}

/// A decision is listed as a mistake only if it cost points.
#[test]
fn the_review_lists_what_cost_points() {
    let server = Server::start(&["--bot", "rules"]);
    let folder = tempfile::tempdir().expect("a folder");
    support::in_chromium("mistakes.cjs", &format!("http://{}/", server.address), folder.path());
}

/// The page as a person uses it: what each step is for is in `page.cjs`. The record that it
/// downloads can be reviewed, and is the one that the server keeps.
#[test]
fn the_page_is_used_at_a_persons_pace() {
    let folder = tempfile::tempdir().expect("a folder");
    let kept = folder.path().join("kept.jsonl");
    let records = ["--records", kept.to_str().expect("UTF-8")];
    let server = Server::start(&[records.as_slice(), &support::PINNED_BOTS].concat());
    if !support::in_chromium("page.cjs", &format!("http://{}/", server.address), folder.path()) {
        return;
    }
    let downloaded = folder.path().join("record.jsonl");
    let output = support::troel().arg("review").arg(&downloaded).args(["--seat", "S"]).output();
    let output = output.expect("runs");
    assert!(output.status.success(), "{}", stderr_of(&output));
    let line = std::fs::read_to_string(&downloaded).expect("downloaded");
    let downloaded: Value = serde_json::from_str(&line).expect("JSON");
    let kept = std::fs::read_to_string(&kept).expect("kept");
    let mut kept = kept.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    assert!(kept.any(|record| record == downloaded), "{downloaded}");
}
