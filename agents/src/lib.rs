//! Troel's bots.
//!
//! Rooms: [`agent`] says what a bot is; [`rule_based`] plays by rules of thumb; [`network`]
//! holds the policy network and its checkpoint bundles; [`roster`] finds bots by name.

pub mod agent;
pub mod network;
pub mod roster;
pub mod rule_based;

pub use agent::{Agent, Random};
pub use roster::{Entry, RosterError, find_rules};
pub use rule_based::RuleBased;
