//! Solver of positions.

use troel_env::{Action, Card, Phase, Seat, SeatSet, State};

use crate::objective::{Goal, Objective};
use crate::position::{Position, PositionError};
use crate::position_search::{Bounds, PositionSearch};
use crate::transposition::TranspositionTable;

/// Memory of the transposition table of [`Solver::default`], in bytes (64 MiB).
pub const DEFAULT_MEMORY: usize = 64 << 20;

/// Solver of positions.
///
/// It keeps a transposition table between positions. Later positions with the same objective are
/// cheaper, for example if the deals of a sample are solved one after the other.
///
/// ```
/// use troel_env::{Seat, SeatSet, parse_four_hands};
/// use troel_solver::{Goal, Objective, Position, Solver};
///
/// // A two-card ending without trumps: West leads, and East's guarded king makes the queen a loser.
/// let hands = parse_four_hands("N:32... K4... J5... AQ...")?;
/// let objective = Objective { declarers: SeatSet::single(Seat::West), trump: None, goal: Goal::Most };
/// let position = Position::new(objective, hands, Seat::West)?;
/// let mut solver = Solver::default();
/// assert_eq!(solver.value(&position), 1);
/// for (_card, tricks) in solver.values(&position) {
///     assert_eq!(tricks, 1);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Solver {
    table: TranspositionTable,
    /// Subject of the entries of the table.
    objective: Option<Objective>,
    visited: u64,
}

impl Default for Solver {
    fn default() -> Solver {
        Solver::new(DEFAULT_MEMORY)
    }
}

impl Solver {
    /// Creates a solver whose transposition table takes at most `memory` bytes, but at least 1 MiB.
    /// With less memory the answers are the same and take longer.
    pub fn new(memory: usize) -> Solver {
        Solver { table: TranspositionTable::new(memory), objective: None, visited: 0 }
    }

    /// Returns the number of positions visited since the solver was created, a measure of work.
    pub fn nodes(&self) -> u64 {
        self.visited
    }

    /// Empties the transposition table. Answers never depend on it, only their cost does.
    pub fn clear(&mut self) {
        self.objective = None;
    }

    /// Returns the value of the position if both sides play perfectly.
    ///
    /// For [`Goal::Most`] and [`Goal::Fewest`] it is the total number of tricks that the declarers
    /// take, including those already taken, 0 to 13. For [`Goal::One`] it is 1 if they end with
    /// exactly one trick, else 0.
    pub fn value(&mut self, position: &Position) -> u8 {
        self.bounds_within(position, u64::MAX).least
    }

    /// Returns the bounds of the [`value`](Self::value) that can be proved by visiting at most
    /// about `nodes` positions.
    ///
    /// The bounds are exact if the nodes suffice. That depends on the contents of the transposition
    /// table; after [`clear`](Self::clear) it depends on the position alone. A million positions
    /// take about 0.2 seconds.
    ///
    /// ```
    /// # use troel_env::{Seat, SeatSet, parse_four_hands};
    /// # use troel_solver::{Bounds, Goal, Objective, Position, Solver};
    /// let hands = parse_four_hands(
    ///     "N:AKQ2.AK2.AK2.AK2 J43.QJ3.QJ43.QJ3 T65.T54.T65.T654 987.9876.987.987",
    /// )?;
    /// let declarers = SeatSet::single(Seat::North) | SeatSet::single(Seat::South);
    /// let objective = Objective { declarers, trump: None, goal: Goal::Most };
    /// let position = Position::new(objective, hands, Seat::North)?;
    /// let mut solver = Solver::default();
    /// assert_eq!(solver.bounds_within(&position, 0), Bounds { least: 0, most: 13 });
    /// let bounds = solver.bounds_within(&position, 10_000_000);
    /// assert_eq!(bounds.exact(), Some(solver.value(&position)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn bounds_within(&mut self, position: &Position, nodes: u64) -> Bounds {
        self.begin(position).bounds_near(None, None, nodes)
    }

    /// Returns whether [`value`](Self::value) is at least `target`.
    ///
    /// This is much cheaper than the value. For misères and piccolos see
    /// [`is_made`](Self::is_made).
    pub fn reaches(&mut self, position: &Position, target: u8) -> bool {
        self.begin(position).reaches(None, target)
    }

    /// Like [`reaches`](Self::reaches), but visits at most `nodes` positions. Returns `None` if
    /// they do not suffice, which depends on the contents of the transposition table.
    pub fn reaches_within(&mut self, position: &Position, target: u8, nodes: u64) -> Option<bool> {
        let mut search = self.begin(position);
        search.limit(nodes);
        let answer = search.reaches(None, target);
        (!search.gave_up()).then_some(answer)
    }

    /// Returns whether the declarers make a misère ([`Goal::Fewest`]) or a piccolo ([`Goal::One`]).
    ///
    /// Visits at most `nodes` positions. Returns `None` if they do not suffice, and always for
    /// [`Goal::Most`], where the contract sets the number of tricks.
    pub fn is_made(&mut self, position: &Position, nodes: u64) -> Option<bool> {
        match position.objective().goal {
            Goal::Most => None,
            Goal::Fewest => self.reaches_within(position, 1, nodes).map(|takes_one| !takes_one),
            Goal::One => self.reaches_within(position, 1, nodes),
        }
    }

    /// Returns whether a declarer of a misère or piccolo makes it, alone against the three others.
    ///
    /// Visits at most `nodes` positions. Returns `None` if they do not suffice.
    ///
    /// # Errors
    /// The contract is neither a misère nor a piccolo, card play has not begun, or the hands differ
    /// in size.
    pub fn declarer_makes(
        &mut self,
        state: &State,
        declarer: Seat,
        nodes: u64,
    ) -> Result<Option<bool>, PositionError> {
        let contract = state.contract().ok_or(PositionError::NotInPlay)?;
        if !contract.kind.is_negative() {
            return Err(PositionError::NotNegative(contract.kind));
        }
        if state.is_done() {
            return Ok(Some(state.tricks()[declarer] == contract.kind.allowed_tricks()));
        }
        let declarers = SeatSet::single(declarer);
        let objective = Objective { declarers, ..Objective::of(contract) };
        Ok(self.is_made(&Position::from_state_for(state, objective)?, nodes))
    }

    /// Returns the [`value`](Self::value) after each legal card of the seat to play, in the order
    /// of [`Position::legal`]. Empty once all cards are played.
    pub fn values(&mut self, position: &Position) -> Vec<(Card, u8)> {
        exact(self.values_within(position, u64::MAX))
    }

    /// Like [`values`](Self::values), but visits at most about `nodes` positions in total.
    ///
    /// The results are bounds ([`bounds_within`](Self::bounds_within)). The cards share the nodes
    /// evenly.
    pub fn values_within(&mut self, position: &Position, nodes: u64) -> Vec<(Card, Bounds)> {
        let end = self.visited.saturating_add(nodes);
        let mut search = self.begin(position);
        let mut guess = None;
        let mut values = Vec::with_capacity(13);
        // Cards of one run of equals have one value, which is found once.
        let mut value_of_run: Vec<(u64, Bounds)> = Vec::with_capacity(13);
        let mut cards_left = u64::from(position.legal().len());
        for card in position.legal() {
            let bit = search.card_bits.bit(card);
            let run = search.run_of(bit);
            let value = match value_of_run.iter().find(|(known, _)| *known == run) {
                Some(&(_, value)) => value,
                None => {
                    let share = end.saturating_sub(search.visited()) / cards_left;
                    let value = search.bounds_near(Some(bit), guess, share);
                    value_of_run.push((run, value));
                    value
                }
            };
            guess = Some(value.least);
            values.push((card, value));
            cards_left -= 1;
        }
        values
    }

    /// Returns the [`values`](Self::values) of the legal cards of a deal of colour whist, for the
    /// objective of its contract.
    ///
    /// If the first lead determines trumps, each lead is solved with its suit as trumps. The result
    /// is `None` if no card is to be played, or if every declarer has withdrawn.
    pub fn card_values(&mut self, state: &State) -> Option<Vec<(Card, u8)>> {
        self.card_values_within(state, u64::MAX).map(exact)
    }

    /// Like [`card_values`](Self::card_values), but visits at most about `nodes` positions.
    ///
    /// If the first lead determines trumps, the limit is per card.
    pub fn card_values_within(&mut self, state: &State, nodes: u64) -> Option<Vec<(Card, Bounds)>> {
        let legal = state.legal_actions().cards;
        if state.phase() != Phase::Play {
            return None;
        }
        if let Ok(position) = Position::from_state(state) {
            let mut values = self.values_within(&position, nodes);
            values.retain(|&(card, _)| legal.has(card));
            return Some(values);
        }
        let after = |card| {
            let mut next = *state;
            next.apply_unchecked(Action::card(card));
            Some((card, self.bounds_within(&Position::from_state(&next).ok()?, nodes)))
        };
        legal.iter().map(after).collect()
    }

    /// Starts on a position. Clears the table if its entries are about another objective.
    fn begin(&mut self, position: &Position) -> PositionSearch<'_> {
        let cards = position.hands().iter().map(|h| h.len()).max().unwrap_or(0);
        if self.objective != Some(position.objective()) {
            self.table.clear(cards);
            self.objective = Some(position.objective());
        }
        PositionSearch::new(&mut self.table, &mut self.visited, position, cards as i32)
    }
}

/// Returns the values of bounds that were found without a limit.
fn exact(values: Vec<(Card, Bounds)>) -> Vec<(Card, u8)> {
    values.into_iter().map(|(card, bounds)| (card, bounds.least)).collect()
}
