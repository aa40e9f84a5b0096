//! The messages between Troel and its front ends.
//!
//! [`protocol`] answers the bot protocol, which is stateless: each request carries everything that a
//! seat may see. [`table`] is a match of persons and bots, for front ends that do not know the
//! rules. [`room`] seats persons at a table: one with bots, or several. [`commands`] has what a
//! front end may ask of it, [`messages`] the answers. [`review`] judges decisions.

pub mod commands;
pub mod error;
mod json;
pub mod messages;
pub mod protocol;
pub mod review;
pub mod room;
pub mod table;

pub use commands::Provider;
pub use error::TableError;
pub use messages::Message;
pub use protocol::{Refusal, RefusalCode, Responder};
pub use room::Room;
pub use table::{BotTurn, Opening, Table};
