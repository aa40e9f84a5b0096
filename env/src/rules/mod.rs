//! Rule sets: a contract table and options, read from TOML and compiled into tables.

mod built_in;
mod compile;
pub(crate) mod reference;
mod spec;

pub use compile::RuleSet;
pub(crate) use spec::MAX_CONTRACTS;
pub(crate) use spec::MAX_POINTS;
pub use spec::{ContractSpec, DealMethod, Family, Scoring, Spec};
