//! Calls, by expected points.
//!
//! For every contract that can be called the bot estimates how the tricks are distributed and
//! weighs the rule set's points with it, so that house rules change its bidding too.

use troel_env::auction::Status;
use troel_env::hand::{draws_trumps, misere_risk, trick_estimate};
use troel_env::{Action, CardSet, Contract, ContractKind, Observation, Seat, SeatSet, Suit};

use super::expectation::{PointsByTricks, Tricks, expected, points};
use super::trick_model::TrickModel;

/// Smallest expected gain of a call over passing, in points.
const MIN_GAIN: f32 = 0.5;

/// Expected tricks beyond the certain ones of a hand that draws all trumps, and their standard
/// deviation.
const TRICKS_BEYOND_SURE: (f32, f32) = (0.25, 0.5);

/// Returns the call with the highest expected gain.
pub(super) fn call(obs: &Observation, model: &TrickModel) -> Action {
    let mut known = PointsByTricks::default();
    let mut best = (MIN_GAIN, fallback(obs));
    for call in obs.legal_actions() {
        if let Some(value) = value(obs, call, model, &mut known)
            && value > best.0
        {
            best = (value, call);
        }
    }
    best.1
}

/// Returns the expected gain of each legal call over passing, in points. The gain of the call that
/// announces nothing is [`MIN_GAIN`].
fn gains(obs: &Observation) -> impl Iterator<Item = (Action, f32)> {
    let default_call = fallback(obs);
    let mut known = PointsByTricks::default();
    obs.legal_actions().into_iter().map(move |call| {
        let nothing = if call == default_call { MIN_GAIN } else { 0.0 };
        (call, value(obs, call, &TrickModel::FITTED, &mut known).unwrap_or(nothing))
    })
}

/// Returns the calls that announce nothing, and of the others the `most` with the highest expected
/// gain.
pub(super) fn candidates(obs: &Observation, most: usize) -> Vec<Action> {
    let (mut bids, mut calls) = (Vec::new(), Vec::new());
    for (call, gain) in gains(obs) {
        if call.as_bid().is_some() { bids.push((gain, call)) } else { calls.push(call) }
    }
    bids.sort_by(|a, b| b.0.total_cmp(&a.0));
    calls.extend(bids.into_iter().take(most).map(|(_, call)| call));
    calls
}

/// Returns the likelihood of a call by a seat with similar bidding: a softmax over the gains of the
/// calls. Its width is a quarter of the points of the lowest contract.
pub(super) fn likelihood(obs: &Observation, made: Action) -> f32 {
    let lowest = obs.state().rules().rows().first().and_then(|row| row.made.first());
    let width = 0.25 * lowest.map_or(4.0, |&points| points as f32);
    let (mut sum, mut this, mut best) = (0.0, 0.0, f32::MIN);
    for (call, gain) in gains(obs) {
        if gain > best {
            sum *= ((best - gain) / width).exp();
            this *= ((best - gain) / width).exp();
            best = gain;
        }
        let weight = ((gain - best) / width).exp();
        sum += weight;
        if call == made {
            this = weight;
        }
    }
    if sum > 0.0 { this / sum } else { 0.0 }
}

/// Returns the call of a seat with no contract to announce: it keeps trou or troel, waits with
/// support for others, or passes.
fn fallback(obs: &Observation) -> Action {
    let legal = obs.legal_actions();
    if legal.has(Action::KEEP) {
        return Action::KEEP;
    }
    // Eldest with some strength in several suits may still support another seat.
    let strength: f32 = trick_estimate(obs.hand(), None);
    if legal.has(Action::WAIT) && strength >= 1.6 {
        return Action::WAIT;
    }
    Action::PASS
}

/// Returns the expected points of a call beyond those of passing; `None` for calls that announce
/// nothing.
fn value(
    obs: &Observation,
    call: Action,
    model: &TrickModel,
    known: &mut PointsByTricks,
) -> Option<f32> {
    let (hand, deck) = (obs.hand(), obs.state().rules().deck());
    let contract = obs.contract_alone(call)?;
    let trump = contract.trump;
    Some(match contract.kind {
        ContractKind::Suit => return suit_value(obs, contract, trump?, model, known),
        ContractKind::Trou | ContractKind::Troel => return None,
        kind if kind.is_negative() => negative_value(obs, contract, model),
        kind => {
            let leads = obs.leads_as_declarer(kind);
            let trumps = trump.map_or(0, |suit| hand.of(suit).len()) as f32 - 5.0;
            let least = obs.sure_tricks_alone(&contract);
            let tricks = if leads && trump.is_some_and(|suit| draws_trumps(hand, deck, suit)) {
                let (beyond, spread) = TRICKS_BEYOND_SURE;
                Tricks { least, mean: f32::from(least) + beyond, spread }
            } else {
                let mean = model.alone.at(trick_estimate(hand, trump), trumps);
                let mean = mean + if leads { model.lead } else { 0.0 };
                Tricks { least, mean, spread: model.alone_spread }
            };
            expected(obs, contract, tricks, model, known)
        }
    })
}

/// Returns the expected gain of proposing, joining or raising.
fn suit_value(
    obs: &Observation,
    contract: Contract,
    suit: Suit,
    model: &TrickModel,
    known: &mut PointsByTricks,
) -> Option<f32> {
    let hand = obs.hand();
    let auction = obs.state().auction();
    let trumps = hand.of(suit).len() as f32;
    let level_penalty = model.high_level * f32::from(contract.goal.saturating_sub(9));
    let own = trick_estimate(hand, Some(suit));
    let proposer = Seat::ALL.into_iter().find(|&s| {
        s != obs.seat()
            && matches!(auction.status(s), Status::Proposed | Status::Stayed | Status::Silent)
            && auction.suit(s) == Some(suit)
    });
    let with =
        |mate: Seat| Contract { declarers: contract.declarers | SeatSet::single(mate), ..contract };
    match proposer {
        Some(mate) => {
            // A proposer who starts above the lowest level has a stronger hand.
            let proposals = obs.calls(mate).into_iter().filter_map(Action::as_suit);
            let highest = proposals.map(|(level, _)| level).max().unwrap_or(8);
            let more = 0.2 * f32::from(highest.saturating_sub(8));
            let mean = model.partner.at(own, trumps - 3.0) + more - level_penalty;
            let tricks = Tricks { least: 0, mean, spread: model.pair_spread };
            Some(expected(obs, with(mate), tricks, model, known))
        }
        None if trumps < 4.0 => None,
        None => {
            let mean = model.proposer.at(own, trumps - 4.0) - level_penalty;
            let tricks = Tricks { least: 0, mean, spread: model.pair_spread };
            Some(expected(obs, with(obs.seat().plus(2)), tricks, model, known))
        }
    }
}

fn negative_value(obs: &Observation, contract: Contract, model: &TrickModel) -> f32 {
    let (hand, deck) = (obs.hand(), obs.state().rules().deck());
    let chance = match contract.kind {
        ContractKind::Piccolo => piccolo_chance(hand, deck),
        ContractKind::OpenMisere => (-2.6 * misere_risk(hand, deck)).exp(),
        ContractKind::SmallMisere => {
            let aside = |card| misere_risk(hand - CardSet::single(card), deck);
            (-1.5 * hand.iter().map(aside).fold(f32::MAX, f32::min)).exp()
        }
        _ => (-1.6 * misere_risk(hand, deck)).exp(),
    };
    let points = |tricks: u8| points(obs, &contract, tricks, model);
    let allowed = contract.kind.allowed_tricks();
    chance * points(allowed) + (1.0 - chance) * points(allowed + 1)
}

/// Returns the estimated chance of a piccolo, which needs one sure winner and no other winner.
fn piccolo_chance(hand: CardSet, deck: CardSet) -> f32 {
    let rest = |ace| hand - CardSet::single(ace);
    let with_winner = |ace| 0.9 * (-1.6 * misere_risk(rest(ace), deck)).exp();
    hand.aces().iter().map(with_winner).fold(0.0, f32::max)
}

/// Chooses trumps for trou: the suit in which the hand is estimated to take most tricks.
pub(super) fn trumps(obs: &Observation) -> Action {
    let worth = |suit: Suit| trick_estimate(obs.hand(), Some(suit));
    let best = Suit::ALL.into_iter().max_by(|&a, &b| worth(a).total_cmp(&worth(b)));
    Action::trump(best.unwrap_or(Suit::Hearts))
}
