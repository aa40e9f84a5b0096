//! Rows of the arrays of [`SelfPlay`](crate::self_play::SelfPlay), which environments write in
//! their steps.

use troel_env::{
    ActionSet, Env, History, N_ACTIONS, N_FEATURES, N_FULL_FEATURES, RowWriter, Step, split_off,
};
use troel_nn::SuitPermutation;

use crate::packed::{self, PACKED_FULL_SIZE, PACKED_SIZE};
use crate::view::history_tokens;

/// Rows of the arrays that do not depend on the form of the observations.
pub struct SharedRows<'a> {
    pub masks: &'a mut [[bool; N_ACTIONS]],
    pub seats: &'a mut [u8],
    pub rewards: &'a mut [[f32; 4]],
    pub dones: &'a mut [bool],
    pub scores: &'a mut [[i32; 4]],
    pub history: Option<&'a mut [[i64; History::CAPACITY]]>,
    pub legal: &'a mut [ActionSet],
    pub suits: Option<&'a mut [SuitPermutation]>,
}

impl SharedRows<'_> {
    fn split_off(&mut self, at: usize) -> Self {
        SharedRows {
            masks: split_off(&mut self.masks, at),
            seats: split_off(&mut self.seats, at),
            rewards: split_off(&mut self.rewards, at),
            dones: split_off(&mut self.dones, at),
            scores: split_off(&mut self.scores, at),
            history: self.history.as_mut().map(|history| split_off(history, at)),
            legal: split_off(&mut self.legal, at),
            suits: self.suits.as_mut().map(|suits| split_off(suits, at)),
        }
    }

    /// Writes a row, and returns the permutation of its suits.
    #[inline]
    fn write(&mut self, row: usize, env: &Env, step: Option<&Step>) -> SuitPermutation {
        let legal = env.legal_actions();
        self.legal[row] = legal;
        self.seats[row] = env.turn() as u8;
        self.rewards[row] = step.map_or([0.0; 4], |step| step.rewards.0);
        self.dones[row] = step.is_some_and(|step| step.done);
        let outcome = step.and_then(|step| step.outcome);
        self.scores[row] = outcome.map_or([0; 4], |outcome| outcome.scores.0);
        let mut permutation = SuitPermutation::default();
        let mut renamed = legal;
        if let Some(suits) = &mut self.suits {
            permutation = SuitPermutation::canonical(&env.observe());
            renamed = permutation.rename_actions(legal);
            suits[row] = permutation;
        }
        renamed.write_mask(&mut self.masks[row]);
        if let Some(history) = &mut self.history {
            history[row] = history_tokens(&env.observe(), permutation);
        }
        permutation
    }
}

/// Writes the observation of the seat to act, and the full information if it is requested, with the
/// suits renamed.
pub type WriteObservation<T, const N: usize, const M: usize> =
    fn(&Env, SuitPermutation, &mut [T; N], Option<&mut [T; M]>);

/// Rows of all arrays. Observations have `N` elements, full information has `M`.
pub struct Rows<'a, T, const N: usize, const M: usize> {
    pub observations: &'a mut [[T; N]],
    pub full: Option<&'a mut [[T; M]]>,
    pub shared: SharedRows<'a>,
    pub write: WriteObservation<T, N, M>,
}

impl<T: Send, const N: usize, const M: usize> RowWriter for Rows<'_, T, N, M> {
    fn split_off(&mut self, at: usize) -> Self {
        Rows {
            observations: split_off(&mut self.observations, at),
            full: self.full.as_mut().map(|full| split_off(full, at)),
            shared: self.shared.split_off(at),
            write: self.write,
        }
    }

    #[inline]
    fn write(&mut self, row: usize, env: &Env, step: Option<&Step>) {
        let suits = self.shared.write(row, env, step);
        let full = self.full.as_mut().map(|full| &mut full[row]);
        (self.write)(env, suits, &mut self.observations[row], full);
    }
}

/// Writes dense features.
pub fn write_dense(
    env: &Env,
    suits: SuitPermutation,
    observation: &mut [f32; N_FEATURES],
    full: Option<&mut [f32; N_FULL_FEATURES]>,
) {
    env.encode(observation);
    suits.rename_features(observation);
    if let Some(full) = full {
        env.observe_full().encode_full(full);
        suits.rename_features(full);
    }
}

/// Writes packed features.
pub fn write_packed(
    env: &Env,
    suits: SuitPermutation,
    observation: &mut [u8; PACKED_SIZE],
    full: Option<&mut [u8; PACKED_FULL_SIZE]>,
) {
    let features = env.session().observe_ref().pack();
    packed::write_row(observation, &features, suits, &[]);
    if let Some(full) = full {
        packed::write_row(full, &features, suits, &packed::others(env));
    }
}
