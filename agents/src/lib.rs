//! Troel's bots.
//!
//! Rooms: [`agent`] says what a bot is; [`rule_based`] plays by rules of thumb; [`double_dummy`] solves deals
//! whose cards are all seen; [`foreign`] is other programs at the table; [`network`] holds the policy network and its checkpoint bundles; [`roster`] finds bots by name.

pub mod agent;
pub mod double_dummy;
pub mod foreign;
pub mod network;
pub mod roster;
pub mod rule_based;
pub mod search;

pub use agent::{Agent, Random};
pub use foreign::Foreign;
pub use roster::{Entry, RosterError, find_rules};
pub use rule_based::RuleBased;
pub use search::{Expert, Pimc};
