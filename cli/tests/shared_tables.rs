//! Tables over real sockets: hostile messages of one person harm neither the table nor the others,
//! and the moves of bots are sent as they are made.

mod support;

use std::time::Duration;

use serde_json::{Value, json};
use support::server::{Server, Table};
use tungstenite::{Message, stream::MaybeTlsStream};

/// Messages that are no command; most of them are no JSON object.
const NO_COMMANDS: [&str; 14] = [
    "[]",
    "1",
    "\"x\"",
    "true",
    "null",
    "",
    "{",
    "[\"next\"]",
    "[{\"type\":\"next\"}]",
    "{}",
    "{\"type\":[]}",
    "{\"type\":{\"type\":\"next\"}}",
    "{\"type\":\"act\"}",
    "{\"type\":\"nothing\"}",
];

/// A connection that fails the test if it waits too long.
fn connect(server: &Server) -> Table {
    let table = server.table().expect("a place");
    if let MaybeTlsStream::Plain(stream) = table.0.get_ref() {
        stream.set_read_timeout(Some(Duration::from_secs(120))).expect("a time limit");
    }
    table
}

/// A person at a shared table. Takes the last legal action: calls high, so that cards are played.
struct Person {
    table: Table,
    /// The table as it was shown last.
    shown: Value,
    /// Number of the deal and of its actions when this person acted last.
    did: Option<(Value, usize)>,
}

impl Person {
    fn enter(server: &Server, kind: &str, name: &str) -> Person {
        let mut table = connect(server);
        table.send(&json!({
            "type": kind, "table": "0123456789abcdef", "key": format!("{name}-0123456789abcdef"),
            "name": name, "rules": "wiezen", "seat": "S",
        }));
        let shown = table.read();
        assert_eq!(shown["type"], "table", "{shown}");
        Person { table, shown, did: None }
    }

    /// Sends a message and returns the answer.
    fn ask(&mut self, said: &str) -> Value {
        self.table.0.send(Message::text(said)).expect("open");
        loop {
            let message = self.table.read();
            match message["type"].as_str() {
                Some("table") => self.shown = message,
                _ => return message,
            }
        }
    }

    /// Acts, or asks for the next deal, if the table waits for this person.
    fn play(&mut self) {
        let answer = self.ask(r#"{"type":"rules","rules":"wiezen"}"#);
        assert_eq!(answer["type"], "rules", "{answer}");
        let shown = &self.shown;
        let now = (shown["deal"].clone(), shown["history"].as_array().map_or(0, Vec::len));
        let said = if shown["scores"].is_object() {
            json!({"type": "next"})
        } else if shown["turn"] == shown["you"] {
            let action = shown["legal"].as_array().and_then(|legal| legal.last());
            json!({"type": "act", "action": action.expect("there is one")})
        } else {
            return;
        };
        if self.did.as_ref() != Some(&now) {
            self.did = Some(now);
            self.table.send(&said);
        }
    }
}

/// A person at a shared table sends invalid messages throughout a deal. Each is refused, the others
/// see nothing of it, and the deal is played to its end.
#[test]
fn what_is_no_command_ends_no_shared_table() {
    let server = Server::start(&["--bot", "rules"]);
    let mut people = [("share", "anna"), ("join", "bert"), ("join", "cleo")]
        .map(|(kind, name)| Person::enter(&server, kind, name));
    let mut said = NO_COMMANDS.iter().cycle();
    let mut count = 0;
    let mut ended = None;
    while people.iter().any(|person| person.shown["deal"] != 1) {
        for _ in 0..2 {
            let text = said.next().expect("again and again");
            let answer = people[1].ask(text);
            assert_eq!(answer["type"], "refused", "{text}: {answer}");
            assert!(answer["message"].as_str().is_some_and(|text| !text.is_empty()), "{answer}");
            count += 1;
        }
        people.iter_mut().for_each(Person::play);
        let over = people.iter().find(|person| person.shown["scores"].is_object());
        ended = over.map(|person| person.shown.clone()).or(ended);
    }
    assert!(count > 2 * NO_COMMANDS.len(), "{count}");
    let ended = ended.expect("a deal was played");
    assert_eq!(ended["void"], false, "with cards: {ended}");
    for person in &people {
        assert_eq!(person.shown["totals"], ended["totals"]);
        assert_eq!(person.shown["people"].as_object().map(serde_json::Map::len), Some(3));
    }
}

/// A server that is killed in the middle of a deal goes on with its tables when it is started
/// again: the persons come back to their seats, hands and points. A file that is no table stays.
#[test]
fn tables_outlive_their_server() {
    let folder = tempfile::tempdir().expect("created");
    let state = folder.path().join("tables");
    let broken = state.join("broken.json");
    std::fs::create_dir(&state).and_then(|()| std::fs::write(&broken, "{")).expect("written");
    let start = || Server::start(&["--bot", "rules", "--state", state.to_str().expect("UTF-8")]);
    let mut server = start();
    let mut people = [("share", "anna"), ("join", "bert")]
        .map(|(kind, name)| Person::enter(&server, kind, name));
    let mut restarts = 0;
    while people[0].shown["deal"] != 2 {
        people.iter_mut().for_each(Person::play);
        let actions = people[0].shown["history"].as_array().map_or(0, Vec::len);
        // In the auction, in the play of the first deal, and in that of the second.
        if actions > 3 + 13 * restarts && restarts < 4 {
            restarts += 1;
            drop(server);
            server = start();
            let did = people.each_ref().map(|person| person.did.clone());
            let before = people.map(|person| person.shown);
            people = ["anna", "bert"].map(|name| Person::enter(&server, "join", name));
            for ((person, before), did) in people.iter_mut().zip(&before).zip(did) {
                // The table may have gone on since the person was shown it.
                let known = before["history"].as_array().expect("actions");
                let now = person.shown["history"].as_array().expect("actions");
                if person.shown["deal"] == before["deal"] {
                    assert_eq!(now[..known.len()], known[..], "{}", person.shown);
                }
                assert_eq!(person.shown["you"], before["you"]);
                person.did = did.filter(|(_, actions)| *actions != now.len());
            }
        }
    }
    assert_eq!(restarts, 4);
    for person in &mut people {
        person.table.send(&json!({"type": "leave"}));
    }
    support::wait_for("the file of the table that has ended to be removed", || {
        let left = std::fs::read_dir(&state).expect("there").count();
        (left == 1).then_some(())
    });
    assert!(broken.exists());
}

/// Invalid messages are refused at a private table as well.
#[test]
fn what_is_no_command_ends_no_table() {
    let server = Server::start(&["--bot", "rules"]);
    let mut table = connect(&server);
    for is_open in [false, true] {
        let before = is_open.then(|| {
            table.send(&json!({"type": "new", "rules": "wiezen", "seat": "S", "seed": 1}));
            table.settled()
        });
        for text in NO_COMMANDS {
            table.0.send(Message::text(text)).expect("open");
            assert_eq!(table.read()["type"], "refused", "{text}");
        }
        let Some(before) = before else { continue };
        table.send(&json!({"type": "act", "action": before["legal"][0]}));
        let after = table.read();
        let actions = |shown: &Value| shown["history"].as_array().map(Vec::len);
        assert_eq!(actions(&after), actions(&before).map(|n| n + 1), "{after}");
    }
}

/// With bots that think as long as a file exists, each event is shown before the next bot has
/// decided. Commands wait until then. A page that leaves is not waited for.
#[test]
#[cfg(unix)]
fn each_move_is_sent_when_it_is_made() {
    let folder = tempfile::tempdir().expect("a folder");
    // Goes with the folder as well, so that a test that fails leaves no program behind.
    let gate = folder.path().join("gate");
    std::fs::write(&gate, "").expect("written");
    let troel = env!("CARGO_BIN_EXE_troel");
    let bot = format!(
        "bot:limit=600:while IFS= read -r line; do \
           case \"$line\" in *'\"cmd\":\"act\"'*) while [ -e '{}' ]; do sleep 0.1; done;; esac; \
           printf '%s\\n' \"$line\"; \
         done | '{troel}' bot rules",
        gate.display()
    );
    let server = Server::start(&["--bot", &bot]);
    let mut table = connect(&server);
    let open = |table: &mut Table, seat: &str| {
        table.send(&json!({"type": "new", "rules": "wiezen", "seat": seat, "seed": 1}));
        let shown = table.read();
        assert_eq!((&shown["type"], &shown["history"]), (&json!("table"), &json!([])), "{shown}");
        shown
    };
    // The seat after the first one to call: three bots come before it.
    let shown = open(&mut table, "S");
    let first = ["N", "E", "S", "W"].iter().position(|seat| shown["turn"] == *seat);
    let person = ["N", "E", "S", "W"][(first.expect("a seat") + 3) % 4];
    if shown["turn"] != shown["you"] {
        // The bot thinks; a command waits for it, so the page comes again.
        table = connect(&server);
    }
    let shown = open(&mut table, person);
    assert_ne!(shown["turn"], shown["you"], "{shown}");
    table.send(&json!({"type": "undo"}));
    std::fs::remove_file(&gate).expect("removed");
    let mut actions = 0;
    let settled = loop {
        let shown = table.read();
        assert_eq!(shown["type"], "table", "the command waits: {shown}");
        actions += 1;
        assert_eq!(shown["history"].as_array().map(Vec::len), Some(actions), "one event a message");
        if shown["turn"] == shown["you"] || shown["turn"].is_null() {
            break shown;
        }
    };
    assert!(actions >= 3, "{settled}");
    assert_eq!(table.read()["of"], "undo", "nothing to take back");
}
