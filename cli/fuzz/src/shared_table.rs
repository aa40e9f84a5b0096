//! A shared table and its persons, without the server.

use std::cell::Cell;

use serde_json::{Value, json};
use troel_agents::NamedBot;
use troel_env::{RuleSet, Seat};
use troel_protocol::commands::{Command, Request, SharedCommand};
use troel_protocol::{Provider, Table, TableError};

use crate::responder::responder;

/// Number of persons, which is above the number of seats.
const PERSONS: u8 = 6;

/// Maximum number of steps without a person after each event.
const MAX_STEPS: usize = 12;

/// The provider of the other targets, with a source of cards and seeds.
#[derive(Default)]
struct SeededProvider(Cell<u64>);

impl Provider for SeededProvider {
    fn rules_and_bot(&self, rules: &str) -> Result<(&'static RuleSet, NamedBot), TableError> {
        responder().rules_and_bot(rules)
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

/// A table, once a person has opened it, and the seats of the connected persons.
#[derive(Default)]
pub struct VisitedTable {
    provider: SeededProvider,
    table: Option<Table>,
    seats: [Option<Seat>; PERSONS as usize],
}

impl VisitedTable {
    /// Handles an event: a letter for the person, then the person's message. An empty message is a
    /// lost connection. `-` lets a bot play for the person whose turn it is.
    pub fn take(&mut self, event: &[u8]) {
        let Some((&letter, said)) = event.split_first() else { return };
        let person = usize::from(letter.wrapping_sub(b'a') % PERSONS);
        let seat = self.seats[person];
        match (said, &mut self.table, seat) {
            (b"", Some(table), Some(seat)) => {
                table.disconnect(seat);
                self.seats[person] = None;
            }
            (b"-", Some(table), _) => {
                if let Some(seat) = table.waits_for() {
                    table.hand_over_to_bot(seat);
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
        if let (None, Command::Enter { seat_request, new_match: Some(new_match) }) =
            (&self.table, &command)
        {
            self.table =
                Table::shared(new_match.clone(), seat_request.clone(), &self.provider).ok();
        }
        let Some(table) = &mut self.table else { return };
        match (self.seats[person], command) {
            (Some(seat), Command::Shared(SharedCommand::Leave)) => {
                table.leave(seat);
                self.seats[person] = None;
            }
            (Some(seat), Command::Shared(SharedCommand::Here)) => {
                table.resume_seat(seat);
            }
            (Some(seat), command) => {
                let before = table.clone();
                if table.execute(seat, command, &self.provider).is_err() {
                    assert_eq!(shown(table), shown(&before), "a refused command changes nothing");
                }
            }
            (None, Command::Enter { seat_request, .. }) => {
                if let Ok(seat) = table.enter(seat_request, &self.provider) {
                    // A seat has one connection.
                    self.seats = self.seats.map(|other| other.filter(|&other| other != seat));
                    self.seats[person] = Some(seat);
                }
            }
            (None, _) => {}
        }
    }

    /// Lets the bots act, and deals.
    fn go_on(&mut self) {
        let Some(table) = &mut self.table else { return };
        for _ in 0..MAX_STEPS {
            if let Some(record) = table.take_record() {
                let rules = RuleSet::built_in(&record.rules).expect("built in");
                record.replay(rules, true).expect("a played deal can be replayed");
            }
            if !table.can_go_on() {
                break;
            }
            table.go_on(&self.provider).expect("the bots act, and the next deal is dealt");
        }
        for seat in Seat::ALL {
            let shown = json!(table.show(seat, None));
            let is_empty = |field: &str| shown[field].as_array().is_none_or(Vec::is_empty);
            let is_turn = shown["turn"] == shown["you"] && shown["watching"] == false;
            assert_eq!(!is_empty("legal"), is_turn, "{shown}");
            assert!(shown["watching"] == false || is_empty("hand"), "{shown}");
        }
        if let Some(seat) = table.waits_for() {
            assert_eq!(
                json!(table.show(seat, None))["watching"],
                false,
                "the table waits only for persons with a hand"
            );
        }
    }

    /// Returns the message for each connected person, with the person's letter.
    pub fn seen(&self) -> impl Iterator<Item = (char, Value)> {
        let persons = ('a'..).zip(self.seats);
        let table = self.table.as_ref();
        persons.filter_map(move |(letter, seat)| Some((letter, json!(table?.show(seat?, None)))))
    }

    /// Removes all persons, which ends the table.
    pub fn leave(mut self) {
        let Some(table) = &mut self.table else { return };
        Seat::ALL.into_iter().for_each(|seat| table.leave(seat));
        assert!(table.has_no_person() && !table.can_go_on());
    }
}

fn shown(table: &Table) -> [Value; 4] {
    Seat::ALL.map(|seat| json!(table.show(seat, None)))
}
