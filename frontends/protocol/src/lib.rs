//! The messages between Troel and its front ends.
//!
//! [`protocol`] answers the bot protocol, which is stateless: each request carries all that a seat may see. [`table`]
//! is a match of persons and bots, for front ends that do not know the rules, and [`commands`] what they say
//! to it. [`review`] tells what decisions cost. [`room`] is a table of several persons.

pub mod commands;
pub mod error;
pub mod protocol;
pub mod review;
pub mod room;
pub mod table;

pub use commands::{House, Seated};
pub use error::TableError;
pub use protocol::{Refusal, Responder};
pub use table::{BotTurn, Opening, Table};
