//! Reasons why a game has no exact value.

use troel_agents::BotError;

/// Largest number of histories of a game that is walked. That takes some minutes on two cores with
/// bots that decide at once.
pub(super) const MAX_HISTORIES: f64 = 2e9;

/// Reason that there is no exact value.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum NashConvError {
    /// The game has too many histories.
    #[error(
        "{rules} is too large: about {histories:.1e} histories of {deals:.3e} deals, with a limit \
         of {MAX_HISTORIES:.0e}. Use a rule file with fewer ranks or contracts, such as \
         examples/rules/small-8.toml"
    )]
    TooLarge {
        /// Identifier of the rule set.
        rules: String,
        /// Number of deals.
        deals: f64,
        /// Estimated number of histories.
        histories: f64,
    },
    /// A contract during which cards are shown or laid aside. Some of the play is then not public.
    #[error(
        "{rules} has the contract {kind}, in which cards are shown or laid aside; use rules \
         without it"
    )]
    Contract {
        /// Identifier of the rule set.
        rules: String,
        /// Name of the contract.
        kind: &'static str,
    },
    /// A bot failed.
    #[error("{bot}: {error}")]
    Bot {
        /// Name of the bot.
        bot: String,
        /// Its fault.
        error: BotError,
    },
}
