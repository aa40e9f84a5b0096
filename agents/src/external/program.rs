//! Commands of bot programs, with their time limits.

use std::time::Duration;

use super::error::{ExternalError, external_error};

/// Default time limit of an answer. It is enough for all bots here except searches of thousands of
/// worlds.
const DEFAULT_TIME_LIMIT: Duration = Duration::from_secs(10);

/// Longest time limit that a name may set, in seconds: a day.
const MAX_TIME_LIMIT_SECONDS: f64 = 86_400.0;

/// Shell command that starts a bot program, and its time limit per answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Program {
    pub(super) command: String,
    pub(super) limit: Duration,
}

impl Program {
    /// Parses a command with an optional time limit in seconds: `COMMAND` or `limit=0.5:COMMAND`.
    /// The default limit is 10 seconds.
    ///
    /// # Errors
    /// The limit is not a number of seconds above 0 and at most 86,400.
    pub fn parse(text: &str) -> Result<Program, ExternalError> {
        let Some((seconds, command)) = text.strip_prefix("limit=").and_then(|t| t.split_once(':'))
        else {
            return Ok(Program { command: text.to_string(), limit: DEFAULT_TIME_LIMIT });
        };
        let is_usable = |&seconds: &f64| seconds > 0.0 && seconds <= MAX_TIME_LIMIT_SECONDS;
        let limit = seconds.parse().ok().filter(is_usable);
        let limit = limit.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        match limit {
            Some(limit) => Ok(Program { command: command.to_string(), limit }),
            None => external_error(format!(
                "has an invalid time limit {seconds:?}: write limit=SECONDS, above 0 and at most \
                 {MAX_TIME_LIMIT_SECONDS}, such as limit=0.5"
            )),
        }
    }
}
