//! Many environments at once.

use ndarray::{ArrayViewMut1, ArrayViewMut2, Axis};
use rayon::prelude::*;

use crate::action::{Action, N_ACTIONS};
use crate::env::{Env, EnvConfig};
use crate::error::IllegalAction;
use crate::features::N_FEATURES;
use crate::rules::RuleSet;

/// Environments handled by one task; enough to outweigh the cost of handing it out.
const CHUNK: usize = 64;

/// `n` environments that step together and reset by themselves.
///
/// All results go into the caller's buffers; a step allocates nothing. Results do not depend
/// on the number of threads.
pub struct VecEnv {
    envs: Vec<Env>,
}

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

/// Why a step was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum VecEnvError {
    /// A buffer has the wrong shape or layout.
    #[error("{name} must be a contiguous array of {wanted:?}")]
    Shape {
        /// Name of the buffer.
        name: &'static str,
        /// The shape it must have.
        wanted: Vec<usize>,
    },
    /// An action was not legal. Environments before this one may have stepped.
    #[error("environment {index}: {error}")]
    Illegal {
        /// Index of the first environment at fault.
        index: usize,
        /// What was wrong.
        error: IllegalAction,
    },
}

struct Rows<'a> {
    envs: &'a mut [Env],
    observations: &'a mut [f32],
    masks: &'a mut [bool],
    seats: &'a mut [u8],
    rewards: &'a mut [f32],
    dones: &'a mut [bool],
}

impl VecEnv {
    /// `n` environments. Environment `i` plays deals `i`, `i + n`, `i + 2n`, … of the seed.
    pub fn new(rules: &'static RuleSet, config: EnvConfig, n: usize, seed: u64) -> VecEnv {
        let env = |i| Env::with_stride(rules, config, seed, i as u64, n as u64);
        VecEnv { envs: (0..n).map(env).collect() }
    }

    /// Number of environments.
    pub fn len(&self) -> usize {
        self.envs.len()
    }

    /// Whether there are no environments.
    pub fn is_empty(&self) -> bool {
        self.envs.is_empty()
    }

    /// The environments.
    pub fn envs(&self) -> &[Env] {
        &self.envs
    }

    /// Writes the current observations, masks and seats; rewards are zero, nothing is done.
    ///
    /// # Errors
    /// A buffer has the wrong shape.
    pub fn observe(&mut self, buffers: &mut Buffers<'_>) -> Result<(), VecEnvError> {
        self.each(None, buffers)
    }

    /// Takes one action in each environment and writes the results. An episode that ends is
    /// followed by a new one at once.
    ///
    /// # Errors
    /// A buffer has the wrong shape, or an action is not legal.
    pub fn step(
        &mut self,
        actions: &[Action],
        buffers: &mut Buffers<'_>,
    ) -> Result<(), VecEnvError> {
        if actions.len() != self.envs.len() {
            return Err(VecEnvError::Shape { name: "actions", wanted: vec![self.envs.len()] });
        }
        self.each(Some(actions), buffers)
    }

    fn each(
        &mut self,
        actions: Option<&[Action]>,
        buffers: &mut Buffers<'_>,
    ) -> Result<(), VecEnvError> {
        let n = self.envs.len();
        let whole = Rows {
            envs: &mut self.envs,
            observations: slice2(&mut buffers.observations, "observations", [n, N_FEATURES])?,
            masks: slice2(&mut buffers.masks, "masks", [n, N_ACTIONS])?,
            seats: slice1(&mut buffers.seats, "seats", n)?,
            rewards: slice2(&mut buffers.rewards, "rewards", [n, 4])?,
            dones: slice1(&mut buffers.dones, "dones", n)?,
        };
        let actions = actions.unwrap_or(&[]);
        if n <= CHUNK {
            return run_rows(whole, actions).map_err(|(i, e)| illegal(i, e));
        }
        let Rows { envs, observations, masks, seats, rewards, dones } = whole;
        envs.par_chunks_mut(CHUNK)
            .zip(observations.par_chunks_mut(CHUNK * N_FEATURES))
            .zip(masks.par_chunks_mut(CHUNK * N_ACTIONS))
            .zip(seats.par_chunks_mut(CHUNK))
            .zip(rewards.par_chunks_mut(CHUNK * 4))
            .zip(dones.par_chunks_mut(CHUNK))
            .enumerate()
            .map(|(i, (((((envs, observations), masks), seats), rewards), dones))| {
                let from = (i * CHUNK).min(actions.len());
                let to = (from + envs.len()).min(actions.len());
                run_rows(
                    Rows { envs, observations, masks, seats, rewards, dones },
                    &actions[from..to],
                )
                .map_err(|(row, e)| (i * CHUNK + row, e))
            })
            .reduce(
                || Ok(()),
                |a, b| match (a, b) {
                    (Err(x), Err(y)) => Err(if x.0 < y.0 { x } else { y }),
                    (a, b) => a.and(b),
                },
            )
            .map_err(|(i, e)| illegal(i, e))
    }
}

fn illegal(index: usize, error: IllegalAction) -> VecEnvError {
    VecEnvError::Illegal { index, error }
}

fn slice2<'b, T>(
    view: &'b mut ArrayViewMut2<'_, T>,
    name: &'static str,
    shape: [usize; 2],
) -> Result<&'b mut [T], VecEnvError> {
    let fits = view.len_of(Axis(0)) == shape[0] && view.len_of(Axis(1)) == shape[1];
    let slice = view.as_slice_mut().filter(|_| fits);
    slice.ok_or_else(|| VecEnvError::Shape { name, wanted: shape.to_vec() })
}

fn slice1<'b, T>(
    view: &'b mut ArrayViewMut1<'_, T>,
    name: &'static str,
    len: usize,
) -> Result<&'b mut [T], VecEnvError> {
    let slice = view.as_slice_mut().filter(|s| s.len() == len);
    slice.ok_or_else(|| VecEnvError::Shape { name, wanted: vec![len] })
}

/// Steps (if there are actions) and observes some rows.
fn run_rows(rows: Rows<'_>, actions: &[Action]) -> Result<(), (usize, IllegalAction)> {
    let observations = rows.observations.as_chunks_mut::<N_FEATURES>().0;
    let masks = rows.masks.as_chunks_mut::<N_ACTIONS>().0;
    let rewards = rows.rewards.as_chunks_mut::<4>().0;
    let results = rewards.iter_mut().zip(rows.dones).zip(rows.seats);
    let rows = rows.envs.iter_mut().zip(observations).zip(masks).zip(results);
    for (i, (((env, observation), mask), ((reward, done), seat))) in rows.enumerate() {
        *reward = [0.0; 4];
        *done = false;
        if let Some(&action) = actions.get(i) {
            let step = env.step(action).map_err(|e| (i, e))?;
            *reward = step.rewards.0;
            *done = step.done;
            if step.done {
                env.reset(None);
            }
        }
        *seat = env.turn() as u8;
        env.encode(observation);
        env.legal_actions().write_mask(mask);
    }
    Ok(())
}

impl std::fmt::Debug for VecEnv {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "VecEnv({} environments)", self.envs.len())
    }
}
