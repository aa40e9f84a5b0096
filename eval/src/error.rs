//! Errors of an evaluation.

use troel_agents::BotError;
use troel_agents::driver::DriverError;

/// Why an evaluation could not be finished.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EvalError {
    /// A bot failed.
    #[error("{name}: {error}")]
    Bot {
        /// Name of the bot.
        name: String,
        /// Its failure.
        error: BotError,
    },
    /// The heuristic bot failed in a deal that it plays to gather the deck for the next one.
    #[error("the bot rules failed in a deal that gathers the deck: {0}")]
    BetweenDeals(BotError),
    /// The recorder of an evaluation stopped it.
    #[error("evaluation: {0}")]
    Recorder(BotError),
    /// A match did not reach its end.
    #[error("{challenger} among three {baseline}: {error}")]
    UnfinishedMatch {
        /// Name of the challenger.
        challenger: String,
        /// Name of the baseline.
        baseline: String,
        /// Why it did not end.
        error: BotError,
    },
    /// The rule set has no target that would end a match. Holds its name.
    #[error(
        "{0} has no target (match_target) that would end a match; compare the bots on single deals"
    )]
    NoTarget(String),
    /// The search that values the decisions of a corpus failed.
    #[error("the search of a corpus failed: {0}")]
    CorpusSearch(BotError),
}

impl EvalError {
    /// Returns the failure of the bot that plays between gathered deals.
    pub(crate) fn between_deals(stopped: DriverError) -> EvalError {
        EvalError::BetweenDeals(stopped.into())
    }
}
