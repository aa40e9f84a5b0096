//! Work on many items in parallel, with a state per thread and results in order.
//!
//! ```
//! use troel_parallel::map_in_parallel;
//!
//! // Two threads, each with a buffer that it uses again.
//! let mut buffers = vec![String::new(); 2];
//! let lengths = map_in_parallel(&[3, 1, 2], &mut buffers, |&n, buffer| {
//!     buffer.clear();
//!     buffer.extend(std::iter::repeat_n('x', n));
//!     buffer.len()
//! });
//! assert_eq!(lengths, [3, 1, 2]);
//! ```

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Runs `work` on each item with one thread per worker, and returns the results in order.
///
/// A worker is the state of a thread, such as its solver. The calling thread has the first worker,
/// so that a single worker starts no thread, for platforms without threads. Each thread takes the
/// next item that no thread has taken.
///
/// # Panics
/// There are items but no worker.
pub fn map_in_parallel<T: Sync, W: Send, R: Send>(
    items: &[T],
    workers: &mut [W],
    work: impl Fn(&T, &mut W) -> R + Sync,
) -> Vec<R> {
    let Some((first, others)) = workers.split_first_mut() else {
        assert!(items.is_empty(), "work needs at least one worker");
        return Vec::new();
    };
    let next = AtomicUsize::new(0);
    // Results of one thread, each with the index of its item.
    let work_on_next_items = |worker: &mut W| {
        let mut results = Vec::new();
        while let index = next.fetch_add(1, Ordering::Relaxed)
            && let Some(item) = items.get(index)
        {
            results.push((index, work(item, worker)));
        }
        results
    };
    let mut results = thread::scope(|scope| {
        let needed = others.iter_mut().take(items.len().saturating_sub(1));
        let start = |worker| scope.spawn(|| work_on_next_items(worker));
        let handles: Vec<_> = needed.map(start).collect();
        let mut all = work_on_next_items(first);
        for handle in handles {
            match handle.join() {
                Ok(results) => all.extend(results),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        all
    });
    results.sort_unstable_by_key(|&(index, _)| index);
    results.into_iter().map(|(_, result)| result).collect()
}
