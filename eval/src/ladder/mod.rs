//! A ladder: results of any number of bots in a file, and one strength per bot fitted to them.

mod alpha_rank;
mod cross_table;
mod file;
mod fit;
mod standings;
mod stored;

pub use cross_table::cross_table;
pub use file::{LadderFileError, LadderWriter, check_overlaps, read};
pub use fit::{Ladder, Misfit, Strength, fit};
pub use standings::strength_table;
pub use stored::{LadderResult, LadderResultError, Player, missing_pairs};
