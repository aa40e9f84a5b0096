//! Troel's bots.
//!
//! A [`Bot`] decides on observations. A [`CancelToken`] stops searches whose answer is no longer
//! needed. The modules, each after those that it uses:
//!
//! - [`driver`] plays many games at once with bots.
//! - [`heuristic`] plays by rules of thumb.
//! - [`network`] plays the policy of a network.
//! - [`bot_protocol`] has the version and the limit of the bot protocol.
//! - [`external`] runs other programs, which speak it.
//! - [`search`] samples the hidden cards and solves or plays out the sampled deals.
//! - [`registry`] finds bots by name and accepts custom bots.
//! - [`review`] values the decisions of a game.
//!
//! # Cargo features
//!
//! - `released`: compiles the released bots in, so that their names work in any folder.
//! - `onnx`: bundles with an ONNX model of any architecture.
//! - `burn`: networks on the tensor library burn, which training needs.
//! - `cuda`, `wgpu`: networks on these devices, by burn.

mod bot;
pub mod bot_protocol;
mod cancel;
mod deal_value;
pub mod driver;
#[cfg(not(target_family = "wasm"))]
pub mod external;
pub mod heuristic;
pub mod network;
pub mod registry;
mod released;
pub mod review;
mod rule_sets;
pub mod search;
mod threads;

pub use bot::{Bot, BotError, Decision, DecisionDetail, Random, decide, decide_one};
pub use cancel::CancelToken;
pub use deal_value::{match_gain, points_with_match_bonus};
#[cfg(not(target_family = "wasm"))]
pub use external::External;
pub use heuristic::Heuristic;
pub use network::NetworkBot;
pub use registry::{NamedBot, Registry, RegistryError, TrainingSummary};
pub use rule_sets::{find_rules, rules_of_bots};
pub use search::{Expert, Pimc, PointsEstimate, best_lone_bids};
pub use threads::with_threads;
