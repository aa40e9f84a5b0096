//! Executes the commands of persons.

use troel_env::{Seat, SeatSet};

use super::{CommandOutcome, Table, TableAccess};
use crate::commands::{Command, PlayCommand, PrivateCommand, StudyCommand};
use crate::contract_table::contract_table;
use crate::error::TableError;
use crate::live_match::MatchSettings;
use crate::messages::Message;
use crate::provider::Provider;
use crate::review::ParView;

impl Table {
    /// Executes the command of the person at this seat. At a shared table `here`, `leave` and `say`
    /// change nothing: the server resumes seats, removes persons ([`Table::resume_seat`],
    /// [`Table::leave`]) and passes on phrases.
    ///
    /// # Errors
    /// It is refused; nothing changed.
    pub fn execute(
        &mut self,
        seat: Seat,
        command: Command,
        provider: &dyn Provider,
    ) -> Result<CommandOutcome, TableError> {
        // A person who waits for the next deal may send these: they do not concern a deal.
        let needs_deal = !matches!(command, Command::Rules { .. } | Command::Shared(_));
        if needs_deal && self.seated.waits_for_deal(seat) {
            return Err(TableError::NotYourTurn);
        }
        match (self.access, command) {
            (_, Command::Rules { rules, rule_file }) => {
                Ok(CommandOutcome::Answer(contract_table(&rules, rule_file.as_deref(), provider)?))
            }
            (_, Command::Play(command)) => self.play(seat, command),
            (TableAccess::Private { .. }, Command::Study(question)) => self.answer(seat, question),
            (TableAccess::Shared, Command::Study(question)) => {
                self.private_copy(seat)?.answer(seat, question)
            }
            (TableAccess::Private { .. }, Command::Private(command)) => {
                self.execute_private(seat, command, provider)
            }
            (TableAccess::Shared, Command::Shared(_)) => Ok(CommandOutcome::Unchanged),
            (TableAccess::Private { .. }, Command::Shared(_) | Command::Enter { .. }) => {
                Err(TableError::NotShared)
            }
            (TableAccess::Shared, Command::Private(_) | Command::Enter { .. }) => {
                Err(TableError::NotPrivate)
            }
        }
    }

    fn play(&mut self, seat: Seat, command: PlayCommand) -> Result<CommandOutcome, TableError> {
        match command {
            PlayCommand::Act { action } => self.live_match.act(seat, &action)?,
            PlayCommand::Claim => self.live_match.claim(seat)?,
            PlayCommand::Next => match self.access {
                TableAccess::Private { .. } => self.live_match.next_deal()?,
                TableAccess::Shared => return self.make_ready(seat),
            },
        }
        Ok(self.note_change())
    }

    /// Answers a question about a deal that is over.
    fn answer(&mut self, seat: Seat, question: StudyCommand) -> Result<CommandOutcome, TableError> {
        Ok(CommandOutcome::Answer(match question {
            StudyCommand::Review { decision } => {
                Message::Review(self.live_match.review(seat, decision)?)
            }
            StudyCommand::Values { actions_before } => {
                Message::Values(self.live_match.values(actions_before)?)
            }
            StudyCommand::Par => Message::Par(ParView::from(&self.live_match.par()?)),
            StudyCommand::Results => Message::Results(self.live_match.results(seat)?),
        }))
    }

    /// Executes a command of the owner of this private table.
    fn execute_private(
        &mut self,
        seat: Seat,
        command: PrivateCommand,
        provider: &dyn Provider,
    ) -> Result<CommandOutcome, TableError> {
        match command {
            PrivateCommand::New(new_match) => *self = Table::private(&new_match, provider)?,
            PrivateCommand::Restore { new_match, deals } => {
                *self = Table::restore(&new_match, &deals, provider)?;
            }
            PrivateCommand::Undo => self.live_match.undo(seat)?,
            PrivateCommand::Back { to } => self.live_match.go_back(seat, to)?,
            PrivateCommand::Again { bots } => {
                let before = self.live_match.bots().clone();
                self.live_match.replay_deal(bots.bots(before)?);
            }
            PrivateCommand::Hint => {
                return Ok(CommandOutcome::Answer(Message::Hint(
                    self.live_match.hint(seat)?.into(),
                )));
            }
        }
        Ok(self.note_change())
    }

    /// Ends the redeals after a command of a person, and returns the outcome.
    fn note_change(&mut self) -> CommandOutcome {
        self.redeals_left = 0;
        // A deal that is played again is recorded again.
        if !self.is_deal_over() {
            self.last_recorded = self.last_recorded.min(self.live_match.deals_dealt() - 1);
        }
        CommandOutcome::Changed
    }

    /// Notes that the person at this seat of a shared table wants the next deal.
    fn make_ready(&mut self, seat: Seat) -> Result<CommandOutcome, TableError> {
        if !self.is_deal_over() {
            return Err(TableError::NotOver);
        }
        if self.ready.has(seat) {
            return Ok(CommandOutcome::Unchanged);
        }
        self.ready |= SeatSet::single(seat);
        Ok(CommandOutcome::Changed)
    }

    /// Returns a private table for the person at this seat, at the end of the current deal. It
    /// answers questions about the deal while the others play on.
    ///
    /// # Errors
    /// The deal is not over, or the person did not play it.
    pub fn private_copy(&self, seat: Seat) -> Result<Table, TableError> {
        let played_whole_deal =
            self.seated[seat].as_ref().is_some_and(|person| person.played_whole_deal);
        if !self.is_deal_over() || !played_whole_deal {
            return Err(TableError::NotOver);
        }
        let record = self.live_match.record();
        let deal = record.full_deal(self.live_match.rules());
        let deal = deal.map_err(|error| TableError::CannotAnswer(error.to_string()))?;
        let settings = MatchSettings { deal: Some(deal), ..self.live_match.settings().clone() };
        Table::from_deals(settings, seat, &[record.actions])
    }
}
