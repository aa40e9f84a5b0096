//! Colour whist as an environment for reinforcement learning. Four players bid in an auction and
//! play thirteen tricks, in the rules of Luxembourg and Flanders.
//!
//! Contents in the order of their dependencies:
//!
//! | types and modules | contents |
//! |---|---|
//! | [`cards`] | cards, suits and sets of cards |
//! | [`Seat`], [`BySeat`], [`SeatSet`] | the four seats, values by seat and sets of seats |
//! | [`Phase`] | phases of a deal |
//! | [`Contract`], [`ContractKind`] | contracts and their kinds |
//! | [`Action`], [`ActionSet`] | actions, their numbers and codes, and action masks |
//! | [`RulesError`], [`DealError`], [`IllegalAction`], … | error types |
//! | [`History`] | actions of a deal in the order made |
//! | [`rules`] | rule files and the rule sets compiled from them |
//! | [`auction`] | the auction and its legal calls |
//! | [`Deal`] | the four hands before the first call |
//! | [`score`], [`score_side`] | points of a finished deal |
//! | [`State`] | full state of a deal, from the first call to the last trick |
//! | [`PublicState`] | the part of a state that everybody at the table knows |
//! | [`rng`] | seeded streams of random numbers |
//! | [`hand`] | estimates and sure tricks of a hand |
//! | [`scenario`] | conditions on deals |
//! | [`Deals`] | deals from a seed or a list |
//! | [`SecretDeals`] | deals from secret randomness, for shared tables |
//! | [`observation`] | knowledge of one seat |
//! | [`features`] | feature vectors of observations and rules |
//! | [`Record`] | deals as text, in full or as one seat sees them |
//! | [`Session`] | deals in a row at one table |
//! | [`Env`] | one environment |
//! | [`VecEnv`] | many environments that step together |
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
//! while !env.is_over() {
//!     let observation = env.observe();
//!     let action = env.legal_actions().sample(&mut stream).unwrap();
//!     let step = env.step(action).unwrap();
//!     println!("{:?} {action:?} {:?}", observation.seat(), step.rewards);
//! }
//! ```

mod action;
pub mod auction;
mod bit_set;
pub mod cards;
pub mod conformance;
mod contract;
mod deal;
mod deals;
mod env;
mod error;
pub mod features;
pub mod hand;
mod history;
pub mod observation;
mod phase;
mod record;
pub mod render;
pub mod rng;
pub mod rules;
pub mod scenario;
mod scoring;
mod seat;
mod secret_deals;
mod session;
mod state;
mod sure_calls;
mod text;
pub mod variants;
mod vec_env;

/// The crate that the arrays of [`VecEnv`] come from.
pub use ndarray;

pub use action::{
    ACTION_VERSION, Action, ActionSet, Actions, Bid, CallSet, Calls, N_ACTIONS, N_CALLS,
};
pub use cards::{Card, CardSet, N_CARDS, RANKS_PER_SUIT, Suit, SuitSet};
pub use contract::{Contract, ContractKind};
pub use deal::{Deal, parse_four_hands, parse_hand, parse_hands};
pub use deals::Deals;
pub use env::{Env, EnvConfig, Step};
pub use error::{
    DealError, IllegalAction, RecordError, RulesError, SaveError, SessionError, VecEnvError,
};
pub use features::{FEATURE_VERSION, N_FEATURES, N_FULL_FEATURES};
pub use history::History;
pub use observation::{FullObservation, Observation, ObservationRef};
pub use phase::Phase;
pub use record::{ContractView, HIDDEN_ACTION, NextTurn, Record, Replay};
pub use rules::RuleSet;
pub use scenario::Scenario;
pub use scoring::{score, score_side};
pub use seat::{BySeat, Seat, SeatSet, Seats};
pub use secret_deals::SecretDeals;
pub use session::{Episode, Outcome, Reward, Session, SessionConfig};
pub use state::{Exchange, PublicState, State, Trick};
pub use sure_calls::{best_sure_calls, sure_calls_worth_bidding};
pub use text::{excerpt, plain_message, printable};
pub use vec_env::{Arrays, Buffers, PackedArrays, PackedBuffers, RowWriter, VecEnv, split_off};
