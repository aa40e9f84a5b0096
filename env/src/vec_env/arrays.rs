//! Arrays to write into, for callers that do not allocate their own.

use ndarray::{Array1, Array2};

use super::buffers::{Buffers, PackedBuffers};
use crate::action::{ActionSet, N_ACTIONS};
use crate::features::{N_FEATURES, PackedFeatures};
use crate::seat::{BySeat, Seat};
use crate::session::Outcome;

/// The arrays of [`Buffers`] for `n` environments, without the optional ones. The fields are those
/// of [`Buffers`].
#[derive(Clone, Debug)]
pub struct Arrays {
    /// `[n, N_FEATURES]`.
    pub observations: Array2<f32>,
    /// `[n, N_ACTIONS]`.
    pub masks: Array2<bool>,
    /// `[n]`.
    pub seats: Array1<u8>,
    /// `[n, 4]`.
    pub rewards: Array2<f32>,
    /// `[n]`.
    pub dones: Array1<bool>,
}

impl Arrays {
    /// Creates arrays of zeros for `n` environments.
    pub fn new(n: usize) -> Arrays {
        Arrays {
            observations: Array2::zeros((n, N_FEATURES)),
            masks: Array2::from_elem((n, N_ACTIONS), false),
            seats: Array1::zeros(n),
            rewards: Array2::zeros((n, 4)),
            dones: Array1::from_elem(n, false),
        }
    }

    /// Returns the arrays as buffers.
    pub fn buffers(&mut self) -> Buffers<'_> {
        Buffers {
            observations: self.observations.view_mut(),
            masks: self.masks.view_mut(),
            seats: self.seats.view_mut(),
            rewards: self.rewards.view_mut(),
            dones: self.dones.view_mut(),
            deal_over: None,
            scores: None,
            full: None,
        }
    }
}

/// The arrays of [`PackedBuffers`] for `n` environments. The fields are those of [`PackedBuffers`].
#[derive(Clone, Debug)]
pub struct PackedArrays {
    /// `n` observations.
    pub observations: Vec<PackedFeatures>,
    /// `n` sets of legal actions.
    pub legal: Vec<ActionSet>,
    /// `n` seats to act.
    pub seats: Vec<Seat>,
    /// `n` rewards.
    pub rewards: Vec<BySeat<f32>>,
    /// `n` flags: whether an episode ended.
    pub dones: Vec<bool>,
    /// `n` outcomes.
    pub outcomes: Vec<Option<Outcome>>,
}

impl PackedArrays {
    /// Creates arrays of empty values for `n` environments.
    pub fn new(n: usize) -> PackedArrays {
        PackedArrays {
            observations: vec![PackedFeatures::default(); n],
            legal: vec![ActionSet::EMPTY; n],
            seats: vec![Seat::North; n],
            rewards: vec![BySeat::default(); n],
            dones: vec![false; n],
            outcomes: vec![None; n],
        }
    }

    /// Returns the arrays as buffers.
    pub fn buffers(&mut self) -> PackedBuffers<'_> {
        PackedBuffers {
            observations: &mut self.observations,
            legal: &mut self.legal,
            seats: &mut self.seats,
            rewards: &mut self.rewards,
            dones: &mut self.dones,
            outcomes: Some(&mut self.outcomes),
        }
    }
}
