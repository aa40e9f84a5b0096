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

/// Environments, and steps of each.
const N: usize = 5;
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
    let mut observations = Array2::zeros((N, N_FEATURES));
    let mut masks = Array2::from_elem((N, N_ACTIONS), false);
    let mut seats = Array1::zeros(N);
    let mut rewards = Array2::zeros((N, 4));
    let mut dones = Array1::from_elem(N, false);
    let mut bits = [Packed::default(); N];
    let mut legal = [ActionSet::EMPTY; N];
    let mut turns = [Seat::North; N];
    let mut gains = [BySeat::default(); N];
    let mut ends = [false; N];
    let mut explorer = Explorer::new(rules, seed, u64::MAX);
    for step in 0..STEPS {
        let mut actions = [Action::PASS; N];
        for (action, env) in actions.iter_mut().zip(&single) {
            *action = explorer.choose(env.state()).unwrap_or(Action::PASS);
        }
        let actions = (step > 0).then_some(&actions[..]);
        let mut buffers = Buffers {
            observations: observations.view_mut(),
            masks: masks.view_mut(),
            seats: seats.view_mut(),
            rewards: rewards.view_mut(),
            dones: dones.view_mut(),
        };
        let done = match actions {
            Some(actions) => dense.step(actions, &mut buffers),
            None => dense.observe(&mut buffers),
        };
        let mut buffers = PackedBuffers {
            observations: &mut bits,
            legal: &mut legal,
            seats: &mut turns,
            rewards: &mut gains,
            dones: &mut ends,
            outcomes: None,
        };
        let refused = done.and(packed.step_packed(actions, &mut buffers)).err();
        ensure(refused.is_none(), Check::Vectorised, single[0].state(), || {
            refused.map_or(String::new(), |error| error.to_string())
        })?;
        for (i, env) in single.iter_mut().enumerate() {
            let result = actions.and_then(|actions| env.step(actions[i]).ok());
            if result.is_some_and(|result| result.done) {
                env.reset(None);
            }
            let (mut features, mut mask) = ([0.0; N_FEATURES], [false; N_ACTIONS]);
            env.encode(&mut features);
            env.legal_actions().write_mask(&mut mask);
            let reward = result.map_or([0.0; 4], |result| result.rewards.0);
            let done = result.is_some_and(|result| result.done);
            let same_dense = observations.row(i).iter().eq(&features)
                && masks.row(i).iter().eq(&mask)
                && usize::from(seats[i]) == env.turn().index()
                && rewards.row(i).iter().eq(&reward)
                && dones[i] == done;
            let same_packed = bits[i] == env.observe().pack()
                && legal[i] == env.legal_actions()
                && turns[i] == env.turn()
                && gains[i].0 == reward
                && ends[i] == done;
            let same =
                same_dense && same_packed && dense.envs()[i] == *env && packed.envs()[i] == *env;
            ensure(same, Check::Vectorised, env.state(), || {
                format!("environment {i} of {N} is not what it would be alone, after step {step}")
            })?;
        }
    }
    Ok(())
}
