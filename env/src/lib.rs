//! Colour whist as an environment for reinforcement learning. Four players bid in an auction and
//! play thirteen tricks, in the rules of Luxembourg and Flanders.
//!
//! Modules in the order of their dependencies:
//!
//! | module | contents |
//! |---|---|
//! | [`cards`] | cards, suits and sets of cards |
//! | [`seat`] | the four seats, values by seat and sets of seats |
//! | [`phase`] | phases of a deal |
//! | [`contract`] | contracts and their kinds |
//! | [`action`] | actions, their numbers and codes, and action masks |
//! | [`error`] | error types |
//! | [`history`] | actions of a deal in the order made |
//! | [`rules`] | rule files and the rule sets compiled from them |
//! | [`auction`] | the auction and its legal calls |
//! | [`deal`] | the four hands before the first call |
//! | [`scoring`] | points of a finished deal |
//! | [`state`] | full state of a deal, from the first call to the last trick |
//! | [`rng`] | seeded streams of random numbers |
//! | [`hand`] | estimates and sure tricks of a hand |
//! | [`scenario`] | conditions on deals |
//! | [`deals`] | deals from a seed or a list |
//! | [`secret_deals`] | deals from secret randomness, for shared tables |
//! | [`observation`] | knowledge of one seat |
//! | [`features`] | feature vectors of observations and rules |
//! | [`record`] | deals as text, in full or as one seat sees them |
//! | [`session`] | a match of several deals |
//! | [`env`](mod@env) | one environment |
//! | [`vec_env`] | many environments that step together |
//! | [`conformance`] | checks of an environment |
//! | [`variants`] | random house rules around a rule set |
//! | [`render`] | pictures of a deal as text and SVG |
//!
//! States, sessions and environments implement serde's traits, for formats that describe themselves
//! such as JSON.
//!
//! ```
//! use troel_env::rng::{Purpose, Stream};
//! use troel_env::{Env, EnvConfig, RuleSet};
//!
//! let rules = RuleSet::built_in("luxembourg").unwrap();
//! let mut stream = Stream::new(42, Purpose::Action, 0);
//! let mut env = Env::new(rules, EnvConfig::default(), 42);
//! while !env.is_done() {
//!     let observation = env.observe();
//!     let action = env.legal_actions().sample(&mut stream).unwrap();
//!     let step = env.step(action).unwrap();
//!     println!("{:?} {action:?} {:?}", observation.seat(), step.rewards);
//! }
//! ```

pub mod action;
pub mod auction;
mod bit_set;
pub mod cards;
pub mod conformance;
pub mod contract;
pub mod deal;
pub mod deals;
pub mod env;
pub mod error;
pub mod features;
pub mod hand;
pub mod history;
pub mod observation;
pub mod phase;
pub mod record;
pub mod render;
pub mod rng;
pub mod rules;
pub mod scenario;
pub mod scoring;
pub mod seat;
pub mod secret_deals;
pub mod session;
pub mod state;
mod sure_calls;
mod text;
pub mod variants;
pub mod vec_env;

/// The crate that the arrays of [`VecEnv`] come from.
pub use ndarray;

pub use action::{ACTION_VERSION, Action, ActionSet, N_ACTIONS};
pub use cards::{Card, CardSet, N_CARDS, RANKS_PER_SUIT, Suit, SuitSet};
pub use contract::{Contract, ContractKind};
pub use deal::Deal;
pub use deals::Deals;
pub use env::{Env, EnvConfig, Step};
pub use features::{FEATURE_VERSION, N_FEATURES, N_FULL_FEATURES};
pub use observation::{FullObservation, Observation, ObservationRef};
pub use phase::Phase;
pub use record::Record;
pub use rules::RuleSet;
pub use scenario::Scenario;
pub use seat::{BySeat, Seat, SeatSet};
pub use secret_deals::SecretDeals;
pub use session::{Episode, Outcome, Reward, Session, SessionConfig};
pub use state::State;
pub use sure_calls::{best_sure_calls, sure_calls_worth_bidding};
pub use text::{excerpt, plain_message, printable};
pub use vec_env::VecEnv;

/// The example of `docs/library.md`, so that it is tested.
#[cfg(doctest)]
#[doc = include_str!("../../docs/library.md")]
struct LibraryExample;
