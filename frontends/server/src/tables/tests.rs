use std::net::Ipv4Addr;
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::Instant;
use troel_env::SeatSet;
use troel_protocol::commands::Command;
use troel_protocol::{CommandOutcome, attempt};

use super::timing::{BEAT, TURN_TIMEOUT, next_beat};
use super::*;
use crate::testing::services;

/// Runs a test with a clock that advances when all tasks wait for it.
fn with_clock(test: impl Future<Output = ()>) {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    runtime.enable_time().start_paused(true).build().expect("starts").block_on(test);
}

/// Tables whose bots call `before` before they decide.
fn tables(before: impl Fn(u32) + Send + Sync + 'static) -> Arc<SharedTables> {
    Arc::new(SharedTables::new(services(before), 8, ServerLink::default(), None))
}

fn request(said: &Value) -> Request {
    Request::parse(said.to_string().as_bytes())
}

/// Sits down at the table of these tests.
async fn enter(tables: &Arc<SharedTables>, kind: &str, name: &str) -> SeatHandle {
    let said = json!({
        "type": kind, "table": "0123456789abcdef", "key": format!("0123456789abcdef-{name}"), "name": name,
        "rules": "wiezen", "seat": "S",
    });
    let Ok(Command::Enter { seat_request, new_match }) = request(&said).command else {
        panic!("enters")
    };
    let client = Ipv4Addr::LOCALHOST.into();
    tables.enter(client, seat_request, new_match).await.expect("a seat")
}

async fn read(handle: &mut SeatHandle) -> Value {
    let message = handle.messages.recv().await.expect("the table is there");
    serde_json::from_str(&message).expect("JSON")
}

/// The next message of this type.
async fn read_kind(handle: &mut SeatHandle, kind: &str) -> Value {
    loop {
        let message = read(handle).await;
        if message["type"] == kind {
            return message;
        }
    }
}

async fn say(handle: &SeatHandle, said: Value) {
    assert!(handle.send(request(&said)).await, "the table is there");
}

/// Returns the command of a person who plays like the bots.
fn act(shown: &Value) -> Value {
    let action = shown["legal"].as_array().and_then(|legal| legal.last());
    json!({"type": "act", "action": action.expect("there is one")})
}

/// Number of calls and cards.
fn actions(shown: &Value) -> usize {
    shown["history"].as_array().map_or(0, Vec::len)
}

/// Plays a person's part until the table satisfies a condition.
async fn play(handle: &mut SeatHandle, until: impl Fn(&Value) -> bool) -> Value {
    let mut acted = None;
    loop {
        let shown = read_kind(handle, "table").await;
        if until(&shown) {
            return shown;
        }
        // The same table is shown again when a person comes or goes.
        if shown["turn"] == shown["you"] && acted != Some(actions(&shown)) {
            acted = Some(actions(&shown));
            say(handle, act(&shown)).await;
        }
    }
}

/// Everybody at the table hears a phrase. A second one at once is refused.
#[test]
fn phrases_are_heard_by_all() {
    with_clock(async {
        let tables = tables(|_| ());
        let mut anna = enter(&tables, "share", "anna").await;
        let mut bert = enter(&tables, "join", "bert").await;
        say(&anna, json!({"type": "say", "phrase": "hello"})).await;
        for handle in [&mut anna, &mut bert] {
            let said = read_kind(handle, "said").await;
            assert_eq!((&said["seat"], &said["phrase"]), (&json!("S"), &json!("hello")));
        }
        say(&anna, json!({"type": "say", "phrase": "laugh"})).await;
        assert_eq!(read_kind(&mut anna, "refused").await["of"], "say");
        tokio::time::advance(Duration::from_secs(2)).await;
        say(&anna, json!({"type": "say", "phrase": "laugh"})).await;
        assert_eq!(read_kind(&mut bert, "said").await["phrase"], "laugh");
        say(&anna, json!({"type": "say", "phrase": "what I like"})).await;
        assert_eq!(read_kind(&mut anna, "refused").await["of"], "say");
    });
}

/// However long a bot thinks, at most as long as the pace, its move is seen at the same time.
#[test]
fn how_long_a_bot_thinks_is_not_seen() {
    with_clock(async {
        let (asks, mut asked) = mpsc::unbounded_channel();
        let (release, released) = std::sync::mpsc::channel();
        let released = Mutex::new(released);
        let tables = tables(move |choices| {
            asks.send(choices).expect("the test waits");
            released.lock().expect("one at a time").recv().expect("the test goes on");
        });
        let mut handle = enter(&tables, "share", "anna").await;
        let (mut moved, mut before) = (Instant::now(), None);
        let (mut forced, mut free) = (0, 0);
        loop {
            let shown = tokio::select! {
                // A message that is there is read before the clock advances.
                biased;
                shown = read(&mut handle) => shown,
                choices = asked.recv() => {
                    let is_forced = choices.expect("bots decide") == 1;
                    *(if is_forced { &mut forced } else { &mut free }) += 1;
                    if !is_forced {
                        tokio::time::advance(BEAT - Duration::from_millis(20)).await;
                    }
                    release.send(()).expect("the bot waits");
                    continue;
                }
            };
            if before.as_ref().is_some_and(|before: &Value| before["turn"] != before["you"]) {
                let after = moved.elapsed();
                assert!(after >= BEAT && after < BEAT + Duration::from_millis(5), "{after:?}");
            }
            if !shown["scores"].is_null() {
                break;
            }
            moved = Instant::now();
            if shown["turn"] == shown["you"] {
                say(&handle, act(&shown)).await;
            }
            before = Some(shown);
        }
        assert!(forced > 5 && free > 20, "{forced} forced, {free} free");
    });
}

/// A slower bot is seen on a later beat.
#[test]
fn moves_are_seen_on_beats() {
    let since = Instant::now();
    let seen = |thought| next_beat(since, since + thought) - since;
    let little = Duration::from_micros(1);
    for thought in [Duration::ZERO, little, BEAT / 2, BEAT - little] {
        assert_eq!(seen(thought), BEAT);
    }
    for thought in [BEAT, BEAT + little, 2 * BEAT - little] {
        assert_eq!(seen(thought), 2 * BEAT);
    }
    assert_eq!(seen(100 * BEAT), 101 * BEAT);
}

/// A bot that panics costs its table only time: all persons get `refused`, and play continues once
/// the bot works again.
#[test]
fn a_bot_that_panics_ends_no_table() {
    with_clock(async {
        let is_broken = Arc::new(AtomicBool::new(false));
        let broken = Arc::clone(&is_broken);
        let tables = tables(move |_| {
            assert!(!broken.load(Ordering::Relaxed), "a panic that the test wants");
        });
        let mut anna = enter(&tables, "share", "anna").await;
        let mut bert = enter(&tables, "join", "bert").await;
        // A card after which West's bot is to play.
        let is_south_to_play = |shown: &Value| {
            let on_table = shown["trick"].as_array().map_or(0, Vec::len);
            shown["turn"] == "S" && shown["phase"] == "play" && on_table < 3
        };
        let (shown, _) =
            tokio::join!(play(&mut anna, is_south_to_play), play(&mut bert, is_south_to_play));
        is_broken.store(true, Ordering::Relaxed);
        say(&anna, act(&shown)).await;
        let mut stuck = Vec::new();
        for handle in [&mut anna, &mut bert] {
            let after = read(handle).await;
            assert_eq!(actions(&after), actions(&shown) + 1, "{after}");
            let refused = read(handle).await;
            assert_eq!((&refused["type"], &refused["of"]), (&json!("refused"), &json!("bot")));
            stuck.push(after);
        }
        // It is tried again after a while, and after each event.
        assert_eq!(read(&mut bert).await["of"], "bot");
        is_broken.store(false, Ordering::Relaxed);
        anna.end(false).await;
        let lost = read(&mut bert).await;
        assert_eq!(lost["history"], stuck[1]["history"], "{lost}");
        assert_eq!(lost["hand"], stuck[1]["hand"]);
        let mut anna = enter(&tables, "join", "anna").await;
        let end = |shown: &Value| !shown["scores"].is_null();
        let (anna_saw, bert_saw) = tokio::join!(play(&mut anna, end), play(&mut bert, end));
        assert_eq!(anna_saw["record"], bert_saw["record"]);
        // The same for a review, which also asks a bot unless the points were settled before Anna
        // had a choice.
        is_broken.store(true, Ordering::Relaxed);
        say(&anna, json!({"type": "review", "from": 0})).await;
        let answer = loop {
            let message = read(&mut anna).await;
            if message["type"] != "table" {
                break message;
            }
        };
        is_broken.store(false, Ordering::Relaxed);
        if answer["type"] == "review" {
            assert!(answer["decision"].is_null(), "{answer}");
        } else {
            assert_eq!((&answer["type"], &answer["of"]), (&json!("refused"), &json!("review")));
            say(&anna, json!({"type": "review", "from": 0})).await;
            assert_eq!(read_kind(&mut anna, "review").await["from"], 0);
        }
        for handle in [&anna, &bert] {
            say(handle, json!({"type": "next"})).await;
        }
        let next = play(&mut bert, |shown| shown["deal"] == 1).await;
        assert_eq!(next["totals"], anna_saw["totals"]);
    });
}

/// A command that panics changes nothing.
#[test]
fn a_panic_leaves_the_table_as_it_was() {
    let services = services(|_| ());
    let said = json!({
        "type": "share", "table": "0123456789abcdef", "key": "0123456789abcdef", "rules": "wiezen", "seat": "S",
    });
    let Ok(Command::Enter { seat_request, new_match: Some(new_match) }) = request(&said).command
    else {
        panic!("shares")
    };
    let mut table = Table::shared(new_match, seat_request, services.as_ref()).expect("opens");
    while table.can_go_on() {
        table.go_on(services.as_ref()).expect("bots play");
    }
    let shown = |table: &Table| Seat::ALL.map(|seat| json!(table.show(seat, None)));
    let before = shown(&table);
    let act = act(&before[Seat::South.index()]);
    let panics = |table: &mut Table| -> Result<(), TableError> {
        table.execute(Seat::South, request(&act).command?, services.as_ref())?;
        assert_eq!(shown(table), before, "a panic that the test wants");
        Ok(())
    };
    assert_eq!(attempt(&mut table, panics), Err(TableError::Internal));
    assert_eq!(shown(&table), before);
    let done = attempt(&mut table, |table| {
        table.execute(Seat::South, request(&act).command?, services.as_ref())
    });
    assert!(matches!(done, Ok(CommandOutcome::Changed)));
    assert_ne!(shown(&table), before);
    assert_eq!(table.not_ready(), SeatSet::single(Seat::South));
}

/// The table waits for the first action of the match, because friends may still sit down. Later a
/// bot plays on for a person who lets the others wait.
#[test]
fn only_a_match_that_has_begun_goes_on_without_a_person() {
    with_clock(async {
        let tables = tables(|_| ());
        let mut anna = enter(&tables, "share", "anna").await;
        let is_hers = |shown: &Value| shown["turn"] == "S";
        let has_bot = |shown: &Value| shown["people"]["S"]["bot"] == true;
        let mut shown = play(&mut anna, is_hers).await;
        tokio::time::sleep(3 * TURN_TIMEOUT).await;
        while let Ok(message) = anna.messages.try_recv() {
            let message: Value = serde_json::from_str(&message).expect("JSON");
            assert!(!has_bot(&message), "{message}");
            shown = message;
        }
        say(&anna, act(&shown)).await;
        play(&mut anna, |later| actions(later) > actions(&shown) && is_hers(later)).await;
        tokio::time::sleep(TURN_TIMEOUT + BEAT).await;
        assert!(has_bot(&read_kind(&mut anna, "table").await));
    });
}

/// Persons can sit down, leave and ask questions while a bot thinks for minutes.
#[test]
fn a_bot_that_thinks_blocks_no_person() {
    with_clock(async {
        let (release, released) = std::sync::mpsc::channel::<()>();
        let released = Mutex::new(released);
        let tables = tables(move |_| {
            // Until the other end is dropped.
            let _ = released.lock().expect("one at a time").recv();
        });
        let mut anna = enter(&tables, "share", "anna").await;
        assert_eq!(read(&mut anna).await["type"], "table");
        // Bots think by now, or Anna is to act and bots think afterwards.
        let bert = enter(&tables, "join", "bert").await;
        let shown = read(&mut anna).await;
        assert_eq!(shown["people"].as_object().map(|people| people.len()), Some(2), "{shown}");
        bert.end(true).await;
        let shown = read(&mut anna).await;
        assert_eq!(shown["people"].as_object().map(|people| people.len()), Some(1), "{shown}");
        say(&anna, json!({"type": "rules", "rules": "wiezen"})).await;
        assert_eq!(read_kind(&mut anna, "rules").await["rules"], "wiezen");
        drop(release);
        play(&mut anna, |shown| !shown["scores"].is_null()).await;
    });
}
