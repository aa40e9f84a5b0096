//! A table of several persons, as the server keeps one.

use std::cell::Cell;

use serde_json::{Value, json};
use troel_agents::Entry;
use troel_env::{RuleSet, Seat};
use troel_protocol::commands::{Command, Request};
use troel_protocol::room::Room;
use troel_protocol::{Provider, TableError};

use crate::responder::responder;

/// Number of persons: more than there are seats.
const PERSONS: u8 = 6;

/// Things that are done without a person after each event, at most.
const STEPS: usize = 12;

/// The provider of the other targets, which draws cards as well.
#[derive(Default)]
struct Drawing(Cell<u64>);

impl Provider for Drawing {
    fn rules_and_bot(
        &self,
        rules: &str,
        bot: Option<&str>,
    ) -> Result<(&'static RuleSet, Entry), TableError> {
        responder().rules_and_bot(rules, bot)
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

/// A room, once somebody has opened it, and the seats of the persons whose connections it has.
#[derive(Default)]
pub struct Visited {
    provider: Drawing,
    room: Option<Room>,
    seats: [Option<Seat>; PERSONS as usize],
}

impl Visited {
    /// Takes an event: a letter for the person, then the person's message. An empty message is a
    /// lost connection. After `-` a bot plays for the person that the table waits for.
    pub fn take(&mut self, event: &[u8]) {
        let Some((&letter, said)) = event.split_first() else { return };
        let person = usize::from(letter.wrapping_sub(b'a') % PERSONS);
        let seat = self.seats[person];
        match (said, &mut self.room, seat) {
            (b"", Some(room), Some(seat)) => {
                room.lose(seat);
                self.seats[person] = None;
            }
            (b"-", Some(room), _) => {
                if let Some(seat) = room.waits_for() {
                    room.hand_over(seat);
                }
            }
            _ => {
                if let Ok(command) = Request::parse(said).command {
                    self.execute(person, command);
                }
            }
        }
        self.go_on();
    }

    fn execute(&mut self, person: usize, command: Command) {
        let entrance = match &command {
            Command::Share { entrance, .. } | Command::Join(entrance) => Some(entrance.clone()),
            _ => None,
        };
        if let (None, Command::Share { entrance, new_match }) = (&self.room, &command) {
            self.room = Room::shared(new_match.clone(), entrance.clone(), &self.provider).ok();
        }
        let Some(room) = &mut self.room else { return };
        match (self.seats[person], entrance) {
            // Somebody with a connection says so to the table.
            (Some(seat), _) => match command {
                Command::Leave => {
                    room.leave(seat);
                    self.seats[person] = None;
                }
                Command::Here => {
                    room.wake(seat);
                }
                command => {
                    let before = room.clone();
                    if room.execute(seat, command, &self.provider).is_err() {
                        assert_eq!(shown(room), shown(&before), "what is refused changes nothing");
                    }
                }
            },
            (None, Some(entrance)) => {
                if let Ok(seat) = room.enter(entrance, &self.provider) {
                    // One connection for a seat.
                    self.seats = self.seats.map(|other| other.filter(|&other| other != seat));
                    self.seats[person] = Some(seat);
                }
            }
            (None, None) => {}
        }
    }

    /// Has the bots play, and deals.
    fn go_on(&mut self) {
        let Some(room) = &mut self.room else { return };
        for _ in 0..STEPS {
            if let Some(record) = room.take_record() {
                let rules = RuleSet::built_in(&record.rules).expect("built in");
                record.replay(rules, true).expect("what was played can be replayed");
            }
            if !room.is_due() {
                break;
            }
            room.go_on(&self.provider).expect("sound bots, and a deal after each deal");
        }
        for seat in Seat::ALL {
            let shown = json!(room.show(seat, None));
            match shown["type"].as_str() {
                Some("seated") => assert!(shown.get("hand").is_none(), "{shown}"),
                Some("table") => {
                    let (legal, turn) = (shown["legal"].as_array(), &shown["turn"]);
                    let is_turn = *turn == shown["you"];
                    assert_eq!(legal.is_some_and(|legal| !legal.is_empty()), is_turn, "{shown}");
                }
                _ => panic!("{shown}"),
            }
        }
        if let Some(seat) = room.waits_for() {
            assert_eq!(
                json!(room.show(seat, None))["type"],
                "table",
                "a person with a hand is waited for"
            );
        }
    }

    /// The table as each connected person sees it, with the person's letter.
    pub fn seen(&self) -> impl Iterator<Item = (char, Value)> {
        let persons = ('a'..).zip(self.seats);
        let room = self.room.as_ref();
        persons.filter_map(move |(letter, seat)| Some((letter, json!(room?.show(seat?, None)))))
    }

    /// All leave, which ends the table.
    pub fn leave(mut self) {
        let Some(room) = &mut self.room else { return };
        Seat::ALL.into_iter().for_each(|seat| room.leave(seat));
        assert!(room.is_deserted() && !room.is_due());
    }
}

fn shown(room: &Room) -> [Value; 4] {
    Seat::ALL.map(|seat| json!(room.show(seat, None)))
}
