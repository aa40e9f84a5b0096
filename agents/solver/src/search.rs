//! The search: alpha-beta with a null window, "do the declarers take at least so many more tricks?".
//!
//! Each answer comes with the cards whose ranks it rests on; see [`Table`].

use super::bounds;
use super::lanes::{self, Cards, len};
use super::order::{self, Moves};
use super::table::{Key, Table};

/// What the declarers are after, as a const parameter of the search.
pub(super) const MOST: u8 = 0;
/// As few tricks as possible.
pub(super) const FEWEST: u8 = 1;
/// Exactly one trick.
pub(super) const ONE: u8 = 2;

/// Cards of the current trick.
#[derive(Clone, Copy)]
pub(super) struct OnTable {
    /// The lane of the suit led.
    pub led: Cards,
    /// The card that wins so far.
    pub best: Cards,
    /// Its seat.
    pub winner: usize,
    /// All cards of the trick.
    pub cards: Cards,
}

/// What does not change in a search, and the cards, which do.
pub(super) struct Search<'t> {
    pub hands: [Cards; 4],
    /// Number of cards of each seat in each suit, four bits each: suit `s` of seat `p` at bit `16 p + 4 s`.
    pub shape: u64,
    /// The lane of trumps; 0 for none.
    pub trump: Cards,
    /// The declarers, bit by seat.
    pub declarers: u8,
    /// Cards that must be played when they can: a forced ace in the first trick.
    pub forced: Cards,
    pub nodes: u64,
    pub table: &'t mut Table,
}

/// Whether the question is answered yes, and the cards whose ranks matter.
pub(super) type Answer = (bool, Cards);

impl Search<'_> {
    /// The side that a seat plays for, bit by seat.
    #[inline(always)]
    pub fn side(&self, seat: usize) -> u8 {
        if self.declarers >> seat & 1 != 0 { self.declarers } else { 15 & !self.declarers }
    }

    /// Whether the seat wants the answer yes.
    #[inline(always)]
    fn wants_yes<const GOAL: u8>(&self, seat: usize) -> bool {
        (self.declarers >> seat & 1 != 0) != (GOAL == FEWEST)
    }

    #[inline(always)]
    fn take(&mut self, seat: usize, card: Cards) {
        self.hands[seat] &= !card;
        self.shape -= 1 << (16 * seat + 4 * lanes::suit_of(card));
    }

    #[inline(always)]
    fn put_back(&mut self, seat: usize, card: Cards) {
        self.hands[seat] |= card;
        self.shape += 1 << (16 * seat + 4 * lanes::suit_of(card));
    }

    /// The key of the table for a trick that `leader` leads. Of the lengths one (seat 0, suit 0) follows from
    /// the others; its place holds the leader and the goal.
    #[inline(always)]
    fn key<const GOAL: u8>(&self, leader: usize, all: Cards) -> Key {
        let one = if GOAL == ONE { 4 } else { 0 };
        Key::new(self.shape & !15 | leader as u64 | one, &self.hands, all)
    }

    /// With `n` tricks left and `leader` to lead: do the declarers take at least `need` of them? Of the goal
    /// `ONE`: exactly one of them (`need` is 1).
    pub fn lead<const GOAL: u8>(&mut self, leader: usize, need: i32, n: i32) -> Answer {
        if GOAL != ONE && need <= 0 {
            return (true, 0);
        }
        if need > n {
            return (false, 0);
        }
        self.nodes += 1;
        if n == 1 {
            return self.last_trick(leader);
        }
        let all = self.hands[0] | self.hands[1] | self.hands[2] | self.hands[3];
        if let Some(answer) = bounds::bound::<GOAL>(self, leader, need, n, all) {
            return answer;
        }
        let key = self.key::<GOAL>(leader, all);
        if let Some(answer) = self.table.look_up(&key, need, all) {
            return answer;
        }
        let wants = self.wants_yes::<GOAL>(leader);
        let mut moves = Moves::new();
        order::leads::<GOAL>(self, leader, all, &mut moves);
        let mut relevant = 0;
        let mut answer = !wants;
        while let Some(card) = moves.next() {
            if GOAL == MOST && n > 2 {
                let enough = if wants { n - need + 1 } else { need };
                if let Some(ranks) = bounds::wins_and_cashes(self, leader, card, enough, all) {
                    relevant |= ranks;
                    continue;
                }
            }
            self.take(leader, card);
            let on_table = OnTable {
                led: lanes::lane(lanes::suit_of(card)),
                best: card,
                winner: leader,
                cards: card,
            };
            let (yes, ranks) = self.follow::<GOAL>(1, (leader + 1) & 3, &on_table, all, need, n);
            self.put_back(leader, card);
            if yes == wants {
                (answer, relevant) = (yes, ranks);
                break;
            }
            relevant |= ranks;
        }
        self.table.store(&key, need, answer, relevant, all);
        (answer, relevant)
    }

    /// The cards that `seat` may play when `led` is the lane of the suit led.
    #[inline(always)]
    pub fn legal(&self, seat: usize, led: Cards) -> Cards {
        let suit = self.hands[seat] & led;
        if suit == 0 {
            self.hands[seat]
        } else if suit & self.forced != 0 {
            suit & self.forced
        } else {
            suit
        }
    }

    /// `place` cards lie on the table and `seat` plays the next.
    pub fn follow<const GOAL: u8>(
        &mut self,
        place: usize,
        seat: usize,
        on_table: &OnTable,
        all: Cards,
        need: i32,
        n: i32,
    ) -> Answer {
        self.nodes += 1;
        let legal = self.legal(seat, on_table.led);
        let wants = self.wants_yes::<GOAL>(seat);
        let reps = lanes::highest_of_runs(legal, all);
        if reps & (reps - 1) == 0 {
            return self.play::<GOAL>(place, seat, reps, on_table, all, need, n);
        }
        let mut moves = Moves::new();
        order::follows::<GOAL>(self, place, seat, on_table, all, reps, &mut moves);
        let mut relevant = 0;
        while let Some(card) = moves.next() {
            let (yes, ranks) = self.play::<GOAL>(place, seat, card, on_table, all, need, n);
            if yes == wants {
                return (yes, ranks);
            }
            relevant |= ranks;
        }
        (!wants, relevant)
    }

    /// The answer after `seat` plays `card` as the next of the trick.
    #[inline(always)]
    #[allow(clippy::too_many_arguments)]
    pub fn play<const GOAL: u8>(
        &mut self,
        place: usize,
        seat: usize,
        card: Cards,
        on_table: &OnTable,
        all: Cards,
        need: i32,
        n: i32,
    ) -> Answer {
        let wins = beats(card, on_table.best, self.trump);
        let next = OnTable {
            led: on_table.led,
            best: if wins { card } else { on_table.best },
            winner: if wins { seat } else { on_table.winner },
            cards: on_table.cards | card,
        };
        self.take(seat, card);
        let answer = if place < 3 {
            self.follow::<GOAL>(place + 1, (seat + 1) & 3, &next, all, need, n)
        } else {
            self.end_trick::<GOAL>(&next, all, need, n)
        };
        self.put_back(seat, card);
        answer
    }

    #[inline(always)]
    fn end_trick<const GOAL: u8>(
        &mut self,
        trick: &OnTable,
        all: Cards,
        need: i32,
        n: i32,
    ) -> Answer {
        let counts = self.declarers >> trick.winner & 1 != 0;
        let (answer, ranks) = if GOAL == ONE {
            if counts {
                let (more, ranks) = self.lead::<FEWEST>(trick.winner, 1, n - 1);
                (!more, ranks)
            } else {
                self.lead::<ONE>(trick.winner, 1, n - 1)
            }
        } else {
            self.lead::<GOAL>(trick.winner, need - i32::from(counts), n - 1)
        };
        (answer, ranks | won_by_rank(trick, self.hands[trick.winner], all))
    }

    /// One card in each hand: nothing is left to choose.
    #[inline(always)]
    fn last_trick(&self, leader: usize) -> Answer {
        let lead = self.hands[leader];
        let mut trick = OnTable { led: 0, best: lead, winner: leader, cards: lead };
        for step in 1..4 {
            let seat = (leader + step) & 3;
            let card = self.hands[seat];
            trick.cards |= card;
            if beats(card, trick.best, self.trump) {
                trick.best = card;
                trick.winner = seat;
            }
        }
        (self.declarers >> trick.winner & 1 != 0, won_by_rank(&trick, 0, trick.cards))
    }
}

/// Whether `card` takes the trick from `best`.
#[inline(always)]
pub(super) fn beats(card: Cards, best: Cards, trump: Cards) -> bool {
    let same_suit = lanes::suit_of(card) == lanes::suit_of(best);
    if same_suit { card < best } else { card & trump != 0 }
}

/// If another card of its suit fell with the winning card: the lowest card that would have done as well,
/// of those that the winner held (`hand`: what he still holds).
#[inline(always)]
fn won_by_rank(trick: &OnTable, hand: Cards, all: Cards) -> Cards {
    let suit = lanes::lane(lanes::suit_of(trick.best));
    if len(trick.cards & suit) < 2 {
        return 0;
    }
    let others = lanes::below(all & suit & !hand, trick.best);
    let equals = (hand & suit | trick.best) & lanes::highest(others).wrapping_sub(1);
    lanes::lowest(equals)
}
