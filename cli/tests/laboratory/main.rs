//! The tools that judge bots, as users run them: sequential matches, ladders, behaviour sheets.

mod benchmark;
mod decisions;
mod ladders;
mod matches;
mod recipes;
#[path = "../support/mod.rs"]
mod support;
