//! Many positions at once.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use troel_env::Card;

use crate::position::Position;
use crate::solver::Solver;

/// The values of all legal cards ([`Solver::values`]) of each position, in the order of the positions, by so many
/// threads. Each has a solver with `memory` bytes of its own, and takes the next position that nobody has taken. The
/// values do not depend on the number of threads; one starts none, for platforms that have none. Positions that
/// follow each other with the same objective are the cheapest, since what is remembered of one helps with the next.
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
    let next = AtomicUsize::new(0);
    let work = || {
        let mut solver = Solver::new(memory);
        let mut solved = Vec::new();
        while let at = next.fetch_add(1, Ordering::Relaxed)
            && let Some(position) = positions.get(at)
        {
            solved.push((at, solver.values(position)));
        }
        solved
    };
    let mut values = vec![Vec::new(); positions.len()];
    let others = threads.get().min(positions.len()).saturating_sub(1);
    thread::scope(|scope| {
        let handles: Vec<_> = (0..others).map(|_| scope.spawn(work)).collect();
        let mine = work();
        let theirs = handles.into_iter().flat_map(|handle| match handle.join() {
            Ok(solved) => solved,
            Err(panic) => std::panic::resume_unwind(panic),
        });
        for (at, solved) in mine.into_iter().chain(theirs) {
            values[at] = solved;
        }
    });
    values
}
