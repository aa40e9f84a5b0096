use std::cell::Cell;

use serde_json::{Value, json};
use troel_agents::NamedBot;
use troel_env::RuleSet;

use super::*;
use crate::commands::{Command, PrivateCommand, Request};
use crate::provider::find_seatable_bot;

const TABLE: &str = "a-table-with-a-secret";

/// A provider whose bots are simple, and whose seeds follow each other.
struct Simple(Cell<u64>);

impl Provider for Simple {
    fn rules_and_bot(&self, rules: &str) -> Result<(&'static RuleSet, NamedBot), TableError> {
        let rules = RuleSet::built_in(rules).expect("built in");
        Ok((rules, find_seatable_bot("rules")?))
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

fn seat_request(kind: &str, key: &str, name: &str) -> Vec<u8> {
    let key = format!("{key}-0123456789abcdef");
    json!({"type": kind, "table": TABLE, "key": key, "name": name, "rules": "luxembourg", "seat": "S", "seed": 4})
        .to_string()
        .into_bytes()
}

fn command(message: &[u8]) -> Result<Command, TableError> {
    Request::parse(message).command
}

fn come(table: &mut Table, key: &str, provider: &Simple) -> Result<Seat, TableError> {
    let Ok(Command::Enter { seat_request, new_match: None }) =
        command(&seat_request("join", key, key))
    else {
        panic!("joins");
    };
    table.enter(seat_request, provider)
}

fn open() -> (Table, Simple) {
    let provider = Simple(Cell::new(0));
    let message = seat_request("share", "host", "  Anna\u{7} ");
    let Ok(Command::Enter { seat_request, new_match: Some(new_match) }) = command(&message) else {
        panic!("shares")
    };
    assert_eq!(seat_request.name, "Anna");
    (Table::shared(new_match, seat_request, &provider).unwrap(), provider)
}

fn say(table: &mut Table, seat: Seat, message: Value) -> Result<bool, TableError> {
    let provider = Simple(Cell::new(0));
    let outcome = table.execute(seat, command(message.to_string().as_bytes())?, &provider)?;
    Ok(matches!(outcome, CommandOutcome::Changed))
}

/// Takes the first legal action of the person to act.
fn act(table: &mut Table) {
    let turn = table.waits_for().expect("a person is to act");
    let act = json!({"type": "act", "action": json!(table.show(turn, None))["legal"][0]});
    for other in Seat::ALL.into_iter().filter(|&other| other != turn) {
        assert_eq!(say(table, other, act.clone()), Err(TableError::NotYourTurn));
    }
    assert_eq!(say(table, turn, act), Ok(true));
}

/// Plays a deal to its end.
fn play(table: &mut Table, provider: &Simple) {
    while table.live_match.scores().is_none() {
        if table.can_go_on() { table.go_on(provider).unwrap() } else { act(table) }
    }
}

/// Until the deal is over, no person is shown a card that only another seat may see.
#[test]
fn each_person_sees_only_their_own_hand() {
    let (mut table, provider) = open();
    assert_eq!(come(&mut table, "bert", &provider), Ok(Seat::North));
    let mut seen = 0;
    while table.live_match.scores().is_none() {
        for seat in [Seat::South, Seat::North] {
            let shown = json!(table.show(seat, None));
            assert_eq!(shown["you"], json!(seat));
            let text = shown.to_string();
            for card in table.live_match.observe_as(seat).unseen() {
                let code = format!("\"{card}\"");
                // A code such as 8S is a call in the auction.
                let as_call = shown["history"].to_string().matches(&code).count()
                    + shown["legal"].to_string().matches(&code).count();
                assert_eq!(text.matches(&code).count(), as_call, "{card} in {text}");
                seen += 1;
            }
        }
        if table.can_go_on() { table.go_on(&provider).unwrap() } else { act(&mut table) }
    }
    assert!(seen > 100, "{seen}");
}

/// Checks that the provider draws the cards, and again if a person sits down before the first
/// action.
#[test]
fn nobody_chooses_the_cards() {
    let (mut table, provider) = open();
    let hand = json!(table.show(Seat::South, None))["hand"].clone();
    let wished = RuleSet::built_in("luxembourg").unwrap();
    let wished = MatchSettings::new(wished, find_seatable_bot("rules").unwrap(), 4);
    let wished = LiveMatch::new(wished, SeatSet::default()).unwrap();
    assert_ne!(hand, json!(wished.show(Seat::South))["hand"], "the host chose the seed");
    come(&mut table, "bert", &provider).unwrap();
    assert_ne!(json!(table.show(Seat::South, None))["hand"], hand);
}

/// A person who comes in the middle of a deal sees no hand of it.
#[test]
fn newcomers_wait_for_the_next_deal() {
    let (mut table, provider) = open();
    while table.can_go_on() {
        table.go_on(&provider).unwrap();
    }
    act(&mut table);
    for (key, seat) in [("bert", Seat::North), ("cleo", Seat::East)] {
        assert_eq!(come(&mut table, key, &provider), Ok(seat));
        let shown = json!(table.show(seat, None));
        assert_eq!((&shown["watching"], &shown["hand"]), (&json!(true), &json!([])));
        assert_eq!(shown["history"], json!(table.show(Seat::South, None))["history"]);
        let early = say(&mut table, seat, json!({"type": "next"}));
        assert_eq!(early, Err(TableError::NotYourTurn));
        assert_eq!(say(&mut table, seat, json!({"type": "here"})), Ok(false));
        let rules = json!({"type": "rules", "rules": "wiezen"});
        assert_eq!(say(&mut table, seat, rules), Ok(false), "an answer, no change");
    }
    play(&mut table, &provider);
    assert!(table.private_copy(Seat::South).is_ok() && table.private_copy(Seat::North).is_err());
    assert_eq!(say(&mut table, Seat::South, json!({"type": "next"})), Ok(true));
    assert!(table.can_go_on());
    table.go_on(&provider).unwrap();
    let shown = json!(table.show(Seat::North, None));
    assert_eq!((&shown["watching"], &shown["deal"]), (&json!(false), &json!(1)));
    assert_eq!(shown["people"]["N"]["whole"], true);
    // Bots finish the deal for a waiting person after the others have left.
    assert_eq!(come(&mut table, "dana", &provider), Ok(Seat::West));
    assert_eq!(json!(table.show(Seat::West, None))["watching"], true);
    [Seat::South, Seat::North, Seat::East].into_iter().for_each(|seat| table.leave(seat));
    while table.can_go_on() {
        table.go_on(&provider).unwrap();
    }
    let shown = json!(table.show(Seat::West, None));
    assert_eq!((&shown["watching"], &shown["deal"]), (&json!(false), &json!(2)));
}

/// A person who watches is shown no card that only some seats may see.
#[test]
fn watchers_see_what_all_seats_know() {
    let (mut table, provider) = open();
    while table.can_go_on() {
        table.go_on(&provider).unwrap();
    }
    act(&mut table);
    assert_eq!(come(&mut table, "bert", &provider), Ok(Seat::North));
    let mut seen = 0;
    while table.live_match.scores().is_none() {
        let shown = json!(table.show(Seat::North, None));
        let text = shown.to_string();
        for seat in Seat::ALL {
            for card in table.live_match.observe_as(seat).unseen() {
                let code = format!("\"{card}\"");
                let as_call = shown["history"].to_string().matches(&code).count();
                assert_eq!(text.matches(&code).count(), as_call, "{card} in {text}");
                seen += 1;
            }
        }
        if table.can_go_on() { table.go_on(&provider).unwrap() } else { act(&mut table) }
    }
    assert!(seen > 500, "{seen}");
}

/// A table that was saved and loaded after any action goes on like the original.
#[test]
fn a_saved_table_goes_on() {
    let (mut table, provider) = open();
    come(&mut table, "bert", &provider).unwrap();
    let everybody = |table: &Table| Seat::ALL.map(|seat| json!(table.show(seat, None)));
    for _ in 0..2 {
        loop {
            let saved = serde_json::to_string(&table.save()).expect("JSON");
            let saved = serde_json::from_str(&saved).expect("as it was written");
            let mut loaded = Table::load(saved, &provider).expect("fits");
            assert!(!loaded.has_connected_person());
            for key in ["host", "bert"] {
                come(&mut loaded, key, &provider).expect("has a seat");
            }
            assert_eq!(everybody(&loaded), everybody(&table));
            table = loaded;
            if table.live_match.scores().is_some() {
                break;
            }
            if table.can_go_on() { table.go_on(&provider).unwrap() } else { act(&mut table) }
        }
        assert!(table.take_record().is_some());
        for seat in [Seat::South, Seat::North] {
            say(&mut table, seat, json!({"type": "next"})).expect("ready");
        }
        table.go_on(&provider).expect("deals");
    }
    assert_eq!(json!(table.show(Seat::South, None))["deal"], 2);
}

/// A saved table of another version, or with an action that is not possible, is refused.
#[test]
fn a_saved_table_that_does_not_fit_is_refused() {
    let (mut table, provider) = open();
    while table.can_go_on() {
        table.go_on(&provider).unwrap();
    }
    let saved = json!(table.save());
    let load = |field: &str, value: Value| {
        let mut saved = saved.clone();
        saved[field] = value;
        Table::load(serde_json::from_value(saved).expect("the same fields"), &provider).err()
    };
    assert_eq!(load("version", json!(0)), Some(TableError::SavedByOtherVersion(0)));
    let refused = load("actions", json!(["nothing"]));
    assert!(matches!(refused, Some(TableError::CannotRestore { action: 1, .. })), "{refused:?}");
}

#[test]
fn persons_come_leave_and_return() {
    let (mut table, provider) = open();
    for (key, seat) in [("bert", Seat::North), ("bert", Seat::North), ("cleo", Seat::East)] {
        assert_eq!(come(&mut table, key, &provider), Ok(seat));
    }
    assert_eq!(come(&mut table, "dana", &provider), Ok(Seat::West));
    assert_eq!(come(&mut table, "emil", &provider), Err(TableError::Full));
    play(&mut table, &provider);
    // The next deal comes when all connected persons want it.
    let next = json!({"type": "next"});
    assert_eq!(say(&mut table, Seat::South, next.clone()), Ok(true));
    assert_eq!(say(&mut table, Seat::South, next.clone()), Ok(false), "said before");
    assert_eq!(say(&mut table, Seat::East, next), Ok(true));
    assert!(!table.can_go_on());
    assert_eq!(json!(table.show(Seat::North, None))["ready"], json!(["E", "S"]));
    table.leave(Seat::West);
    assert!(!table.can_go_on());
    table.disconnect(Seat::North);
    assert!(table.can_go_on());
    table.go_on(&provider).unwrap();
    assert_eq!(json!(table.show(Seat::South, None))["deal"], 1);
    // The table waits for a person who is away for a moment. Then a bot plays until they are back.
    let north = |table: &Table| json!(table.show(Seat::South, None))["people"]["N"].clone();
    assert_eq!((&north(&table)["here"], &north(&table)["bot"]), (&json!(false), &json!(false)));
    table.hand_over_to_bot(Seat::North);
    assert_eq!(north(&table)["bot"], true);
    while table.can_go_on() || table.waits_for() != Some(Seat::South) {
        if table.can_go_on() { table.go_on(&provider).unwrap() } else { act(&mut table) }
    }
    act(&mut table);
    // A free seat is assigned to a newcomer before the seat of a person who is away.
    assert_eq!(come(&mut table, "fred", &provider), Ok(Seat::West));
    assert_eq!(come(&mut table, "gina", &provider), Ok(Seat::North));
    assert_eq!(come(&mut table, "bert", &provider), Err(TableError::Full));
    for seat in Seat::ALL {
        table.disconnect(seat);
        table.hand_over_to_bot(seat);
    }
    assert!(table.live_match.is_bots_turn() && !table.can_go_on(), "bots wait for persons");
    Seat::ALL.into_iter().for_each(|seat| table.leave(seat));
    assert!(table.has_no_person());
}

/// Bots play for inactive persons, but no deal begins without an active person.
#[test]
fn bots_do_not_play_on_alone() {
    let (mut table, provider) = open();
    table.hand_over_to_bot(Seat::South);
    for _ in 0..100 {
        if table.can_go_on() {
            table.go_on(&provider).unwrap();
        }
    }
    assert!(
        table.live_match.scores().is_some()
            && table.live_match.deals_dealt() == 1
            && !table.can_go_on()
    );
    assert!(table.private_copy(Seat::South).is_err(), "a bot played this deal");
    table.resume_seat(Seat::South);
    say(&mut table, Seat::South, json!({"type": "next"})).unwrap();
    assert!(table.can_go_on());
}

/// The table does not wait for an inactive person in the next deal either, until they act.
#[test]
fn an_inactive_person_is_not_waited_for_again() {
    let (mut table, provider) = open();
    come(&mut table, "bert", &provider).unwrap();
    play(&mut table, &provider);
    table.hand_over_to_bot(Seat::South);
    say(&mut table, Seat::North, json!({"type": "next"})).unwrap();
    table.go_on(&provider).unwrap();
    let south = |table: &Table| json!(table.show(Seat::North, None))["people"]["S"].clone();
    assert_eq!((&south(&table)["here"], &south(&table)["bot"]), (&json!(true), &json!(true)));
    assert!(table.resume_seat(Seat::South));
    assert_eq!(south(&table)["bot"], false);
}

#[test]
fn commands_that_would_harm_the_others_are_refused() {
    let (mut table, _) = open();
    let opened = json!(table.show(Seat::South, None));
    for said in [
        json!({"type": "undo"}),
        json!({"type": "hint"}),
        json!({"type": "back", "to": 0}),
        json!({"type": "again"}),
        json!({"type": "new", "rules": "wiezen", "seat": "S", "seed": 1}),
        serde_json::from_slice(&seat_request("share", "host", "Anna")).unwrap(),
    ] {
        assert_eq!(say(&mut table, Seat::South, said), Err(TableError::NotPrivate));
    }
    for said in [json!({"type": "next"}), json!({"type": "par"})] {
        assert_eq!(say(&mut table, Seat::South, said), Err(TableError::NotOver));
    }
    assert!(table.private_copy(Seat::South).is_err());
    for said in [json!([]), json!(["next"]), json!(1), json!("next"), json!(true), json!({})] {
        let refused = say(&mut table, Seat::South, said.clone());
        assert!(matches!(refused, Err(TableError::Unreadable(_))), "{said}: {refused:?}");
    }
    assert_eq!(json!(table.show(Seat::South, None)), opened);
    for (kind, of) in [("join", "join"), ("share", "join")] {
        let said = json!({"type": kind, "table": "1", "key": "2"}).to_string();
        let guessable = Request::parse(said.as_bytes());
        assert_eq!(guessable.command_type, of);
        assert!(guessable.command.unwrap_err().to_string().contains("16 to 64"), "{kind}");
    }
}

/// Questions about a deal are answered by a copy of the table. Each record is taken once. Another
/// match follows the end of a match.
#[test]
fn deals_end_and_matches_follow() {
    let (mut table, provider) = open();
    let (mut records, mut matches) = (0, 0);
    for _ in 0..60 {
        assert!(table.take_record().is_none());
        play(&mut table, &provider);
        let record = table.take_record().expect("a record");
        assert!(table.take_record().is_none());
        let copy = table.private_copy(Seat::South).unwrap();
        assert_eq!(copy.live_match.record().actions, record.actions);
        assert_eq!(copy.live_match.scores(), table.live_match.scores());
        records += 1;
        matches += u32::from(table.live_match.is_over());
        assert_eq!(say(&mut table, Seat::South, json!({"type": "next"})), Ok(true));
        table.go_on(&provider).unwrap();
    }
    assert!(records == 60 && matches > 0, "{matches} matches");
}

/// A match of a number of deals ends with the last one that counts, also after the table was saved.
/// The next one is as long.
#[test]
fn a_match_has_the_number_of_deals_that_was_asked_for() {
    let provider = Simple(Cell::new(0));
    let mut message: Value =
        serde_json::from_slice(&seat_request("share", "host", "Anna")).unwrap();
    message["length"] = json!(0);
    assert!(command(message.to_string().as_bytes()).is_err());
    message["length"] = json!(3);
    let Ok(Command::Enter { seat_request, new_match: Some(new_match) }) =
        command(message.to_string().as_bytes())
    else {
        panic!("shares")
    };
    let mut table = Table::shared(new_match, seat_request, &provider).unwrap();
    let (mut counted, mut passed_out) = (0, 0);
    for _ in 0..40 {
        play(&mut table, &provider);
        let shown = json!(table.show(Seat::South, None));
        if shown["void"] == true {
            passed_out += 1
        } else {
            counted += 1
        }
        assert_eq!(
            [&shown["length"], &shown["left"], &shown["over"]],
            [&json!(3), &json!(3 - counted), &json!(counted == 3)]
        );
        if counted == 3 {
            counted = 0;
        }
        table = Table::load(table.save(), &provider).expect("fits");
        come(&mut table, "host", &provider).expect("has a seat");
        say(&mut table, Seat::South, json!({"type": "next"})).expect("ready");
        table.go_on(&provider).unwrap();
    }
    assert!(passed_out > 0, "no deal was passed out");
}

/// After a restart of the server the next deal waits for a person who has not come back yet, until
/// a bot plays for them.
#[test]
fn a_loaded_table_waits_for_all_its_persons() {
    let (mut table, provider) = open();
    come(&mut table, "bert", &provider).unwrap();
    play(&mut table, &provider);
    say(&mut table, Seat::South, json!({"type": "next"})).expect("ready");
    let mut loaded = Table::load(table.save(), &provider).expect("fits");
    come(&mut loaded, "host", &provider).expect("has a seat");
    assert!(!loaded.can_go_on());
    loaded.hand_over_to_bot(Seat::North);
    assert!(loaded.can_go_on());
}

/// A bot decides outside its table, and its decision counts only as long as the table waits for it.
/// A clone keeps the state of before.
#[test]
fn a_bot_decides_beside_its_table() {
    let (mut table, provider) = open();
    play(&mut table, &provider);
    say(&mut table, Seat::South, json!({"type": "next"})).unwrap();
    table.go_on(&provider).unwrap();
    let mut decisions = 0;
    while table.live_match.scores().is_none() {
        let before = table.clone();
        assert_eq!(json!(before.show(Seat::South, None)), json!(table.show(Seat::South, None)));
        if table.bot_observation().is_none() {
            act(&mut table);
            continue;
        }
        let turn = |table: &mut Table| {
            let mut turn = table.take_bot_turn().expect("a bot is to act");
            let action = turn.decide().unwrap();
            (turn, action)
        };
        let (first, action) = turn(&mut table);
        let (second, same) = turn(&mut table);
        assert_eq!(action, same, "another instance decides the same");
        assert_eq!(table.finish_bot_turn(first, action), Ok(()));
        assert_eq!(table.finish_bot_turn(second, action), Err(TableError::NotYourTurn));
        assert_ne!(json!(before.show(Seat::South, None)), json!(table.show(Seat::South, None)));
        // No bot decides while nobody is connected.
        table.disconnect(Seat::South);
        assert!(table.bot_observation().is_none());
        table = before;
        table.go_on(&provider).unwrap();
        decisions += 1;
    }
    assert!(decisions > 20, "{decisions}");
}

/// The owner of a private table has the commands that a shared one refuses. A deal that is played
/// again is recorded again, one that is restored is not.
#[test]
fn the_owner_of_a_private_table_has_all_commands() {
    let provider = Simple(Cell::new(0));
    let new = json!({"type": "new", "rules": "wiezen", "seat": "W", "seed": 3});
    let Ok(Command::Private(PrivateCommand::New(new_match))) = command(new.to_string().as_bytes())
    else {
        panic!("opens")
    };
    let mut table = Table::private(&new_match, &provider).unwrap();
    assert_eq!(table.owner(), Ok(Seat::West));
    let say = |table: &mut Table, said: Value| -> Result<CommandOutcome, TableError> {
        table.execute(Seat::West, command(said.to_string().as_bytes())?, &provider)
    };
    for said in [json!({"type": "here"}), json!({"type": "leave"})] {
        assert_eq!(say(&mut table, said).err(), Some(TableError::NotShared));
    }
    assert_eq!(
        table.execute(Seat::North, Command::Private(PrivateCommand::Undo), &provider).err(),
        Some(TableError::NotYourTurn),
        "nobody sits there"
    );
    play(&mut table, &provider);
    let record = table.take_record().expect("the deal is over");
    assert!(table.take_record().is_none());
    assert!(matches!(
        say(&mut table, json!({"type": "par"})),
        Ok(CommandOutcome::Answer(Message::Par(_)))
    ));
    assert!(matches!(say(&mut table, json!({"type": "undo"})), Ok(CommandOutcome::Changed)));
    assert!(table.take_record().is_none(), "the deal is not over");
    play(&mut table, &provider);
    assert!(table.take_record().is_some(), "it was played again");
    let mut restored = Table::restore(&new_match, &[record.actions], &provider).unwrap();
    assert!(restored.is_deal_over() && restored.take_record().is_none());
    assert!(matches!(say(&mut restored, json!({"type": "next"})), Ok(CommandOutcome::Changed)));
    play(&mut restored, &provider);
    assert!(restored.take_record().is_some());
    let (shared, _) = open();
    assert_eq!(shared.owner(), Err(TableError::NotPrivate));
}
