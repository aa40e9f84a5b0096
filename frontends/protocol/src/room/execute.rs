//! Executes the commands of persons.

use troel_env::{Seat, SeatSet};

use super::{Outcome, Room, RoomKind};
use crate::commands::{Command, Scope};
use crate::contract_table::contract_table;
use crate::error::TableError;
use crate::messages::Message;
use crate::provider::Provider;
use crate::table::Opening;

impl Room {
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
        let needs_deal = !matches!(command, Command::Rules { .. } | Command::Here);
        if needs_deal && self.guests.waits_for_deal(seat) {
            return Err(TableError::NotYourTurn);
        }
        match (self.kind, command.scope()) {
            (RoomKind::Private { .. }, Scope::Shared | Scope::Entrance) => {
                return Err(TableError::NotShared);
            }
            (RoomKind::Shared, Scope::Private | Scope::Entrance) => {
                return Err(TableError::NotAlone);
            }
            (RoomKind::Shared, Scope::Study) => {
                return self.copy(seat)?.execute(seat, command, provider);
            }
            _ => {}
        }
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
            Command::Next => match self.kind {
                RoomKind::Private { .. } => self.table.next_deal()?,
                RoomKind::Shared => return self.make_ready(seat),
            },
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
            // The host of a shared table wakes and removes persons. The last two were refused
            // above.
            Command::Here | Command::Leave | Command::Share { .. } | Command::Join(_) => {
                return Ok(Outcome::Unchanged);
            }
        }
        self.redeals = 0;
        // A deal that is played again is recorded again.
        if !self.is_over() {
            self.recorded = self.recorded.min(self.table.deals_dealt() - 1);
        }
        Ok(Outcome::Changed)
    }

    /// Notes that the person at this seat of a shared table wants the next deal.
    fn make_ready(&mut self, seat: Seat) -> Result<Outcome, TableError> {
        if !self.is_over() {
            return Err(TableError::NotOver);
        }
        if self.ready.has(seat) {
            return Ok(Outcome::Unchanged);
        }
        self.ready |= SeatSet::single(seat);
        Ok(Outcome::Changed)
    }

    /// Returns a private table for the person at this seat, at the end of the current deal. It
    /// answers questions about the deal while the others play on.
    ///
    /// # Errors
    /// The deal is not over, or the person did not play it.
    pub fn copy(&self, seat: Seat) -> Result<Room, TableError> {
        let played_whole_deal =
            self.guests[seat].as_ref().is_some_and(|guest| guest.played_whole_deal);
        let record = self.table.scores().map(|_| self.table.record()).filter(|_| played_whole_deal);
        let record = record.ok_or(TableError::NotOver)?;
        let deal = record.full_deal(self.opening.rules);
        let deal = deal.map_err(|error| TableError::Failed(error.to_string()))?;
        let opening = Opening { deal: Some(deal), ..self.opening.clone() };
        Room::restored(opening, seat, &[record.actions])
    }
}
