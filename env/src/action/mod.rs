//! Actions: one numbering for all rule sets.
//!
//! The table is public and versioned ([`ACTION_VERSION`]): checkpoints and exported bots
//! depend on it. Cards first, then calls:
//!
//! | numbers | actions |
//! |---|---|
//! | 0–51 | cards, `13 * suit + rank`, suits S C D H, ranks 2 to A |
//! | 52–55 | `pass`, `wait`, `stay`, `keep` |
//! | 56–79 | `8S 8C 8D 8H 9S … 13H` |
//! | 80–95 | `solo-5S … solo-8H` |
//! | 96–111 | `abondance-9S … abondance-12H` |
//! | 112–115 | `small-misere`, `misere`, `open-misere`, `piccolo` |
//! | 116–120 | `small-slam-S … small-slam-H`, `small-slam-NT` |
//! | 121–125 | `slam-S … slam-H`, `slam-NT` |
//! | 126 | `solo-slim` |
//! | 127–130 | `trump-S … trump-H` |
//! | 131–132 | `give`, `refuse` |

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
