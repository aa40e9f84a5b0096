//! What is solved for: trumps, sides and goal.

use troel_env::{Contract, ContractKind, SeatSet, Suit};

/// What the declarers want. The other side wants the opposite.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal {
    /// As many tricks as possible.
    Most,
    /// As few tricks as possible: a misère.
    Fewest,
    /// Exactly one trick: a piccolo.
    One,
}

/// What is solved for: who plays together, with which trumps, and to what end.
///
/// ```
/// use troel_env::{Seat, SeatSet, Suit};
/// use troel_solver::{Goal, Objective};
///
/// // North and South want as many tricks as possible, with hearts as trumps.
/// let pair = SeatSet::single(Seat::North) | SeatSet::single(Seat::South);
/// let hearts = Objective { declarers: pair, trump: Some(Suit::Hearts), goal: Goal::Most };
/// // East alone wants none.
/// let misere = Objective { declarers: SeatSet::single(Seat::East), trump: None, goal: Goal::Fewest };
/// assert_ne!(hearts, misere);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Objective {
    /// The seats on one side, one to three of them; their tricks are counted together. The remaining seats are
    /// the other side.
    pub declarers: SeatSet,
    /// Trumps; `None` to play without.
    pub trump: Option<Suit>,
    /// What the declarers want.
    pub goal: Goal,
}

impl Objective {
    /// The objective of a contract of colour whist.
    ///
    /// Several declarers of a misère or piccolo each play for themselves, but count as one side here. To judge
    /// them, solve once for each declarer, with `declarers` set to that seat alone.
    pub fn of(contract: &Contract) -> Objective {
        let goal = match contract.kind {
            ContractKind::Piccolo => Goal::One,
            kind if kind.is_negative() => Goal::Fewest,
            _ => Goal::Most,
        };
        Objective { declarers: contract.declarers, trump: contract.trump, goal }
    }
}
