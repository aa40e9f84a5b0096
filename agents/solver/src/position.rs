//! What the solver is asked about.

use troel_env::{BySeat, Card, CardSet, Contract, ContractKind, Phase, Seat, SeatSet, State, Suit};

use super::lanes::Cards;

/// What the declarers are after; the others are after the contrary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal {
    /// As many tricks as possible.
    Most,
    /// As few tricks as possible.
    Fewest,
    /// Exactly one trick.
    One,
}

/// Trumps, sides and goal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Game {
    /// Who plays together; their tricks are counted together.
    pub declarers: SeatSet,
    /// Trumps, if any.
    pub trump: Option<Suit>,
    /// What they are after.
    pub goal: Goal,
}

impl Game {
    /// What a contract is about. Several declarers of a misère count as one side; solve each as a game of its
    /// own (`declarers` a single seat) where they play for themselves.
    pub fn of(contract: &Contract) -> Game {
        let goal = match contract.kind {
            ContractKind::Piccolo => Goal::One,
            kind if kind.is_negative() => Goal::Fewest,
            _ => Goal::Most,
        };
        Game { declarers: contract.declarers, trump: contract.trump, goal }
    }
}

/// Why there is no such position, or no such move in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PositionError {
    /// Two hands hold the card.
    #[error("{0} is in two hands")]
    Twice(Card),
    /// Hands differ in size.
    #[error("the hands must hold the same number of cards, 1 to 13")]
    Sizes,
    /// No side, or all seats on it.
    #[error("one to three seats must be declarers")]
    Declarers,
    /// Not a card of the seat to play, or it must follow suit, or all cards are played.
    #[error("{card} is not legal here: {why}")]
    Illegal {
        /// The card.
        card: Card,
        /// The rule it breaks.
        why: &'static str,
    },
}

/// All cards of a deal or of an ending, seen by all.
#[derive(Clone, Debug)]
pub struct Position {
    /// Trumps, sides and goal.
    pub game: Game,
    hands: BySeat<CardSet>,
    leader: Seat,
    table: [Option<Card>; 3],
    taken: u8,
    /// A card that must be played to this trick if it can.
    forced: Option<Card>,
}

impl Position {
    /// The position in which `leader` leads to the first trick with these hands, all of one size from 1 to 13.
    ///
    /// # Errors
    /// A card in two hands, hands that differ in size, or no two sides.
    pub fn new(
        game: Game,
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
        if !(1..=13).contains(&size) || hands.iter().any(|hand| hand.len() != size) {
            return Err(PositionError::Sizes);
        }
        if game.declarers == SeatSet::EMPTY || game.declarers == SeatSet::FULL {
            return Err(PositionError::Declarers);
        }
        Ok(Position { game, hands, leader, table: [None; 3], taken: 0, forced: None })
    }

    /// The position of a deal in play, for the game of its contract. `None` unless cards are being played
    /// and trumps are settled (the first lead of some troels settles them).
    pub fn of_state(state: &State) -> Option<Position> {
        let game = Game::of(state.contract()?);
        let settled = game.trump.is_some() || state.contract()?.kind != ContractKind::Troel;
        (settled && state.phase() == Phase::Play).then(|| Position::in_game(state, game))
    }

    /// The position of a deal in play, for a game of one's own choice about it.
    pub fn in_game(state: &State, game: Game) -> Position {
        let mut table = [None; 3];
        for (place, (_, card)) in table.iter_mut().zip(state.trick().cards()) {
            *place = Some(card);
        }
        Position {
            game,
            hands: *state.hands(),
            leader: state.trick().leader,
            table,
            taken: game.declarers.iter().map(|seat| state.tricks()[seat]).sum(),
            forced: state.forced_card(),
        }
    }

    /// Cards still held.
    pub fn hands(&self) -> &BySeat<CardSet> {
        &self.hands
    }

    /// Who leads or led the current trick.
    pub fn leader(&self) -> Seat {
        self.leader
    }

    /// The cards on the table, in the order played.
    pub fn table(&self) -> impl Iterator<Item = (Seat, Card)> + '_ {
        (0..3).map_while(|i| Some((self.leader.plus(i), self.table[i]?)))
    }

    /// The seat to play.
    pub fn turn(&self) -> Seat {
        self.leader.plus(self.table().count())
    }

    /// Tricks the declarers have taken.
    pub fn taken(&self) -> u8 {
        self.taken
    }

    /// Whether all cards are played.
    pub fn is_done(&self) -> bool {
        self.hands[self.turn()].is_empty()
    }

    pub(super) fn forced(&self) -> Option<Card> {
        self.forced
    }

    /// The cards that the seat to play may play.
    pub fn legal(&self) -> CardSet {
        let hand = self.hands[self.turn()];
        let Some(led) = self.table[0] else { return hand };
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
            } else {
                "the suit led must be followed"
            };
            return Err(PositionError::Illegal { card, why });
        }
        self.hands[seat].remove(card);
        let at = self.table().count();
        if let Some(place) = self.table.get_mut(at) {
            *place = Some(card);
            return Ok(());
        }
        let mut trick = self.table().chain([(seat, card)]);
        let Some((mut winner, mut best)) = trick.next() else { return Ok(()) };
        for (other, theirs) in trick {
            if theirs.beats(best, self.game.trump) {
                (winner, best) = (other, theirs);
            }
        }
        self.taken += u8::from(self.game.declarers.has(winner));
        self.leader = winner;
        self.table = [None; 3];
        self.forced = None;
        Ok(())
    }
}

/// Where the cards of a position go in the lanes of the search: ranks without gaps.
pub(super) struct Ranks {
    lanes: [Cards; 52],
}

impl Ranks {
    pub fn of(position: &Position) -> Ranks {
        let mut all = position.table().map(|(_, card)| card).collect::<CardSet>();
        for &hand in position.hands().iter() {
            all |= hand;
        }
        let mut lanes = [0; 52];
        let mut next = [0, 16, 32, 48];
        while let Some(card) = all.highest() {
            all.remove(card);
            let bit = &mut next[card.suit().index()];
            lanes[card.index()] = 1 << *bit;
            *bit += 1;
        }
        Ranks { lanes }
    }

    pub fn lane(&self, card: Card) -> Cards {
        self.lanes[card.index()]
    }

    pub fn lanes(&self, cards: CardSet) -> Cards {
        cards.fold(0, |lanes, card| lanes | self.lane(card))
    }
}
