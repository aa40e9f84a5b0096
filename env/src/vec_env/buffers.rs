//! The caller's buffers, and how rows are written into them.

use ndarray::{ArrayViewMut, ArrayViewMut1, ArrayViewMut2, Dimension, IntoDimension};

use crate::action::{ActionSet, N_ACTIONS};
use crate::env::{Env, Step};
use crate::error::VecEnvError;
use crate::features::{N_FEATURES, N_FULL_FEATURES, Packed};
use crate::seat::{BySeat, Seat};
use crate::session::Outcome;

/// The caller's buffers for `n` environments. All views must be in standard (row-major) layout.
pub struct Buffers<'a> {
    /// `[n, N_FEATURES]`: features of the seat to act.
    pub observations: ArrayViewMut2<'a, f32>,
    /// `[n, N_ACTIONS]`: its legal actions.
    pub masks: ArrayViewMut2<'a, bool>,
    /// `[n]`: the seat to act, 0 to 3.
    pub seats: ArrayViewMut1<'a, u8>,
    /// `[n, 4]`: rewards of the step just taken, N E S W.
    pub rewards: ArrayViewMut2<'a, f32>,
    /// `[n]`: whether an episode ended with the step; the observation is of the next one.
    pub dones: ArrayViewMut1<'a, bool>,
}

/// Further buffers, each of them optional.
#[derive(Default)]
pub struct Extras<'a> {
    /// `[n]`: whether a deal ended with the step.
    pub deal_over: Option<ArrayViewMut1<'a, bool>>,
    /// `[n, 4]`: points of the deal that ended with the step, N E S W; zeros where none did.
    pub scores: Option<ArrayViewMut2<'a, i32>>,
    /// `[n, N_FULL_FEATURES]`: full information from the seat to act, for critics and oracles.
    pub full: Option<ArrayViewMut2<'a, f32>>,
}

/// The caller's buffers for `n` environments, observations in packed form: a twentieth of the
/// memory, to be expanded ([`Packed::expand`]) when they are used.
pub struct PackedBuffers<'a> {
    /// `n` observations of the seats to act.
    pub observations: &'a mut [Packed],
    /// `n` sets of legal actions.
    pub legal: &'a mut [ActionSet],
    /// `n` seats to act.
    pub seats: &'a mut [Seat],
    /// `n` rewards of the step just taken.
    pub rewards: &'a mut [BySeat<f32>],
    /// `n` times whether an episode ended with the step; the observation is of the next one.
    pub dones: &'a mut [bool],
    /// `n` outcomes of the deals that ended with the step; optional.
    pub outcomes: Option<&'a mut [Option<Outcome>]>,
}

/// Rows that environments write their results into, and that can be split among threads.
pub(super) trait Rows: Send + Sized {
    /// Splits off the rows before row `at`; returns them and the others.
    fn split_at(self, at: usize) -> (Self, Self);

    /// Writes the position of an environment, and the results of its step, into a row.
    fn write(&mut self, row: usize, env: &Env, step: Option<&Step>);
}

/// The slices behind [`Buffers`] and [`Extras`].
pub(super) struct DenseRows<'a> {
    observations: &'a mut [[f32; N_FEATURES]],
    masks: &'a mut [[bool; N_ACTIONS]],
    seats: &'a mut [u8],
    rewards: &'a mut [[f32; 4]],
    dones: &'a mut [bool],
    deal_over: Option<&'a mut [bool]>,
    scores: Option<&'a mut [[i32; 4]]>,
    full: Option<&'a mut [[f32; N_FULL_FEATURES]]>,
}

impl<'a> DenseRows<'a> {
    pub(super) fn new(
        n: usize,
        buffers: &'a mut Buffers<'_>,
        extras: Option<&'a mut Extras<'_>>,
    ) -> Result<DenseRows<'a>, VecEnvError> {
        let (mut deal_over, mut scores, mut full) = (None, None, None);
        if let Some(extras) = extras {
            if let Some(view) = &mut extras.deal_over {
                deal_over = Some(slice(view, "deal_over", n)?);
            }
            if let Some(view) = &mut extras.scores {
                scores = Some(rows(slice(view, "scores", [n, 4])?));
            }
            if let Some(view) = &mut extras.full {
                full = Some(rows(slice(view, "full", [n, N_FULL_FEATURES])?));
            }
        }
        Ok(DenseRows {
            observations: rows(slice(&mut buffers.observations, "observations", [n, N_FEATURES])?),
            masks: rows(slice(&mut buffers.masks, "masks", [n, N_ACTIONS])?),
            seats: slice(&mut buffers.seats, "seats", n)?,
            rewards: rows(slice(&mut buffers.rewards, "rewards", [n, 4])?),
            dones: slice(&mut buffers.dones, "dones", n)?,
            deal_over,
            scores,
            full,
        })
    }
}

impl Rows for DenseRows<'_> {
    fn split_at(self, at: usize) -> (Self, Self) {
        let (observations, observations_after) = self.observations.split_at_mut(at);
        let (masks, masks_after) = self.masks.split_at_mut(at);
        let (seats, seats_after) = self.seats.split_at_mut(at);
        let (rewards, rewards_after) = self.rewards.split_at_mut(at);
        let (dones, dones_after) = self.dones.split_at_mut(at);
        let (deal_over, deal_over_after) = split_option(self.deal_over, at);
        let (scores, scores_after) = split_option(self.scores, at);
        let (full, full_after) = split_option(self.full, at);
        let before =
            DenseRows { observations, masks, seats, rewards, dones, deal_over, scores, full };
        let after = DenseRows {
            observations: observations_after,
            masks: masks_after,
            seats: seats_after,
            rewards: rewards_after,
            dones: dones_after,
            deal_over: deal_over_after,
            scores: scores_after,
            full: full_after,
        };
        (before, after)
    }

    #[inline]
    fn write(&mut self, row: usize, env: &Env, step: Option<&Step>) {
        self.rewards[row] = step.map_or([0.0; 4], |step| step.rewards.0);
        self.dones[row] = step.is_some_and(|step| step.done);
        self.seats[row] = env.turn() as u8;
        env.encode(&mut self.observations[row]);
        env.legal_actions().write_mask(&mut self.masks[row]);
        if let Some(deal_over) = &mut self.deal_over {
            deal_over[row] = step.is_some_and(|step| step.deal_over);
        }
        if let Some(scores) = &mut self.scores {
            let outcome = step.and_then(|step| step.outcome);
            scores[row] = outcome.map_or([0; 4], |outcome| outcome.scores.0);
        }
        if let Some(full) = &mut self.full {
            env.observe_full().encode_full(&mut full[row]);
        }
    }
}

/// The slices of [`PackedBuffers`].
pub(super) struct PackedRows<'a> {
    observations: &'a mut [Packed],
    legal: &'a mut [ActionSet],
    seats: &'a mut [Seat],
    rewards: &'a mut [BySeat<f32>],
    dones: &'a mut [bool],
    outcomes: Option<&'a mut [Option<Outcome>]>,
}

impl<'a> PackedRows<'a> {
    pub(super) fn new(
        n: usize,
        buffers: &'a mut PackedBuffers<'_>,
    ) -> Result<PackedRows<'a>, VecEnvError> {
        let outcomes = buffers.outcomes.as_deref_mut();
        let lengths = [
            ("observations", buffers.observations.len()),
            ("legal", buffers.legal.len()),
            ("seats", buffers.seats.len()),
            ("rewards", buffers.rewards.len()),
            ("dones", buffers.dones.len()),
            ("outcomes", outcomes.as_ref().map_or(n, |outcomes| outcomes.len())),
        ];
        if let Some((name, _)) = lengths.into_iter().find(|(_, len)| *len != n) {
            return Err(VecEnvError::Shape { name, wanted: vec![n] });
        }
        Ok(PackedRows {
            observations: buffers.observations,
            legal: buffers.legal,
            seats: buffers.seats,
            rewards: buffers.rewards,
            dones: buffers.dones,
            outcomes,
        })
    }
}

impl Rows for PackedRows<'_> {
    fn split_at(self, at: usize) -> (Self, Self) {
        let (observations, observations_after) = self.observations.split_at_mut(at);
        let (legal, legal_after) = self.legal.split_at_mut(at);
        let (seats, seats_after) = self.seats.split_at_mut(at);
        let (rewards, rewards_after) = self.rewards.split_at_mut(at);
        let (dones, dones_after) = self.dones.split_at_mut(at);
        let (outcomes, outcomes_after) = split_option(self.outcomes, at);
        let before = PackedRows { observations, legal, seats, rewards, dones, outcomes };
        let after = PackedRows {
            observations: observations_after,
            legal: legal_after,
            seats: seats_after,
            rewards: rewards_after,
            dones: dones_after,
            outcomes: outcomes_after,
        };
        (before, after)
    }

    #[inline]
    fn write(&mut self, row: usize, env: &Env, step: Option<&Step>) {
        self.rewards[row] = step.map_or(BySeat::default(), |step| step.rewards);
        self.dones[row] = step.is_some_and(|step| step.done);
        self.seats[row] = env.turn();
        env.session().observe_ref().pack_over(&mut self.observations[row]);
        self.legal[row] = env.legal_actions();
        if let Some(outcomes) = &mut self.outcomes {
            outcomes[row] = step.and_then(|step| step.outcome);
        }
    }
}

fn split_option<T>(slice: Option<&mut [T]>, at: usize) -> (Option<&mut [T]>, Option<&mut [T]>) {
    match slice.map(|slice| slice.split_at_mut(at)) {
        Some((before, after)) => (Some(before), Some(after)),
        None => (None, None),
    }
}

fn rows<T, const N: usize>(slice: &mut [T]) -> &mut [[T; N]] {
    slice.as_chunks_mut::<N>().0
}

/// Returns the elements of a view that has the given shape and is contiguous.
fn slice<'b, T, D: Dimension>(
    view: &'b mut ArrayViewMut<'_, T, D>,
    name: &'static str,
    shape: impl IntoDimension<Dim = D>,
) -> Result<&'b mut [T], VecEnvError> {
    let shape = shape.into_dimension();
    let fits = view.raw_dim() == shape;
    let slice = view.as_slice_mut().filter(|_| fits);
    slice.ok_or_else(|| VecEnvError::Shape { name, wanted: shape.slice().to_vec() })
}
