//! Amount of search per decision, and the clock that keeps to it.

use std::time::{Duration, Instant};

/// Amount of search per decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SearchBudget {
    /// Number of worlds to sample (at least 1).
    Worlds(usize),
    /// Time limit.
    ///
    /// Worlds are sampled in at most 1000 rounds of 16 worlds, or of 8 worlds per thread with more
    /// than two threads. A decision takes at least one round and ends at about the time limit, so
    /// it depends on the machine. Not available in WebAssembly, which has no clock.
    Time(Duration),
}

/// Clock of a decision.
pub(super) struct Clock {
    /// Start of the decision and its time limit. `None` without a limit: a page has no clock.
    limit: Option<(Instant, Duration)>,
}

impl Clock {
    /// Starts the clock of a decision.
    pub fn new(budget: SearchBudget) -> Clock {
        let limit = match budget {
            SearchBudget::Worlds(_) => None,
            SearchBudget::Time(limit) => Some((Instant::now(), limit)),
        };
        Clock { limit }
    }

    /// Returns whether another round is likely to end in time. Each of its worlds takes `times` as
    /// long as before.
    pub fn has_time_after(&self, rounds: u32, times: u32) -> bool {
        let is_left = |(begun, limit): (Instant, Duration)| {
            begun.elapsed() * times * (rounds + 1) / rounds < limit
        };
        self.limit.is_some_and(is_left)
    }
}
