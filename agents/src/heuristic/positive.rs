//! Card play where each side wants tricks.

use troel_env::{Card, CardSet, Contract, Observation, SeatSet, Suit};

use super::ranking::{cheapest, is_master};

/// Chooses among the legal cards.
pub(super) fn card(obs: &Observation, contract: &Contract, cards: CardSet) -> Card {
    let trick = obs.state().trick();
    if trick.is_empty() { lead(obs, contract, cards) } else { follow(obs, contract, cards) }
}

/// Returns the value of keeping a card, which is larger for high cards and trumps.
fn keep_value(obs: &Observation, contract: &Contract, card: Card) -> i32 {
    let mut value = i32::from(card.rank());
    if Some(card.suit()) == contract.trump {
        value += 30;
    } else if obs.outstanding().above(card).is_empty() {
        value += 15;
    }
    value
}

/// Returns the cheapest card to lose: low, and from a suit in which it guards nothing.
fn throw_away(obs: &Observation, contract: &Contract, cards: CardSet) -> Card {
    cheapest(cards, |card| {
        let suit = obs.hand().of(card.suit());
        let mut cost = 4 * keep_value(obs, contract, card);
        // A small card that keeps a king or queen guarded.
        let guards = suit.highest().is_some_and(|top| {
            let above = obs.outstanding().above(top).len();
            above > 0 && suit.len() == above + 1
        });
        if guards && suit.len() > 1 {
            cost += 12;
        }
        // Shorten short suits first: a void can ruff.
        cost + suit.len() as i32
    })
}

fn allies(obs: &Observation, contract: &Contract) -> SeatSet {
    contract.side(obs.seat()) - SeatSet::single(obs.seat())
}

fn follow(obs: &Observation, contract: &Contract, cards: CardSet) -> Card {
    let trick = obs.state().trick();
    let Some((winner, best)) = trick.winning() else { return lead(obs, contract, cards) };
    let beats = |card: &Card| card.beats(best, contract.trump);
    let winners: CardSet = cards.iter().filter(beats).collect();
    let behind: SeatSet = (trick.len() + 1..4).map(|i| trick.leader.plus(i)).collect();
    let opponents_behind = behind - allies(obs, contract);
    let partner_wins = allies(obs, contract).has(winner);
    if winners.is_empty() {
        return throw_away(obs, contract, cards);
    }
    let lead_suit = trick.lead().map_or(best.suit(), Card::suit);
    let threat = |card: Card| threat(obs, contract, card, lead_suit, opponents_behind);
    if partner_wins && (threat(best) == 0 || trick.len() == 3) {
        return throw_away(obs, contract, cards);
    }
    if opponents_behind.is_empty() {
        // Last against the trick: as cheaply as possible, unless the partner has it.
        return if partner_wins {
            throw_away(obs, contract, cards)
        } else {
            cheapest(winners, |c| keep_value(obs, contract, c))
        };
    }
    let sure: CardSet = winners.iter().filter(|&c| threat(c) == 0).collect();
    // Third hand leaves the trick to a partner whose card is nearly as good.
    let leave_it = partner_wins && threat(best) <= 1 && trick.len() == 2;
    if !sure.is_empty() && !leave_it {
        return cheapest(sure, |c| keep_value(obs, contract, c));
    }
    let ruffing = lead_suit != winners.highest().map_or(lead_suit, Card::suit);
    if partner_wins && (ruffing || threat(best) <= 2) {
        return throw_away(obs, contract, cards);
    }
    match trick.len() {
        // Second hand low, third hand high.
        1 if !ruffing => throw_away(obs, contract, cards),
        _ if ruffing => cheapest(winners, |c| keep_value(obs, contract, c)),
        _ => {
            let top = cheapest(winners, |c| -i32::from(c.rank()));
            // High only if it forces something; a card that is surely beaten is kept.
            if threat(top) <= 2 {
                lowest_equal(obs, winners, top)
            } else {
                throw_away(obs, contract, cards)
            }
        }
    }
}

/// Returns the number of outstanding cards that could still beat a card of this trick. `opponents`
/// are those who have not played to it. A possible ruff counts as three cards.
fn threat(
    obs: &Observation,
    contract: &Contract,
    card: Card,
    lead_suit: Suit,
    opponents: SeatSet,
) -> u32 {
    if opponents.is_empty() {
        return 0;
    }
    let outstanding = obs.outstanding();
    let may_ruff = contract.trump.is_some_and(|trump| {
        card.suit() != trump
            && !outstanding.of(trump).is_empty()
            && opponents.iter().any(|seat| obs.voids(seat).has(lead_suit))
    });
    outstanding.above(card).len() + 3 * u32::from(may_ruff)
}

/// Returns the lowest card between which and `top` no card is outstanding.
fn lowest_equal(obs: &Observation, cards: CardSet, top: Card) -> Card {
    let above = |card| obs.outstanding().above(card).len();
    cheapest(cards, |card| {
        let rank = i32::from(card.rank());
        if above(card) == above(top) { rank } else { 100 - rank }
    })
}

fn lead(obs: &Observation, contract: &Contract, cards: CardSet) -> Card {
    let declaring = contract.declarers.has(obs.seat());
    let outstanding = obs.outstanding();
    if let Some(trump) = contract.trump {
        let theirs = outstanding.of(trump);
        let ours = cards.of(trump);
        let masters: CardSet = ours.iter().filter(|&c| theirs.above(c).is_empty()).collect();
        if declaring && !theirs.is_empty() && opponents_may_hold_trumps(obs, contract, trump) {
            // Draw trumps with the highest ones while that gains.
            if let Some(card) = masters.highest()
                && (ours.len() >= 2 || theirs.len() <= 2)
            {
                return card;
            }
            if ours.len() >= 4
                && ours.len() + 1 >= theirs.len()
                && let Some(top) = ours.highest()
            {
                // Without the top trump: drive it out with the next ones, or lead low.
                return if theirs.above(top).len() <= 1 {
                    top
                } else {
                    ours.lowest().unwrap_or(top)
                };
            }
        }
    }
    cheapest(cards, |card| lead_cost(obs, contract, card))
}

/// Returns whether an opponent may still hold trumps.
fn opponents_may_hold_trumps(obs: &Observation, contract: &Contract, trump: Suit) -> bool {
    let opponents = SeatSet::FULL - contract.side(obs.seat());
    opponents.iter().any(|s| !obs.voids(s).has(trump))
}

/// Returns the cost of leading a card, which is lower for better leads.
fn lead_cost(obs: &Observation, contract: &Contract, card: Card) -> i32 {
    let hand = obs.hand();
    let declaring = contract.declarers.has(obs.seat());
    let suit = card.suit();
    let ours = hand.of(suit);
    let outstanding = obs.outstanding().of(suit);
    let partner = contract.partner(obs.seat());
    let is_trump = Some(suit) == contract.trump;
    if is_master(obs, contract, card) {
        return -100 + i32::from(card.rank());
    }
    let opponents = SeatSet::FULL - contract.side(obs.seat());
    let opponent_may_ruff = contract.trump.is_some_and(|t| {
        !is_trump
            && !obs.outstanding().of(t).is_empty()
            && opponents.iter().any(|s| obs.voids(s).has(suit) && !obs.voids(s).has(t))
    });
    let mut cost = 0;
    if !is_trump && outstanding.above(card).is_empty() && !opponent_may_ruff {
        // The best card of a side suit: early, before the suit is ruffed.
        let length = ours.len() + outstanding.len();
        cost -= 60 + if length >= 9 { 10 } else { 0 };
    } else {
        cost += 2 * i32::from(card.rank());
        // Leading away from an unprotected honour gives tricks.
        if let Some(top) = ours.highest() {
            let above = outstanding.above(top).len();
            if top.rank() >= 10 && above > 0 && !declaring {
                cost += 8;
            }
        }
        // A partner who is void can ruff; an opponent who is void will.
        if let Some(p) = partner
            && obs.voids(p).has(suit)
            && !opponent_may_ruff
        {
            cost -= 12;
        }
        if opponent_may_ruff {
            cost += 15;
        }
    }
    if is_trump {
        cost += if declaring { 6 } else { 20 };
    } else if ours.len() == 1
        && !declaring
        && contract.trump.is_some_and(|t| !hand.of(t).is_empty())
    {
        cost -= 6;
    } else {
        // Long suits grow small cards into winners.
        cost -= 2 * ours.len() as i32;
    }
    cost
}
