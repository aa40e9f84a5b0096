//! Rule sets: a contract table and options, read from TOML and compiled into tables.

mod bounds;
mod built_in;
mod call_rank;
mod compile;
pub(crate) mod reference;
mod spec;

pub use call_rank::CallRank;
pub use compile::RuleSet;
pub(crate) use spec::MAX_CONTRACTS;
pub(crate) use spec::MAX_POINTS;
pub use spec::{ContractSpec, DealMethod, Family, Scoring, Spec};
