//! Many environments at once.

mod arrays;
mod buffers;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

pub use arrays::{Arrays, PackedArrays};
pub use buffers::{Buffers, PackedBuffers, RowWriter, split_off};

use buffers::DenseRows;

use crate::action::Action;
use crate::env::{Env, EnvConfig};
use crate::error::VecEnvError;
use crate::rules::RuleSet;

/// Number of environments that one task steps; enough to outweigh the cost of handing it out.
const ENVIRONMENTS_PER_TASK: usize = 64;

/// `n` environments that step together and reset automatically.
///
/// All results go into the caller's buffers; a step allocates nothing. Results do not depend
/// on the number of threads. It is serialised as the list of its environments.
#[derive(Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub struct VecEnv {
    envs: Vec<Env>,
}

impl VecEnv {
    /// Creates `n` environments. Environment `i` plays deals `i`, `i + n`, `i + 2n`, … of the seed.
    pub fn new(rules: &'static RuleSet, config: EnvConfig, n: usize, seed: u64) -> VecEnv {
        let env = |i| Env::with_stride(rules, config, seed, i as u64, n as u64);
        VecEnv { envs: (0..n).map(env).collect() }
    }

    /// Starts new episodes in all environments. They begin with the first deals of a seed if one is
    /// given, else with the next deals. [`VecEnv::observe`] shows them.
    pub fn reset(&mut self, seed: Option<u64>) {
        let n = self.envs.len() as u64;
        for (i, env) in self.envs.iter_mut().enumerate() {
            match seed {
                Some(seed) => {
                    let (rules, config) = (env.session().rules(), env.config());
                    *env = Env::with_stride(rules, config, seed, i as u64, n);
                }
                None => env.reset(None),
            }
        }
    }

    /// Returns the number of environments.
    pub fn len(&self) -> usize {
        self.envs.len()
    }

    /// Returns whether there are no environments.
    pub fn is_empty(&self) -> bool {
        self.envs.is_empty()
    }

    /// Returns the environments.
    pub fn envs(&self) -> &[Env] {
        &self.envs
    }

    /// Writes the current observations, masks and seats; rewards are zero, nothing is done.
    ///
    /// # Errors
    /// A buffer has the wrong shape.
    pub fn observe(&mut self, buffers: Buffers<'_>) -> Result<(), VecEnvError> {
        let rows = DenseRows::new(self.len(), buffers)?;
        self.step_into(None, rows)
    }

    /// Takes one action in each environment and writes the results. An episode that ends is
    /// followed by a new one at once.
    ///
    /// # Errors
    /// A buffer has the wrong shape, or an action is not legal; no environment has stepped then.
    pub fn step(&mut self, actions: &[Action], buffers: Buffers<'_>) -> Result<(), VecEnvError> {
        let rows = DenseRows::new(self.len(), buffers)?;
        self.step_into(Some(actions), rows)
    }

    /// Steps like [`VecEnv::step`] with packed observations. Without actions it observes like
    /// [`VecEnv::observe`].
    ///
    /// # Errors
    /// A buffer has the wrong length, or an action is not legal; no environment has stepped then.
    pub fn step_packed(
        &mut self,
        actions: Option<&[Action]>,
        buffers: PackedBuffers<'_>,
    ) -> Result<(), VecEnvError> {
        buffers.check(self.len())?;
        self.step_into(actions, buffers)
    }

    /// Steps like [`VecEnv::step`] with rows of the caller's own form. Without actions it observes
    /// like [`VecEnv::observe`]. `rows` has a row for each environment.
    ///
    /// # Errors
    /// There is not one action for each environment, or an action is not legal; no environment has
    /// stepped then.
    pub fn step_into(
        &mut self,
        actions: Option<&[Action]>,
        rows: impl RowWriter,
    ) -> Result<(), VecEnvError> {
        let n = self.envs.len();
        if actions.is_some_and(|actions| actions.len() != n) {
            return Err(VecEnvError::Shape { name: "actions", wanted: vec![n] });
        }
        let actions = actions.unwrap_or_default();
        // Before any environment steps: a batch that is refused has changed nothing.
        let is_refused = |(env, action): &(&Env, &Action)| !env.legal_actions().has(**action);
        let refused = if n <= ENVIRONMENTS_PER_TASK {
            self.envs.iter().zip(actions).enumerate().find(|(_, pair)| is_refused(pair))
        } else {
            let all = self.envs.par_iter().with_min_len(ENVIRONMENTS_PER_TASK).zip(actions);
            all.enumerate().find_first(|(_, pair)| is_refused(pair))
        };
        if let Some((index, (env, &action))) = refused {
            return Err(VecEnvError::Illegal { index, error: env.state().refuse(action) });
        }
        run(&mut self.envs, actions, rows);
        Ok(())
    }
}

impl FromIterator<Env> for VecEnv {
    fn from_iter<I: IntoIterator<Item = Env>>(envs: I) -> VecEnv {
        VecEnv { envs: envs.into_iter().collect() }
    }
}

/// Takes legal actions (if there are any) in some environments and observes them. It uses several
/// threads if there are many environments.
fn run(envs: &mut [Env], actions: &[Action], mut rows: impl RowWriter) {
    if envs.len() <= ENVIRONMENTS_PER_TASK {
        return run_chunk(envs, actions, rows);
    }
    let middle = envs.len().div_ceil(ENVIRONMENTS_PER_TASK) / 2 * ENVIRONMENTS_PER_TASK;
    let (envs, envs_after) = envs.split_at_mut(middle);
    let (actions, actions_after) = actions.split_at(middle.min(actions.len()));
    let rows_before = rows.split_off(middle);
    rayon::join(|| run(envs, actions, rows_before), || run(envs_after, actions_after, rows));
}

fn run_chunk(envs: &mut [Env], actions: &[Action], mut rows: impl RowWriter) {
    for (i, env) in envs.iter_mut().enumerate() {
        let step = actions.get(i).map(|&action| env.step_unchecked(action));
        if step.as_ref().is_some_and(|step| step.done) {
            env.reset(None);
        }
        rows.write(i, env, step.as_ref());
    }
}

impl std::fmt::Debug for VecEnv {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "VecEnv({} environments)", self.envs.len())
    }
}
