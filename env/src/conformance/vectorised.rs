//! Environments that step together, compared with single ones.

use super::explore::Explorer;
use super::report::{ConformanceCheck, ConformanceError, ensure};
use crate::action::{Action, N_ACTIONS};
use crate::env::{Env, EnvConfig};
use crate::features::N_FEATURES;
use crate::rules::RuleSet;
use crate::vec_env::{Arrays, PackedArrays, VecEnv};

/// Number of environments.
const N_ENVIRONMENTS: usize = 5;

/// Number of steps of each environment.
const STEPS_PER_ENVIRONMENT: usize = 160;

/// Steps a few environments together, with dense and with packed buffers, and each of them alone.
pub(super) fn check_vectorised(
    rules: &'static RuleSet,
    config: EnvConfig,
    seed: u64,
) -> Result<(), ConformanceError> {
    let mut single: Vec<Env> = (0..N_ENVIRONMENTS as u64)
        .map(|i| Env::with_stride(rules, config, seed, i, N_ENVIRONMENTS as u64))
        .collect();
    let mut dense = VecEnv::new(rules, config, N_ENVIRONMENTS, seed);
    let mut packed = VecEnv::new(rules, config, N_ENVIRONMENTS, seed);
    let (mut dense_arrays, mut packed_arrays) =
        (Arrays::new(N_ENVIRONMENTS), PackedArrays::new(N_ENVIRONMENTS));
    let mut explorer = Explorer::new(rules, seed, u64::MAX);
    for step in 0..STEPS_PER_ENVIRONMENT {
        let mut actions = [Action::PASS; N_ENVIRONMENTS];
        for (action, env) in actions.iter_mut().zip(&single) {
            *action = explorer.choose(env.state()).unwrap_or(Action::PASS);
        }
        let actions = (step > 0).then_some(&actions[..]);
        let done = match actions {
            Some(actions) => dense.step(actions, dense_arrays.buffers()),
            None => dense.observe(dense_arrays.buffers()),
        };
        let refused = done.and(packed.step_packed(actions, packed_arrays.buffers())).err();
        ensure(refused.is_none(), ConformanceCheck::Vectorised, single[0].state(), || {
            refused.map_or(String::new(), |error| error.to_string())
        })?;
        for (i, env) in single.iter_mut().enumerate() {
            let result = actions.and_then(|actions| env.step(actions[i]).ok());
            let reward = result.map_or([0.0; 4], |result| result.rewards.0);
            let done = result.is_some_and(|result| result.done);
            if done {
                env.reset(None);
            }
            let same = dense_row_is(&dense_arrays, i, env, reward, done)
                && packed_row_is(&packed_arrays, i, env, reward, done)
                && dense.envs()[i] == *env
                && packed.envs()[i] == *env;
            ensure(same, ConformanceCheck::Vectorised, env.state(), || {
                format!(
                    "after step {step}, environment {i} of {N_ENVIRONMENTS} differs from a single \
                     environment"
                )
            })?;
        }
    }
    Ok(())
}

/// Returns whether row `i` has the observation of an environment and the results of its step.
fn dense_row_is(arrays: &Arrays, i: usize, env: &Env, reward: [f32; 4], done: bool) -> bool {
    let (mut features, mut mask) = ([0.0; N_FEATURES], [false; N_ACTIONS]);
    env.encode(&mut features);
    env.legal_actions().write_mask(&mut mask);
    arrays.observations.row(i).iter().eq(&features)
        && arrays.masks.row(i).iter().eq(&mask)
        && usize::from(arrays.seats[i]) == env.turn().index()
        && arrays.rewards.row(i).iter().eq(&reward)
        && arrays.dones[i] == done
}

/// Returns whether row `i` has the observation of an environment and the results of its step.
fn packed_row_is(arrays: &PackedArrays, i: usize, env: &Env, reward: [f32; 4], done: bool) -> bool {
    arrays.observations[i] == env.observe().pack()
        && arrays.legal[i] == env.legal_actions()
        && arrays.seats[i] == env.turn()
        && arrays.rewards[i].0 == reward
        && arrays.dones[i] == done
}
