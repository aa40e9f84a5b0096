//! Misères and piccolo: avoiding tricks, and giving them.

use troel_env::hand::{misere_risk, never_wins_a_trick};
use troel_env::{Action, Card, CardSet, Contract, ContractKind, Observation, Seat, SeatSet};

use super::ranking::cheapest;

// A rank is 0 for a deuce to 12 for an ace. The dangers, costs and values below only order cards.

/// Danger of holding a card, per outstanding card below it: each may leave it winning.
const DANGER_PER_LOWER: i32 = 4;

/// Danger that each outstanding card above a card takes away: it may win the trick instead.
const SAFETY_PER_HIGHER: i32 = 3;

/// Danger that each lower card of the own hand takes away: it can be played first.
const SAFETY_PER_OWN_LOWER: i32 = 2;

/// Cost for a declarer of a lead, per outstanding card below it: it may be left winning.
const LEAD_COST_PER_LOWER: i32 = 8;

/// Gain for a declarer of a lead, per outstanding card above it: it may win the trick instead.
const LEAD_GAIN_PER_HIGHER: i32 = 4;

/// Cost for a defender of a lead, per outstanding card below it with which a declarer can duck.
/// Each rank costs 1.
const DEFENDER_LEAD_COST_PER_LOWER: i32 = 6;

/// Cost for a defender of leading a suit that all declarers are void in: they discard on it.
const VOID_LEAD_COST: i32 = 60;

/// Gain for a defender of leading below all cards of the suit that declarers are known to hold.
const CATCHING_LEAD_GAIN: i32 = 40;

/// Value of getting rid of a card of a suit that no other seat holds: more than that of any rank.
const DEAD_SUIT_VALUE: i32 = 20;

/// Factor that converts risks to integers, for ordering cards.
const RISK_SCALE: f32 = 1000.0;

/// Smallest decrease of the risk for which a declarer gives a card for the turn-up.
const MIN_RISK_DECREASE: f32 = 0.1;

/// Chooses among the legal cards.
pub(super) fn choose_card(obs: &Observation, contract: &Contract, cards: CardSet) -> Card {
    if contract.declarers.has(obs.seat()) && !has_failed(obs, contract, obs.seat()) {
        declarer(obs, contract, cards)
    } else {
        defender(obs, contract, cards)
    }
}

/// Returns whether a declarer has taken more tricks than the contract allows.
fn has_failed(obs: &Observation, contract: &Contract, seat: Seat) -> bool {
    obs.public().tricks()[seat] > contract.kind.allowed_tricks()
}

/// Returns the danger of holding a card. Outstanding cards below it could leave it winning.
fn danger(obs: &Observation, card: Card) -> i32 {
    let below = obs.outstanding().below(card).len() as i32;
    let above = obs.outstanding().above(card).len() as i32;
    let shelter = obs.hand().below(card).len() as i32;
    // With nothing outstanding in the suit a card wins only when led.
    if below == 0 {
        0
    } else {
        DANGER_PER_LOWER * below - SAFETY_PER_HIGHER * above - SAFETY_PER_OWN_LOWER * shelter
    }
}

/// Returns the cards after which the rest of the hand is certain to take no trick.
fn safe(obs: &Observation, cards: CardSet) -> CardSet {
    let is_safe = |&card: &Card| {
        let rest = obs.hand() - CardSet::single(card);
        never_wins_a_trick(rest, rest | obs.outstanding())
    };
    cards.iter().filter(is_safe).collect()
}

/// Chooses a card of a declarer that has not failed.
fn declarer(obs: &Observation, contract: &Contract, cards: CardSet) -> Card {
    let trick = obs.public().trick();
    let wants_one =
        contract.kind == ContractKind::Piccolo && obs.public().tricks()[obs.seat()] == 0;
    let Some((_, best)) = trick.winning() else {
        if wants_one && let Some(card) = cards.iter().find(|&c| obs.is_master(contract.trump, c)) {
            return card;
        }
        // Lead a card with few outstanding cards below it and many above it.
        let outstanding = obs.outstanding();
        let is_beaten =
            |c: &Card| outstanding.below(*c).is_empty() && !outstanding.above(*c).is_empty();
        let safe_leads = safe(obs, cards.iter().filter(is_beaten).collect());
        let cards = if wants_one || safe_leads.is_empty() { cards } else { safe_leads };
        return cheapest(cards, |c| {
            let (below, above) = (outstanding.below(c).len(), outstanding.above(c).len());
            LEAD_COST_PER_LOWER * below as i32 - LEAD_GAIN_PER_HIGHER * above as i32
        });
    };
    let losing: CardSet = cards.iter().filter(|c| !c.beats(best, None)).collect();
    let winning = cards - losing;
    let last = trick.len() == 3;
    if wants_one && !winning.is_empty() {
        let sure = |c: &Card| last || obs.outstanding().above(*c).is_empty();
        if let Some(card) = winning.iter().rfind(sure) {
            return card;
        }
    }
    if !losing.is_empty() {
        let follows =
            trick.lead().is_some_and(|l| losing.lowest().is_some_and(|c| c.suit() == l.suit()));
        let safe_losing = safe(obs, losing);
        let losing = if wants_one || safe_losing.is_empty() { losing } else { safe_losing };
        // Under the winning card: the highest. When discarding: the most dangerous.
        return if follows {
            cheapest(losing, |c| -i32::from(c.rank()))
        } else {
            cheapest(losing, |c| -danger(obs, c))
        };
    }
    // Over it anyway: the highest if nobody can save the trick, else the lowest.
    if last {
        cheapest(cards, |c| -i32::from(c.rank()))
    } else {
        cheapest(cards, |c| i32::from(c.rank()))
    }
}

/// Chooses a card against the declarers that have not failed.
fn defender(obs: &Observation, contract: &Contract, cards: CardSet) -> Card {
    let trick = obs.public().trick();
    let targets: SeatSet = contract
        .declarers
        .iter()
        .filter(|&s| s != obs.seat() && !has_failed(obs, contract, s))
        .collect();
    let Some((winner, best)) = trick.winning() else {
        // Lead low, where the declarer may have to follow, from suits where little lies below.
        return cheapest(cards, |c| {
            let suit = c.suit();
            let void = targets.iter().all(|s| obs.voids(s).has(suit));
            let exposed: CardSet = targets.iter().map(|s| obs.known(s).of(suit)).collect();
            let caught = !exposed.is_empty() && exposed.below(c).is_empty();
            DEFENDER_LEAD_COST_PER_LOWER * obs.outstanding().below(c).len() as i32
                + i32::from(c.rank())
                + if void { VOID_LEAD_COST } else { 0 }
                - if caught { CATCHING_LEAD_GAIN } else { 0 }
        });
    };
    let losing: CardSet = cards.iter().filter(|c| !c.beats(best, None)).collect();
    let target_behind = (trick.len() + 1..4).any(|i| targets.has(trick.leader.plus(i)));
    if targets.has(winner) && !losing.is_empty() {
        // A declarer wins the trick so far: play below it, and get rid of high cards.
        return cheapest(losing, |c| -discard_value(obs, c));
    }
    if target_behind {
        // Stay low, so that the declarer may have to win.
        return cheapest(cards, |c| i32::from(c.rank()));
    }
    // No declarer will win this trick: play high cards. Low ones may make a declarer win later.
    cheapest(cards, |c| -discard_value(obs, c))
}

/// Returns the value of getting rid of a card against a misère. It is larger for high cards and for
/// cards of suits that no other seat may hold.
fn discard_value(obs: &Observation, card: Card) -> i32 {
    let dead = obs.outstanding().of(card.suit()).is_empty();
    i32::from(card.rank()) + if dead { DEAD_SUIT_VALUE } else { 0 }
}

/// Returns the [`misere_risk`] of a hand as an integer.
fn scaled_risk(obs: &Observation, hand: CardSet) -> i32 {
    (RISK_SCALE * misere_risk(hand, obs.public().rules().deck())) as i32
}

/// Chooses the card to lay aside before a small misère.
pub(super) fn lay_aside(obs: &Observation) -> Action {
    let hand = obs.hand();
    let declares = obs.public().contract().is_some_and(|c| c.declarers.has(obs.seat()));
    Action::card(if declares {
        cheapest(hand, |c| scaled_risk(obs, hand - CardSet::single(c)))
    } else {
        cheapest(hand, |c| -i32::from(c.rank()) - hand.of(c.suit()).len() as i32)
    })
}

/// Chooses the dealer's request in the exchange: the card that lowers the risk most.
pub(super) fn exchange(obs: &Observation) -> Action {
    let legal = obs.legal_actions();
    let hand = obs.hand();
    let Some(turn_up) = obs.turn_up() else { return Action::KEEP };
    let rest = hand - CardSet::single(turn_up);
    let risk = |card| scaled_risk(obs, rest | CardSet::single(card));
    if legal.cards.is_empty() {
        return Action::KEEP;
    }
    let best = cheapest(legal.cards, risk);
    if risk(best) < scaled_risk(obs, hand) { Action::card(best) } else { Action::KEEP }
}

/// Gives a card only where the turn-up is the better one to hold.
pub(super) fn answer(obs: &Observation) -> Action {
    let (Some(asked), Some(turn_up)) = (obs.asked_for(), obs.turn_up()) else {
        return Action::REFUSE;
    };
    let after = (obs.hand() - CardSet::single(asked)) | CardSet::single(turn_up);
    let risk = |hand| misere_risk(hand, obs.public().rules().deck());
    if risk(after) + MIN_RISK_DECREASE < risk(obs.hand()) { Action::GIVE } else { Action::REFUSE }
}
