//! Errors of finding bots by name.

use std::path::PathBuf;

use troel_nn::BundleError;
use troel_nn::bundle::INFO_FILE;

use super::folders::{NAMED_BOTS_FOLDER, NAMED_BOTS_VARIABLE, RESUME_FOLDER};
use super::options::{
    DEFAULT_SEARCH_WORLDS, ENDINGS_RANGE, MAX_MILLISECONDS, MAX_WORLDS, SOLVE_RANGE,
};
use super::similar::suggestion;
use crate::released::{ANY_RULES_BOT, all_released};

/// Reason why a name does not give a usable bot.
#[derive(Debug, thiserror::Error)]
pub enum RegistryError {
    /// No bot has this name.
    #[error(
        "{0:?} is not a bot.{suggestion} Use random, rules, expert, pimc:worlds=20, bot:COMMAND, a \
         released bot ({released}), the name of one in {NAMED_BOTS_FOLDER}/ or ${NAMED_BOTS_VARIABLE}, or \
         the folder of a bot or a training run. TRAINED:sample draws actions from the policy of a \
         trained bot; search:TRAINED looks ahead{newer}",
        suggestion = suggested_bot(.0),
        released = all_released().join(", "),
        newer = newer_version(.0)
    )]
    Unknown(String),
    /// A folder has this name, and holds no bot.
    #[error(
        "the folder {0} holds no bot: {INFO_FILE} is missing; name the folder of a training run, \
         of one of its checkpoints, or of an exported bot"
    )]
    EmptyFolder(PathBuf),
    /// No bundle has this name or path, where only a trained bot is accepted.
    #[error(
        "{0:?} is not a trained bot.{suggestion} Use a released bot ({released}), the name of one \
         in {NAMED_BOTS_FOLDER}/ or ${NAMED_BOTS_VARIABLE}, or the folder of a bot or a \
         training run",
        suggestion = suggested_bot(.0),
        released = all_released().join(", ")
    )]
    NoBundle(String),
    /// No built-in bot has this name, where files and programs are not accepted.
    #[error("{0:?} is not a built-in bot: use random, rules, expert or pimc:worlds=20")]
    NotBuiltIn(String),
    /// Two bots were trained for different rule sets.
    #[error(
        "{} was trained for rule set {} and {} for {}: they cannot play each other; name bots for \
         one rule set, or one for any rules, such as {ANY_RULES_BOT}",
        bots[0], rules[0], bots[1], rules[1]
    )]
    DifferentRules {
        /// Names of the bots.
        bots: [String; 2],
        /// Names of their rule sets.
        rules: [String; 2],
    },
    /// The folder of a training run has no finished bot yet.
    #[error(
        "{0} is the folder of a training run without a finished bot; resume it with `troel train … \
         --resume`, or name one of its checkpoints in {checkpoints}",
        checkpoints = .0.join(RESUME_FOLDER).display()
    )]
    Unfinished(PathBuf),
    /// An option of `pimc` is invalid.
    #[error(
        "{0:?}: write pimc:worlds=N with N from 1 to {MAX_WORLDS}, or pimc:worlds=N,solve=M to \
         solve worlds from M cards in hand downwards, M from {least} to {most}",
        least = SOLVE_RANGE.start(),
        most = SOLVE_RANGE.end()
    )]
    PimcOptions(String),
    /// An option of `search:` is invalid.
    #[error(
        "{0:?}: write search:BOT:worlds=N with a trained bot and N from 1 to {MAX_WORLDS} \
         (search:BOT for {DEFAULT_SEARCH_WORLDS}), or search:BOT:ms=M for about M milliseconds per \
         decision, 1 to {MAX_MILLISECONDS}. To search only with K or fewer cards in hand, add \
         endings=K, K from {least} to {most}, as in search:BOT:worlds=N,endings=K",
        least = ENDINGS_RANGE.start(),
        most = ENDINGS_RANGE.end()
    )]
    SearchOptions(String),
    /// An external program cannot be used.
    #[error("{name}: the program {fault}; see docs/protocol.md")]
    External {
        /// Name of the bot: `bot:` and the command.
        name: String,
        /// Fault of the program.
        fault: String,
    },
    /// A bundle cannot be used.
    #[error(transparent)]
    Bundle(#[from] BundleError),
}

/// Returns the sentence that suggests a bot with a similar name, after a space; empty if there is
/// none. [`newer_version`] suggests other versions of released bots.
fn suggested_bot(name: &str) -> String {
    let built_in = ["random", "rules", "expert", "pimc"].into_iter();
    let is_version = !newer_version(name).is_empty();
    suggestion(name, built_in.chain(all_released()).filter(|_| !is_version))
}

/// Returns the end of an error, with the released bot if `name` looks like another version of it.
fn newer_version(name: &str) -> String {
    let Some((series, _)) = name.rsplit_once("-v") else { return String::new() };
    for released in all_released() {
        if released.rsplit_once("-v").is_some_and(|(other, _)| other == series) {
            return format!("; {released} is the version in this program");
        }
    }
    String::new()
}
