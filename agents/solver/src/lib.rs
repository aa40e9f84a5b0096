#![doc = include_str!("../README.md")]

mod batch;
mod bounds;
mod lanes;
mod node;
mod objective;
mod order;
mod position;
mod run;
mod search;
mod solver;
mod transposition;
mod weights;

pub use batch::{solve_batch, solve_each};
pub use objective::{Goal, Objective};
pub use position::{Position, PositionError};
pub use run::Bounds;
pub use solver::{DEFAULT_MEMORY, Solver};
