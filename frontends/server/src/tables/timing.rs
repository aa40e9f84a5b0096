//! Time limits of shared tables, and the pace at which moves of bots are shown.

use std::time::Duration;

use tokio::time::Instant;

/// Time without a connection after which a bot plays on for a person. A reload, or a telephone that
/// looks for its network, takes less.
pub(super) const AWAY_TIMEOUT: Duration = Duration::from_secs(20);

/// Time after which a bot plays on for a person who lets the others wait.
pub(super) const TURN_TIMEOUT: Duration = Duration::from_secs(120);

/// Time without any connection after which a table is closed.
pub(super) const EMPTY_TIMEOUT: Duration = Duration::from_secs(60);

/// Time without any connection after which a table is closed that an earlier server left.
/// Telephones that are asleep come back late.
pub(super) const RETURN_TIMEOUT: Duration = Duration::from_secs(30 * 60);

/// Interval between two phrases of a person.
pub(super) const PHRASE_INTERVAL: Duration = Duration::from_secs(2);

/// Time after which a bot that failed is asked again.
pub(super) const BOT_RETRY_DELAY: Duration = Duration::from_secs(10);

/// Interval between the beats on which moves of bots are shown. Counted from the time when the bot
/// could begin. The time that a bot takes would reveal whether it had a choice. Bots usually take
/// less than one interval.
pub(super) const BEAT: Duration = Duration::from_millis(300);

/// Returns the time at which a decision is shown: the next beat. The decision could be begun at
/// `since` and was made at `now`.
pub(super) fn next_beat(since: Instant, now: Instant) -> Instant {
    let passed = now.duration_since(since).as_nanos() / BEAT.as_nanos();
    since + BEAT * u32::try_from(passed + 1).unwrap_or(u32::MAX)
}
