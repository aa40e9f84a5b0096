//! One position being solved: turns it into a node of the search, and asks the search for its
//! value.

use troel_env::{Card, CardSet};

use crate::lanes::{self, Cards};
use crate::node::{FEWEST, MOST, Node, ONE, Trick, beats};
use crate::objective::Goal;
use crate::position::Position;
use crate::search::Search;
use crate::transposition::TranspositionTable;

/// Proved bounds of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// It is at least this.
    pub least: u8,
    /// It is at most this.
    pub most: u8,
}

impl Bounds {
    /// The value, if nothing else is left.
    pub fn exact(self) -> Option<u8> {
        (self.least == self.most).then_some(self.least)
    }
}

/// One position being solved.
pub(crate) struct Run<'s> {
    search: Search<'s>,
    /// Positions looked at since the solver was made.
    visited: &'s mut u64,
    /// Place of each card in the lanes of the search.
    pub places: Places,
    goal: Goal,
    leader: usize,
    /// Number of cards on the table.
    place: usize,
    trick: Trick,
    /// Cards held or on the table.
    all: Cards,
    /// Tricks that the declarers have taken.
    taken: i32,
    /// Tricks left, the current one included.
    left: i32,
}

impl<'s> Run<'s> {
    /// Starts on a position in which the largest hand holds `left` cards.
    pub fn new(
        table: &'s mut TranspositionTable,
        visited: &'s mut u64,
        position: &Position,
        left: i32,
    ) -> Run<'s> {
        let objective = position.objective();
        let places = Places::of(position);
        let hands = position.hands().0.map(|hand| places.lanes(hand));
        let mut shape = 0u64;
        for (seat, hand) in hands.iter().enumerate() {
            for suit in 0..4 {
                shape |= u64::from(lanes::len(hand & lanes::lane(suit))) << (16 * seat + 4 * suit);
            }
        }
        let trump = objective.trump.map_or(0, |suit| lanes::lane(suit.index()));
        let mut trick = Trick { led: 0, best: 0, winner: 0, cards: 0 };
        for (seat, card) in position.trick() {
            let card = places.lane(card);
            if trick.cards == 0 {
                trick.led = lanes::lane(lanes::suit_of(card));
            }
            if trick.cards == 0 || beats(card, trick.best, trump) {
                (trick.best, trick.winner) = (card, seat.index());
            }
            trick.cards |= card;
        }
        let all = hands.iter().fold(trick.cards, |all, hand| all | hand);
        let forced = position.forced().map_or(0, |card| places.lane(card));
        Run {
            search: Search {
                node: Node { hands, shape, trump, declarers: objective.declarers.0, forced },
                visited: 0,
                limit: u64::MAX,
                table,
            },
            visited,
            places,
            goal: objective.goal,
            leader: position.leader().index(),
            place: position.trick().count(),
            trick,
            all,
            taken: i32::from(position.taken()),
            left,
        }
    }

    /// The run of equal cards that a card of the seat to play belongs to, named by its highest
    /// card.
    pub fn group(&self, card: Cards) -> Cards {
        let seat = (self.leader + self.place) & 3;
        let hand = self.search.node.hands[seat] & !self.search.node.forced | card;
        let reps = lanes::highest_of_runs(hand, self.all) & lanes::lane(lanes::suit_of(card));
        lanes::lowest(reps & ((card << 1) - 1))
    }

    /// Lets each question look at no more than so many positions.
    pub fn limit(&mut self, nodes: u64) {
        self.search.limit = nodes;
    }

    /// Positions looked at since the solver was made.
    pub fn visited(&self) -> u64 {
        *self.visited
    }

    /// Whether the last question was given up, so that its answer means nothing.
    pub fn gave_up(&self) -> bool {
        self.search.gave_up()
    }

    /// Whether the value is at least `target`, after `card` if there is one.
    pub fn reaches(&mut self, card: Option<Cards>, target: u8) -> bool {
        self.search.visited = 0;
        match self.goal {
            Goal::Most => self.ask::<MOST>(card, i32::from(target) - self.taken),
            Goal::Fewest => self.ask::<FEWEST>(card, i32::from(target) - self.taken),
            Goal::One if target == 0 => true,
            Goal::One if target > 1 => false,
            Goal::One => match self.taken {
                0 => self.ask::<ONE>(card, 1),
                1 => !self.ask::<FEWEST>(card, 1),
                _ => false,
            },
        }
    }

    /// What can be said of the position's value ([`Solver::value`](crate::Solver::value)), after
    /// `card` if there is one, within so many positions looked at; found from a guess by steps of
    /// one trick.
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

    /// A first guess at the value: the tricks left, shared out by high cards and trumps.
    fn guess(&self) -> i32 {
        if self.goal == Goal::Fewest {
            return self.taken + 1;
        }
        let mut points = [0; 2];
        for seat in 0..4 {
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
                        points[usize::from(self.search.node.declarers >> seat & 1 != 0)] += weight;
                    }
                    rest &= !high;
                }
                if self.search.node.trump & lanes::lane(suit) != 0 {
                    points[usize::from(self.search.node.declarers >> seat & 1 != 0)] +=
                        3 * lanes::len(cards) as i32;
                }
            }
        }
        let sum = (points[0] + points[1]).max(1);
        self.taken + (self.left * points[1] + sum / 2) / sum
    }

    /// Whether the declarers take at least `need` of the tricks left (for `ONE`: exactly one),
    /// after `card` if there is one.
    fn ask<const GOAL: u8>(&mut self, card: Option<Cards>, need: i32) -> bool {
        if GOAL != ONE && need <= 0 {
            return true;
        }
        if need > self.left {
            return false;
        }
        let seat = (self.leader + self.place) & 3;
        let (left, all) = (self.left, self.all);
        let trick = self.trick;
        let (yes, _) = match card {
            None if self.place == 0 => self.search.lead::<GOAL>(seat, need, left),
            None => self.search.follow::<GOAL>(self.place, seat, &trick, all, need, left),
            Some(card) if self.place == 0 => {
                let led = lanes::lane(lanes::suit_of(card));
                let trick = Trick { led, best: card, winner: seat, cards: 0 };
                self.search.play::<GOAL>(0, seat, card, &trick, all, need, left)
            }
            Some(card) => self.search.play::<GOAL>(self.place, seat, card, &trick, all, need, left),
        };
        *self.visited += self.search.visited;
        yes
    }
}

/// Places of the cards of a position in the lanes of the search: in each suit, ranks without gaps.
pub(crate) struct Places {
    lanes: [Cards; 52],
}

impl Places {
    /// The places of a position's cards.
    pub fn of(position: &Position) -> Places {
        let mut all = position.trick().map(|(_, card)| card).collect::<CardSet>();
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
        Places { lanes }
    }

    /// The place of a card of the position.
    pub fn lane(&self, card: Card) -> Cards {
        self.lanes[card.index()]
    }

    /// The places of cards of the position.
    pub fn lanes(&self, cards: CardSet) -> Cards {
        cards.fold(0, |lanes, card| lanes | self.lane(card))
    }
}
