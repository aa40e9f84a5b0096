//! Solving one position: converts it to a node of the search and searches for its value.

use troel_env::{Card, CardSet, N_CARDS};

use crate::lanes::{self, Cards};
use crate::node::{FEWEST_TRICKS, MOST_TRICKS, Node, ONE_TRICK, Trick, beats};
use crate::objective::Goal;
use crate::position::Position;
use crate::search::{Question, Search};
use crate::transposition::TranspositionTable;

/// Proved bounds of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// Lower bound.
    pub least: u8,
    /// Upper bound.
    pub most: u8,
}

impl Bounds {
    /// Returns the value if the bounds are equal.
    pub fn exact(self) -> Option<u8> {
        (self.least == self.most).then_some(self.least)
    }
}

/// Search for the value of one position.
pub(crate) struct PositionSearch<'s> {
    search: Search<'s>,
    /// Number of positions visited since the solver was created.
    visited: &'s mut u64,
    /// Bit of each card in the lanes of the search.
    pub card_bits: CardBits,
    goal: Goal,
    leader: usize,
    /// Number of cards on the table.
    on_table: usize,
    trick: Trick,
    /// Cards held or on the table.
    all: Cards,
    /// Number of tricks that the declarers have taken.
    taken: i32,
    /// Number of remaining tricks, including the current one.
    left: i32,
}

impl<'s> PositionSearch<'s> {
    /// Starts on a position in which the largest hand holds `left` cards.
    pub fn new(
        table: &'s mut TranspositionTable,
        visited: &'s mut u64,
        position: &Position,
        left: i32,
    ) -> PositionSearch<'s> {
        let objective = position.objective();
        let card_bits = CardBits::of(position);
        let hands = position.hands().0.map(|hand| card_bits.bits(hand));
        let mut shape = 0u64;
        for (seat, hand) in hands.iter().enumerate() {
            for suit in 0..4 {
                shape |= u64::from(lanes::len(hand & lanes::lane(suit))) << (16 * seat + 4 * suit);
            }
        }
        let trump = objective.trump.map_or(0, |suit| lanes::lane(suit.index()));
        let mut trick = Trick { led: 0, best: 0, winner: 0, cards: 0 };
        for (seat, card) in position.trick() {
            let card = card_bits.bit(card);
            if trick.cards == 0 {
                trick.led = lanes::lane(lanes::suit_of(card));
            }
            if trick.cards == 0 || beats(card, trick.best, trump) {
                (trick.best, trick.winner) = (card, seat.index());
            }
            trick.cards |= card;
        }
        let all = hands.iter().fold(trick.cards, |all, hand| all | hand);
        let forced = position.forced().map_or(0, |card| card_bits.bit(card));
        PositionSearch {
            search: Search {
                node: Node { hands, shape, trump, declarers: objective.declarers.0, forced },
                visited: 0,
                limit: u64::MAX,
                table,
            },
            visited,
            card_bits,
            goal: objective.goal,
            leader: position.leader().index(),
            on_table: position.trick().count(),
            trick,
            all,
            taken: i32::from(position.taken()),
            left,
        }
    }

    /// Returns the highest card of the run of equals that contains a card of the seat to play.
    pub fn run_of(&self, card: Cards) -> Cards {
        let seat = (self.leader + self.on_table) & 3;
        let hand = self.search.node.hands[seat] & !self.search.node.forced | card;
        let candidates = lanes::highest_of_runs(hand, self.all) & lanes::lane(lanes::suit_of(card));
        lanes::lowest(candidates & ((card << 1) - 1))
    }

    /// Limits the number of positions visited per question.
    pub fn limit(&mut self, nodes: u64) {
        self.search.limit = nodes;
    }

    /// Returns the number of positions visited since the solver was created.
    pub fn visited(&self) -> u64 {
        *self.visited
    }

    /// Returns whether the last question exceeded the limit, so that its answer is invalid.
    pub fn gave_up(&self) -> bool {
        self.search.gave_up()
    }

    /// Returns whether the value is at least `target`, after `card` if there is one.
    pub fn reaches(&mut self, card: Option<Cards>, target: u8) -> bool {
        self.search.visited = 0;
        match self.goal {
            Goal::Most => self.ask::<MOST_TRICKS>(card, i32::from(target) - self.taken),
            Goal::Fewest => self.ask::<FEWEST_TRICKS>(card, i32::from(target) - self.taken),
            Goal::One if target == 0 => true,
            Goal::One if target > 1 => false,
            Goal::One => match self.taken {
                0 => self.ask::<ONE_TRICK>(card, 1),
                1 => !self.ask::<FEWEST_TRICKS>(card, 1),
                _ => false,
            },
        }
    }

    /// Returns bounds of the value of the position, after `card` if there is one.
    ///
    /// The value is that of [`Solver::value`](crate::Solver::value). Visits at most about `nodes`
    /// positions. The search starts from a guess and moves by one trick at a time.
    pub fn bounds_near(&mut self, card: Option<Cards>, guess: Option<u8>, nodes: u64) -> Bounds {
        let (mut least, mut most) = (self.taken, self.taken + self.left);
        if self.goal == Goal::One {
            (least, most) = (0, 1);
        }
        let mut target = guess.map_or_else(|| self.guess(), i32::from);
        let end = self.visited.saturating_add(nodes);
        while least < most {
            target = target.clamp(least + 1, most);
            self.limit(end.saturating_sub(*self.visited));
            let reaches = self.reaches(card, target as u8);
            if self.gave_up() {
                break;
            }
            if reaches {
                least = target;
                target += 1;
            } else {
                most = target - 1;
                target -= 1;
            }
        }
        Bounds { least: least as u8, most: most as u8 }
    }

    /// Returns a first guess at the value: the remaining tricks, divided by high cards and trumps.
    fn guess(&self) -> i32 {
        if self.goal == Goal::Fewest {
            return self.taken + 1;
        }
        let mut points = [0; 2];
        for seat in 0..4 {
            let points = &mut points[usize::from(self.search.node.declares(seat))];
            for suit in 0..4 {
                let cards = self.search.node.hands[seat] & lanes::lane(suit);
                let suit_cards = self.all & lanes::lane(suit);
                let mut rest = suit_cards;
                for weight in [4, 3, 2, 1] {
                    if rest == 0 {
                        break;
                    }
                    let high = lanes::highest(rest);
                    if cards & high != 0 {
                        *points += weight;
                    }
                    rest &= !high;
                }
                if self.search.node.trump & lanes::lane(suit) != 0 {
                    *points += 3 * lanes::len(cards) as i32;
                }
            }
        }
        let sum = (points[0] + points[1]).max(1);
        self.taken + (self.left * points[1] + sum / 2) / sum
    }

    /// Returns whether the declarers take at least `need` of the remaining tricks (for `ONE_TRICK`:
    /// exactly one), after `card` if there is one.
    fn ask<const GOAL: u8>(&mut self, card: Option<Cards>, need: i32) -> bool {
        if GOAL != ONE_TRICK && need <= 0 {
            return true;
        }
        if need > self.left {
            return false;
        }
        let seat = (self.leader + self.on_table) & 3;
        let question = Question { need, left: self.left, all: self.all };
        let trick = self.trick;
        let answer = match card {
            None if self.on_table == 0 => self.search.lead::<GOAL>(seat, need, self.left),
            None => self.search.follow::<GOAL>(self.on_table, seat, &trick, &question),
            Some(card) if self.on_table == 0 => {
                let led = lanes::lane(lanes::suit_of(card));
                let trick = Trick { led, best: card, winner: seat, cards: 0 };
                self.search.play::<GOAL>(0, seat, card, &trick, &question)
            }
            Some(card) => self.search.play::<GOAL>(self.on_table, seat, card, &trick, &question),
        };
        *self.visited += self.search.visited;
        answer.reached
    }
}

/// The bit of each card of a position in the [`lanes`] of the search. Ranks have no gaps within a
/// suit.
pub(crate) struct CardBits {
    bits: [Cards; N_CARDS],
}

impl CardBits {
    /// Assigns bits to the cards of a position.
    pub fn of(position: &Position) -> CardBits {
        let mut all = position.trick().map(|(_, card)| card).collect::<CardSet>();
        for &hand in position.hands().iter() {
            all |= hand;
        }
        let mut bits = [0; N_CARDS];
        let mut next = [0, 16, 32, 48];
        while let Some(card) = all.highest() {
            all.remove(card);
            let place = &mut next[card.suit().index()];
            bits[card.index()] = 1 << *place;
            *place += 1;
        }
        CardBits { bits }
    }

    /// Returns the bit of a card of the position.
    pub fn bit(&self, card: Card) -> Cards {
        self.bits[card.index()]
    }

    /// Returns the bits of cards of the position.
    pub fn bits(&self, cards: CardSet) -> Cards {
        cards.iter().fold(0, |bits, card| bits | self.bit(card))
    }
}
