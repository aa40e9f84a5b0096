//! The messages that front ends of troel speak.
//!
//! [`protocol`] answers the bot protocol: requests that each carry all that a seat may see, so that nothing is kept between
//! them. [`table`] is a person at a table with three bots, for front ends that know no rules.

pub mod protocol;
pub mod table;

pub use protocol::{Refusal, Responder};
pub use table::{Opening, Table, TableError};
