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

/// Iterates over the cards of a set, one bit each.
struct Each(Cards);

impl Iterator for Each {
    type Item = Cards;

    #[inline(always)]
    fn next(&mut self) -> Option<Cards> {
        let card = self.0 & self.0.wrapping_neg();
        self.0 &= self.0.wrapping_sub(1);
        (card != 0).then_some(card)
    }
}

/// Adds the leads of `leader` to `moves`, one card of each run of equals.
#[inline(always)]
pub(crate) fn leads<const GOAL: u8>(node: &Node, leader: usize, all: Cards, moves: &mut Moves) {
    let candidates = lanes::highest_of_runs(node.hands[leader], all);
    if GOAL == MOST_TRICKS {
        winning_leads(node, leader, all, candidates, moves);
    } else {
        duck_leads(node, leader, all, candidates, moves);
    }
}

/// Adds the leads `candidates` where the declarers want as many tricks as possible.
#[inline(always)]
fn winning_leads(node: &Node, leader: usize, all: Cards, candidates: Cards, moves: &mut Moves) {
    let own = node.hands[leader];
    let side = node.side(leader);
    let trump = node.trump;
    let w = &WEIGHTS;
    // The next three seats that are on the leader's side.
    let geometry = (usize::from(side) | usize::from(side) << 4) >> (leader + 1) & 7;
    let opponents_have_trumps = node.held_by(15 & !side) & trump != 0;
    for suit in 0..4 {
        let cards = all & lane(suit);
        let mine = own & cards;
        if mine == 0 {
            continue;
        }
        let is_trump = cards & trump != 0;
        let kind = if opponents_have_trumps { 1 + usize::from(is_trump) } else { 0 };
        let mut score =
            w.lead_length.own * len(mine) as i32 + w.lead_length.others * len(cards & !mine) as i32;
        if trump != 0 && !is_trump {
            score +=
                ruff_score(node, leader, side, cards) + singleton_score(node, leader, side, cards);
        }
        let top = highest(cards);
        let owner = |card: Cards| {
            (0..4).find(|step| node.hands[(leader + step) & 3] & card != 0).unwrap_or(0)
        };
        let second = highest(cards & !top);
        let third = highest(cards & !(top | second));
        let third_is_ours = side >> ((leader + owner(third)) & 3) & 1 != 0;
        let by_owner = &w.lead[geometry][owner(top)][owner(second)];
        let by_place = &by_owner[usize::from(third_is_ours)][kind];
        let run = candidates & cards;
        for card in Each(run) {
            let place = if card == highest(run) {
                0
            } else if card == lowest(run) {
                1
            } else {
                2
            };
            moves.push(card, score + by_place[place]);
        }
    }
}

/// Returns the score of leading a side suit that other seats may ruff.
#[inline(always)]
fn ruff_score(node: &Node, leader: usize, side: u8, cards: Cards) -> i32 {
    let (mut partner_ruffs, mut opponent_ruffs) = (false, false);
    for seat in 0..4 {
        let hand = node.hands[seat];
        if seat != leader && hand & cards == 0 && hand & node.trump != 0 {
            if side >> seat & 1 != 0 {
                partner_ruffs = true;
            } else {
                opponent_ruffs = true;
            }
        }
    }
    match (partner_ruffs, opponent_ruffs) {
        (false, false) => 0,
        (true, false) => WEIGHTS.lead_ruff.partner_only,
        (false, true) => WEIGHTS.lead_ruff.opponent_only,
        (true, true) => WEIGHTS.lead_ruff.both,
    }
}

/// Returns the score of leading a side suit of which some seats with trumps hold a single card.
#[inline(always)]
fn singleton_score(node: &Node, leader: usize, side: u8, cards: Cards) -> i32 {
    let w = &WEIGHTS.lead_singleton;
    let is_singleton = |held: Cards| held != 0 && held & (held - 1) == 0;
    let mut score = 0;
    for seat in 0..4 {
        let hand = node.hands[seat];
        if is_singleton(hand & cards) && hand & node.trump != 0 {
            score += if seat == leader {
                w.leader
            } else if side >> seat & 1 != 0 {
                w.partner
            } else {
                w.opponent
            };
        }
    }
    score
}

/// Adds the leads `candidates` in misères and piccolos.
#[inline(always)]
fn duck_leads(node: &Node, leader: usize, all: Cards, candidates: Cards, moves: &mut Moves) {
    let own = node.hands[leader];
    let declarers = node.held_by(node.declarers);
    let declares = node.declares(leader);
    let w = &WEIGHTS.duck_lead[usize::from(declares)];
    let rivals = if declares { all & !declarers } else { declarers };
    for card in Each(candidates) {
        let suit = lane(suit_of(card));
        let (theirs, others) = (rivals & suit, all & suit & !rivals & !own);
        let score = w.rivals_below * len(below(theirs, card)) as i32
            + w.rivals_above * len(above(theirs, card)) as i32
            + w.others_below * len(below(others, card)) as i32
            + w.others_above * len(above(others, card)) as i32
            + w.own_length * len(own & suit) as i32
            + w.rivals_void * i32::from(theirs == 0)
            + w.own_lowest * i32::from(below(own & suit, card) == 0)
            + w.trump * i32::from(suit & node.trump != 0);
        moves.push(card, score / 4);
    }
}

/// Adds the cards `candidates` that `seat` may play as second, third or fourth hand to `moves`.
#[inline(always)]
pub(crate) fn follows<const GOAL: u8>(
    node: &Node,
    on_table: usize,
    seat: usize,
    trick: &Trick,
    all: Cards,
    candidates: Cards,
    moves: &mut Moves,
) {
    if GOAL == MOST_TRICKS {
        winning_follows(node, on_table, seat, trick, all, candidates, moves);
    } else {
        duck_follows(node, on_table, seat, trick, all, candidates, moves);
    }
}

/// Index of the weights of a discard, the last [`FollowFacts::kind`].
const DISCARD: usize = 2;

/// Facts about a card that is played to a trick, by which its weights are chosen.
struct FollowFacts {
    /// Whether it beats the winning card.
    wins: bool,
    /// All cards of its suit that are not played yet.
    suit: Cards,
    /// Number of these cards below it.
    rank: i32,
    /// Index of the weights: it follows suit, ruffs or is a discard.
    kind: usize,
}

/// Returns the facts about a card of `all` that is played to the trick.
#[inline(always)]
fn follow_facts(
    card: Cards,
    trick: &Trick,
    all: Cards,
    candidates: Cards,
    trump: Cards,
) -> FollowFacts {
    let suit = all & lane(suit_of(card));
    let follows_suit = candidates & trick.led != 0;
    FollowFacts {
        wins: beats(card, trick.best, trump),
        suit,
        rank: len(below(suit, card)) as i32,
        kind: if follows_suit { 0 } else { 1 + usize::from(card & trump == 0) },
    }
}

/// Like [`follows`], where the declarers want as many tricks as possible.
#[inline(always)]
fn winning_follows(
    node: &Node,
    on_table: usize,
    seat: usize,
    trick: &Trick,
    all: Cards,
    candidates: Cards,
    moves: &mut Moves,
) {
    let trump = node.trump;
    let (partner_best, opponent_best) = best_to_come(node, on_table, seat, trick);
    let safe = usize::from(side_wins(node, seat, trick, partner_best, opponent_best));
    for card in Each(candidates) {
        let FollowFacts { wins, suit, rank, kind } =
            follow_facts(card, trick, all, candidates, trump);
        let holds = wins && (opponent_best == 0 || !beats(opponent_best, card, trump));
        let outcome = if holds { 0 } else { 1 + usize::from(!wins) };
        let mut score = WEIGHTS.follow[on_table - 1][kind][safe][outcome]
            + WEIGHTS.follow_rank[on_table - 1][kind][safe][outcome] * rank / 4;
        if kind == DISCARD {
            score += discard_score(node.hands[seat] & suit, suit, card);
        }
        moves.push(card, score);
    }
}

/// Returns the best cards that the partners and the opponents of `seat` can play after it.
///
/// A value is 0 if none of their cards beats the winning card.
#[inline(always)]
fn best_to_come(node: &Node, on_table: usize, seat: usize, trick: &Trick) -> (Cards, Cards) {
    let side = node.side(seat);
    let (mut partner_best, mut opponent_best) = (0, 0);
    for step in 1..4 - on_table {
        let other = (seat + step) & 3;
        let best = best_of(node.legal(other, trick.led), trick, node.trump);
        let slot = if side >> other & 1 != 0 { &mut partner_best } else { &mut opponent_best };
        if best != 0 && (*slot == 0 || beats(best, *slot, node.trump)) {
            *slot = best;
        }
    }
    (partner_best, opponent_best)
}

/// Returns whether the side of `seat` takes the trick with any card, given the best cards to come.
#[inline(always)]
fn side_wins(
    node: &Node,
    seat: usize,
    trick: &Trick,
    partner_best: Cards,
    opponent_best: Cards,
) -> bool {
    let partner_winning = node.side(seat) >> trick.winner & 1 != 0;
    let standing = if partner_winning { trick.best } else { 0 };
    let improves = standing == 0 || partner_best != 0 && beats(partner_best, standing, node.trump);
    let hope = if improves { partner_best } else { standing };
    hope != 0
        && (partner_winning || beats(hope, trick.best, node.trump))
        && (opponent_best == 0 || !beats(opponent_best, hope, node.trump))
}

/// Returns the score of discarding a card of `suit`, of which the hand holds the cards `mine`.
#[inline(always)]
fn discard_score(mine: Cards, suit: Cards, card: Cards) -> i32 {
    let w = &WEIGHTS.discard;
    let mut score = w.own_length * len(mine) as i32;
    if card == highest(suit) {
        score += w.highest;
    } else if len(mine) == 2 && highest(suit & !highest(suit)) & mine != 0 {
        score += w.guard;
    }
    score
}

/// Like [`follows`], in misères and piccolos.
#[inline(always)]
fn duck_follows(
    node: &Node,
    on_table: usize,
    seat: usize,
    trick: &Trick,
    all: Cards,
    candidates: Cards,
    moves: &mut Moves,
) {
    let declares = node.declares(seat);
    let declarer_to_come = (1..4 - on_table).any(|step| node.declares((seat + step) & 3));
    let can_be_caught = node.declares(trick.winner) || declarer_to_come;
    let (by_outcome, by_rank) = (&WEIGHTS.duck[on_table - 1], &WEIGHTS.duck_rank[on_table - 1]);
    let (declarer, alive) = (usize::from(declares), usize::from(!declares && can_be_caught));
    for card in Each(candidates) {
        let FollowFacts { wins, suit, rank, kind } =
            follow_facts(card, trick, all, candidates, node.trump);
        let mut score = by_outcome[kind][declarer][usize::from(wins)][alive]
            + by_rank[kind][declarer][usize::from(wins)][alive] * rank / 4;
        if kind == DISCARD {
            let mine = node.hands[seat] & suit;
            let w = &WEIGHTS.duck_discard[declarer];
            score += w.own_length * len(mine) as i32 / 4;
            score += w.others_below * len(below(suit & !mine, card)) as i32 / 4;
        }
        moves.push(card, score);
    }
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
