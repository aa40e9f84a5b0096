//! Answers without search.
//!
//! For a side: tricks that it can cash at once, and tricks that are certain whichever seat leads.
//! For a lone declarer of a misère: a trick that it must take, and tricks that it can lose one
//! after the other.
//!
//! A function that proves a claim returns the cards whose ranks the proof depends on, or `None` if
//! it finds no proof.

use troel_env::RANKS_PER_SUIT;

use crate::lanes::{Cards, above, highest, lane, len, lowest, suit_of, top, top_run};
use crate::node::{Answer, FEWEST_TRICKS, MOST_TRICKS, Node, Ranks};

/// Number of rounds of a suit that nobody can ruff: as many as a hand can have cards of it.
const ALL_ROUNDS: u32 = RANKS_PER_SUIT as u32;

/// Returns whether the declarers take at least `need` tricks, if that is clear without search.
///
/// `leader` leads, `left` tricks remain, and `all` are the cards still held.
#[inline(always)]
pub(crate) fn bound<const GOAL: u8>(
    node: &Node,
    leader: usize,
    need: i32,
    left: i32,
    all: Cards,
) -> Option<Answer> {
    if GOAL == MOST_TRICKS {
        let declares = node.declares(leader);
        let side = node.side(leader);
        // Tricks that settle the question if the leader's side, or the other side, takes them.
        let (here, there) =
            if declares { (need, left - need + 1) } else { (left - need + 1, need) };
        if let Some(ranks) = cash(node, leader, side, here, all) {
            return Some(Answer::new(declares, Ranks::high(ranks)));
        }
        if let Some(ranks) = sure_trumps(node, side, here, all) {
            return Some(Answer::new(declares, Ranks::high(ranks)));
        }
        if let Some(ranks) = sure_trumps(node, 15 & !side, there, all) {
            return Some(Answer::new(!declares, Ranks::high(ranks)));
        }
        if node.trump & all == 0
            && let Some(ranks) = out_of_winners(node, leader, 15 & !side, there, left, all)
        {
            return Some(Answer::new(!declares, Ranks::high(ranks)));
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
            return Some(Answer::new(true, Ranks::high(ranks)));
        }
        let ranks = loses(node, leader, declarer, left - need + 1, all)?;
        Some(Answer::new(false, Ranks::low(ranks)))
    } else {
        None
    }
}

/// Tricks that cards win one after the other, and the cards whose ranks this depends on.
#[derive(Clone, Copy, Default)]
struct Winners {
    tricks: i32,
    ranks: Cards,
}

impl Winners {
    #[inline(always)]
    fn add(&mut self, more: Winners) {
        self.tricks += more.tricks;
        self.ranks |= more.ranks;
    }
}

/// Proves that the side on lead can take `enough` tricks at once without losing the lead.
#[inline(always)]
fn cash(node: &Node, leader: usize, side: u8, enough: i32, all: Cards) -> Option<Cards> {
    let (mut own, ruffers) = cash_trumps(node, leader, side, enough, all);
    if own.tricks >= enough {
        return Some(own.ranks);
    }
    let mut partners = [Winners::default(); 4];
    // Partners whom the leader can reach with a low card of a suit.
    let mut reached = 0u8;
    for suit in 0..4 {
        let cards = all & lane(suit);
        if cards == 0 {
            continue;
        }
        let is_trump = cards & node.trump != 0;
        let rounds = if is_trump { ALL_ROUNDS } else { rounds_without_ruff(node, ruffers, cards) };
        if rounds == 0 {
            continue;
        }
        let mine = node.hands[leader] & cards;
        let run = top_run(mine, cards);
        if !is_trump && run != 0 {
            let wanted = (enough - own.tricks) as u32;
            own.add(cash_suit(node, leader, cards, run, rounds.min(wanted)));
            if own.tricks >= enough {
                return Some(own.ranks);
            }
        }
        if len(run) >= rounds {
            continue;
        }
        for (partner, winners) in partners.iter_mut().enumerate() {
            if side >> partner & 1 == 0 || partner == leader {
                continue;
            }
            let Some(more) = continue_suit(node, partner, cards, run, rounds) else { continue };
            winners.add(more);
            if len(mine) > len(run) {
                reached |= 1 << partner;
            }
        }
    }
    for (partner, winners) in partners.iter().enumerate() {
        if reached >> partner & 1 != 0 && own.tricks + winners.tricks >= enough {
            return Some(own.ranks | winners.ranks);
        }
    }
    None
}

/// Returns the tricks of the leader's trumps led from the top, of which `enough` are wanted.
///
/// Also returns the opponents that can ruff afterwards, one bit for each seat.
#[inline(always)]
fn cash_trumps(node: &Node, leader: usize, side: u8, enough: i32, all: Cards) -> (Winners, u8) {
    let trumps = node.trump & all;
    if trumps == 0 {
        return (Winners::default(), 0);
    }
    let mine = node.hands[leader] & trumps;
    let run = top_run(mine, trumps);
    let (mut longest_opponent, mut longest_partner, mut ruffers) = (0, 0, 0);
    for (seat, hand) in node.hands.iter().enumerate() {
        let length = len(hand & trumps);
        if side >> seat & 1 == 0 {
            longest_opponent = longest_opponent.max(length);
            ruffers |= u8::from(length > 0) << seat;
        } else if seat != leader {
            longest_partner = longest_partner.max(length);
        }
    }
    let rounds = len(run);
    if rounds == 0 {
        return (Winners::default(), ruffers);
    }
    if rounds >= longest_opponent {
        ruffers = 0;
    }
    // Once nobody else has trumps left, the rest win by length.
    let longest = longest_opponent.max(longest_partner);
    let (tricks, by_rank) = if rounds >= longest { (len(mine), longest) } else { (rounds, rounds) };
    let ranks = lowest(top(run, by_rank.min(enough as u32)));
    (Winners { tricks: tricks as i32, ranks }, ruffers)
}

/// Returns the number of rounds of a side suit that none of the seats `ruffers` can ruff.
///
/// It is [`ALL_ROUNDS`] if `ruffers` is empty.
#[inline(always)]
fn rounds_without_ruff(node: &Node, mut ruffers: u8, cards: Cards) -> u32 {
    let mut rounds = ALL_ROUNDS;
    while ruffers != 0 {
        let seat = ruffers.trailing_zeros() as usize & 3;
        rounds = rounds.min(len(node.hands[seat] & cards));
        ruffers &= ruffers - 1;
    }
    rounds
}

/// Returns the tricks, at most `limit`, that the leader takes in a side suit. It leads the highest
/// cards of the suit, `run`, and then those that win by length.
#[inline(always)]
fn cash_suit(node: &Node, leader: usize, cards: Cards, run: Cards, limit: u32) -> Winners {
    let rounds = len(run);
    let longest = longest_other(node, leader, cards);
    let tricks = if rounds >= longest { len(node.hands[leader] & cards) } else { rounds };
    let tricks = tricks.min(limit);
    let ranks = lowest(top(run, tricks.min(rounds).min(longest)));
    Winners { tricks: tricks as i32, ranks }
}

/// Returns the tricks that a partner takes in a suit after the leader's highest cards, `run`.
///
/// Nobody ruffs in the first `limit` rounds of the suit.
#[inline(always)]
fn continue_suit(
    node: &Node,
    partner: usize,
    cards: Cards,
    run: Cards,
    limit: u32,
) -> Option<Winners> {
    let rounds = len(run);
    let held = node.hands[partner] & cards;
    if len(held) <= rounds {
        return None;
    }
    let next = top_run(held, cards & !run);
    if next == 0 {
        return None;
    }
    let longest = longest_other(node, partner, cards);
    let by_rank = len(next).min(len(held) - rounds);
    let tricks = if rounds + by_rank >= longest { len(held) - rounds } else { by_rank };
    let tricks = tricks.min(limit - rounds);
    let pinned = tricks.min(by_rank).min(longest.saturating_sub(rounds).max(1));
    Some(Winners { tricks: tricks as i32, ranks: lowest(top(next, pinned)) })
}

/// Returns the largest number of these cards in a hand other than that of `seat`.
#[inline(always)]
fn longest_other(node: &Node, seat: usize, cards: Cards) -> u32 {
    (0..4).filter(|&s| s != seat).map(|s| len(node.hands[s] & cards)).max().unwrap_or(0)
}

/// Proves that the highest trumps of a side guarantee `enough` tricks, whichever seat leads.
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
    // Each trump of a hand wins unless an opponent spends a higher one on it. Each of those serves
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

/// Proves that `side` takes tricks because the side on lead runs out of winners, without trumps.
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
    left: i32,
    all: Cards,
) -> Option<Cards> {
    let hands = &node.hands;
    let leads = |seat: usize| side >> seat & 1 == 0;
    // Tricks that the side on lead can win at most: with all hands, and with the leader's alone.
    let (mut most_together, mut most_alone) = (0, 0);
    let mut reaches_partner = false;
    let mut ranks = 0;
    // Fewest high cards of a hand of `side` that takes the lead.
    let mut fewest = i32::from(RANKS_PER_SUIT);
    // Highest cards of suits that each hand has to keep.
    let mut to_keep = [0; 4];
    for suit in 0..4 {
        let cards = all & lane(suit);
        let longest =
            (0..4).filter(|&s| leads(s)).map(|s| len(hands[s] & cards)).max().unwrap_or(0);
        if longest == 0 {
            continue;
        }
        let high = highest(cards);
        let owner = (0..4).find(|&s| hands[s] & high != 0)?;
        if leads(owner) {
            let mine = len(hands[leader] & cards);
            most_together += longest as i32;
            most_alone += mine as i32;
            reaches_partner |=
                mine > 0 && (0..4).any(|s| s != leader && leads(s) && hands[s] & cards != 0);
            continue;
        }
        ranks |= high;
        to_keep[owner] += 1;
        if enough > 1 && hands[leader] & cards != 0 {
            let high_cards = high_cards(node, owner, all);
            fewest = fewest.min(high_cards.tricks);
            ranks |= high_cards.ranks;
        }
    }
    let most = if reaches_partner { most_together } else { most_alone };
    // A seat that must discard one of them is squeezed.
    if most >= left || to_keep.iter().any(|keep| most + keep > left) {
        return None;
    }
    let sure = if most_together == 0 { fewest } else { 1 };
    (sure >= enough).then_some(ranks)
}

/// Returns the cards of a hand above all other cards of their suits.
#[inline(always)]
fn high_cards(node: &Node, seat: usize, all: Cards) -> Winners {
    let mut high_cards = Winners::default();
    for suit in 0..4 {
        let cards = all & lane(suit);
        let run = top_run(node.hands[seat] & cards, cards);
        high_cards.add(Winners { tricks: len(run) as i32, ranks: lowest(run) });
    }
    high_cards
}

/// Proves that the others can make a lone seat win the next trick, without trumps.
///
/// They can if all its cards of the suit that they lead lie above the lowest card of each of them.
/// If the lone seat leads, this must hold for every suit.
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

/// Proves that a lone seat can lose each of the next `rounds` tricks, without trumps. The proof
/// depends on the ranks of the returned cards and of all below them.
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
            // The declarer's `times` lowest cards lie below all cards of one opponent. That
            // opponent can still follow in the last of the tricks, even after a discard in each
            // trick before.
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

/// Proves that a seat can play below the others in each of several tricks of a suit that they lead.
///
/// It can if its `n`th lowest card lies below the `n`th lowest of the others, for each round `n`.
/// It always plays the highest card that does not win. The result is the last of these.
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

/// Returns the `n`th lowest card of a set of one suit (`n` from 1), or the highest if it has fewer.
#[inline(always)]
fn nth_lowest(cards: Cards, n: i32) -> Cards {
    let skip = len(cards).saturating_sub(n as u32);
    highest(cards & !top(cards, skip))
}

/// Proves that the opponents of the leader win the trick and then enough others at once. One of
/// them holds the highest card of the suit led and cannot be ruffed.
#[inline(always)]
pub(crate) fn wins_and_cashes(
    node: &Node,
    leader: usize,
    lead: Cards,
    enough: i32,
    all: Cards,
) -> Option<Cards> {
    let suit = all & lane(suit_of(lead));
    let high = highest(suit);
    let seat = (0..4).find(|&s| node.hands[s] & high != 0)?;
    let side = node.side(leader);
    if side >> seat & 1 != 0 {
        return None;
    }
    let trump = node.trump & all;
    let mut longest = 0;
    if trump != 0 {
        for (other, hand) in node.hands.iter().enumerate() {
            if side >> other & 1 != 0 {
                let trumps = len(hand & trump);
                if trumps > 0 && other != leader && suit & trump == 0 && hand & suit == 0 {
                    return None;
                }
                longest = longest.max(trumps);
            }
        }
    }
    let mut tricks = 0;
    let mut ranks = high;
    let mut draws_trumps = true;
    if trump != 0 {
        let run = top_run(node.hands[seat] & trump, trump);
        tricks = len(run) as i32;
        ranks |= lowest(run);
        draws_trumps = len(run) >= longest;
    }
    for other in 0..4 {
        let cards = all & lane(other);
        if cards & trump != 0 || cards == 0 {
            continue;
        }
        if cards == suit && !draws_trumps {
            tricks += 1;
        } else if draws_trumps {
            let run = top_run(node.hands[seat] & cards, cards);
            tricks += len(run) as i32;
            ranks |= lowest(run);
        }
    }
    (tricks >= enough).then_some(ranks)
}
