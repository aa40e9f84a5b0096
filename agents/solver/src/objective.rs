//! Objective of a solver: trumps, sides and goal.

use troel_env::{Contract, ContractKind, SeatSet, Suit};

/// Goal of the declarers. The other side wants the opposite.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal {
    /// As many tricks as possible.
    Most,
    /// As few tricks as possible: a misère.
    Fewest,
    /// Exactly one trick: a piccolo.
    One,
}

impl Goal {
    /// Returns the goal of the declarers of a contract.
    pub const fn of(kind: ContractKind) -> Goal {
        use ContractKind::*;
        match kind {
            Piccolo => Goal::One,
            SmallMisere | Misere | OpenMisere => Goal::Fewest,
            Suit | Solo | Abondance | Trou | Troel | SmallSlam | Slam | Alone | SoloSlim => {
                Goal::Most
            }
        }
    }
}

/// Objective of a solver: sides, trumps and goal.
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
    /// The seats on one side, one to three of them; their tricks are counted together. The
    /// remaining seats are the other side.
    pub declarers: SeatSet,
    /// Trumps; `None` without trumps.
    pub trump: Option<Suit>,
    /// Goal of the declarers.
    pub goal: Goal,
}

impl Objective {
    /// Returns the objective of a contract of colour whist.
    ///
    /// Several declarers of a misère or piccolo each play for themselves, but count as one side
    /// here. To judge them, solve once for each declarer, with `declarers` set to that seat alone.
    pub fn of(contract: &Contract) -> Objective {
        let Contract { kind, declarers, trump, .. } = *contract;
        Objective { declarers, trump, goal: Goal::of(kind) }
    }
}
