//! The caller's buffers, and the writing of rows into them.

use ndarray::{ArrayViewMut, ArrayViewMut1, ArrayViewMut2, Dimension, IntoDimension};

use crate::action::{ActionSet, N_ACTIONS};
use crate::env::{Env, Step};
use crate::error::VecEnvError;
use crate::features::{N_FEATURES, N_FULL_FEATURES, PackedFeatures};
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
    /// `[n]`: whether a deal ended with the step; optional.
    pub deal_over: Option<ArrayViewMut1<'a, bool>>,
    /// `[n, 4]`: points of the deal that ended with the step, N E S W; optional. Zeros where no
    /// deal ended.
    pub scores: Option<ArrayViewMut2<'a, i32>>,
    /// `[n, N_FULL_FEATURES]`: full information from the seat to act; optional. For critics and
    /// oracles.
    pub full: Option<ArrayViewMut2<'a, f32>>,
}

/// The caller's buffers for `n` environments, with observations in packed form. These take a
/// twentieth of the memory. [`PackedFeatures::expand`] expands them when they are used.
pub struct PackedBuffers<'a> {
    /// `n` observations of the seats to act.
    pub observations: &'a mut [PackedFeatures],
    /// `n` sets of legal actions.
    pub legal: &'a mut [ActionSet],
    /// `n` seats to act.
    pub seats: &'a mut [Seat],
    /// `n` rewards of the step just taken.
    pub rewards: &'a mut [BySeat<f32>],
    /// `n` flags: whether an episode ended with the step. The observation is then of the next one.
    pub dones: &'a mut [bool],
    /// `n` outcomes of the deals that ended with the step; optional.
    pub outcomes: Option<&'a mut [Option<Outcome>]>,
}

/// Rows that environments write their results into, and that can be split among threads.
pub trait RowWriter: Send + Sized {
    /// Splits off and returns the rows before row `at`; `at` is at most the number of rows.
    fn split_off(&mut self, at: usize) -> Self;

    /// Writes the position of an environment into a row, with the results of the step that led to
    /// it if there was one. After the end of an episode the position is the start of the next one.
    fn write(&mut self, row: usize, env: &Env, step: Option<&Step>);
}

/// The slices behind [`Buffers`].
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
    /// Checks the shapes of the buffers for `n` environments and returns their slices.
    pub(super) fn new(n: usize, buffers: Buffers<'a>) -> Result<DenseRows<'a>, VecEnvError> {
        let deal_over = buffers.deal_over.map(|view| slice(view, "deal_over", n));
        let scores = buffers.scores.map(|view| rows(view, "scores", n));
        let full = buffers.full.map(|view| rows(view, "full", n));
        Ok(DenseRows {
            observations: rows(buffers.observations, "observations", n)?,
            masks: rows(buffers.masks, "masks", n)?,
            seats: slice(buffers.seats, "seats", n)?,
            rewards: rows(buffers.rewards, "rewards", n)?,
            dones: slice(buffers.dones, "dones", n)?,
            deal_over: deal_over.transpose()?,
            scores: scores.transpose()?,
            full: full.transpose()?,
        })
    }
}

impl RowWriter for DenseRows<'_> {
    fn split_off(&mut self, at: usize) -> Self {
        DenseRows {
            observations: split_off(&mut self.observations, at),
            masks: split_off(&mut self.masks, at),
            seats: split_off(&mut self.seats, at),
            rewards: split_off(&mut self.rewards, at),
            dones: split_off(&mut self.dones, at),
            deal_over: self.deal_over.as_mut().map(|rows| split_off(rows, at)),
            scores: self.scores.as_mut().map(|rows| split_off(rows, at)),
            full: self.full.as_mut().map(|rows| split_off(rows, at)),
        }
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

impl PackedBuffers<'_> {
    /// Checks that the buffers are for `n` environments.
    pub(super) fn check(&self, n: usize) -> Result<(), VecEnvError> {
        let lengths = [
            ("observations", self.observations.len()),
            ("legal", self.legal.len()),
            ("seats", self.seats.len()),
            ("rewards", self.rewards.len()),
            ("dones", self.dones.len()),
            ("outcomes", self.outcomes.as_ref().map_or(n, |outcomes| outcomes.len())),
        ];
        match lengths.into_iter().find(|&(_, len)| len != n) {
            Some((name, _)) => Err(VecEnvError::Shape { name, wanted: vec![n] }),
            None => Ok(()),
        }
    }
}

impl RowWriter for PackedBuffers<'_> {
    fn split_off(&mut self, at: usize) -> Self {
        PackedBuffers {
            observations: split_off(&mut self.observations, at),
            legal: split_off(&mut self.legal, at),
            seats: split_off(&mut self.seats, at),
            rewards: split_off(&mut self.rewards, at),
            dones: split_off(&mut self.dones, at),
            outcomes: self.outcomes.as_mut().map(|rows| split_off(rows, at)),
        }
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

/// Splits off and returns the elements before element `at`.
///
/// # Panics
/// If there are fewer elements.
pub fn split_off<'a, T>(slice: &mut &'a mut [T], at: usize) -> &'a mut [T] {
    let (before, after) = std::mem::take(slice).split_at_mut(at);
    *slice = after;
    before
}

/// Returns the rows of a view that has the shape `[n, N]` and is contiguous.
fn rows<'a, T, const N: usize>(
    view: ArrayViewMut2<'a, T>,
    name: &'static str,
    n: usize,
) -> Result<&'a mut [[T; N]], VecEnvError> {
    Ok(slice(view, name, [n, N])?.as_chunks_mut().0)
}

/// Returns the elements of a view that has the given shape and is contiguous.
fn slice<'a, T, D: Dimension>(
    view: ArrayViewMut<'a, T, D>,
    name: &'static str,
    shape: impl IntoDimension<Dim = D>,
) -> Result<&'a mut [T], VecEnvError> {
    let shape = shape.into_dimension();
    let fits = view.raw_dim() == shape;
    let slice = view.into_slice().filter(|_| fits);
    slice.ok_or_else(|| VecEnvError::Shape { name, wanted: shape.slice().to_vec() })
}
