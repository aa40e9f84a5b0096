//! Work on many items in parallel, and the values of many positions by it.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use troel_env::Card;

use crate::position::Position;
use crate::solver::Solver;

/// Returns the values of all legal cards ([`Solver::values`]) of each position, in the order of the
/// positions.
///
/// Each of `threads` threads has a solver with `memory` bytes and takes the next position that no
/// thread has taken. The values do not depend on the number of threads. With one thread none is
/// started, for platforms without threads. Consecutive positions with the same objective are
/// cheapest, because they share the transposition table.
///
/// ```
/// # use std::num::NonZeroUsize;
/// # use troel_env::{BySeat, Seat, SeatSet, deal};
/// # use troel_solver::{Goal, Objective, Position, solve_batch};
/// let hands = deal::parse_hands("N:32... K4... J5... AQ...")?;
/// let hands = BySeat::from_fn(|seat| hands[seat].unwrap_or_default());
/// let objective = Objective { declarers: SeatSet::single(Seat::West), trump: None, goal: Goal::Most };
/// let leads = Seat::ALL.map(|leader| Position::new(objective, hands, leader));
/// let leads = leads.into_iter().collect::<Result<Vec<_>, _>>()?;
/// let two = NonZeroUsize::new(2).unwrap();
/// for values in solve_batch(&leads, two, 1 << 20) {
///     assert_eq!(values.len(), 2); // The two cards of the leader.
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn solve_batch(
    positions: &[Position],
    threads: NonZeroUsize,
    memory: usize,
) -> Vec<Vec<(Card, u8)>> {
    let threads = threads.get().min(positions.len());
    let mut solvers: Vec<Solver> = (0..threads).map(|_| Solver::new(memory)).collect();
    map_in_parallel(positions, &mut solvers, |position, solver| solver.values(position))
}

/// Runs `work` on each item with one thread per worker, and returns the results in the order of the
/// items.
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
