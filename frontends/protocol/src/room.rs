//! A table and the persons at it: one with bots, or several who sit down and leave as they like.
//! See `docs/table.md`.

use troel_env::{Action, BySeat, Observation, Record, Seat, SeatSet, SecretDeals};

use crate::commands::{Command, Entrance, NewMatch};
use crate::contract_table::contract_table;
use crate::error::TableError;
use crate::messages::{Message, People, Person, SeatedView, SharedView, TableView};
use crate::provider::Provider;
use crate::table::{BotTurn, Opening, Table};

/// New cards for newcomers before anybody acts: one for each person who may sit down beside the
/// first.
const MAX_REDEALS: u8 = 3;

/// A person at the table.
#[derive(Clone)]
struct Guest {
    key: String,
    name: String,
    /// Whether there is a connection at this moment.
    is_here: bool,
    /// Whether the person waits for the next deal: nobody sees a hand in the middle of a deal who
    /// did not hold it.
    is_new: bool,
    /// Whether no bot has stood in during this deal.
    is_whole: bool,
}

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
    /// The person's seat at a private table; `None` if the table is shared.
    owner: Option<Seat>,
    guests: BySeat<Option<Guest>>,
    /// Seats that want the next deal.
    ready: SeatSet,
    /// Number of times that newcomers may still get new cards before the first action. Without a
    /// limit a person could choose a hand.
    redeals: u8,
    /// Number of the last deal of which the record was taken, from 1.
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
        Ok(Room::around(table, opening, new_match.seat))
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
        let mut room = Room::around(table, opening, owner);
        // The deals that are over were recorded when they ended.
        room.recorded = room.table.deals_dealt() - u32::from(!room.is_over());
        Ok(room)
    }

    /// The private table of a person.
    fn around(table: Table, opening: Opening, owner: Seat) -> Room {
        let mut guests = BySeat::default();
        guests[owner] = Some(Guest {
            key: String::new(),
            name: String::new(),
            is_here: true,
            is_new: false,
            is_whole: true,
        });
        Room {
            opening,
            table,
            owner: Some(owner),
            guests,
            ready: SeatSet::default(),
            redeals: 0,
            recorded: 0,
        }
    }

    /// The person's seat at a private table.
    ///
    /// # Errors
    /// The table is shared.
    pub fn owner(&self) -> Result<Seat, TableError> {
        self.owner.ok_or(TableError::NotAlone)
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
            owner: None,
            guests: BySeat::default(),
            ready: SeatSet::default(),
            redeals: MAX_REDEALS,
            recorded: 0,
        };
        room.sit(new_match.seat, entrance);
        room.seat_all();
        Ok(room)
    }

    /// Lets somebody sit down: where they sat, or opposite to somebody, or at any seat that is
    /// free; at one that somebody has left only if there is no other. Before anybody has acted
    /// there are new cards for all, later a newcomer waits for the next deal.
    ///
    /// # Errors
    /// Persons who are here sit everywhere, or no cards can be drawn.
    pub fn enter(
        &mut self,
        entrance: Entrance,
        provider: &dyn Provider,
    ) -> Result<Seat, TableError> {
        if let Some(seat) = self.seat_of(&entrance.key) {
            self.wake(seat);
            if let Some(guest) = &mut self.guests[seat] {
                guest.is_here = true;
            }
            return Ok(seat);
        }
        let is_empty = |seat: &Seat| self.guests[*seat].is_none();
        let is_stood_in = |seat: &Seat| {
            let is_away = self.guests[*seat].as_ref().is_some_and(|guest| !guest.is_here);
            is_away && !self.table.persons().has(*seat)
        };
        let taken = Seat::ALL.into_iter().filter(|seat| !is_empty(seat));
        let mut opposite = taken.map(|seat| seat.plus(2)).filter(is_empty);
        let mut empty = Seat::ALL.into_iter().filter(is_empty);
        let mut left = Seat::ALL.into_iter().filter(is_stood_in);
        let seat = opposite.next().or_else(|| empty.next()).or_else(|| left.next());
        let seat = seat.ok_or(TableError::Full)?;
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

    fn seat_of(&self, key: &str) -> Option<Seat> {
        let is_own =
            |seat: &Seat| self.guests[*seat].as_ref().is_some_and(|guest| guest.key == key);
        Seat::ALL.into_iter().find(is_own)
    }

    fn sit(&mut self, seat: Seat, Entrance { key, name, .. }: Entrance) {
        self.ready = self.ready - SeatSet::single(seat);
        self.guests[seat] = Some(Guest { key, name, is_here: true, is_new: true, is_whole: false });
    }

    /// A new match for all who sit at the table.
    fn begin(&mut self) -> Result<(), TableError> {
        self.table = Table::new(self.opening.clone(), self.table.persons())?;
        self.recorded = 0;
        self.seat_all();
        Ok(())
    }

    /// Who waited for a deal has it.
    fn seat_all(&mut self) {
        self.ready = SeatSet::default();
        let mut persons = self.table.persons();
        for seat in Seat::ALL {
            if let Some(guest) = &mut self.guests[seat] {
                // Somebody who is away when the deal comes waits for the next one.
                if guest.is_new && guest.is_here {
                    guest.is_new = false;
                    persons |= SeatSet::single(seat);
                }
                guest.is_whole = persons.has(seat);
            }
        }
        self.table.set_persons(persons);
    }

    /// The person of a seat is there again, for whom a bot may have played. True if one did.
    pub fn wake(&mut self, seat: Seat) -> bool {
        let is_stood_in = self.guests[seat].as_ref().is_some_and(|guest| !guest.is_new)
            && !self.table.persons().has(seat);
        if is_stood_in {
            self.table.set_persons(self.table.persons() | SeatSet::single(seat));
        }
        is_stood_in
    }

    /// The connection of a seat is lost; the seat is kept until [`Room::leave`] or
    /// [`Room::hand_over`].
    pub fn lose(&mut self, seat: Seat) {
        if let Some(guest) = &mut self.guests[seat] {
            guest.is_here = false;
        }
    }

    /// A bot plays on for somebody who is away, or does nothing: until they are there again, or
    /// another sits down.
    pub fn hand_over(&mut self, seat: Seat) {
        self.ready = self.ready - SeatSet::single(seat);
        self.table.set_persons(self.table.persons() - SeatSet::single(seat));
        if let Some(guest) = &mut self.guests[seat] {
            guest.is_whole = false;
        }
    }

    /// Somebody leaves for good; a bot plays on.
    pub fn leave(&mut self, seat: Seat) {
        self.hand_over(seat);
        self.guests[seat] = None;
    }

    /// Whether anybody is here.
    pub fn is_visited(&self) -> bool {
        self.guests.iter().flatten().any(|guest| guest.is_here)
    }

    /// Whether nobody has a seat any more.
    pub fn is_deserted(&self) -> bool {
        self.guests.iter().all(Option::is_none)
    }

    /// The person who is waited for, in play; between deals none.
    pub fn waits_for(&self) -> Option<Seat> {
        let turn = self.table.turn()?;
        self.table.persons().has(turn).then_some(turn)
    }

    /// Those who are waited for between deals: they are here, and have not said to be ready.
    pub fn not_ready(&self) -> SeatSet {
        let is_waited_for = |seat: &Seat| {
            let is_here = self.guests[*seat].as_ref().is_some_and(|guest| guest.is_here);
            is_here && self.table.persons().has(*seat) && !self.ready.has(*seat)
        };
        Seat::ALL.into_iter().filter(is_waited_for).collect()
    }

    /// Whether something is to be done without a person: a bot is to act, or the next deal is due,
    /// which all who are here want.
    pub fn is_due(&self) -> bool {
        let goes_on = self.is_over() && self.is_wanted() && self.not_ready().is_empty();
        self.is_visited() && (self.table.is_bots_turn() || goes_on)
    }

    /// Whether the deal is over.
    pub fn is_over(&self) -> bool {
        self.table.scores().is_some()
    }

    /// Whether somebody waits for the next deal.
    pub fn is_wanted(&self) -> bool {
        let is_new = |guest: &Guest| guest.is_here && guest.is_new;
        !self.ready.is_empty() || self.guests.iter().flatten().any(is_new)
    }

    /// The observation of the bot whose turn it is; `None` where it is a person's turn, or nobody
    /// is here.
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

    /// Does what is due.
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

    /// Executes the command of the person at this seat.
    ///
    /// # Errors
    /// It is refused; nothing changed.
    pub fn execute(
        &mut self,
        seat: Seat,
        command: Command,
        provider: &dyn Provider,
    ) -> Result<Outcome, TableError> {
        // These concern no deal, so that a person without one may send them.
        let is_of_a_deal = !matches!(command, Command::Rules { .. } | Command::Here);
        if is_of_a_deal && self.guests[seat].as_ref().is_none_or(|guest| guest.is_new) {
            return Err(TableError::NotYourTurn);
        }
        match self.owner {
            Some(_) => self.execute_private(seat, command, provider),
            None => self.execute_shared(seat, command, provider),
        }
    }

    fn execute_private(
        &mut self,
        seat: Seat,
        command: Command,
        provider: &dyn Provider,
    ) -> Result<Outcome, TableError> {
        match command {
            Command::New(new_match) => *self = Room::private(&new_match, provider)?,
            Command::Restore { new_match, deals } => {
                *self = Room::restore(&new_match, &deals, provider)?;
            }
            Command::Act { action } => self.table.act(seat, &action)?,
            Command::Claim => self.table.claim(seat)?,
            Command::Undo => self.table.undo(seat)?,
            Command::Back { to } => self.table.back(seat, to)?,
            Command::Again { bots } => {
                let (id, before) = (self.table.rules().id(), self.table.bots().clone());
                self.table.again(bots.bots(id, provider, before)?);
            }
            Command::Next => self.table.next_deal()?,
            Command::Hint => return Ok(Outcome::Answer(Message::Hint(self.table.hint(seat)?))),
            Command::Review { from } => {
                return Ok(Outcome::Answer(Message::Review(self.table.review(seat, from)?)));
            }
            Command::Values { at } => {
                return Ok(Outcome::Answer(Message::Values(self.table.values(at)?)));
            }
            Command::Par => return Ok(Outcome::Answer(Message::Par(self.table.par()?))),
            Command::Rules { rules } => {
                return Ok(Outcome::Answer(contract_table(&rules, provider)?));
            }
            Command::Share { .. } | Command::Join(_) | Command::Here | Command::Leave => {
                return Err(TableError::NotShared);
            }
        }
        // A deal that is played again is recorded again.
        if !self.is_over() {
            self.recorded = self.recorded.min(self.table.deals_dealt() - 1);
        }
        Ok(Outcome::Changed)
    }

    fn execute_shared(
        &mut self,
        seat: Seat,
        command: Command,
        provider: &dyn Provider,
    ) -> Result<Outcome, TableError> {
        match command {
            Command::Act { action } => self.table.act(seat, &action)?,
            Command::Claim => self.table.claim(seat)?,
            Command::Next => {
                if !self.is_over() {
                    return Err(TableError::NotOver);
                }
                if self.ready.has(seat) {
                    return Ok(Outcome::Unchanged);
                }
                self.ready |= SeatSet::single(seat);
                return Ok(Outcome::Changed);
            }
            Command::Review { .. } | Command::Values { .. } | Command::Par => {
                return self.copy(seat)?.execute(seat, command, provider);
            }
            // These would change the game for the others, or give an advantage over them.
            Command::New(_)
            | Command::Restore { .. }
            | Command::Undo
            | Command::Back { .. }
            | Command::Again { .. }
            | Command::Hint
            | Command::Share { .. }
            | Command::Join(_) => return Err(TableError::NotAlone),
            Command::Rules { rules } => {
                return Ok(Outcome::Answer(contract_table(&rules, provider)?));
            }
            Command::Here | Command::Leave => return Ok(Outcome::Unchanged),
        }
        self.redeals = 0;
        Ok(Outcome::Changed)
    }

    /// A private table for the person at this seat, at the end of the current deal. Questions about
    /// the deal can be answered there while the others play on.
    ///
    /// # Errors
    /// The deal is not over, or the person did not play it.
    pub fn copy(&self, seat: Seat) -> Result<Room, TableError> {
        let is_whole = self.guests[seat].as_ref().is_some_and(|guest| guest.is_whole);
        let record = self.table.scores().map(|_| self.table.record()).filter(|_| is_whole);
        let record = record.ok_or(TableError::NotOver)?;
        let deal = record.full_deal(self.opening.rules);
        let deal = deal.map_err(|error| TableError::Failed(error.to_string()))?;
        let opening = Opening { deal: Some(deal), ..self.opening.clone() };
        Room::restored(opening, seat, &[record.actions])
    }

    /// The `table` message for the person at this seat, or `seated` before the person's first deal.
    /// `token` is the token that a link to a shared table needs, if any.
    pub fn show(&self, seat: Seat, token: Option<&str>) -> Message {
        if self.owner.is_some() {
            return Message::Table(Box::new(self.table.show(seat)));
        }
        let guests = Seat::ALL.into_iter().filter_map(|s| self.guests[s].as_ref().map(|g| (s, g)));
        let person = |(s, guest): (Seat, &Guest)| {
            let bot = !self.table.persons().has(s);
            let person = Person {
                name: guest.name.clone(),
                here: guest.is_here,
                bot,
                whole: guest.is_whole,
            };
            (s.letter(), person)
        };
        let people: People = guests.map(person).collect();
        if self.guests[seat].as_ref().is_none_or(|guest| guest.is_new) {
            let rules = self.opening.rules.id().to_string();
            return Message::Seated(SeatedView { rules, you: seat, people });
        }
        let shared = SharedView {
            people,
            ready: self.ready.iter().collect(),
            token: token.map(str::to_string),
        };
        Message::Table(Box::new(TableView {
            undo: false,
            mine: Vec::new(),
            shared: Some(shared),
            ..self.table.show(seat)
        }))
    }

    /// The record of a deal that has just ended. Each is returned once.
    pub fn take_record(&mut self) -> Option<Record> {
        let number = self.table.deals_dealt();
        let is_new = self.table.scores().is_some() && number > self.recorded;
        is_new.then(|| {
            self.recorded = number;
            self.table.record()
        })
    }
}

/// The same opening with a freshly shuffled first deal, and another seed for the bots, which tells
/// nothing about the cards.
fn shuffled(opening: Opening, provider: &dyn Provider) -> Result<Opening, TableError> {
    let mut source = SecretDeals::new(provider.secret()?);
    let dealer = source.first_dealer();
    let deal = source.shuffled(opening.rules, dealer);
    Ok(Opening { seed: provider.seed()?, deal: Some(deal), ..opening })
}

#[cfg(test)]
mod tests;
