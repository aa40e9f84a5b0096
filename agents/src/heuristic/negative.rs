//! Misères and piccolo: avoiding tricks, and giving them.

use troel_env::hand::misere_risk;
use troel_env::{Action, Card, CardSet, Contract, ContractKind, Observation, SeatSet};

use super::ranking::{cheapest, is_master};

/// Chooses among the legal cards.
pub(super) fn card(obs: &Observation, contract: &Contract, cards: CardSet) -> Card {
    if contract.declarers.has(obs.seat()) && !has_failed(obs, contract, obs.seat()) {
        declarer(obs, contract, cards)
    } else {
        defender(obs, contract, cards)
    }
}

fn has_failed(obs: &Observation, contract: &Contract, seat: troel_env::Seat) -> bool {
    obs.state().tricks()[seat] > contract.kind.allowed_tricks()
}

/// Returns the danger of holding a card: the outstanding cards below it that could leave it
/// winning.
fn danger(obs: &Observation, card: Card) -> i32 {
    let below = obs.outstanding().below(card).len() as i32;
    let above = obs.outstanding().above(card).len() as i32;
    let shelter = obs.hand().below(card).len() as i32;
    // With nothing outstanding in the suit a card wins only when led.
    if below == 0 { 0 } else { 4 * below - 3 * above - 2 * shelter }
}

fn declarer(obs: &Observation, contract: &Contract, cards: CardSet) -> Card {
    let trick = obs.state().trick();
    let wants_one = contract.kind == ContractKind::Piccolo && obs.state().tricks()[obs.seat()] == 0;
    let Some((_, best)) = trick.winning() else {
        if wants_one && let Some(card) = cards.iter().find(|&c| is_master(obs, contract, c)) {
            return card;
        }
        // Lead a card with few outstanding cards below it and many above it.
        return cheapest(cards, |c| {
            let outstanding = obs.outstanding();
            8 * outstanding.below(c).len() as i32 - 4 * outstanding.above(c).len() as i32
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

fn defender(obs: &Observation, contract: &Contract, cards: CardSet) -> Card {
    let trick = obs.state().trick();
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
            6 * obs.outstanding().below(c).len() as i32
                + i32::from(c.rank())
                + if void { 60 } else { 0 }
                - if caught { 40 } else { 0 }
        });
    };
    let losing: CardSet = cards.iter().filter(|c| !c.beats(best, None)).collect();
    let target_behind = (trick.len() + 1..4).any(|i| targets.has(trick.leader.plus(i)));
    if targets.has(winner) && !losing.is_empty() {
        // A declarer wins the trick so far: play below him, and get rid of high cards.
        return cheapest(losing, |c| -discard_value(obs, c));
    }
    if target_behind {
        // Stay low, so that the declarer may have to win.
        return cheapest(cards, |c| i32::from(c.rank()));
    }
    // No declarer will win this trick: play high cards, and keep low ones to make him win later.
    cheapest(cards, |c| -discard_value(obs, c))
}

/// Returns the value of getting rid of a card against a misère. It is larger for high cards and for
/// cards of suits that no other seat may hold.
fn discard_value(obs: &Observation, card: Card) -> i32 {
    let dead = obs.outstanding().of(card.suit()).is_empty();
    i32::from(card.rank()) + if dead { 20 } else { 0 }
}

/// Chooses the card to lay aside before a small misère.
pub(super) fn lay_aside(obs: &Observation) -> Action {
    let hand = obs.hand();
    let declares = obs.state().contract().is_some_and(|c| c.declarers.has(obs.seat()));
    Action::card(if declares {
        let deck = obs.state().rules().deck();
        cheapest(hand, |c| (1000.0 * misere_risk(hand - CardSet::single(c), deck)) as i32)
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
    let deck = obs.state().rules().deck();
    let risk = |card| (1000.0 * misere_risk(rest | CardSet::single(card), deck)) as i32;
    let now = (1000.0 * misere_risk(hand, deck)) as i32;
    if legal.cards.is_empty() {
        return Action::KEEP;
    }
    let best = cheapest(legal.cards, risk);
    if risk(best) < now { Action::card(best) } else { Action::KEEP }
}

/// Gives a card only where the turn-up is the better one to hold.
pub(super) fn answer(obs: &Observation) -> Action {
    let (Some(asked), Some(turn_up)) = (obs.asked_for(), obs.turn_up()) else {
        return Action::REFUSE;
    };
    let after = (obs.hand() - CardSet::single(asked)) | CardSet::single(turn_up);
    let risk = |hand| misere_risk(hand, obs.state().rules().deck());
    if risk(after) + 0.1 < risk(obs.hand()) { Action::GIVE } else { Action::REFUSE }
}
