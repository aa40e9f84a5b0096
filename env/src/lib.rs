//! Troel's environment: the whist family of Luxembourg and Flanders as a game to learn.
//!
//! Rooms, in dependency order: [`cards`], [`seat`] and [`action`] are the alphabet;
//! [`rules`] reads rule sets; [`auction`] turns calls into a [`contract`]; [`state`] plays a
//! deal and [`scoring`] counts it; [`deal`] and [`deals`] say where deals come from;
//! [`record`] reads and writes game records; [`observation`] and [`features`] are what one
//! seat may know; [`env`] and [`vec_env`] are the gym-style faces.
//!
//! ```
//! use troel_env::{Env, EnvConfig, RuleSet};
//!
//! let rules = RuleSet::built_in("luxembourg").unwrap();
//! let mut env = Env::new(rules, EnvConfig::default(), 42);
//! while !env.is_done() {
//!     let observation = env.observe();
//!     let action = env.legal_actions().nth_action(0).unwrap();
//!     let step = env.step(action).unwrap();
//!     println!("{:?} {action:?} {:?}", observation.seat(), step.rewards);
//! }
//! ```

pub mod action;
pub mod auction;
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
mod information;
pub mod observation;
pub mod phase;
pub mod record;
pub mod render;
pub mod rng;
pub mod rules;
mod saved_state;
pub mod scoring;
pub mod seat;
mod seat_record;
mod seat_replay;
pub mod session;
mod session_config;
pub mod state;
pub mod tokens;
pub mod vec_env;

/// The arrays of [`VecEnv`] are those of this crate.
pub use ndarray;

pub use action::{ACTION_VERSION, Action, ActionSet, N_ACTIONS};
pub use cards::{Card, CardSet, Suit};
pub use contract::{Contract, ContractKind};
pub use deal::Deal;
pub use deals::{Deals, Scenario};
pub use env::{Env, EnvConfig, Step};
pub use features::{FEATURE_VERSION, N_FEATURES, N_FULL_FEATURES};
pub use observation::{FullObservation, Observation, ObservationRef};
pub use phase::Phase;
pub use record::Record;
pub use rules::RuleSet;
pub use seat::{BySeat, Seat, SeatSet};
pub use session::{Episode, Outcome, Reward, Session, SessionConfig};
pub use state::State;
pub use tokens::N_TOKENS;
pub use vec_env::VecEnv;
