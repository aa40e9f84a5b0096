//! Solving many positions in parallel.

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
    solve_each(positions, &mut solvers, |position, solver| solver.values(position))
}

/// Runs `work` on each item with one thread per solver, and returns the results in the order of the
/// items.
///
/// The calling thread is one of them, so that a single solver starts no thread, for platforms
/// without threads. If `solvers` is empty, a solver of 1 MiB is created. Each thread takes the next
/// item that no thread has taken.
pub fn solve_each<T: Sync, R: Send>(
    items: &[T],
    solvers: &mut [Solver],
    work: impl Fn(&T, &mut Solver) -> R + Sync,
) -> Vec<R> {
    let Some((first, others)) = solvers.split_first_mut() else {
        return solve_each(items, &mut [Solver::new(0)], work);
    };
    let next = AtomicUsize::new(0);
    // Results of one thread, each with the index of its item.
    let work_on_next_items = |solver: &mut Solver| {
        let mut results = Vec::new();
        while let index = next.fetch_add(1, Ordering::Relaxed)
            && let Some(item) = items.get(index)
        {
            results.push((index, work(item, solver)));
        }
        results
    };
    let mut results = thread::scope(|scope| {
        let needed = others.iter_mut().take(items.len().saturating_sub(1));
        let start = |solver| scope.spawn(|| work_on_next_items(solver));
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
