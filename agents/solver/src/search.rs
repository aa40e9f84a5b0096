//! Alpha-beta search with a null window. Each call answers "do the declarers take at least `need`
//! of the remaining tricks?", together with the cards whose ranks the answer depends on
//! ([`Answer`]). The transposition table stores answers by these cards.

use crate::bounds;
use crate::lanes::{self, Cards, len};
use crate::node::{Answer, FEWEST_TRICKS, MOST_TRICKS, Node, ONE_TRICK, Ranks, Trick, beats};
use crate::order::{self, Moves};
use crate::transposition::{Key, TranspositionTable};

/// Question about the declarers' tricks, asked at the start of a trick and passed on during it.
pub(crate) struct Question {
    /// Minimum number of remaining tricks that the declarers must take.
    pub need: i32,
    /// Number of remaining tricks, the current one included.
    pub left: i32,
    /// Cards held at the start of the trick.
    pub all: Cards,
}

/// State of a search.
pub(crate) struct Search<'t> {
    /// Current hands.
    pub node: Node,
    /// Number of positions visited.
    pub visited: u64,
    /// Number of positions after which the search gives up. Later answers are invalid and are not
    /// stored.
    pub limit: u64,
    /// Known answers.
    pub table: &'t mut TranspositionTable,
}

impl Search<'_> {
    /// Returns whether the search has given up.
    #[inline(always)]
    pub fn gave_up(&self) -> bool {
        self.visited > self.limit
    }

    /// Returns whether the seat wants the target to be reached.
    #[inline(always)]
    fn wants_reached<const GOAL: u8>(&self, seat: usize) -> bool {
        self.node.declares(seat) != (GOAL == FEWEST_TRICKS)
    }

    /// Returns the table's key for a trick that `leader` leads. One of the sixteen lengths (seat 0,
    /// suit 0) follows from the others, so its four bits hold the leader and the goal.
    #[inline(always)]
    fn key<const GOAL: u8>(&self, leader: usize, all: Cards) -> Key {
        let goal = if GOAL == ONE_TRICK { 4 } else { 0 };
        Key::new(self.node.shape & !15 | leader as u64 | goal, &self.node.hands, all)
    }

    /// Returns whether the declarers take at least `need` of the `left` tricks if `leader` leads.
    ///
    /// For the goal `ONE_TRICK` (`need` is 1), returns whether they take exactly one.
    pub fn lead<const GOAL: u8>(&mut self, leader: usize, need: i32, left: i32) -> Answer {
        if GOAL != ONE_TRICK && need <= 0 {
            return Answer::new(true, Ranks::NONE);
        }
        if need > left {
            return Answer::new(false, Ranks::NONE);
        }
        self.visited += 1;
        if left == 1 {
            return self.last_trick(leader);
        }
        if self.gave_up() {
            return Answer::new(false, Ranks::NONE);
        }
        let all = self.node.all();
        if let Some(answer) = bounds::bound::<GOAL>(&self.node, leader, need, left, all) {
            return answer;
        }
        let question = Question { need, left, all };
        let key = self.key::<GOAL>(leader, all);
        if let Some(answer) = self.table.look_up::<GOAL>(&key, need, all) {
            return answer;
        }
        let wants = self.wants_reached::<GOAL>(leader);
        let mut moves = Moves::new();
        order::leads::<GOAL>(&self.node, leader, all, &mut moves);
        if let Some(card) = self.table.lead(&key) {
            moves.promote(card);
        }
        let (mut relevant, mut refuted) = (Ranks::NONE, 0);
        let (mut reached, mut settled) = (!wants, None);
        while let Some(card) = moves.next() {
            if card & refuted != 0 {
                continue;
            }
            if GOAL == MOST_TRICKS && left > 2 {
                let enough = if wants { left - need + 1 } else { need };
                if let Some(ranks) = bounds::wins_and_cashes(&self.node, leader, card, enough, all)
                {
                    let ranks = Ranks::high(ranks);
                    let (ranks, same) = cover::<GOAL>(card, ranks, self.node.hands[leader], all);
                    relevant |= ranks;
                    refuted |= same;
                    continue;
                }
            }
            self.node.take(leader, card);
            let trick = Trick {
                led: lanes::lane(lanes::suit_of(card)),
                best: card,
                winner: leader,
                cards: card,
            };
            let answer = self.follow::<GOAL>(1, (leader + 1) & 3, &trick, &question);
            self.node.put_back(leader, card);
            if answer.reached == wants {
                (reached, relevant, settled) = (wants, answer.ranks, Some(card));
                break;
            }
            let (ranks, same) = cover::<GOAL>(card, answer.ranks, self.node.hands[leader], all);
            relevant |= ranks;
            refuted |= same;
        }
        let answer = Answer::new(reached, relevant);
        if !self.gave_up() {
            self.table.store::<GOAL>(&key, need, answer, settled, all);
        }
        answer
    }

    /// Like [`Search::lead`], with `on_table` cards on the table and `seat` to play.
    pub fn follow<const GOAL: u8>(
        &mut self,
        on_table: usize,
        seat: usize,
        trick: &Trick,
        question: &Question,
    ) -> Answer {
        self.visited += 1;
        if self.gave_up() {
            return Answer::new(false, Ranks::NONE);
        }
        let all = question.all;
        let legal = self.node.legal(seat, trick.led);
        let wants = self.wants_reached::<GOAL>(seat);
        let candidates = lanes::highest_of_runs(legal, all);
        if candidates & (candidates - 1) == 0 {
            let mut answer = self.play::<GOAL>(on_table, seat, candidates, trick, question);
            if answer.reached != wants {
                let hand = self.node.hands[seat];
                answer.ranks = cover::<GOAL>(candidates, answer.ranks, hand, all).0;
            }
            return answer;
        }
        let mut moves = Moves::new();
        order::follows::<GOAL>(&self.node, on_table, seat, trick, all, candidates, &mut moves);
        let (mut relevant, mut refuted) = (Ranks::NONE, 0);
        while let Some(card) = moves.next() {
            if card & refuted != 0 {
                continue;
            }
            let answer = self.play::<GOAL>(on_table, seat, card, trick, question);
            if answer.reached == wants {
                return answer;
            }
            let (ranks, same) = cover::<GOAL>(card, answer.ranks, self.node.hands[seat], all);
            relevant |= ranks;
            refuted |= same;
        }
        Answer::new(!wants, relevant)
    }

    /// Returns the answer after `seat` plays `card` as the next card of the trick.
    #[inline(always)]
    pub fn play<const GOAL: u8>(
        &mut self,
        on_table: usize,
        seat: usize,
        card: Cards,
        trick: &Trick,
        question: &Question,
    ) -> Answer {
        let wins = beats(card, trick.best, self.node.trump);
        let next = Trick {
            led: trick.led,
            best: if wins { card } else { trick.best },
            winner: if wins { seat } else { trick.winner },
            cards: trick.cards | card,
        };
        self.node.take(seat, card);
        let answer = if on_table < 3 {
            self.follow::<GOAL>(on_table + 1, (seat + 1) & 3, &next, question)
        } else {
            self.end_trick::<GOAL>(&next, question)
        };
        self.node.put_back(seat, card);
        answer
    }

    /// Returns the answer after the fourth card of a trick.
    #[inline(always)]
    fn end_trick<const GOAL: u8>(&mut self, trick: &Trick, question: &Question) -> Answer {
        let counts = self.node.declares(trick.winner);
        let left = question.left - 1;
        let mut answer = if GOAL == ONE_TRICK && counts {
            // The declarer has its trick, and must not take another one.
            let more = self.lead::<FEWEST_TRICKS>(trick.winner, 1, left);
            Answer::new(!more.reached, more.ranks)
        } else if GOAL == ONE_TRICK {
            self.lead::<ONE_TRICK>(trick.winner, 1, left)
        } else {
            self.lead::<GOAL>(trick.winner, question.need - i32::from(counts), left)
        };
        answer.ranks |= won_by_rank(trick);
        answer
    }

    /// Returns the answer with one card in each hand, where no choice is left.
    #[inline(always)]
    fn last_trick(&self, leader: usize) -> Answer {
        let lead = self.node.hands[leader];
        let mut trick = Trick { led: 0, best: lead, winner: leader, cards: lead };
        for step in 1..4 {
            let seat = (leader + step) & 3;
            let card = self.node.hands[seat];
            trick.cards |= card;
            if beats(card, trick.best, self.node.trump) {
                trick.best = card;
                trick.winner = seat;
            }
        }
        Answer::new(self.node.declares(trick.winner), won_by_rank(&trick))
    }
}

/// Returns the rank that won the trick, or no rank if no other card of the winning suit was played.
#[inline(always)]
fn won_by_rank(trick: &Trick) -> Ranks {
    let suit = lanes::lane(lanes::suit_of(trick.best));
    if len(trick.cards & suit) < 2 { Ranks::NONE } else { Ranks::high(trick.best) }
}

/// Extends an answer found after `card`, which depends on `ranks`, to the other cards of `hand`.
///
/// Returns the ranks that the answer must depend on to hold for untried cards, and the cards that
/// need not be tried.
///
/// A card that is not among the ranks can be exchanged for any other of its suit that is not,
/// because the answer does not distinguish them. Of each run of equals only the highest card is
/// tried. It represents its run if all of the run is among the ranks, or none of it. Otherwise, in
/// a position of the same pattern, another hand may hold a card between those among the ranks and
/// the others. So if a card among the ranks represents its run, the run joins the ranks. No card is
/// skipped that represents one among the ranks.
#[inline(always)]
fn cover<const GOAL: u8>(card: Cards, ranks: Ranks, hand: Cards, all: Cards) -> (Ranks, Cards) {
    let suit = lanes::lane(lanes::suit_of(card));
    let last_of_run = || {
        let others = lanes::highest(lanes::below(all & suit & !hand, card));
        lanes::lowest(hand & suit & others.wrapping_sub(1))
    };
    let high = lanes::lowest(ranks.high & suit);
    if high >= card {
        return (ranks | Ranks::high(last_of_run()), 0);
    }
    let rest = if high == 0 { suit } else { lanes::below(suit, high) };
    let low = if GOAL == MOST_TRICKS { 0 } else { lanes::highest(ranks.low & suit) };
    if low == 0 {
        (ranks, rest)
    } else if card >= low {
        (ranks, 0)
    } else if last_of_run() >= low {
        (ranks | Ranks::low(card), 0)
    } else if low & hand != 0 {
        // A card of another hand separates them, or the run would have reached `low`.
        let wall = lanes::lowest(lanes::above(all & suit & !hand, low));
        (ranks, lanes::above(rest, wall))
    } else {
        (ranks, lanes::above(rest, low))
    }
}
