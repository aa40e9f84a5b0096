//! Position: all cards of a deal or of an ending, and the objective.

use troel_env::{BySeat, Card, CardSet, ContractKind, Phase, RANKS_PER_SUIT, Seat, SeatSet, State};

use crate::objective::Objective;

/// Reason why a position or a move is invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PositionError {
    /// Two hands hold the card.
    #[error("{0} is in two hands")]
    Twice(Card),
    /// The hands are empty, too large, or differ in size.
    #[error("the hands must hold the same number of cards, 1 to 13")]
    Sizes,
    /// No seat is a declarer, or all four are: there are no two sides.
    #[error("one to three seats must be declarers")]
    Declarers,
    /// The deal is not in its card play, or its trumps are not settled yet.
    #[error("no cards are being played, or trumps are not settled yet")]
    NotInPlay,
    /// The contract is neither a misère nor a piccolo, where one of them is needed.
    #[error("{} is neither a misère nor a piccolo. Compare its goal with the value", .0.name())]
    NotNegative(ContractKind),
    /// The seat to play does not hold the card, or must play another one.
    #[error("{card} is not legal here: {why}")]
    Illegal {
        /// The card.
        card: Card,
        /// The rule it breaks.
        why: &'static str,
    },
}

/// Position to solve: the cards still held, the current trick, the tricks already taken by the
/// declarers, and the objective.
///
/// ```
/// use troel_env::{Card, Seat, SeatSet, parse_four_hands};
/// use troel_solver::{Goal, Objective, Position};
///
/// let hands = parse_four_hands("N:AK... .AK.. ..AK. ...AK")?;
/// let objective = Objective { declarers: SeatSet::single(Seat::North), trump: None, goal: Goal::Most };
/// let mut position = Position::new(objective, hands, Seat::North)?;
/// for card in ["AS", "AH", "AD", "AC"] {
///     position.play(Card::parse(card).expect("a card"))?;
/// }
/// assert_eq!((position.leader(), position.taken()), (Seat::North, 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position {
    objective: Objective,
    hands: BySeat<CardSet>,
    leader: Seat,
    trick: [Option<Card>; 3],
    taken: u8,
    /// A card that must be played to the current trick wherever it is legal.
    forced: Option<Card>,
}

impl Position {
    /// Creates the position in which `leader` leads to the first trick with these hands.
    ///
    /// All hands have the same size, 1 to 13 cards.
    ///
    /// # Errors
    /// A card is in two hands, the hands differ in size, or there are no two sides.
    pub fn new(
        objective: Objective,
        hands: BySeat<CardSet>,
        leader: Seat,
    ) -> Result<Position, PositionError> {
        let mut seen = CardSet::EMPTY;
        for hand in hands.iter() {
            if let Some(card) = (seen & *hand).lowest() {
                return Err(PositionError::Twice(card));
            }
            seen |= *hand;
        }
        let size = hands[Seat::North].len();
        if !(1..=u32::from(RANKS_PER_SUIT)).contains(&size)
            || hands.iter().any(|hand| hand.len() != size)
        {
            return Err(PositionError::Sizes);
        }
        check_sides(&objective)?;
        Ok(Position { objective, hands, leader, trick: [None; 3], taken: 0, forced: None })
    }

    /// Returns the position of a deal in play, with the objective of its contract.
    ///
    /// # Errors
    /// - [`PositionError::NotInPlay`]: no cards are being played, or trumps are not determined yet
    ///   (in some rule sets the first lead of a troel determines them).
    /// - [`PositionError::Declarers`]: every declarer has withdrawn.
    /// - [`PositionError::Sizes`]: the hands differ in size.
    pub fn from_state(state: &State) -> Result<Position, PositionError> {
        let contract = state.contract().ok_or(PositionError::NotInPlay)?;
        Position::from_state_for(state, Objective::of(contract))
    }

    /// Returns the position of a deal in play with another objective.
    ///
    /// An example is a misère with a single one of its declarers. Tricks already taken by
    /// `objective.declarers` count.
    ///
    /// # Errors
    /// No cards are being played, trumps are not settled, there are no two sides, or the hands
    /// differ in size.
    pub fn from_state_for(state: &State, objective: Objective) -> Result<Position, PositionError> {
        let contract = state.contract().filter(|_| state.phase() == Phase::Play);
        let contract = contract.ok_or(PositionError::NotInPlay)?;
        if contract.kind == ContractKind::Troel && contract.trump.is_none() {
            return Err(PositionError::NotInPlay);
        }
        check_sides(&objective)?;
        check_hands(state)?;
        let mut trick = [None; 3];
        for (slot, (_, card)) in trick.iter_mut().zip(state.trick().cards()) {
            *slot = Some(card);
        }
        Ok(Position {
            objective,
            hands: *state.hands(),
            leader: state.trick().leader,
            trick,
            taken: objective.declarers.iter().map(|seat| state.tricks()[seat]).sum(),
            forced: state.obligatory_card(),
        })
    }

    /// Returns the objective.
    pub fn objective(&self) -> Objective {
        self.objective
    }

    /// Returns the cards still held.
    pub fn hands(&self) -> &BySeat<CardSet> {
        &self.hands
    }

    /// Returns the seat that leads or led to the current trick.
    pub fn leader(&self) -> Seat {
        self.leader
    }

    /// Returns the cards of the current trick in the order played; none to three.
    pub fn trick(&self) -> impl Iterator<Item = (Seat, Card)> + '_ {
        (0..3).map_while(|i| Some((self.leader.plus(i), self.trick[i]?)))
    }

    /// Returns the seat to play.
    pub fn turn(&self) -> Seat {
        self.leader.plus(self.trick().count())
    }

    /// Returns the number of tricks that the declarers have taken.
    pub fn taken(&self) -> u8 {
        self.taken
    }

    /// Returns whether all cards are played.
    pub fn is_done(&self) -> bool {
        self.hands[self.turn()].is_empty()
    }

    pub(crate) fn forced(&self) -> Option<Card> {
        self.forced
    }

    /// Returns the cards that the seat to play may play; none once all are played.
    pub fn legal(&self) -> CardSet {
        let hand = self.hands[self.turn()];
        let Some(led) = self.trick[0] else { return hand };
        let follow = hand.of(led.suit());
        match self.forced {
            _ if follow.is_empty() => hand,
            Some(card) if follow.has(card) => CardSet::single(card),
            _ => follow,
        }
    }

    /// Plays a card.
    ///
    /// # Errors
    /// The card is not legal; the position stays as it was.
    pub fn play(&mut self, card: Card) -> Result<(), PositionError> {
        let seat = self.turn();
        if !self.legal().has(card) {
            let why = if self.is_done() {
                "all cards are played"
            } else if !self.hands[seat].has(card) {
                "the seat to play does not hold it"
            } else if self.forced.is_some_and(|forced| self.hands[seat].has(forced)) {
                "the ace of the suit led must be played"
            } else {
                "the suit led must be followed"
            };
            return Err(PositionError::Illegal { card, why });
        }
        self.hands[seat].remove(card);
        let at = self.trick().count();
        if let Some(slot) = self.trick.get_mut(at) {
            *slot = Some(card);
            return Ok(());
        }
        let mut trick = self.trick().chain([(seat, card)]);
        let Some((mut winner, mut best)) = trick.next() else { return Ok(()) };
        for (other, theirs) in trick {
            if theirs.beats(best, self.objective.trump) {
                (winner, best) = (other, theirs);
            }
        }
        self.taken += u8::from(self.objective.declarers.has(winner));
        self.leader = winner;
        self.trick = [None; 3];
        self.forced = None;
        Ok(())
    }
}

fn check_sides(objective: &Objective) -> Result<(), PositionError> {
    let has_two_sides =
        objective.declarers != SeatSet::EMPTY && objective.declarers != SeatSet::FULL;
    has_two_sides.then_some(()).ok_or(PositionError::Declarers)
}

/// Checks that all hands hold the same number of cards, counting those of the current trick.
fn check_hands(state: &State) -> Result<(), PositionError> {
    let (hands, trick) = (state.hands(), state.trick());
    let in_trick = |seat: Seat| u32::from(seat.relative_to(trick.leader) < trick.len());
    let [first, others @ ..] = Seat::ALL.map(|seat| hands[seat].len() + in_trick(seat));
    others.iter().all(|&cards| cards == first).then_some(()).ok_or(PositionError::Sizes)
}
