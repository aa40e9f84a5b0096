//! Values of many positions, computed in parallel.

use std::num::NonZeroUsize;

use troel_env::Card;
use troel_parallel::map_in_parallel;

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
/// # use troel_env::{Seat, SeatSet, parse_four_hands};
/// # use troel_solver::{Goal, Objective, Position, solve_batch};
/// let hands = parse_four_hands("N:32... K4... J5... AQ...")?;
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
