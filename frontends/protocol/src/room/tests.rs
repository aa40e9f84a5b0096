use std::cell::Cell;

use serde_json::{Value, json};
use troel_agents::NamedBot;
use troel_env::RuleSet;

use super::*;
use crate::commands::{Command, PrivateCommand, Request};
use crate::provider::named;

const TABLE: &str = "a-table-with-a-secret";

/// A provider whose bots are simple, and whose seeds follow each other.
struct Simple(Cell<u64>);

impl Provider for Simple {
    fn rules_and_bot(
        &self,
        rules: &str,
        bot: Option<&str>,
    ) -> Result<(&'static RuleSet, NamedBot), TableError> {
        let rules = RuleSet::built_in(rules).expect("built in");
        Ok((rules, named(bot.unwrap_or("rules"))?))
    }

    fn seed(&self) -> Result<u64, TableError> {
        self.0.set(self.0.get() + 1);
        Ok(self.0.get())
    }

    fn secret(&self) -> Result<[u8; 32], TableError> {
        let mut secret = [0; 32];
        secret[..8].copy_from_slice(&self.seed()?.to_le_bytes());
        Ok(secret)
    }
}

fn entrance(kind: &str, key: &str, name: &str) -> Vec<u8> {
    let key = format!("{key}-0123456789abcdef");
    json!({"type": kind, "table": TABLE, "key": key, "name": name, "rules": "luxembourg", "seat": "S", "seed": 4})
        .to_string()
        .into_bytes()
}

fn command(message: &[u8]) -> Result<Command, TableError> {
    Request::parse(message).command
}

fn come(room: &mut Room, key: &str, provider: &Simple) -> Result<Seat, TableError> {
    let Ok(Command::Enter { entrance, new_match: None }) = command(&entrance("join", key, key))
    else {
        panic!("joins");
    };
    room.enter(entrance, provider)
}

fn open() -> (Room, Simple) {
    let provider = Simple(Cell::new(0));
    let message = entrance("share", "host", "  Anna\u{7} ");
    let Ok(Command::Enter { entrance, new_match: Some(new_match) }) = command(&message) else {
        panic!("shares")
    };
    assert_eq!(entrance.name, "Anna");
    (Room::shared(new_match, entrance, &provider).unwrap(), provider)
}

fn say(room: &mut Room, seat: Seat, message: Value) -> Result<bool, TableError> {
    let provider = Simple(Cell::new(0));
    let outcome = room.execute(seat, command(message.to_string().as_bytes())?, &provider)?;
    Ok(matches!(outcome, Outcome::Changed))
}

/// Takes the first legal action of the person to act.
fn act(room: &mut Room) {
    let turn = room.waits_for().expect("a person is to act");
    let act = json!({"type": "act", "action": json!(room.show(turn, None))["legal"][0]});
    for other in Seat::ALL.into_iter().filter(|&other| other != turn) {
        assert_eq!(say(room, other, act.clone()), Err(TableError::NotYourTurn));
    }
    assert_eq!(say(room, turn, act), Ok(true));
}

/// Plays a deal to its end.
fn play(room: &mut Room, provider: &Simple) {
    while room.table.scores().is_none() {
        if room.is_due() { room.go_on(provider).unwrap() } else { act(room) }
    }
}

/// Until the deal is over, no person is shown a card that only another seat may see.
#[test]
fn each_sees_the_own_hand() {
    let (mut room, provider) = open();
    assert_eq!(come(&mut room, "bert", &provider), Ok(Seat::North));
    let mut seen = 0;
    while room.table.scores().is_none() {
        for seat in [Seat::South, Seat::North] {
            let shown = json!(room.show(seat, None));
            assert_eq!(shown["you"], json!(seat));
            let text = shown.to_string();
            for card in room.table.view(seat).unseen() {
                let code = format!("\"{card}\"");
                // A code such as 8S is a call in the auction.
                let as_call = shown["history"].to_string().matches(&code).count()
                    + shown["legal"].to_string().matches(&code).count();
                assert_eq!(text.matches(&code).count(), as_call, "{card} in {text}");
                seen += 1;
            }
        }
        if room.is_due() { room.go_on(&provider).unwrap() } else { act(&mut room) }
    }
    assert!(seen > 100, "{seen}");
}

/// The provider draws the cards, and draws new ones when a person sits down before the first
/// action.
#[test]
fn nobody_chooses_the_cards() {
    let (mut room, provider) = open();
    let hand = json!(room.show(Seat::South, None))["hand"].clone();
    let wished = RuleSet::built_in("luxembourg").unwrap();
    let wished = Opening::new(wished, named("rules").unwrap(), 4);
    let wished = Table::new(wished, SeatSet::default()).unwrap();
    assert_ne!(hand, json!(wished.show(Seat::South))["hand"], "the host chose the seed");
    come(&mut room, "bert", &provider).unwrap();
    assert_ne!(json!(room.show(Seat::South, None))["hand"], hand);
}

/// A person who comes in the middle of a deal sees no hand of it.
#[test]
fn newcomers_wait_for_the_next_deal() {
    let (mut room, provider) = open();
    while room.is_due() {
        room.go_on(&provider).unwrap();
    }
    act(&mut room);
    for (key, seat) in [("bert", Seat::North), ("cleo", Seat::East)] {
        assert_eq!(come(&mut room, key, &provider), Ok(seat));
        let shown = json!(room.show(seat, None));
        assert_eq!((&shown["type"], &shown["hand"]), (&json!("seated"), &Value::Null));
        let early = say(&mut room, seat, json!({"type": "next"}));
        assert_eq!(early, Err(TableError::NotYourTurn));
        assert_eq!(say(&mut room, seat, json!({"type": "here"})), Ok(false));
        let rules = json!({"type": "rules", "rules": "wiezen"});
        assert_eq!(say(&mut room, seat, rules), Ok(false), "an answer, no change");
    }
    play(&mut room, &provider);
    assert!(room.copy(Seat::South).is_ok() && room.copy(Seat::North).is_err());
    assert_eq!(say(&mut room, Seat::South, json!({"type": "next"})), Ok(true));
    assert!(room.is_due());
    room.go_on(&provider).unwrap();
    let shown = json!(room.show(Seat::North, None));
    assert_eq!((&shown["type"], &shown["deal"]), (&json!("table"), &json!(1)));
    assert_eq!(shown["people"]["N"]["whole"], true);
    // Bots finish the deal for a waiting person after the others have left.
    assert_eq!(come(&mut room, "dana", &provider), Ok(Seat::West));
    assert_eq!(json!(room.show(Seat::West, None))["type"], "seated");
    [Seat::South, Seat::North, Seat::East].into_iter().for_each(|seat| room.leave(seat));
    while room.is_due() {
        room.go_on(&provider).unwrap();
    }
    let shown = json!(room.show(Seat::West, None));
    assert_eq!((&shown["type"], &shown["deal"]), (&json!("table"), &json!(2)));
}

#[test]
fn persons_come_leave_and_return() {
    let (mut room, provider) = open();
    for (key, seat) in [("bert", Seat::North), ("bert", Seat::North), ("cleo", Seat::East)] {
        assert_eq!(come(&mut room, key, &provider), Ok(seat));
    }
    assert_eq!(come(&mut room, "dana", &provider), Ok(Seat::West));
    assert_eq!(come(&mut room, "emil", &provider), Err(TableError::Full));
    play(&mut room, &provider);
    // The next deal comes when all connected persons want it.
    let next = json!({"type": "next"});
    assert_eq!(say(&mut room, Seat::South, next.clone()), Ok(true));
    assert_eq!(say(&mut room, Seat::South, next.clone()), Ok(false), "said before");
    assert_eq!(say(&mut room, Seat::East, next), Ok(true));
    assert!(!room.is_due());
    assert_eq!(json!(room.show(Seat::North, None))["ready"], json!(["E", "S"]));
    room.leave(Seat::West);
    assert!(!room.is_due());
    room.lose(Seat::North);
    assert!(room.is_due());
    room.go_on(&provider).unwrap();
    assert_eq!(json!(room.show(Seat::South, None))["deal"], 1);
    // The table waits for a person who is away for a moment. Then a bot plays until they are back.
    let north = |room: &Room| json!(room.show(Seat::South, None))["people"]["N"].clone();
    assert_eq!((&north(&room)["here"], &north(&room)["bot"]), (&json!(false), &json!(false)));
    room.hand_over(Seat::North);
    assert_eq!(north(&room)["bot"], true);
    while room.is_due() || room.waits_for() != Some(Seat::South) {
        if room.is_due() { room.go_on(&provider).unwrap() } else { act(&mut room) }
    }
    act(&mut room);
    // A newcomer gets a seat that is free before one of a person who is away.
    assert_eq!(come(&mut room, "fred", &provider), Ok(Seat::West));
    assert_eq!(come(&mut room, "gina", &provider), Ok(Seat::North));
    assert_eq!(come(&mut room, "bert", &provider), Err(TableError::Full));
    for seat in Seat::ALL {
        room.lose(seat);
        room.hand_over(seat);
    }
    assert!(room.table.is_bots_turn() && !room.is_due(), "bots wait for persons");
    Seat::ALL.into_iter().for_each(|seat| room.leave(seat));
    assert!(room.is_deserted());
}

/// Bots play for inactive persons, but no deal begins without an active person.
#[test]
fn bots_do_not_play_on_alone() {
    let (mut room, provider) = open();
    room.hand_over(Seat::South);
    for _ in 0..100 {
        if room.is_due() {
            room.go_on(&provider).unwrap();
        }
    }
    assert!(room.table.scores().is_some() && room.table.deals_dealt() == 1 && !room.is_due());
    assert!(room.copy(Seat::South).is_err(), "a bot played this deal");
    room.wake(Seat::South);
    say(&mut room, Seat::South, json!({"type": "next"})).unwrap();
    assert!(room.is_due());
}

/// The table does not wait for an inactive person in the next deal either, until they act.
#[test]
fn who_does_nothing_is_not_waited_for_again() {
    let (mut room, provider) = open();
    come(&mut room, "bert", &provider).unwrap();
    play(&mut room, &provider);
    room.hand_over(Seat::South);
    say(&mut room, Seat::North, json!({"type": "next"})).unwrap();
    room.go_on(&provider).unwrap();
    let south = |room: &Room| json!(room.show(Seat::North, None))["people"]["S"].clone();
    assert_eq!((&south(&room)["here"], &south(&room)["bot"]), (&json!(true), &json!(true)));
    assert!(room.wake(Seat::South));
    assert_eq!(south(&room)["bot"], false);
}

#[test]
fn what_would_harm_the_others_is_refused() {
    let (mut room, _) = open();
    let opened = json!(room.show(Seat::South, None));
    for said in [
        json!({"type": "undo"}),
        json!({"type": "hint"}),
        json!({"type": "back", "to": 0}),
        json!({"type": "again"}),
        json!({"type": "new", "rules": "wiezen", "seat": "S", "seed": 1}),
        serde_json::from_slice(&entrance("share", "host", "Anna")).unwrap(),
    ] {
        assert_eq!(say(&mut room, Seat::South, said), Err(TableError::NotAlone));
    }
    for said in [json!({"type": "next"}), json!({"type": "par"})] {
        assert_eq!(say(&mut room, Seat::South, said), Err(TableError::NotOver));
    }
    assert!(room.copy(Seat::South).is_err());
    for said in [json!([]), json!(["next"]), json!(1), json!("next"), json!(true), json!({})] {
        let refused = say(&mut room, Seat::South, said.clone());
        assert!(matches!(refused, Err(TableError::Unreadable(_))), "{said}: {refused:?}");
    }
    assert_eq!(json!(room.show(Seat::South, None)), opened);
    for (kind, of) in [("join", "join"), ("share", "join")] {
        let said = json!({"type": kind, "table": "1", "key": "2"}).to_string();
        let guessable = Request::parse(said.as_bytes());
        assert_eq!(guessable.of, of);
        assert!(guessable.command.unwrap_err().to_string().contains("16 to 64"), "{kind}");
    }
}

/// What is computed about a deal is computed on a copy; each record is taken once; after a match
/// comes another.
#[test]
fn deals_end_and_matches_follow() {
    let (mut room, provider) = open();
    let (mut records, mut matches) = (0, 0);
    for _ in 0..60 {
        assert!(room.take_record().is_none());
        play(&mut room, &provider);
        let record = room.take_record().expect("a record");
        assert!(room.take_record().is_none());
        let copy = room.copy(Seat::South).unwrap();
        assert_eq!(copy.table.record().actions, record.actions);
        assert_eq!(copy.table.scores(), room.table.scores());
        records += 1;
        matches += u32::from(room.table.is_over());
        assert_eq!(say(&mut room, Seat::South, json!({"type": "next"})), Ok(true));
        room.go_on(&provider).unwrap();
    }
    assert!(records == 60 && matches > 0, "{matches} matches");
}

/// A bot decides outside its table, and its decision counts only as long as the table waits for it.
/// A clone keeps the state of before.
#[test]
fn a_bot_decides_beside_its_table() {
    let (mut room, provider) = open();
    play(&mut room, &provider);
    say(&mut room, Seat::South, json!({"type": "next"})).unwrap();
    room.go_on(&provider).unwrap();
    let mut decisions = 0;
    while room.table.scores().is_none() {
        let before = room.clone();
        assert_eq!(json!(before.show(Seat::South, None)), json!(room.show(Seat::South, None)));
        if room.bot_view().is_none() {
            act(&mut room);
            continue;
        }
        let turn = |room: &mut Room| {
            let mut turn = room.bot_turn().expect("a bot is to act");
            let action = turn.decide().unwrap();
            (turn, action)
        };
        let (first, action) = turn(&mut room);
        let (second, same) = turn(&mut room);
        assert_eq!(action, same, "another instance decides the same");
        assert_eq!(room.finish(first, action), Ok(()));
        assert_eq!(room.finish(second, action), Err(TableError::NotYourTurn));
        assert_ne!(json!(before.show(Seat::South, None)), json!(room.show(Seat::South, None)));
        // Nobody is here for whom it would decide.
        room.lose(Seat::South);
        assert!(room.bot_view().is_none());
        room = before;
        room.go_on(&provider).unwrap();
        decisions += 1;
    }
    assert!(decisions > 20, "{decisions}");
}

/// The owner of a private table has the commands that a shared one refuses. A deal that is played
/// again is recorded again, one that is restored is not.
#[test]
fn a_private_table_is_its_owners() {
    let provider = Simple(Cell::new(0));
    let new = json!({"type": "new", "rules": "wiezen", "seat": "W", "seed": 3});
    let Ok(Command::Private(PrivateCommand::New(new_match))) = command(new.to_string().as_bytes())
    else {
        panic!("opens")
    };
    let mut room = Room::private(&new_match, &provider).unwrap();
    assert_eq!(room.owner(), Ok(Seat::West));
    let say = |room: &mut Room, said: Value| -> Result<Outcome, TableError> {
        room.execute(Seat::West, command(said.to_string().as_bytes())?, &provider)
    };
    for said in [json!({"type": "here"}), json!({"type": "leave"})] {
        assert_eq!(say(&mut room, said).err(), Some(TableError::NotShared));
    }
    assert_eq!(
        room.execute(Seat::North, Command::Private(PrivateCommand::Undo), &provider).err(),
        Some(TableError::NotYourTurn),
        "nobody sits there"
    );
    play(&mut room, &provider);
    let record = room.take_record().expect("the deal is over");
    assert!(room.take_record().is_none());
    assert!(matches!(say(&mut room, json!({"type": "par"})), Ok(Outcome::Answer(Message::Par(_)))));
    assert!(matches!(say(&mut room, json!({"type": "undo"})), Ok(Outcome::Changed)));
    assert!(room.take_record().is_none(), "the deal is not over");
    play(&mut room, &provider);
    assert!(room.take_record().is_some(), "it was played again");
    let mut restored = Room::restore(&new_match, &[record.actions], &provider).unwrap();
    assert!(restored.is_over() && restored.take_record().is_none());
    assert!(matches!(say(&mut restored, json!({"type": "next"})), Ok(Outcome::Changed)));
    play(&mut restored, &provider);
    assert!(restored.take_record().is_some());
    let (shared, _) = open();
    assert_eq!(shared.owner(), Err(TableError::NotAlone));
}
