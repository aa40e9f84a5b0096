//! The messages between Troel and its front ends.
//!
//! - [`bot_protocol`] answers the bot protocol, which is stateless: each request carries everything
//!   that a seat may see.
//! - A [`Table`] has four seats at which persons and bots play, for front ends that do not know the
//!   rules. A private table has one person, a shared one several.
//! - A [`LiveMatch`] is the match that is played at a table.
//! - [`commands`] has the commands of front ends, and a [`Message`] is an answer.
//! - [`private_table`] executes commands at a private table.
//! - A [`Provider`] gives tables their rule sets and bots.
//! - [`review`] has hints and reviews as messages.
//! - [`attempt`] runs steps that may panic.

pub mod bot_protocol;
pub mod commands;
mod contract_table;
mod error;
mod json;
mod live_match;
mod messages;
mod panics;
pub mod private_table;
mod provider;
pub mod review;
mod table;

pub use bot_protocol::{Refusal, RefusalCode, Responder};
pub use error::{StartError, TableError};
pub use live_match::{BotTurn, LiveMatch, MatchSettings};
pub use messages::{
    ContractRow, Message, People, Person, RefusedView, ReviewView, RulesView, SaidView, ServerLink,
    SharedView, TableView, TrickCard, ValuesView, VisibleAction,
};
pub use panics::{attempt, catch_panic};
pub use provider::{Provider, SEATABLE_BOTS, find_seatable_bot};
pub use table::{CommandOutcome, SavedTable, Table};
