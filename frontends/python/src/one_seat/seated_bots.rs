//! The bots of the three seats that do not learn.

use pyo3::prelude::*;
use troel_env::RuleSet;

use crate::python_bot::{BotArgument, Raised, bot_argument};

/// Bots to the left of the learner, opposite, and to its right.
pub(super) struct SeatedBots {
    /// The bots as Python passed them.
    pub(super) given: [Py<PyAny>; 3],
    /// Factories of the same bots.
    pub(super) factories: [BotArgument; 3],
    /// Exception that one of the bots raised.
    pub(super) raised: Raised,
}

impl SeatedBots {
    /// Finds the bots that Python passed.
    pub(super) fn new(given: [Bound<'_, PyAny>; 3], rules: &RuleSet) -> PyResult<SeatedBots> {
        let raised = Raised::default();
        let [left, opposite, right] = &given;
        let factories = [
            bot_argument(left, rules, &raised)?,
            bot_argument(opposite, rules, &raised)?,
            bot_argument(right, rules, &raised)?,
        ];
        Ok(SeatedBots { given: given.map(Bound::unbind), factories, raised })
    }

    /// Returns the bots as Python passed them, bound to the interpreter.
    pub(super) fn bound<'py>(&self, py: Python<'py>) -> [Bound<'py, PyAny>; 3] {
        self.given.each_ref().map(|bot| bot.bind(py).clone())
    }

    /// Returns whether one of the bots is written in Python.
    pub(super) fn has_python_bot(&self) -> bool {
        self.factories.iter().any(|factory| matches!(factory, BotArgument::Python(..)))
    }
}
