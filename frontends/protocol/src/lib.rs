//! The messages between Troel and its front ends.
//!
//! [`protocol`] answers the bot protocol, which is stateless: each request carries everything that
//! a seat may see. [`table`] is a match of persons and bots, for front ends that do not know the
//! rules. [`room`] seats persons at a table: one with bots, or several. [`commands`] has the
//! commands of front ends, [`messages`] the answers, and [`private_table`] runs a table with one
//! person. A [`provider`] gives tables their rule sets and bots. [`review`] judges decisions.

pub mod commands;
mod contract_table;
pub mod error;
mod json;
pub mod messages;
pub mod private_table;
pub mod protocol;
pub mod provider;
pub mod review;
pub mod room;
pub mod table;

pub use error::TableError;
pub use messages::Message;
pub use protocol::{Refusal, RefusalCode, Responder};
pub use provider::Provider;
pub use room::Room;
pub use table::{BotTurn, Opening, Table};
