//! Executes the commands of persons.

use troel_env::{Seat, SeatSet};

use super::{Outcome, Room, RoomKind};
use crate::commands::{Command, PlayCommand, PrivateCommand, SharedCommand, StudyCommand};
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
        // A person who waits for the next deal may send these: they do not concern a deal.
        let needs_deal =
            !matches!(command, Command::Rules { .. } | Command::Shared(SharedCommand::Here));
        if needs_deal && self.guests.waits_for_deal(seat) {
            return Err(TableError::NotYourTurn);
        }
        match (self.kind, command) {
            (_, Command::Rules { rules }) => Ok(Outcome::Answer(contract_table(&rules, provider)?)),
            (_, Command::Play(command)) => self.play(seat, command),
            (RoomKind::Private { .. }, Command::Study(question)) => self.answer(seat, question),
            (RoomKind::Shared, Command::Study(question)) => self.copy(seat)?.answer(seat, question),
            (RoomKind::Private { .. }, Command::Private(command)) => {
                self.execute_private(seat, command, provider)
            }
            // The host of a shared table wakes and removes persons.
            (RoomKind::Shared, Command::Shared(_)) => Ok(Outcome::Unchanged),
            (RoomKind::Private { .. }, Command::Shared(_) | Command::Enter { .. }) => {
                Err(TableError::NotShared)
            }
            (RoomKind::Shared, Command::Private(_) | Command::Enter { .. }) => {
                Err(TableError::NotAlone)
            }
        }
    }

    fn play(&mut self, seat: Seat, command: PlayCommand) -> Result<Outcome, TableError> {
        match command {
            PlayCommand::Act { action } => self.table.act(seat, &action)?,
            PlayCommand::Claim => self.table.claim(seat)?,
            PlayCommand::Next => match self.kind {
                RoomKind::Private { .. } => self.table.next_deal()?,
                RoomKind::Shared => return self.make_ready(seat),
            },
        }
        Ok(self.changed())
    }

    /// Answers a question about a deal that is over.
    fn answer(&mut self, seat: Seat, question: StudyCommand) -> Result<Outcome, TableError> {
        Ok(Outcome::Answer(match question {
            StudyCommand::Review { from } => Message::Review(self.table.review(seat, from)?),
            StudyCommand::Values { at } => Message::Values(self.table.values(at)?),
            StudyCommand::Par => Message::Par(self.table.par()?),
        }))
    }

    /// Executes a command of the owner of this private table.
    fn execute_private(
        &mut self,
        seat: Seat,
        command: PrivateCommand,
        provider: &dyn Provider,
    ) -> Result<Outcome, TableError> {
        match command {
            PrivateCommand::New(new_match) => *self = Room::private(&new_match, provider)?,
            PrivateCommand::Restore { new_match, deals } => {
                *self = Room::restore(&new_match, &deals, provider)?;
            }
            PrivateCommand::Undo => self.table.undo(seat)?,
            PrivateCommand::Back { to } => self.table.back(seat, to)?,
            PrivateCommand::Again { bots } => {
                let (id, before) = (self.table.rules().id(), self.table.bots().clone());
                self.table.again(bots.bots(id, provider, before)?);
            }
            PrivateCommand::Hint => {
                return Ok(Outcome::Answer(Message::Hint(self.table.hint(seat)?)));
            }
        }
        Ok(self.changed())
    }

    /// Ends the redeals after a command of a person, and returns the outcome.
    fn changed(&mut self) -> Outcome {
        self.redeals = 0;
        // A deal that is played again is recorded again.
        if !self.is_over() {
            self.recorded = self.recorded.min(self.table.deals_dealt() - 1);
        }
        Outcome::Changed
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
