//! Environments that step together, compared with single ones.

use ndarray::{Array1, Array2};

use super::explore::Explorer;
use super::report::{Check, ConformanceError, ensure};
use crate::action::{Action, ActionSet, N_ACTIONS};
use crate::env::{Env, EnvConfig};
use crate::features::{N_FEATURES, Packed};
use crate::rules::RuleSet;
use crate::seat::{BySeat, Seat};
use crate::vec_env::{Buffers, PackedBuffers, VecEnv};

/// Number of environments.
const N: usize = 5;

/// Number of steps of each environment.
const STEPS: usize = 160;

/// Steps a few environments together, with dense and with packed buffers, and each of them alone.
pub(super) fn check_vectorised(
    rules: &'static RuleSet,
    config: EnvConfig,
    seed: u64,
) -> Result<(), ConformanceError> {
    let mut single: Vec<Env> =
        (0..N as u64).map(|i| Env::with_stride(rules, config, seed, i, N as u64)).collect();
    let mut dense = VecEnv::new(rules, config, N, seed);
    let mut packed = VecEnv::new(rules, config, N, seed);
    let (mut dense_arrays, mut packed_arrays) = (DenseArrays::new(), PackedArrays::new());
    let mut explorer = Explorer::new(rules, seed, u64::MAX);
    for step in 0..STEPS {
        let mut actions = [Action::PASS; N];
        for (action, env) in actions.iter_mut().zip(&single) {
            *action = explorer.choose(env.state()).unwrap_or(Action::PASS);
        }
        let actions = (step > 0).then_some(&actions[..]);
        let done = match actions {
            Some(actions) => dense.step(actions, &mut dense_arrays.buffers()),
            None => dense.observe(&mut dense_arrays.buffers()),
        };
        let refused = done.and(packed.step_packed(actions, &mut packed_arrays.buffers())).err();
        ensure(refused.is_none(), Check::Vectorised, single[0].state(), || {
            refused.map_or(String::new(), |error| error.to_string())
        })?;
        for (i, env) in single.iter_mut().enumerate() {
            let result = actions.and_then(|actions| env.step(actions[i]).ok());
            let reward = result.map_or([0.0; 4], |result| result.rewards.0);
            let done = result.is_some_and(|result| result.done);
            if done {
                env.reset(None);
            }
            let same = dense_arrays.row_is(i, env, reward, done)
                && packed_arrays.row_is(i, env, reward, done)
                && dense.envs()[i] == *env
                && packed.envs()[i] == *env;
            ensure(same, Check::Vectorised, env.state(), || {
                format!("environment {i} of {N} is not what it would be alone, after step {step}")
            })?;
        }
    }
    Ok(())
}

/// Arrays of [`Buffers`].
struct DenseArrays {
    observations: Array2<f32>,
    masks: Array2<bool>,
    seats: Array1<u8>,
    rewards: Array2<f32>,
    dones: Array1<bool>,
}

impl DenseArrays {
    fn new() -> DenseArrays {
        DenseArrays {
            observations: Array2::zeros((N, N_FEATURES)),
            masks: Array2::from_elem((N, N_ACTIONS), false),
            seats: Array1::zeros(N),
            rewards: Array2::zeros((N, 4)),
            dones: Array1::from_elem(N, false),
        }
    }

    fn buffers(&mut self) -> Buffers<'_> {
        Buffers {
            observations: self.observations.view_mut(),
            masks: self.masks.view_mut(),
            seats: self.seats.view_mut(),
            rewards: self.rewards.view_mut(),
            dones: self.dones.view_mut(),
        }
    }

    /// Returns whether row `i` has the observation of an environment and the results of its step.
    fn row_is(&self, i: usize, env: &Env, reward: [f32; 4], done: bool) -> bool {
        let (mut features, mut mask) = ([0.0; N_FEATURES], [false; N_ACTIONS]);
        env.encode(&mut features);
        env.legal_actions().write_mask(&mut mask);
        self.observations.row(i).iter().eq(&features)
            && self.masks.row(i).iter().eq(&mask)
            && usize::from(self.seats[i]) == env.turn().index()
            && self.rewards.row(i).iter().eq(&reward)
            && self.dones[i] == done
    }
}

/// Arrays of [`PackedBuffers`].
struct PackedArrays {
    observations: [Packed; N],
    legal: [ActionSet; N],
    seats: [Seat; N],
    rewards: [BySeat<f32>; N],
    dones: [bool; N],
}

impl PackedArrays {
    fn new() -> PackedArrays {
        PackedArrays {
            observations: [Packed::default(); N],
            legal: [ActionSet::EMPTY; N],
            seats: [Seat::North; N],
            rewards: [BySeat::default(); N],
            dones: [false; N],
        }
    }

    fn buffers(&mut self) -> PackedBuffers<'_> {
        PackedBuffers {
            observations: &mut self.observations,
            legal: &mut self.legal,
            seats: &mut self.seats,
            rewards: &mut self.rewards,
            dones: &mut self.dones,
            outcomes: None,
        }
    }

    /// Returns whether row `i` has the observation of an environment and the results of its step.
    fn row_is(&self, i: usize, env: &Env, reward: [f32; 4], done: bool) -> bool {
        self.observations[i] == env.observe().pack()
            && self.legal[i] == env.legal_actions()
            && self.seats[i] == env.turn()
            && self.rewards[i].0 == reward
            && self.dones[i] == done
    }
}
