//! Errors of an evaluation.

use std::convert::Infallible;

use troel_agents::BotError;
use troel_agents::driver::DriverError;

/// Reason that an evaluation could not be finished.
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
    #[error("the bot `rules` failed in a deal that gathers the deck: {0}")]
    BetweenDeals(BotError),
    /// A match did not reach its end.
    #[error(
        "{challenger} against three copies of {baseline}: a match did not reach its target within \
         {deals} deals. Compare these bots on single deals, without --matches"
    )]
    UnfinishedMatch {
        /// Name of the challenger.
        challenger: String,
        /// Name of the baseline.
        baseline: String,
        /// Number of deals of the match.
        deals: u64,
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

impl From<Infallible> for EvalError {
    fn from(never: Infallible) -> EvalError {
        match never {}
    }
}

impl EvalError {
    /// Returns the failure of the bot that plays between gathered deals.
    pub(crate) fn between_deals(stopped: DriverError) -> EvalError {
        EvalError::BetweenDeals(stopped.into())
    }
}
