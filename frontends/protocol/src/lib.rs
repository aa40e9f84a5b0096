//! The messages between Troel and its front ends.
//!
//! [`bot_protocol`] answers the bot protocol, which is stateless: each request carries everything
//! that a seat may see. A [`table`] has four seats at which persons and bots play, for front ends
//! that do not know the rules: a private table has one person, a shared one several. A
//! [`live_match`] is the match that is played at a table. [`commands`] has the commands of front
//! ends, [`messages`] the answers, and [`private_table`] executes commands at a private table. A
//! [`provider`] gives tables their rule sets and bots. [`review`] has
//! hints and reviews as messages, and [`panics`] runs steps that may panic.

pub mod bot_protocol;
pub mod commands;
mod contract_table;
pub mod error;
mod json;
pub mod live_match;
pub mod messages;
pub mod panics;
pub mod private_table;
pub mod provider;
pub mod review;
pub mod table;

pub use bot_protocol::{Refusal, RefusalCode, Responder};
pub use error::{OpenFault, TableError};
pub use live_match::{BotTurn, LiveMatch, MatchSettings};
pub use messages::Message;
pub use provider::Provider;
pub use table::Table;
