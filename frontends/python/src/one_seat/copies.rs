//! Copies and pickles of environments in which one seat learns.

use std::sync::PoisonError;

use pyo3::prelude::*;
use serde::{Deserialize, Serialize};
use troel_env::VecEnv;

use super::environments::{EnvironmentSettings, OneSeat};
use super::seated_bots::SeatedBots;
use crate::arguments::value_error;
use crate::environment_group::{EnvironmentGroup, Player};
use crate::python_bot::{BotArgument, Raised, bot_argument};
use crate::vectorised::{copy_into, copy_of, from_json};

/// Callables of the bots of a group that are written in Python.
type Callables<'py> = [Option<Bound<'py, PyAny>>; 3];

/// State of environments for a pickle. It has [`SavedOneSeat`] as JSON, the bots as Python passed
/// them, the callables, and the arrays that the last step wrote.
type Handed<'py> = (String, [Bound<'py, PyAny>; 3], Vec<Callables<'py>>, [Bound<'py, PyAny>; 2]);

/// The function that restores pickled environments, and its arguments.
pub type ReducedOneSeat<'py> = (Bound<'py, PyAny>, Handed<'py>);

/// Environments without the data that Python objects hold.
#[derive(Serialize, Deserialize)]
struct SavedOneSeat {
    envs: VecEnv,
    settings: EnvironmentSettings,
}

/// Returns the environments that `OneSeat.__reduce__` describes.
#[pyfunction]
pub fn _restore_one_seat(
    py: Python<'_>,
    saved: &str,
    bots: [Bound<'_, PyAny>; 3],
    callables: Vec<Callables<'_>>,
    arrays: [Bound<'_, PyAny>; 2],
) -> PyResult<OneSeat> {
    let SavedOneSeat { envs, settings } = from_json(saved)?;
    let Some(first) = envs.envs().first() else {
        return Err(value_error("not a saved environment: there is none"));
    };
    let bots = SeatedBots::new(bots, first.session().rules())?;
    let new = OneSeat::seated(py, &envs, bots, settings);
    new.with(py, callables, arrays.each_ref())
}

impl OneSeat {
    /// Returns [`_restore_one_seat`] and its arguments.
    pub fn reduced<'py>(&self, py: Python<'py>) -> PyResult<ReducedOneSeat<'py>> {
        let restore = py.import("troel._troel")?.getattr("_restore_one_seat")?;
        let saved = SavedOneSeat { envs: self.envs(), settings: self.settings.clone() };
        let saved = serde_json::to_string(&saved).map_err(value_error)?;
        let given = self.bots.bound(py);
        let [rewards, dones] = self.written(py);
        let arrays = [copy_of(rewards)?, copy_of(dones)?];
        Ok((restore, (saved, given, self.callables(py), arrays)))
    }

    /// Returns a deep copy. Bots of Troel share constant data, such as the weights of a network.
    pub fn copied<'py>(&self, py: Python<'py>, memo: &Bound<'py, PyAny>) -> PyResult<OneSeat> {
        let deepcopy = py.import("copy")?.getattr("deepcopy")?;
        let given = self.bots.bound(py);
        // At once, so that a callable which is in several places is copied once.
        let (given, callables): ([Bound<'_, PyAny>; 3], Vec<Callables<'_>>) =
            deepcopy.call1(((given, self.callables(py)), memo))?.extract()?;
        let (envs, raised) = (self.envs(), Raised::default());
        let rules = self.groups[0].tables[0].env.session().rules();
        let copied = |bot: usize| match &self.bots.factories[bot] {
            BotArgument::Native(bot) => Ok(BotArgument::Native(bot.clone())),
            BotArgument::Python(..) => bot_argument(&given[bot], rules, &raised),
        };
        let factories = [copied(0)?, copied(1)?, copied(2)?];
        let bots = SeatedBots { given: given.map(Bound::unbind), factories, raised };
        let new = OneSeat::seated(py, &envs, bots, self.settings.clone());
        new.with(py, callables, self.written(py))
    }

    /// Returns the callables of the bots written in Python, group by group.
    fn callables<'py>(&self, py: Python<'py>) -> Vec<Callables<'py>> {
        let group = |group: &EnvironmentGroup| {
            let bots = group.bots.lock().unwrap_or_else(PoisonError::into_inner);
            bots.each_ref().map(|player| match player {
                Player::Native(_) => None,
                Player::Python(bot) => Some(bot.act.bind(py).clone()),
            })
        };
        self.groups.iter().map(group).collect()
    }

    /// Returns the arrays with the results of the last step.
    fn written<'a, 'py>(&'a self, py: Python<'py>) -> [&'a Bound<'py, PyAny>; 2] {
        [self.rewards.bind(py), self.dones.bind(py)]
    }

    /// Returns the environments after a step that wrote these arrays. These callables are in the
    /// seats of bots written in Python.
    fn with(
        mut self,
        py: Python<'_>,
        callables: Vec<Callables<'_>>,
        written: [&Bound<'_, PyAny>; 2],
    ) -> PyResult<OneSeat> {
        let factories = &self.bots.factories;
        for (group, callables) in self.groups.iter_mut().zip(callables) {
            let seated = group.bots.get_mut().unwrap_or_else(PoisonError::into_inner);
            for ((player, factory), act) in seated.iter_mut().zip(factories).zip(callables) {
                if let (BotArgument::Python(_, factory), Some(act)) = (factory, act) {
                    *player = Player::Python(factory.with(act.unbind()));
                }
            }
        }
        self.write(py)?;
        for (array, from) in self.written(py).into_iter().zip(written) {
            copy_into(array, from)?;
        }
        Ok(self)
    }
}
