//! Move ordering: cards that are likely to answer the question come first.

use crate::lanes::{self, Cards, above, below, highest, lane, len, lowest, suit_of};
use crate::node::{MOST_TRICKS, Node, Trick, beats};
use crate::weights::WEIGHTS;

/// Cards to try, sorted with the best last. Score and bit number share one word.
pub(crate) struct Moves {
    moves: [i32; 16],
    len: usize,
}

impl Moves {
    #[inline(always)]
    pub fn new() -> Moves {
        Moves { moves: [0; 16], len: 0 }
    }

    #[inline(always)]
    fn push(&mut self, card: Cards, score: i32) {
        let entry = score << 6 | card.trailing_zeros() as i32;
        let mut at = self.len & 15;
        while at > 0 && self.moves[at - 1] > entry {
            self.moves[at] = self.moves[at - 1];
            at -= 1;
        }
        self.moves[at] = entry;
        self.len += 1;
    }

    /// Moves a card to the front, if it is among those to try.
    #[inline(always)]
    pub fn promote(&mut self, card: Cards) {
        let bit = card.trailing_zeros() as i32;
        let moves = &mut self.moves[..self.len & 15];
        if let Some(at) = moves.iter().position(|entry| entry & 63 == bit) {
            moves[at..].rotate_left(1);
        }
    }

    /// Removes and returns the most promising card.
    #[inline(always)]
    pub fn next(&mut self) -> Option<Cards> {
        self.len = self.len.checked_sub(1)?;
        Some(1 << (self.moves[self.len & 15] & 63))
    }
}

#[inline(always)]
fn each(mut cards: Cards, mut f: impl FnMut(Cards)) {
    while cards != 0 {
        f(cards & cards.wrapping_neg());
        cards &= cards - 1;
    }
}

/// Adds the leads of `leader` to `moves`, one card of each run of equals.
#[inline(always)]
pub(crate) fn leads<const GOAL: u8>(node: &Node, leader: usize, all: Cards, moves: &mut Moves) {
    let own = node.hands[leader];
    let reps = lanes::highest_of_runs(own, all);
    if GOAL != MOST_TRICKS {
        let declarers: Cards =
            (0..4).filter(|s| node.declarers >> s & 1 != 0).map(|s| node.hands[s]).sum();
        let mine = node.declarers >> leader & 1 != 0;
        let w = &WEIGHTS.duck_lead[usize::from(mine)];
        let rivals = if mine { all & !declarers } else { declarers };
        each(reps, |card| {
            let suit = lane(suit_of(card));
            let (theirs, others) = (rivals & suit, all & suit & !rivals & !own);
            let score = w[0] * len(below(theirs, card)) as i32
                + w[1] * len(above(theirs, card)) as i32
                + w[2] * len(below(others, card)) as i32
                + w[3] * len(above(others, card)) as i32
                + w[4] * len(own & suit) as i32
                + w[5] * i32::from(theirs == 0)
                + w[6] * i32::from(below(own & suit, card) == 0)
                + w[7] * i32::from(suit & node.trump != 0);
            moves.push(card, score / 4);
        });
        return;
    }
    let side = node.side(leader);
    let trump = node.trump;
    let w = &WEIGHTS;
    // The next three seats that are on the leader's side.
    let geometry = (usize::from(side) | usize::from(side) << 4) >> (leader + 1) & 7;
    let enemy_trumps: Cards =
        (0..4).filter(|s| side >> s & 1 == 0).map(|s| node.hands[s] & trump).sum();
    for suit in 0..4 {
        let cards = all & lane(suit);
        let mine = own & cards;
        if mine == 0 {
            continue;
        }
        let is_trump = cards & trump != 0;
        let kind = if enemy_trumps == 0 { 0 } else { 1 + usize::from(is_trump) };
        let mut base = 0;
        if trump != 0 && !is_trump {
            let mut partner_ruffs = false;
            let mut enemy_ruffs = false;
            for seat in 0..4 {
                if seat != leader && node.hands[seat] & cards == 0 && node.hands[seat] & trump != 0
                {
                    if side >> seat & 1 != 0 {
                        partner_ruffs = true;
                    } else {
                        enemy_ruffs = true;
                    }
                }
            }
            base += match (partner_ruffs, enemy_ruffs) {
                (false, false) => 0,
                (true, false) => w.lead_ruff[0],
                (false, true) => w.lead_ruff[1],
                (true, true) => w.lead_ruff[2],
            };
        }
        let top = highest(cards);
        let owner = |card: Cards| {
            (0..4).find(|step| node.hands[(leader + step) & 3] & card != 0).unwrap_or(0)
        };
        let second = highest(cards & !top);
        let third = highest(cards & !(top | second));
        let ours = side >> ((leader + owner(third)) & 3) & 1 != 0;
        let (first, second) = (owner(top), owner(second));
        let by_place = &w.lead[geometry][first][second][usize::from(ours)][kind];
        base += w.lead_length[0] * len(mine) as i32 + w.lead_length[1] * len(cards & !mine) as i32;
        if trump != 0 && !is_trump {
            if mine & (mine - 1) == 0 && own & trump != 0 {
                base += w.lead_singleton[0];
            }
            for seat in 0..4 {
                let held = node.hands[seat] & cards;
                if seat != leader
                    && held != 0
                    && held & (held - 1) == 0
                    && node.hands[seat] & trump != 0
                {
                    base += w.lead_singleton[if side >> seat & 1 != 0 { 1 } else { 2 }];
                }
            }
        }
        let run = reps & cards;
        each(run, |card| {
            let place = if card == highest(run) {
                0
            } else if card == lowest(run) {
                1
            } else {
                2
            };
            moves.push(card, base + by_place[place]);
        });
    }
}

/// Adds the cards `reps` that `seat` may play as second, third or fourth hand to `moves`.
#[inline(always)]
pub(crate) fn follows<const GOAL: u8>(
    node: &Node,
    on_table: usize,
    seat: usize,
    trick: &Trick,
    all: Cards,
    reps: Cards,
    moves: &mut Moves,
) {
    let following = reps & trick.led != 0;
    let trump = node.trump;
    if GOAL != MOST_TRICKS {
        let mine = node.declarers >> seat & 1 != 0;
        let caught = node.declarers >> trick.winner & 1 != 0;
        let declarer_behind =
            (1..4 - on_table).any(|step| node.declarers >> ((seat + step) & 3) & 1 != 0);
        let alive = usize::from(!mine && (caught || declarer_behind));
        each(reps, |card| {
            let wins = usize::from(beats(card, trick.best, trump));
            let suit = all & lane(suit_of(card));
            let rank = len(below(suit, card)) as i32;
            let kind = if following { 0 } else { 1 + usize::from(card & trump == 0) };
            let by = (&WEIGHTS.duck[on_table - 1][kind], &WEIGHTS.duck_rank[on_table - 1][kind]);
            let mine = usize::from(mine);
            let mut score = by.0[mine][wins][alive] + by.1[mine][wins][alive] * rank / 4;
            if kind == 2 {
                let own = node.hands[seat] & suit;
                let [length, rivals] = WEIGHTS.duck_discard[mine];
                score += length * len(own) as i32 / 4;
                score += rivals * len(below(suit & !own, card)) as i32 / 4;
            }
            moves.push(card, score);
        });
        return;
    }
    let side = node.side(seat);
    let partner_winning = side >> trick.winner & 1 != 0;
    // The best cards that the other seats of either side can still play.
    let (mut partner_best, mut enemy_best) = (0, 0);
    for step in 1..4 - on_table {
        let other = (seat + step) & 3;
        let held = node.legal(other, trick.led);
        let best = best_of(held, trick, trump);
        let slot = if side >> other & 1 != 0 { &mut partner_best } else { &mut enemy_best };
        if best != 0 && (*slot == 0 || beats(best, *slot, trump)) {
            *slot = best;
        }
    }
    let standing = if partner_winning { trick.best } else { 0 };
    let hope = if standing == 0 || (partner_best != 0 && beats(partner_best, standing, trump)) {
        partner_best
    } else {
        standing
    };
    // Whether the side takes the trick with any card of this seat.
    let safe = hope != 0
        && (partner_winning || beats(hope, trick.best, trump))
        && (enemy_best == 0 || !beats(enemy_best, hope, trump));
    let safe = usize::from(safe);
    each(reps, |card| {
        let wins = beats(card, trick.best, trump);
        let suit = all & lane(suit_of(card));
        let rank = len(below(suit, card)) as i32;
        let holds = wins && (enemy_best == 0 || !beats(enemy_best, card, trump));
        let outcome = if holds { 0 } else { 1 + usize::from(!wins) };
        let kind = if following { 0 } else { 1 + usize::from(card & trump == 0) };
        let mut score = WEIGHTS.follow[on_table - 1][kind][safe][outcome]
            + WEIGHTS.follow_rank[on_table - 1][kind][safe][outcome] * rank / 4;
        if kind == 2 {
            let mine = node.hands[seat] & suit;
            let [length, top, guard] = WEIGHTS.discard;
            score += length * len(mine) as i32;
            if card == highest(suit) {
                score += top;
            } else if len(mine) == 2 && highest(suit & !highest(suit)) & mine != 0 {
                score += guard;
            }
        }
        moves.push(card, score);
    });
}

/// Returns the best card of `held` in the trick, or 0 if none beats the winning card.
#[inline(always)]
fn best_of(held: Cards, trick: &Trick, trump: Cards) -> Cards {
    let candidates = if held & trick.led != 0 { held & trick.led } else { held & trump };
    if candidates == 0 {
        return 0;
    }
    let best = highest(candidates);
    if beats(best, trick.best, trump) { best } else { 0 }
}
