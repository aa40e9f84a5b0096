//! Threads that a searching bot may use for one decision.

use std::cell::Cell;
use std::num::NonZeroUsize;

use troel_parallel::map_in_parallel;

use crate::bot::BotError;
use crate::cancel::CurrentToken;

thread_local! {
    static THREADS: Cell<NonZeroUsize> = const { Cell::new(NonZeroUsize::MIN) };
}

/// Runs work in which every searching bot may use `threads` threads for a decision.
///
/// Without it, they use only the calling thread. It is for programs in which one bot decides at a
/// time. Decisions do not depend on the number of threads.
pub fn with_threads<R>(threads: NonZeroUsize, work: impl FnOnce() -> R) -> R {
    /// Restores the previous number, even if the work panics.
    struct RestoreThreads(NonZeroUsize);
    impl Drop for RestoreThreads {
        fn drop(&mut self) {
            THREADS.set(self.0);
        }
    }
    let _before = RestoreThreads(THREADS.replace(threads));
    work()
}

/// Returns the number of threads that work on this thread may use.
pub(crate) fn threads() -> usize {
    THREADS.get().get()
}

/// Runs `work` on each item, on as many threads as work on this thread may use.
///
/// The results are in the order of the items. The threads inherit the cancellation token.
///
/// # Errors
/// The search was cancelled, or `work` failed.
pub(crate) fn map_on_threads<T: Sync, R: Send>(
    items: &[T],
    work: impl Fn(&T) -> Result<R, BotError> + Sync,
) -> Result<Vec<R>, BotError> {
    map_with_workers(items, &mut vec![(); threads_for(items)], |item, ()| work(item))
}

/// Runs `work` on each item as [`map_on_threads`] does, with one thread per worker.
///
/// # Errors
/// The search was cancelled, or `work` failed.
pub(crate) fn map_with_workers<T: Sync, W: Send, R: Send>(
    items: &[T],
    workers: &mut [W],
    work: impl Fn(&T, &mut W) -> Result<R, BotError> + Sync,
) -> Result<Vec<R>, BotError> {
    let token = CurrentToken::get();
    let results = map_in_parallel(items, workers, |item, worker| {
        token.run(|| {
            token.check()?;
            work(item, worker)
        })
    });
    results.into_iter().collect()
}

/// Returns the number of threads that work on these items needs and may use (at least 1).
pub(crate) fn threads_for<T>(items: &[T]) -> usize {
    threads().min(items.len()).max(1)
}
