//! The messages between Troel and its front ends.
//!
//! [`protocol`] answers the bot protocol, which is stateless: each request carries all that a seat
//! may see. [`table`] is a match of persons and bots, for front ends that do not know the rules,
//! and [`commands`] what they say to it, [`messages`] what it answers. [`review`] tells what
//! decisions cost. [`room`] is a table of several persons.

pub mod commands;
pub mod error;
mod json;
pub mod messages;
pub mod protocol;
pub mod review;
pub mod room;
pub mod table;

pub use commands::{Provider, Seated};
pub use error::TableError;
pub use messages::Message;
pub use protocol::{Refusal, RefusalCode, Responder};
pub use table::{BotTurn, Opening, Table};
