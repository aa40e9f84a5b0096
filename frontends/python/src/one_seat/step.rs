//! Stepping environments group by group, and writing the arrays.

use numpy::PyArrayMethods;
use numpy::ndarray::Axis;
use pyo3::prelude::*;
use rayon::prelude::*;
use troel_agents::BotError;
use troel_env::Action;

use super::environments::OneSeat;
use crate::arguments::value_error;
use crate::environment_group::{ENVIRONMENTS_PER_GROUP, EnvironmentGroup, LearnerRows};
use crate::parallel::pool;
use crate::python_bot::raised_or_value_error;
use crate::vectorised::locked;

impl OneSeat {
    /// Checks that no environment stopped in the middle of a step, because a bot failed.
    pub(super) fn check(&self) -> PyResult<()> {
        if self.settings.has_failed {
            Err(value_error(
                "a bot failed in the middle of a step; call reset() to start new episodes",
            ))
        } else {
            Ok(())
        }
    }

    /// Writes the learners' observations and masks, without a step.
    pub(super) fn write(&self, py: Python<'_>) -> PyResult<()> {
        let mut observations = self.observations.bind(py).try_readwrite().map_err(locked)?;
        let mut masks = self.masks.bind(py).try_readwrite().map_err(locked)?;
        let (mut observations, mut masks) = (observations.as_array_mut(), masks.as_array_mut());
        let rows = observations.axis_chunks_iter_mut(Axis(0), ENVIRONMENTS_PER_GROUP);
        for (group, (observations, masks)) in self
            .groups
            .iter()
            .zip(rows.zip(masks.axis_chunks_iter_mut(Axis(0), ENVIRONMENTS_PER_GROUP)))
        {
            group.write(observations, masks);
        }
        Ok(())
    }

    /// Takes the learners' actions, lets the bots act, and writes all arrays.
    ///
    /// There is one action for each environment, `None` where the learner does not act.
    pub(super) fn advance(&mut self, py: Python<'_>, actions: &[Option<Action>]) -> PyResult<()> {
        let mut observations = self.observations.bind(py).try_readwrite().map_err(locked)?;
        let mut masks = self.masks.bind(py).try_readwrite().map_err(locked)?;
        let mut rewards = self.rewards.bind(py).try_readwrite().map_err(locked)?;
        let mut dones = self.dones.bind(py).try_readwrite().map_err(locked)?;
        let mut finals = match &self.finals {
            Some(finals) => Some(finals.bind(py).try_readwrite().map_err(locked)?),
            None => None,
        };
        let mut rows = LearnerRows {
            observations: observations.as_array_mut(),
            masks: masks.as_array_mut(),
            rewards: rewards.as_array_mut(),
            dones: dones.as_array_mut(),
            finals: finals.as_mut().map(|finals| finals.as_array_mut()),
        };
        let actions = actions.chunks(ENVIRONMENTS_PER_GROUP);
        let work: Vec<_> = self.groups.iter_mut().zip(actions).zip(rows.by_group()).collect();
        let autoreset = self.settings.autoreset;
        type Work<'a> = ((&'a mut EnvironmentGroup, &'a [Option<Action>]), LearnerRows<'a>);
        let step = |((group, actions), rows): Work<'_>| group.step(actions, autoreset, rows);
        // Bots written in Python run on the calling thread. On a thread of the pool, a bot that
        // uses the pool could be called again before it has returned.
        let on_this_thread = self.bots.has_python_bot() || work.len() == 1;
        let stepped: Result<(), BotError> = if on_this_thread {
            py.detach(|| work.into_iter().try_for_each(step))
        } else {
            let pool = pool()?;
            py.detach(|| pool.install(|| work.into_par_iter().try_for_each(step)))
        };
        self.settings.has_failed = stepped.is_err();
        stepped.map_err(|error| raised_or_value_error(&self.bots.raised, error))
    }
}
