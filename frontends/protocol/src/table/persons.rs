//! The persons at a table.

use std::ops::{Index, IndexMut};

use serde::{Deserialize, Serialize};
use troel_env::{BySeat, Seat, SeatSet};

use crate::messages::{People, Person};

/// A person who has a seat at the table. Messages show a part of it as a [`Person`].
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct SeatedPerson {
    /// Secret of the person, with which a new connection takes the seat again.
    key: String,
    /// Name that the others see.
    name: String,
    /// Whether the person is connected; nobody is at a table that was saved.
    #[serde(skip)]
    pub(super) is_connected: bool,
    /// Whether the person was at a table that was saved, and has not come back yet.
    #[serde(skip)]
    pub(super) is_expected: bool,
    /// Whether the person waits for the next deal. A newcomer must not see a hand in the middle of
    /// its deal.
    pub(super) waits_for_deal: bool,
    /// Whether no bot has played in the person's place in the current deal.
    pub(super) played_whole_deal: bool,
}

impl SeatedPerson {
    /// Returns the person of a private table.
    pub(super) fn owner() -> SeatedPerson {
        let (key, name) = (String::new(), String::new());
        SeatedPerson {
            key,
            name,
            is_connected: true,
            is_expected: false,
            waits_for_deal: false,
            played_whole_deal: true,
        }
    }

    /// Returns a person who waits for the next deal.
    pub(super) fn newcomer(key: String, name: String) -> SeatedPerson {
        SeatedPerson {
            key,
            name,
            is_connected: true,
            is_expected: false,
            waits_for_deal: true,
            played_whole_deal: false,
        }
    }
}

/// The persons at a table, by seat.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct SeatedPersons(BySeat<Option<SeatedPerson>>);

impl Index<Seat> for SeatedPersons {
    type Output = Option<SeatedPerson>;

    fn index(&self, seat: Seat) -> &Option<SeatedPerson> {
        &self.0[seat]
    }
}

impl IndexMut<Seat> for SeatedPersons {
    fn index_mut(&mut self, seat: Seat) -> &mut Option<SeatedPerson> {
        &mut self.0[seat]
    }
}

impl SeatedPersons {
    pub(super) fn iter(&self) -> impl Iterator<Item = &Option<SeatedPerson>> {
        self.0.iter()
    }

    /// Returns whether the person of a seat is connected.
    pub(super) fn is_connected(&self, seat: Seat) -> bool {
        self[seat].as_ref().is_some_and(|person| person.is_connected)
    }

    /// Returns whether the person of a seat is connected, or expected back at a saved table.
    pub(super) fn is_here_or_expected(&self, seat: Seat) -> bool {
        self[seat].as_ref().is_some_and(|person| person.is_connected || person.is_expected)
    }

    /// Expects all persons back.
    pub(super) fn expect_all(&mut self) {
        self.0.0.iter_mut().flatten().for_each(|person| person.is_expected = true);
    }

    /// Returns whether the person of a seat waits for the next deal, or the seat has no person.
    pub(super) fn waits_for_deal(&self, seat: Seat) -> bool {
        self[seat].as_ref().is_none_or(|person| person.waits_for_deal)
    }

    /// Returns the seat of the person with this key.
    pub(super) fn seat_of(&self, key: &str) -> Option<Seat> {
        let is_own = |seat: &Seat| self[*seat].as_ref().is_some_and(|person| person.key == key);
        Seat::ALL.into_iter().find(is_own)
    }

    /// Returns a seat for a newcomer: opposite to another person, else any free one. If none is
    /// free, it is that of a person who is away and for whom a bot plays. `played_by_persons` are
    /// the seats that no bot plays for.
    pub(super) fn free_seat(&self, played_by_persons: SeatSet) -> Option<Seat> {
        let is_empty = |seat: &Seat| self[*seat].is_none();
        let is_left_to_bot = |seat: &Seat| {
            let is_away = self[*seat].as_ref().is_some_and(|person| !person.is_connected);
            is_away && !played_by_persons.has(*seat)
        };
        let taken = Seat::ALL.into_iter().filter(|seat| !is_empty(seat));
        let mut opposite = taken.map(|seat| seat.plus(2)).filter(is_empty);
        let mut empty = Seat::ALL.into_iter().filter(is_empty);
        let mut left = Seat::ALL.into_iter().filter(is_left_to_bot);
        opposite.next().or_else(|| empty.next()).or_else(|| left.next())
    }

    /// Returns the persons for a message. `played_by_persons` are the seats that no bot plays for.
    pub(super) fn people(&self, played_by_persons: SeatSet) -> People {
        let shown = |seat: Seat| {
            let person = self[seat].as_ref()?;
            let shown = Person {
                name: person.name.clone(),
                here: person.is_connected,
                bot: !played_by_persons.has(seat),
                whole: person.played_whole_deal,
            };
            Some((seat.letter(), shown))
        };
        Seat::ALL.into_iter().filter_map(shown).collect()
    }
}
