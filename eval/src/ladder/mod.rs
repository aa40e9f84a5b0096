//! A ladder: results of any number of bots in a file, and one strength per bot fitted to them.

mod alpha_rank;
mod cross_table;
mod file;
mod fit;
mod play;
mod standings;
mod stored;

pub use cross_table::cross_table;
pub use file::{LadderFileError, LadderWriter, check_overlaps, read};
pub use fit::{Ladder, Misfit, Strength, fit};
pub use play::{LadderEvent, LadderPlayError, MIN_DEALS, play_missing};
pub use standings::strength_table;
pub use stored::{
    LadderResult, LadderResultError, Player, built_in_rules, identity_of, missing_pairs,
};
