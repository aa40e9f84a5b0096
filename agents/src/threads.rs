//! Number of threads that a searching bot may use for one decision.

use std::cell::Cell;
use std::num::NonZeroUsize;

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
