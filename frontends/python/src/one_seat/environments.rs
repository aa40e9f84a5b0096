//! The state of environments in which one seat learns.

use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;
use serde::{Deserialize, Serialize};
use troel_env::rng::Stream;
use troel_env::{Seat, VecEnv};

use super::seated_bots::SeatedBots;
use crate::arguments::index as index_of;
use crate::environment_group::{Autoreset, ENVIRONMENTS_PER_GROUP, EnvironmentGroup, LearnerTable};

/// Settings of the environments, and the state that is not part of a deal.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct EnvironmentSettings {
    /// Seat of the learner. If `None`, environment i learns seat i modulo 4.
    pub(super) seat: Option<Seat>,
    pub(super) autoreset: Autoreset,
    /// Whether the learners' observations and actions have canonical suits.
    #[serde(default)]
    pub(super) canonical_suits: bool,
    /// Seed of the bots.
    pub(super) seed: u64,
    /// Whether a bot failed, so that some environments stopped in the middle of a step.
    pub(super) has_failed: bool,
    /// Random stream of `sample`.
    pub(super) stream: Stream,
}

/// Many environments in which one seat learns; bots hold the other three.
///
/// Every row shows the learner, at its turn or at the end of the episode. The arrays are allocated
/// once, and each step writes into them.
#[pyclass(module = "troel")]
pub struct OneSeat {
    pub(super) groups: Vec<EnvironmentGroup>,
    pub(super) bots: SeatedBots,
    pub(super) settings: EnvironmentSettings,
    pub(super) n: usize,
    // The getters of the same names describe the arrays.
    pub(super) observations: Py<PyArray2<f32>>,
    pub(super) masks: Py<PyArray2<bool>>,
    pub(super) rewards: Py<PyArray1<f32>>,
    pub(super) dones: Py<PyArray1<bool>>,
    pub(super) finals: Option<Py<PyArray2<f32>>>,
    /// Result of `sample`.
    pub(super) sampled: Py<PyArray1<i64>>,
}

impl OneSeat {
    /// Returns the environments.
    pub(super) fn tables(&self) -> impl Iterator<Item = &LearnerTable> {
        self.groups.iter().flat_map(|group| &group.tables)
    }

    /// Returns the environment of an index from Python.
    pub(super) fn table(&self, index: &Bound<'_, PyAny>) -> PyResult<&LearnerTable> {
        let at = index_of(index, self.n)?;
        Ok(&self.groups[at / ENVIRONMENTS_PER_GROUP].tables[at % ENVIRONMENTS_PER_GROUP])
    }

    /// Returns copies of the environments, without their learners.
    pub(super) fn envs(&self) -> VecEnv {
        self.tables().map(|table| table.env.clone()).collect()
    }
}
