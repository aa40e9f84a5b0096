#![doc = include_str!("../README.md")]

// All modules are private. In the order of their dependencies:
// - lanes: cards of a position as bits, four suits at once
// - node: hands and trick at a node of the search tree
// - weights: weights of the move ordering
// - bounds: answers without search
// - order: move ordering
// - transposition: transposition table
// - search: alpha-beta search with a null window
// - objective: sides, trumps and goal
// - position: position to solve
// - position_search: search of one position for its value
// - solver: solver with a table for many positions
// - batch: many positions in parallel

mod batch;
mod bounds;
mod lanes;
mod node;
mod objective;
mod order;
mod position;
mod position_search;
mod search;
mod solver;
mod transposition;
mod weights;

pub use batch::solve_batch;
pub use objective::{Goal, Objective};
pub use position::{Position, PositionError};
pub use position_search::Bounds;
pub use solver::{DEFAULT_MEMORY, Solver};
