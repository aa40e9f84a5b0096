//! Commands at a private table, for front ends with one person.

use crate::commands::{Command, PrivateCommand, Request};
use crate::contract_table::contract_table;
use crate::error::TableError;
use crate::messages::Message;
use crate::panics::attempt;
use crate::provider::Provider;
use crate::table::{CommandOutcome, Table};

/// A message that answers a command.
pub struct Answer {
    /// The message.
    pub message: Message,
    /// Whether [`go_on`] has the next message.
    pub bots_follow: bool,
}

impl Answer {
    /// Returns the table as its owner may see it, followed by the moves of bots.
    fn table(table: &Table) -> Result<Answer, TableError> {
        let message = table.show(table.owner()?, None);
        Ok(Answer { message, bots_follow: table.can_go_on() })
    }

    /// Returns a message that no other one follows.
    pub fn last(message: Message) -> Answer {
        Answer { message, bots_follow: false }
    }
}

/// Executes a front end's command at its private table, which is `None` until a match is started.
/// Returns the messages to show, one for each event.
pub fn handle(table: &mut Option<Table>, command: &[u8], provider: &dyn Provider) -> Vec<Message> {
    let mut answer = execute(table, Request::parse(command), provider);
    let mut messages = Vec::new();
    loop {
        messages.push(answer.message);
        match table {
            Some(table) if answer.bots_follow => answer = go_on(table, provider),
            _ => return messages,
        }
    }
}

/// Executes a command at a private table. Returns the first message that answers it.
///
/// If it panics, the command is refused, and the table is unchanged.
pub fn execute(table: &mut Option<Table>, request: Request, provider: &dyn Provider) -> Answer {
    let Request { command_type, command } = request;
    let answer =
        command.and_then(|command| attempt(table, |table| try_execute(table, command, provider)));
    answer.unwrap_or_else(|error| Answer::last(Message::refused(&command_type, &error)))
}

/// Lets the bot whose turn it is at a private table act. Returns the message to show.
///
/// If it panics, the action is refused, and the table is unchanged.
pub fn go_on(table: &mut Table, provider: &dyn Provider) -> Answer {
    let answer = attempt(table, |table| {
        table.go_on(provider)?;
        Answer::table(table)
    });
    answer.unwrap_or_else(|error| Answer::last(Message::bot_failed(&error)))
}

/// Does the work of [`execute`], whose caller catches panics.
fn try_execute(
    table: &mut Option<Table>,
    command: Command,
    provider: &dyn Provider,
) -> Result<Answer, TableError> {
    if let Some(table) = table {
        return match table.execute(table.owner()?, command, provider)? {
            CommandOutcome::Answer(message) => Ok(Answer::last(message)),
            CommandOutcome::Changed | CommandOutcome::Unchanged => Answer::table(table),
        };
    }
    let opened = match command {
        Command::Private(PrivateCommand::New(new_match)) => Table::private(&new_match, provider)?,
        Command::Private(PrivateCommand::Restore { new_match, deals }) => {
            Table::restore(&new_match, &deals, provider)?
        }
        Command::Rules { rules, rule_file } => {
            let answer = contract_table(&rules, rule_file.as_deref(), provider)?;
            return Ok(Answer::last(answer));
        }
        Command::Shared(_) | Command::Enter { .. } => return Err(TableError::NotShared),
        Command::Play(_) | Command::Study(_) | Command::Private(_) => {
            return Err(TableError::NoMatch);
        }
    };
    Answer::table(table.insert(opened))
}

#[cfg(test)]
mod tests;
