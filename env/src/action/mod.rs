//! Actions: one numbering for all rule sets.

mod call_set;
mod code;
mod numbering;
mod set;

pub use call_set::{CallSet, Calls};
pub(crate) use numbering::{
    ABONDANCE_NUMBERS, BID_NUMBERS, FIRST_CALL, NEGATIVE_NUMBERS, SLAM_NUMBERS, SOLO_NUMBERS,
};
pub use numbering::{ACTION_VERSION, Action, Bid, N_ACTIONS, N_CALLS};
pub use set::{ActionSet, Actions};
