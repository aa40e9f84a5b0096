//! A table and the persons at it: one person, or several who join and leave at any time. See
//! `docs/table.md`.

use troel_env::{Action, Observation, Record, Seat, SeatSet, SecretDeals};

use self::guests::{Guest, Guests};
use crate::commands::{Entrance, NewMatch};
use crate::error::TableError;
use crate::messages::Message;
use crate::provider::Provider;
use crate::table::{BotTurn, Opening, Table};

mod execute;
mod guests;
mod show;

/// Number of redeals for newcomers before the first action: one for each person after the first.
const MAX_REDEALS: u8 = 3;

/// Result of a command.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// The table changed; the persons are to be shown it.
    Changed,
    /// Nothing changed.
    Unchanged,
    /// Nothing changed; the person is to be sent this message.
    Answer(Message),
}

/// Kind of a table.
#[derive(Clone, Copy)]
enum RoomKind {
    /// Has one person, who chooses the cards and may take decisions back.
    Private {
        /// The person's seat.
        owner: Seat,
    },
    /// Has secret cards, and no command that would change the game for the others.
    Shared,
}

/// A table and the persons at it; bots play at the other seats. A clone is in the same state; see
/// [`Table`].
///
/// A *private* table has one person, who chooses the cards and may take decisions back. At a
/// *shared* table the cards are secret, and nothing is possible that would change the game for the
/// others.
#[derive(Clone)]
pub struct Room {
    opening: Opening,
    table: Table,
    kind: RoomKind,
    guests: Guests,
    /// Seats that want the next deal.
    ready: SeatSet,
    /// Number of redeals for newcomers that are left. Without a limit a person could choose a hand.
    redeals: u8,
    /// Number of the last deal whose record was taken, from 1.
    recorded: u32,
}

impl Room {
    /// Opens a private table.
    ///
    /// # Errors
    /// There can be no such match.
    pub fn private(new_match: &NewMatch, provider: &dyn Provider) -> Result<Room, TableError> {
        let opening = new_match.opening(provider)?;
        let table = Table::new(opening.clone(), SeatSet::single(new_match.seat))?;
        Ok(Room::with_owner(table, opening, new_match.seat))
    }

    /// Opens a private table from the actions of each deal; see [`Table::restore`].
    ///
    /// # Errors
    /// There can be no such match, or an action is not possible in its place.
    pub fn restore(
        new_match: &NewMatch,
        deals: &[Vec<String>],
        provider: &dyn Provider,
    ) -> Result<Room, TableError> {
        Room::restored(new_match.opening(provider)?, new_match.seat, deals)
    }

    fn restored(opening: Opening, owner: Seat, deals: &[Vec<String>]) -> Result<Room, TableError> {
        let table = Table::restore(opening.clone(), owner, deals)?;
        let mut room = Room::with_owner(table, opening, owner);
        // The deals that are over were recorded when they ended.
        room.recorded = room.table.deals_dealt() - u32::from(!room.is_over());
        Ok(room)
    }

    /// Returns the private table of a person.
    fn with_owner(table: Table, opening: Opening, owner: Seat) -> Room {
        let mut guests = Guests::default();
        guests[owner] = Some(Guest::owner());
        Room {
            opening,
            table,
            kind: RoomKind::Private { owner },
            guests,
            ready: SeatSet::default(),
            redeals: 0,
            recorded: 0,
        }
    }

    /// Returns the person's seat at a private table.
    ///
    /// # Errors
    /// The table is shared.
    pub fn owner(&self) -> Result<Seat, TableError> {
        match self.kind {
            RoomKind::Private { owner } => Ok(owner),
            RoomKind::Shared => Err(TableError::NotAlone),
        }
    }

    /// Opens a shared table. The cards are drawn from the provider's secret randomness: a person
    /// who chose them or their seed would know all hands.
    ///
    /// # Errors
    /// There can be no such match.
    pub fn shared(
        mut new_match: NewMatch,
        entrance: Entrance,
        provider: &dyn Provider,
    ) -> Result<Room, TableError> {
        (new_match.seed, new_match.record) = (Some(provider.seed()?), None);
        let opening = shuffled(new_match.opening(provider)?, provider)?;
        let table = Table::new(opening.clone(), SeatSet::default())?;
        let mut room = Room {
            opening,
            table,
            kind: RoomKind::Shared,
            guests: Guests::default(),
            ready: SeatSet::default(),
            redeals: MAX_REDEALS,
            recorded: 0,
        };
        room.sit(new_match.seat, entrance);
        room.seat_all();
        Ok(room)
    }

    /// Gives a person a seat: the seat they had, else one that is free. Before the first action of
    /// the match there are new cards for all. Later a newcomer waits for the next deal.
    ///
    /// # Errors
    /// Connected persons have all seats, or no cards can be drawn.
    pub fn enter(
        &mut self,
        entrance: Entrance,
        provider: &dyn Provider,
    ) -> Result<Seat, TableError> {
        if let Some(seat) = self.guests.seat_of(&entrance.key) {
            self.wake(seat);
            if let Some(guest) = &mut self.guests[seat] {
                guest.is_here = true;
            }
            return Ok(seat);
        }
        let seat = self.guests.free_seat(self.table.persons()).ok_or(TableError::Full)?;
        let opening = match self.redeals {
            0 => None,
            _ => Some(shuffled(self.opening.clone(), provider)?),
        };
        self.sit(seat, entrance);
        if let Some(opening) = opening {
            self.redeals -= 1;
            self.opening = opening;
            self.begin()?;
        }
        Ok(seat)
    }

    /// Gives a person a seat, who waits for the next deal.
    fn sit(&mut self, seat: Seat, Entrance { key, name, .. }: Entrance) {
        self.ready -= SeatSet::single(seat);
        self.guests[seat] = Some(Guest::newcomer(key, name));
    }

    /// Starts a new match for all who have a seat.
    fn begin(&mut self) -> Result<(), TableError> {
        self.table = Table::new(self.opening.clone(), self.table.persons())?;
        self.recorded = 0;
        self.seat_all();
        Ok(())
    }

    /// Lets newcomers play in the deal that begins.
    fn seat_all(&mut self) {
        self.ready = SeatSet::default();
        let mut played_by_persons = self.table.persons();
        for seat in Seat::ALL {
            if let Some(guest) = &mut self.guests[seat] {
                // A newcomer who is away when the deal comes waits for the next one.
                if guest.waits_for_deal && guest.is_here {
                    guest.waits_for_deal = false;
                    played_by_persons |= SeatSet::single(seat);
                }
                guest.played_whole_deal = played_by_persons.has(seat);
            }
        }
        self.table.set_persons(played_by_persons);
    }

    /// Takes back a seat for its person from a bot. Returns whether a bot had played there.
    pub fn wake(&mut self, seat: Seat) -> bool {
        let is_stood_in = !self.guests.waits_for_deal(seat) && !self.table.persons().has(seat);
        if is_stood_in {
            self.table.set_persons(self.table.persons() | SeatSet::single(seat));
        }
        is_stood_in
    }

    /// Marks the connection of a seat as lost. The person keeps the seat until [`Room::leave`] or
    /// [`Room::hand_over`].
    pub fn lose(&mut self, seat: Seat) {
        if let Some(guest) = &mut self.guests[seat] {
            guest.is_here = false;
        }
    }

    /// Lets a bot play on for a person who is away or inactive, until they are back or another
    /// person takes the seat.
    pub fn hand_over(&mut self, seat: Seat) {
        self.ready -= SeatSet::single(seat);
        self.table.set_persons(self.table.persons() - SeatSet::single(seat));
        if let Some(guest) = &mut self.guests[seat] {
            guest.played_whole_deal = false;
        }
    }

    /// Removes a person for good; a bot plays on.
    pub fn leave(&mut self, seat: Seat) {
        self.hand_over(seat);
        self.guests[seat] = None;
    }

    /// Returns whether a person is connected.
    pub fn is_visited(&self) -> bool {
        Seat::ALL.into_iter().any(|seat| self.guests.is_here(seat))
    }

    /// Returns whether no person has a seat.
    pub fn is_deserted(&self) -> bool {
        self.guests.iter().all(Option::is_none)
    }

    /// Returns the person who is waited for in play; `None` between deals.
    pub fn waits_for(&self) -> Option<Seat> {
        let turn = self.table.turn()?;
        self.table.persons().has(turn).then_some(turn)
    }

    /// Returns the persons who are waited for between deals: connected and not ready.
    pub fn not_ready(&self) -> SeatSet {
        let is_waited_for = |seat: &Seat| {
            self.guests.is_here(*seat) && self.table.persons().has(*seat) && !self.ready.has(*seat)
        };
        Seat::ALL.into_iter().filter(is_waited_for).collect()
    }

    /// Returns whether the table can go on without a person: a bot is to act, or all who are
    /// connected want the next deal.
    pub fn is_due(&self) -> bool {
        let goes_on = self.is_over() && self.is_wanted() && self.not_ready().is_empty();
        self.is_visited() && (self.table.is_bots_turn() || goes_on)
    }

    /// Returns whether the deal is over.
    pub fn is_over(&self) -> bool {
        self.table.scores().is_some()
    }

    /// Returns whether a person waits for the next deal.
    pub fn is_wanted(&self) -> bool {
        let waits = |guest: &Guest| guest.is_here && guest.waits_for_deal;
        !self.ready.is_empty() || self.guests.iter().flatten().any(waits)
    }

    /// Returns the observation of the bot whose turn it is; `None` if it is a person's turn, or no
    /// person is connected.
    pub fn bot_view(&self) -> Option<Observation> {
        self.table.bot_view().filter(|_| self.is_visited())
    }

    /// Takes the bot whose turn it is out of the table; see [`Table::bot_turn`].
    pub fn bot_turn(&mut self) -> Option<BotTurn> {
        self.table.bot_turn()
    }

    /// Applies the decision of a bot that was taken out of the table.
    ///
    /// # Errors
    /// It is not this bot's turn any more, or the action is not legal; the table is unchanged.
    pub fn finish(&mut self, turn: BotTurn, action: Action) -> Result<(), TableError> {
        self.table.finish(turn, action)
    }

    /// Lets the bot act or deals the next deal.
    ///
    /// # Errors
    /// The bot failed, or there can be no next deal; the table is unchanged.
    pub fn go_on(&mut self, provider: &dyn Provider) -> Result<(), TableError> {
        if self.table.is_bots_turn() {
            return self.table.let_bot_act();
        }
        if self.table.is_over() {
            self.opening = shuffled(self.opening.clone(), provider)?;
            return self.begin();
        }
        self.table.next_secret_deal(&mut SecretDeals::new(provider.secret()?))?;
        self.seat_all();
        Ok(())
    }

    /// Returns the record of a deal that has just ended. Each record is returned once.
    pub fn take_record(&mut self) -> Option<Record> {
        let number = self.table.deals_dealt();
        let is_new = self.table.scores().is_some() && number > self.recorded;
        is_new.then(|| {
            self.recorded = number;
            self.table.record()
        })
    }
}

/// Returns the opening with a freshly shuffled first deal and another seed for the bots, which is
/// independent of the cards.
fn shuffled(opening: Opening, provider: &dyn Provider) -> Result<Opening, TableError> {
    let mut source = SecretDeals::new(provider.secret()?);
    let dealer = source.first_dealer();
    let deal = source.shuffled(opening.rules, dealer);
    Ok(Opening { seed: provider.seed()?, deal: Some(deal), ..opening })
}

#[cfg(test)]
mod tests;
