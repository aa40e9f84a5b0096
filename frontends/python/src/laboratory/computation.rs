//! Long computations with bots: threads, progress and cancellation.

use std::fmt::Display;
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::prelude::*;
use troel_agents::{CancelToken, NamedBot};
use troel_env::RuleSet;
use troel_eval::DealRange;

use crate::arguments::value_error;
use crate::evaluation_arguments::match_pool;
use crate::parallel::cancellable;
use crate::python_bot::{Raised, is_python, named_bot, raised_or_value_error};

/// A computation with bots of one rule set.
pub struct Computation {
    rules: &'static RuleSet,
    raised: Raised,
    token: CancelToken,
    has_python_bot: bool,
}

/// Amount of work done and in all.
#[derive(Clone, Copy, Default)]
struct Amounts {
    done: f64,
    total: f64,
}

/// Progress of a computation.
#[derive(Default)]
pub struct Progress(Mutex<Amounts>);

impl Progress {
    /// Adds to the amount of work in all.
    pub fn plan(&self, amount: f64) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).total += amount;
    }

    /// Adds to the amount of work done.
    pub fn add(&self, amount: f64) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).done += amount;
    }

    /// Returns the whole units done, and those in all.
    fn units(&self) -> (u64, u64) {
        let Amounts { done, total } = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // Parts of a unit may add up to slightly less than it.
        ((done + 1e-6) as u64, total as u64)
    }
}

impl Computation {
    pub fn new(rules: &'static RuleSet) -> Computation {
        Computation {
            rules,
            raised: Raised::default(),
            token: CancelToken::default(),
            has_python_bot: false,
        }
    }

    /// Returns a bot that stops with the computation.
    pub fn bot(&mut self, bot: &Bound<'_, PyAny>) -> PyResult<NamedBot> {
        self.has_python_bot |= is_python(bot);
        Ok(self.cancelled(&named_bot(bot, self.rules, &self.raised)?))
    }

    /// Returns bots that stop with the computation.
    pub fn bots(&mut self, bots: &[Bound<'_, PyAny>]) -> PyResult<Vec<NamedBot>> {
        bots.iter().map(|bot| self.bot(bot)).collect()
    }

    /// Returns the bot with instances that stop with the computation.
    pub fn cancelled(&self, bot: &NamedBot) -> NamedBot {
        bot.clone().cancelled_by(&self.token)
    }

    /// Runs the work without the interpreter lock, on one thread if a bot is written in Python.
    /// `progress` is called with the units done and in all. Its error or Ctrl-C ends the work.
    pub fn run<R: Send + 'static, E: Display + Send + 'static>(
        &self,
        py: Python<'_>,
        threads: Option<usize>,
        progress: Option<&Bound<'_, PyAny>>,
        work: impl FnOnce(&Progress) -> Result<R, E> + Send + 'static,
    ) -> PyResult<R> {
        let pool = match_pool(threads, self.has_python_bot)?;
        let done = Arc::new(Progress::default());
        let mut shown = (0, 0);
        let mut look = || match progress {
            Some(progress) if done.units() != shown => {
                shown = done.units();
                progress.call1(shown).map(|_| ())
            }
            _ => Ok(()),
        };
        let counted = Arc::clone(&done);
        let work = move || pool.install(|| work(&counted));
        let result = cancellable(py, &self.token, &mut look, work)?;
        look()?;
        result.map_err(|error| raised_or_value_error(&self.raised, error))
    }
}

/// Returns the error of a range of deals that is too short.
pub fn too_few_deals(deals: DealRange, remedy: &str) -> PyErr {
    let DealRange { first, end } = deals;
    value_error(format!("deals=({first}, {end}): too few {remedy}"))
}
