//! Results of checks.

use std::fmt;

use crate::contract::ContractKind;
use crate::record::Record;
use crate::state::State;

/// Property that is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ConformanceCheck {
    /// An action is accepted if and only if it is in the set of legal actions.
    ActionMask,
    /// The legal actions follow from the observation of the seat to act; the other seats have none.
    LegalActions,
    /// Observations do not depend on cards that the seat does not see.
    HiddenInformation,
    /// Features lie within their documented range.
    Features,
    /// Rewards come at the ends of deals, and add up as the kind of reward says.
    Rewards,
    /// The same seed and the same actions give the same episode.
    Reproducibility,
    /// A reset keeps the configuration, and with a seed it begins the episode of that seed.
    Reset,
    /// Environments that step together give the same results as single ones.
    Vectorised,
    /// A record restores the state, and a seat's view of it restores the observation.
    Records,
    /// A saved environment continues as the original would.
    Saving,
}

impl fmt::Display for ConformanceCheck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ConformanceCheck::ActionMask => "action mask",
            ConformanceCheck::LegalActions => "legal actions",
            ConformanceCheck::HiddenInformation => "hidden information",
            ConformanceCheck::Features => "features",
            ConformanceCheck::Rewards => "rewards",
            ConformanceCheck::Reproducibility => "reproducibility",
            ConformanceCheck::Reset => "reset",
            ConformanceCheck::Vectorised => "vectorised environments",
            ConformanceCheck::Records => "records",
            ConformanceCheck::Saving => "saving",
        })
    }
}

/// A check that failed, and the position in which it did.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{check}: {detail}")]
pub struct ConformanceError {
    /// Property that was checked.
    pub check: ConformanceCheck,
    /// Description of the fault.
    pub detail: String,
    /// The deal up to the position.
    pub record: Box<Record>,
}

/// Fails a check at a position unless a condition holds.
pub(super) fn ensure(
    holds: bool,
    check: ConformanceCheck,
    state: &State,
    detail: impl FnOnce() -> String,
) -> Result<(), ConformanceError> {
    if holds { Ok(()) } else { Err(failure(check, state, detail())) }
}

/// Returns the error of a check that failed at a position.
pub(super) fn failure(check: ConformanceCheck, state: &State, detail: String) -> ConformanceError {
    let record = Box::new(Record::from_state(state, &Default::default()));
    ConformanceError { check, detail, record }
}

/// Counts of the checks, none of which failed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ConformanceSummary {
    /// Episodes played.
    pub episodes: u32,
    /// Deals finished.
    pub deals: u32,
    /// Decisions taken.
    pub decisions: u64,
    /// Views of a seat (four for each decision) compared with those of other deals.
    pub views_compared: u64,
    /// Number of these views in which another seat held other aces.
    pub views_with_other_aces: u64,
    /// Deals by contract, indexed by [`ContractKind::index`], without those passed out.
    pub contracts: [u32; ContractKind::COUNT],
}
