//! Double-dummy solver: what each card is worth when all cards are seen and everybody plays perfectly.
//!
//! Sides of any shape (a pair opposite or adjacent, one against three), trumps or none, and three goals: most
//! tricks, fewest tricks (misère), exactly one trick (piccolo). Alpha-beta with a null window over relative
//! ranks, answers kept by pattern (see `table`), tricks that can be cashed or not be denied counted at once
//! (see `bounds`).

mod bounds;
mod lanes;
mod order;
mod position;
mod search;
mod table;
mod weights;

pub use position::{Game, Goal, Position, PositionError};

use troel_env::{Action, Card, Phase, State};

use position::Ranks;
use search::{FEWEST, MOST, ONE, OnTable, Search};
use table::Table;

/// Memory a solver takes for its table unless told otherwise, in bytes.
pub const DEFAULT_MEMORY: usize = 64 << 20;

/// Solves positions; keeps the table between them where that helps.
pub struct Solver {
    table: Table,
    /// Trumps, declarers and goal that the table is about.
    about: Option<Game>,
    nodes: u64,
}

impl Default for Solver {
    fn default() -> Solver {
        Solver::new(DEFAULT_MEMORY)
    }
}

impl Solver {
    /// A solver whose table takes at most so many bytes (1 MiB at least).
    pub fn new(memory: usize) -> Solver {
        Solver { table: Table::new(memory), about: None, nodes: 0 }
    }

    /// Positions looked at since the solver was made.
    pub fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Forgets what the table holds. Answers do not depend on it, only their cost does.
    pub fn clear(&mut self) {
        self.about = None;
    }

    /// The tricks that the declarers take in all, those already taken included, when both sides play the
    /// rest perfectly; of [`Goal::One`] 1 if they end with exactly one trick, else 0.
    pub fn value(&mut self, position: &Position) -> u8 {
        let mut run = self.prepare(position);
        run.value_near(None, None)
    }

    /// Whether the declarers take at least `target` tricks in all; of [`Goal::One`] and a target of 1,
    /// whether they end with exactly one. Much cheaper than the value.
    pub fn reaches(&mut self, position: &Position, target: u8) -> bool {
        let mut run = self.prepare(position);
        run.reaches(None, target)
    }

    /// [`value`](Self::value) after each legal card of the seat to play. Empty when all cards are played.
    pub fn values(&mut self, position: &Position) -> Vec<(Card, u8)> {
        let mut run = self.prepare(position);
        let mut guess = None;
        let mut values = Vec::with_capacity(13);
        let mut done: Vec<(u64, u8)> = Vec::with_capacity(13);
        for card in position.legal() {
            let bit = run.ranks.lane(card);
            let group = run.group(bit);
            let value = match done.iter().find(|(g, _)| *g == group) {
                Some(&(_, value)) => value,
                None => {
                    let value = run.value_near(Some(bit), guess);
                    done.push((group, value));
                    value
                }
            };
            guess = Some(value);
            values.push((card, value));
        }
        values
    }

    /// [`values`](Self::values) of the legal cards of a deal in play, for the game of its contract; `None` if
    /// no card is to be played.
    pub fn card_values(&mut self, state: &State) -> Option<Vec<(Card, u8)>> {
        if state.phase() != Phase::Play {
            return None;
        }
        let legal = state.legal_actions().cards;
        if let Some(position) = Position::of_state(state) {
            let mut values = self.values(&position);
            values.retain(|&(card, _)| legal.has(card));
            return Some(values);
        }
        // The first lead names trumps: each lead is a game of its own.
        let after = |card| {
            let mut next = *state;
            next.apply_unchecked(Action::card(card));
            Some((card, self.value(&Position::of_state(&next)?)))
        };
        legal.map(after).collect()
    }

    fn prepare(&mut self, position: &Position) -> Run<'_> {
        let cards = position.hands().iter().map(|h| h.len()).max().unwrap_or(0);
        if self.about != Some(position.game) {
            self.table.clear(cards);
            self.about = Some(position.game);
        }
        Run::new(self, position, cards as i32)
    }
}

/// One position being solved.
struct Run<'s> {
    search: Search<'s>,
    total: &'s mut u64,
    ranks: Ranks,
    goal: Goal,
    leader: usize,
    place: usize,
    on_table: OnTable,
    all: u64,
    taken: i32,
    /// Tricks left, the current one included.
    left: i32,
}

impl<'s> Run<'s> {
    fn new(solver: &'s mut Solver, position: &Position, left: i32) -> Run<'s> {
        let game = position.game;
        let ranks = Ranks::of(position);
        let hands = position.hands().0.map(|hand| ranks.lanes(hand));
        let mut shape = 0u64;
        for (seat, hand) in hands.iter().enumerate() {
            for suit in 0..4 {
                shape |= u64::from(lanes::len(hand & lanes::lane(suit))) << (16 * seat + 4 * suit);
            }
        }
        let trump = game.trump.map_or(0, |suit| lanes::lane(suit.index()));
        let mut on_table = OnTable { led: 0, best: 0, winner: 0, cards: 0 };
        for (seat, card) in position.table() {
            let card = ranks.lane(card);
            if on_table.cards == 0 {
                on_table.led = lanes::lane(lanes::suit_of(card));
            }
            if on_table.cards == 0 || search::beats(card, on_table.best, trump) {
                (on_table.best, on_table.winner) = (card, seat.index());
            }
            on_table.cards |= card;
        }
        let all = hands.iter().fold(on_table.cards, |all, hand| all | hand);
        let forced = position.forced().map_or(0, |card| ranks.lane(card));
        Run {
            search: Search {
                hands,
                shape,
                trump,
                declarers: game.declarers.0,
                forced,
                nodes: 0,
                table: &mut solver.table,
            },
            total: &mut solver.nodes,
            ranks,
            goal: game.goal,
            leader: position.leader().index(),
            place: position.table().count(),
            on_table,
            all,
            taken: i32::from(position.taken()),
            left,
        }
    }

    /// The run of equal cards that a card belongs to, by its highest.
    fn group(&self, card: u64) -> u64 {
        let seat = (self.leader + self.place) & 3;
        let hand = self.search.hands[seat] & !self.search.forced | card;
        let reps = lanes::highest_of_runs(hand, self.all) & lanes::lane(lanes::suit_of(card));
        lanes::lowest(reps & ((card << 1) - 1))
    }

    fn reaches(&mut self, card: Option<u64>, target: u8) -> bool {
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

    /// The value, found from a guess by steps of one trick.
    fn value_near(&mut self, card: Option<u64>, guess: Option<u8>) -> u8 {
        if self.goal == Goal::One {
            return u8::from(self.reaches(card, 1));
        }
        let (mut least, mut most) = (self.taken, self.taken + self.left);
        let mut target = guess.map_or_else(|| self.guess(), i32::from);
        target = target.clamp(least + 1, most.max(least + 1));
        while least < most {
            if self.reaches(card, target as u8) {
                least = target;
                target += 1;
            } else {
                most = target - 1;
                target -= 1;
            }
            target = target.clamp(least + 1, most.max(least + 1));
        }
        least as u8
    }

    /// A first guess at the value.
    fn guess(&self) -> i32 {
        if self.goal == Goal::Fewest {
            return self.taken + 1;
        }
        let mut points = [0; 2];
        for seat in 0..4 {
            for suit in 0..4 {
                let cards = self.search.hands[seat] & lanes::lane(suit);
                let suit_cards = self.all & lanes::lane(suit);
                let mut rest = suit_cards;
                for weight in [4, 3, 2, 1] {
                    if rest == 0 {
                        break;
                    }
                    let high = lanes::highest(rest);
                    if cards & high != 0 {
                        points[usize::from(self.search.declarers >> seat & 1 != 0)] += weight;
                    }
                    rest &= !high;
                }
                if self.search.trump & lanes::lane(suit) != 0 {
                    points[usize::from(self.search.declarers >> seat & 1 != 0)] +=
                        3 * lanes::len(cards) as i32;
                }
            }
        }
        let sum = (points[0] + points[1]).max(1);
        self.taken + (self.left * points[1] + sum / 2) / sum
    }

    /// Do the declarers take at least `need` of the tricks left (of `ONE`: exactly one), after `card` if
    /// there is one?
    fn ask<const GOAL: u8>(&mut self, card: Option<u64>, need: i32) -> bool {
        if GOAL != ONE && need <= 0 {
            return true;
        }
        if need > self.left {
            return false;
        }
        let seat = (self.leader + self.place) & 3;
        let (left, all) = (self.left, self.all);
        self.search.nodes = 0;
        let on_table = self.on_table;
        let (yes, _) = match card {
            None if self.place == 0 => self.search.lead::<GOAL>(seat, need, left),
            None => self.search.follow::<GOAL>(self.place, seat, &on_table, all, need, left),
            Some(card) if self.place == 0 => {
                let led = lanes::lane(lanes::suit_of(card));
                let on_table = OnTable { led, best: card, winner: seat, cards: 0 };
                self.search.play::<GOAL>(0, seat, card, &on_table, all, need, left)
            }
            Some(card) => {
                self.search.play::<GOAL>(self.place, seat, card, &on_table, all, need, left)
            }
        };
        *self.total += self.search.nodes;
        yes
    }
}
