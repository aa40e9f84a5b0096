//! The messages between Troel and its front ends.
//!
//! [`protocol`] answers the bot protocol, which is stateless: each request carries all that a seat may see. [`table`]
//! is a match of one person against three bots, for front ends that do not know the rules.

pub mod protocol;
pub mod table;

pub use protocol::{Refusal, Responder};
pub use table::{Opening, Table, TableError};
