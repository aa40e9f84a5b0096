//! Answers without search.
//!
//! For a side: tricks that it can cash at once, and tricks that are certain whichever seat leads.
//! For a lone declarer of a misère: a trick that it must take, and tricks that it can lose one
//! after the other.

// Loops run over seats, which number hands and bits alike.
#![allow(clippy::needless_range_loop)]

use crate::lanes::{Cards, above, highest, lane, len, lowest, suit_of, top, top_run};
use crate::node::{Answer, FEWEST_TRICKS, MOST_TRICKS, Node, Ranks};

/// Returns the answer to "do the declarers take at least `need` of the remaining `n` tricks?" if
/// `leader` leads and the cards show it without search. `all` are the cards still held.
#[inline(always)]
pub(crate) fn bound<const GOAL: u8>(
    node: &Node,
    leader: usize,
    need: i32,
    n: i32,
    all: Cards,
) -> Option<Answer> {
    if GOAL == MOST_TRICKS {
        let declares = node.declarers >> leader & 1 != 0;
        let side = node.side(leader);
        // What the leader's side needs to settle the question, and what the other side needs.
        let (here, there) = if declares { (need, n - need + 1) } else { (n - need + 1, need) };
        if let Some(ranks) = cash(node, leader, side, here, all) {
            return Some((declares, Ranks::high(ranks)));
        }
        if let Some(ranks) = sure_trumps(node, side, here, all) {
            return Some((declares, Ranks::high(ranks)));
        }
        if let Some(ranks) = sure_trumps(node, 15 & !side, there, all) {
            return Some((!declares, Ranks::high(ranks)));
        }
        if node.trump & all == 0
            && let Some(ranks) = out_of_winners(node, leader, 15 & !side, there, n, all)
        {
            return Some((!declares, Ranks::high(ranks)));
        }
        None
    } else if GOAL == FEWEST_TRICKS {
        if node.declarers.count_ones() != 1 || node.trump & all != 0 {
            return None;
        }
        let declarer = node.declarers.trailing_zeros() as usize;
        if need == 1
            && let Some(ranks) = must_win(node, leader, declarer, all)
        {
            return Some((true, Ranks::high(ranks)));
        }
        let ranks = loses(node, leader, declarer, n - need + 1, all)?;
        Some((false, Ranks::low(ranks)))
    } else {
        None
    }
}

/// Returns whether the side on lead can take `enough` tricks at once without losing the lead.
///
/// The result is the cards whose ranks this depends on, or `None` if this count does not show it.
/// The same holds for the functions below.
#[inline(always)]
fn cash(node: &Node, leader: usize, side: u8, enough: i32, all: Cards) -> Option<Cards> {
    let hands = &node.hands;
    let own = hands[leader];
    let mut total = 0;
    let mut ranks = 0;

    // Seats that could ruff.
    let mut ruffers = [0; 4];
    let mut n_ruffers = 0;
    let trump = node.trump;
    if trump != 0 && all & trump != 0 {
        let run = top_run(own & trump, all & trump);
        let rounds = len(run);
        let mut longest_enemy = 0;
        let mut longest_partner = 0;
        for (seat, &hand) in hands.iter().enumerate() {
            let length = len(hand & trump);
            if side >> seat & 1 == 0 {
                longest_enemy = longest_enemy.max(length);
                if length > 0 {
                    ruffers[n_ruffers] = seat;
                    n_ruffers += 1;
                }
            } else if seat != leader {
                longest_partner = longest_partner.max(length);
            }
        }
        if rounds > 0 {
            if rounds >= longest_enemy {
                n_ruffers = 0;
            }
            // Once nobody else has trumps left, the rest win by length.
            let longest = longest_enemy.max(longest_partner);
            let (good, by_rank) =
                if rounds >= longest { (len(own & trump), longest) } else { (rounds, rounds) };
            if good as i32 >= enough {
                return Some(lowest(top(run, by_rank.min(enough as u32))));
            }
            total += good as i32;
            ranks |= lowest(top(run, by_rank));
        }
    }

    let mut entry: [bool; 4] = [false; 4];
    let mut partner_total = [0i32; 4];
    let mut partner_ranks = [0; 4];
    for suit in 0..4 {
        let cards = all & lane(suit);
        if cards == 0 {
            continue;
        }
        let is_trump = cards & trump != 0;
        let mine = own & cards;
        let mut limit = 13;
        if !is_trump {
            for &seat in &ruffers[..n_ruffers] {
                limit = limit.min(len(hands[seat] & cards));
            }
            if limit == 0 {
                continue;
            }
        }
        let run = top_run(mine, cards);
        let rounds = len(run);
        let longest =
            (0..4).filter(|&s| s != leader).map(|s| len(hands[s] & cards)).max().unwrap_or(0);
        if !is_trump && rounds > 0 {
            let good = if rounds >= longest { len(mine) } else { rounds };
            let good = good.min(limit).min((enough - total) as u32);
            total += good as i32;
            ranks |= lowest(top(run, good.min(rounds).min(longest)));
            if total >= enough {
                return Some(ranks);
            }
        }
        if rounds >= limit {
            continue;
        }
        // What a partner could go on with after winning a trick of this suit.
        let rest = cards & !run;
        for partner in 0..4 {
            if side >> partner & 1 == 0 || partner == leader {
                continue;
            }
            let held = hands[partner] & cards;
            if len(held) <= rounds {
                continue;
            }
            let next = top_run(held, rest);
            if next == 0 {
                continue;
            }
            let longest =
                (0..4).filter(|&s| s != partner).map(|s| len(hands[s] & cards)).max().unwrap_or(0);
            let by_rank = len(next).min(len(held) - rounds);
            let wins = if rounds + by_rank >= longest { len(held) - rounds } else { by_rank };
            let wins = wins.min(limit - rounds);
            partner_total[partner] += wins as i32;
            let pinned = wins.min(by_rank).min(longest.saturating_sub(rounds).max(1));
            partner_ranks[partner] |= lowest(top(next, pinned));
            if len(mine) > rounds {
                entry[partner] = true;
            }
        }
    }
    for partner in 0..4 {
        if entry[partner] && total + partner_total[partner] >= enough {
            return Some(ranks | partner_ranks[partner]);
        }
    }
    None
}

/// Returns whether the highest trumps of a side guarantee `enough` tricks, whichever seat leads.
#[inline(always)]
fn sure_trumps(node: &Node, side: u8, enough: i32, all: Cards) -> Option<Cards> {
    let trump = node.trump & all;
    if trump == 0 {
        return None;
    }
    let enough = enough as u32;
    let mine = |seat: usize| {
        if side >> seat & 1 != 0 { node.hands[seat] & trump } else { 0 }
    };
    let held = (0..4).fold(0, |held, seat| held | mine(seat));
    let run = top_run(held, trump);
    if len(run) >= enough {
        // Two hands can keep their winners apart for as many rounds as the longer has trumps; a
        // third hand's may fall on the same tricks.
        for first in 0..4 {
            for second in 0..=first {
                let (first, second) = (mine(first), mine(second));
                let wins = run & (first | second);
                if len(wins) >= enough && len(first).max(len(second)) >= enough {
                    return Some(lowest(top(wins, enough)));
                }
            }
        }
    }
    // Each trump of a hand wins unless an enemy spends a higher one on it, and each of those serves
    // once.
    for seat in 0..4 {
        let mut mine = mine(seat);
        let (mut wins, mut spent) = (0, 0);
        while mine != 0 {
            let card = highest(mine);
            if len(above(trump & !held, card)) > spent {
                spent += 1;
            } else {
                wins += 1;
                if wins == enough {
                    return Some(card);
                }
            }
            mine &= mine - 1;
        }
    }
    None
}

/// Returns whether `side` takes tricks because the side on lead runs out of winners, without
/// trumps.
///
/// The side on lead runs out of suits in which it holds the highest card before the hand is over.
/// Then `side` takes a trick, if each of its hands can keep its highest cards until then. If the
/// leaders have no winners at all, `side` takes the trick at once and with all its high cards.
#[inline(always)]
fn out_of_winners(
    node: &Node,
    leader: usize,
    side: u8,
    enough: i32,
    n: i32,
    all: Cards,
) -> Option<Cards> {
    let hands = &node.hands;
    let mut before = 0;
    let mut alone = 0;
    let mut reached = false;
    let mut ranks = 0;
    let mut least = 13;
    let mut to_keep = [0; 4];
    for suit in 0..4 {
        let cards = all & lane(suit);
        let theirs = |s: &usize| side >> s & 1 == 0;
        let longest = (0..4).filter(theirs).map(|s| len(hands[s] & cards)).max().unwrap_or(0);
        if longest == 0 {
            continue;
        }
        let high = highest(cards);
        let owner = (0..4).find(|&s| hands[s] & high != 0)?;
        if side >> owner & 1 == 0 {
            let mine = len(hands[leader] & cards);
            before += longest as i32;
            alone += mine as i32;
            reached |=
                mine > 0 && (0..4).any(|s| s != leader && theirs(&s) && hands[s] & cards != 0);
            continue;
        }
        ranks |= high;
        to_keep[owner] += 1;
        if enough > 1 && hands[leader] & cards != 0 {
            let mut sure = 0;
            for other in 0..4 {
                let cards = all & lane(other);
                let run = top_run(hands[owner] & cards, cards);
                sure += len(run) as i32;
                ranks |= lowest(run);
            }
            least = least.min(sure);
        }
    }
    let most = if reached { before } else { alone };
    // A seat that must discard one of them is squeezed.
    if most >= n || to_keep.iter().any(|keep| most + keep > n) {
        return None;
    }
    if before == 0 { (least >= enough).then_some(ranks) } else { (enough == 1).then_some(ranks) }
}

/// Returns whether the others can make a lone seat win the next trick, without trumps.
///
/// They can if all its cards of the suit that they lead, or of every suit if it leads, lie above
/// the lowest card of each of them.
#[inline(always)]
fn must_win(node: &Node, leader: usize, declarer: usize, all: Cards) -> Option<Cards> {
    let on_lead = leader == declarer;
    let mut ranks = 0;
    for suit in 0..4 {
        let cards = all & lane(suit);
        let mine = lowest(node.hands[declarer] & cards);
        if mine == 0 || node.hands[leader] & cards == 0 {
            continue;
        }
        let under = |seat: usize| {
            let held = node.hands[seat] & cards;
            seat == declarer || held == 0 || lowest(held) > mine
        };
        if (0..4).all(under) {
            if !on_lead {
                return Some(mine);
            }
            ranks |= mine;
        } else if on_lead {
            return None;
        }
    }
    on_lead.then_some(ranks)
}

/// Returns whether a lone seat can lose each of the next `rounds` tricks, without trumps. The
/// result is the cards whose ranks, and those of all below them, this depends on.
#[inline(always)]
fn loses(node: &Node, leader: usize, declarer: usize, rounds: i32, all: Cards) -> Option<Cards> {
    let on_lead = leader == declarer;
    let mut needs_exit = on_lead;
    let mut ranks = 0;
    for suit in 0..4 {
        let cards = all & lane(suit);
        let mine = node.hands[declarer] & cards;
        let theirs = cards & !mine;
        if mine == 0 || theirs == 0 || rounds == 1 && node.hands[leader] & cards == 0 {
            continue;
        }
        let stays_below = |times: i32, tricks: i32| {
            // The declarer's `times` lowest cards lie below all cards of one enemy. That enemy can
            // still follow in the last of the tricks, even after a discard in each trick before.
            let low = nth_lowest(mine, times);
            let over = |seat: usize| {
                let held = node.hands[seat] & cards;
                seat != declarer && len(held) as i32 >= tricks && lowest(held) < low
            };
            (0..4).any(over).then_some(low)
        };
        if needs_exit && let Some(first) = stays_below(1, 1) {
            // The lowest card is led; then it is as if the others led the rest, and one of theirs
            // were gone.
            let rest = ducks(mine & !first, theirs, rounds - 1);
            if let Some(rest) = rest.or_else(|| stays_below(rounds, rounds)) {
                ranks |= first | rest;
                needs_exit = false;
                continue;
            }
        }
        let times = rounds - i32::from(on_lead);
        ranks |= ducks(mine, theirs, times).or_else(|| stays_below(times, rounds))?;
    }
    (!needs_exit).then_some(ranks)
}

/// Returns whether a seat can play below the others in each of several tricks of a suit that they
/// lead.
///
/// It can if its lowest card lies below the lowest of the others, its second lowest below their
/// second lowest, and so on; it always plays the highest card that does not win. The result is the
/// last of these.
#[inline(always)]
fn ducks(mut mine: Cards, mut theirs: Cards, rounds: i32) -> Option<Cards> {
    let mut last = 0;
    for _ in 0..rounds {
        if mine == 0 || theirs == 0 {
            break;
        }
        let (low, other) = (lowest(mine), lowest(theirs));
        if low < other {
            return None;
        }
        last = low;
        mine &= !low;
        theirs &= !other;
    }
    Some(last)
}

/// Returns the `n`th lowest card of a set of one suit, `n` from 1, or the highest if there are
/// fewer.
#[inline(always)]
fn nth_lowest(cards: Cards, n: i32) -> Cards {
    let skip = len(cards).saturating_sub(n as u32);
    highest(cards & !top(cards, skip))
}

/// Returns whether the enemies of the leader win the trick and then enough others at once. One of
/// them holds the highest card of the suit led and cannot be ruffed.
#[inline(always)]
pub(crate) fn wins_and_cashes(
    node: &Node,
    leader: usize,
    lead: Cards,
    enough: i32,
    all: Cards,
) -> Option<Cards> {
    let hands = &node.hands;
    let suit = all & lane(suit_of(lead));
    let high = highest(suit);
    let seat = (0..4).find(|&s| hands[s] & high != 0)?;
    let side = node.side(leader);
    if side >> seat & 1 != 0 {
        return None;
    }
    let trump = node.trump & all;
    let mut longest = 0;
    if trump != 0 {
        for other in 0..4 {
            if side >> other & 1 != 0 {
                let trumps = len(hands[other] & trump);
                if trumps > 0 && other != leader && suit & trump == 0 && hands[other] & suit == 0 {
                    return None;
                }
                longest = longest.max(trumps);
            }
        }
    }
    let mut total = 0;
    let mut ranks = high;
    let mut free = true;
    if trump != 0 {
        let run = top_run(hands[seat] & trump, trump);
        total = len(run) as i32;
        ranks |= lowest(run);
        free = len(run) >= longest;
    }
    for other in 0..4 {
        let cards = all & lane(other);
        if cards & trump != 0 || cards == 0 {
            continue;
        }
        if cards == suit && !free {
            total += 1;
        } else if free {
            let run = top_run(hands[seat] & cards, cards);
            total += len(run) as i32;
            ranks |= lowest(run);
        }
    }
    (total >= enough).then_some(ranks)
}
