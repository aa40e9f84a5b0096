//! Calls, by expected points.
//!
//! For every contract that can be called the bot estimates how the tricks are distributed and
//! weighs the rule set's points with it, so that house rules change its bidding too.

use troel_env::auction::Status;
use troel_env::hand::{misere_risk, trick_estimate};
use troel_env::scoring::score;
use troel_env::{
    Action, BySeat, CardSet, Contract, ContractKind, Observation, Seat, SeatSet, Suit,
};

use crate::utility::utility;

/// Gain in expected points that a call must promise over passing.
const MARGIN: f32 = 0.5;
/// Tricks expected of a hand, linear in its estimate ([`trick_estimate`]) for the suit.
#[derive(Clone, Copy, Debug)]
struct Line {
    base: f32,
    slope: f32,
    /// Per trump beyond the number that such a call usually has.
    trump: f32,
}

impl Line {
    fn at(&self, estimate: f32, trumps: f32) -> f32 {
        self.base + self.slope * estimate + self.trump * trumps
    }
}

/// How a bot judges its hand.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Judgement {
    /// Pair's tricks by the hand of one who proposes, trumps beyond four.
    proposer: Line,
    /// Pair's tricks by the hand of one who goes along, trumps beyond three.
    partner: Line,
    /// Tricks of a lone player, trumps beyond five.
    alone: Line,
    /// More for a lone player who leads.
    lead: f32,
    /// Hands that reach high levels are those that were overrated: tricks taken off per level above nine.
    high_level: f32,
    /// Standard deviation of a pair's tricks, and of a lone player's, around what is expected.
    spread: [f32; 2],
    /// Whether points count for what they do to the match.
    match_aware: bool,
}

impl Judgement {
    /// Rules of thumb: guesses.
    pub(crate) const THUMB: Judgement = Judgement {
        proposer: Line { base: 4.2, slope: 1.0, trump: 0.25 },
        partner: Line { base: 4.5, slope: 1.0, trump: 0.25 },
        alone: Line { base: -0.2, slope: 1.0, trump: 0.0 },
        lead: 0.0,
        high_level: 0.35,
        spread: [1.5, 1.15],
        match_aware: false,
    };

    /// Began as a fit to double-dummy tricks of random deals (`cargo run --release -p troel-agents --example
    /// calibrate`). Opponents are no solvers: bases, the partner's slope, high levels and the spread of lone players
    /// were then moved by hand, by points against `rules` on three rule sets.
    pub(crate) const FITTED: Judgement = Judgement {
        proposer: Line { base: 5.4, slope: 0.95, trump: -0.7 },
        partner: Line { base: 7.0, slope: 0.7, trump: -0.3 },
        alone: Line { base: -2.6, slope: 1.27, trump: -0.23 },
        lead: 0.37,
        high_level: 1.2,
        spread: [1.5, 1.0],
        match_aware: true,
    };
}

/// The call that promises most.
pub(super) fn call(obs: &Observation, judgement: &Judgement) -> Action {
    let mut known = PointsByTricks::default();
    let mut best = (MARGIN, fallback(obs));
    for call in obs.legal_actions() {
        if let Some(value) = value(obs, call, judgement, &mut known)
            && value > best.0
        {
            best = (value, call);
        }
    }
    best.1
}

/// What each legal call promises, in expected points; calls that announce nothing promise [`MARGIN`].
fn promises(obs: &Observation) -> impl Iterator<Item = (Action, f32)> {
    let quiet = fallback(obs);
    let mut known = PointsByTricks::default();
    obs.legal_actions().into_iter().map(move |call| {
        let nothing = if call == quiet { MARGIN } else { 0.0 };
        (call, value(obs, call, &Judgement::FITTED, &mut known).unwrap_or(nothing))
    })
}

/// The calls that announce nothing, and the most promising of the others.
pub(super) fn candidates(obs: &Observation, most: usize) -> Vec<Action> {
    let (mut bids, mut calls) = (Vec::new(), Vec::new());
    for (call, promise) in promises(obs) {
        if call.as_bid().is_some() { bids.push((promise, call)) } else { calls.push(call) }
    }
    bids.sort_by(|a, b| b.0.total_cmp(&a.0));
    calls.extend(bids.into_iter().take(most).map(|(_, call)| call));
    calls
}

/// How likely a seat is to make a call if it bids by about these lights: a softmax over what the calls promise,
/// as wide as a quarter of the lowest contract is worth.
pub(super) fn likelihood(obs: &Observation, made: Action) -> f32 {
    let lowest = obs.state().rules().rows().first().and_then(|row| row.made.first());
    let width = 0.25 * lowest.map_or(4.0, |&points| points as f32);
    let (mut sum, mut this, mut best) = (0.0, 0.0, f32::MIN);
    for (call, promise) in promises(obs) {
        if promise > best {
            sum *= ((best - promise) / width).exp();
            this *= ((best - promise) / width).exp();
            best = promise;
        }
        let weight = ((promise - best) / width).exp();
        sum += weight;
        if call == made {
            this = weight;
        }
    }
    if sum > 0.0 { this / sum } else { 0.0 }
}

/// What to say without a contract to call: leave trou or troel, else wait with support, pass.
fn fallback(obs: &Observation) -> Action {
    let legal = obs.legal_actions();
    if legal.has(Action::KEEP) {
        return Action::KEEP;
    }
    // Eldest with some strength in several suits may still help somebody else.
    let strength: f32 = trick_estimate(obs.hand(), None);
    if legal.has(Action::WAIT) && strength >= 1.6 {
        return Action::WAIT;
    }
    Action::PASS
}

/// Expected points of a call beyond those of passing; `None` for calls that announce nothing.
fn value(
    obs: &Observation,
    call: Action,
    judgement: &Judgement,
    known: &mut PointsByTricks,
) -> Option<f32> {
    let bid = call.as_bid()?;
    let hand = obs.hand();
    let row = obs
        .state()
        .rules()
        .rows()
        .iter()
        .position(|r| r.kind == bid.kind && r.level == bid.level)?;
    let trump = if bid.kind == ContractKind::SoloSlim {
        obs.turn_up().map(|c| c.suit())
    } else {
        bid.trump
    };
    let contract = Contract {
        kind: bid.kind,
        level: bid.level,
        trump,
        declarers: SeatSet::single(obs.seat()),
        row: row as u8,
    };
    Some(match bid.kind {
        ContractKind::Suit => return suit_value(obs, contract, trump?, judgement, known),
        ContractKind::Trou | ContractKind::Troel => return None,
        kind if kind.is_negative() => negative_value(obs, contract, judgement),
        kind => {
            let leads = kind.declarer_leads() || obs.state().dealer().next() == obs.seat();
            let trumps = trump.map_or(0, |suit| hand.of(suit).len()) as f32 - 5.0;
            let mean = judgement.alone.at(trick_estimate(hand, trump), trumps);
            let mean = mean + if leads { judgement.lead } else { 0.0 };
            expected(obs, contract, mean, judgement.spread[1], judgement, known)
        }
    })
}

/// Proposing, going along or raising.
fn suit_value(
    obs: &Observation,
    contract: Contract,
    suit: Suit,
    judgement: &Judgement,
    known: &mut PointsByTricks,
) -> Option<f32> {
    let hand = obs.hand();
    let auction = obs.state().auction();
    let trumps = hand.of(suit).len() as f32;
    let level_penalty = judgement.high_level * f32::from(contract.level.saturating_sub(9));
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
            // Proposers who start above the lowest level have more.
            let high =
                obs.calls(mate).into_iter().filter_map(Action::as_suit).map(|(l, _)| l).max();
            let more = 0.2 * f32::from(high.unwrap_or(8).saturating_sub(8));
            let mean = judgement.partner.at(own, trumps - 3.0) + more - level_penalty;
            Some(expected(obs, with(mate), mean, judgement.spread[0], judgement, known))
        }
        None if trumps < 4.0 => None,
        None => {
            let mean = judgement.proposer.at(own, trumps - 4.0) - level_penalty;
            Some(expected(
                obs,
                with(obs.seat().plus(2)),
                mean,
                judgement.spread[0],
                judgement,
                known,
            ))
        }
    }
}

fn negative_value(obs: &Observation, contract: Contract, judgement: &Judgement) -> f32 {
    let hand = obs.hand();
    let chance = match contract.kind {
        ContractKind::Piccolo => piccolo_chance(hand),
        ContractKind::OpenMisere => (-2.6 * misere_risk(hand)).exp(),
        ContractKind::SmallMisere => {
            let aside = |card| misere_risk(hand - CardSet::single(card));
            (-1.5 * hand.map(aside).fold(f32::MAX, f32::min)).exp()
        }
        _ => (-1.6 * misere_risk(hand)).exp(),
    };
    let points = |tricks: u8| points(obs, &contract, tricks, judgement);
    let good = u8::from(contract.kind == ContractKind::Piccolo);
    chance * points(good) + (1.0 - chance) * points(good + 1)
}

/// A piccolo wants one sure winner and nothing else that wins.
fn piccolo_chance(hand: CardSet) -> f32 {
    let with_winner = |ace| 0.9 * (-1.6 * misere_risk(hand - CardSet::single(ace))).exp();
    hand.aces().map(with_winner).fold(0.0, f32::max)
}

/// The seat's points by tricks of its side, of the contract asked for last: calls of one row follow each other.
#[derive(Default)]
struct PointsByTricks {
    /// Row and number of declarers.
    of: Option<(u8, u32)>,
    points: [f32; 14],
}

impl PointsByTricks {
    fn get(&mut self, obs: &Observation, contract: &Contract, judgement: &Judgement) -> &[f32; 14] {
        let key = Some((contract.row, contract.declarers.len()));
        if self.of != key {
            self.of = key;
            self.points = std::array::from_fn(|n| points(obs, contract, n as u8, judgement));
        }
        &self.points
    }
}

/// The seat's points if its side takes so many tricks.
fn points(obs: &Observation, contract: &Contract, tricks: u8, judgement: &Judgement) -> f32 {
    let mut taken = BySeat::default();
    taken[obs.seat()] = tricks;
    let rules = obs.state().rules();
    let points = score(rules, contract, &taken);
    if judgement.match_aware {
        utility(rules, obs.totals(), &points, obs.seat())
    } else {
        points[obs.seat()] as f32
    }
}

/// Expected points of a contract whose side takes `mean` tricks, give or take `spread`.
fn expected(
    obs: &Observation,
    contract: Contract,
    mean: f32,
    spread: f32,
    judgement: &Judgement,
    known: &mut PointsByTricks,
) -> f32 {
    let points = known.get(obs, &contract, judgement);
    // A normal density at 0, 1, … 13: each is the one before times a ratio that itself shrinks evenly.
    let (mean, variance) = (f64::from(mean), f64::from(spread * spread));
    let mut density = (-0.5 * mean * mean / variance).exp();
    let mut ratio = ((mean - 0.5) / variance).exp();
    let shrink = (-1.0 / variance).exp();
    let (mut weight, mut sum) = (0.0, 0.0);
    for &points in points {
        weight += density;
        sum += density * f64::from(points);
        density *= ratio;
        ratio *= shrink;
    }
    if weight > 0.0 { (sum / weight) as f32 } else { points[0] }
}

/// Trumps for trou: where the hand is best together with the announcer's aces.
pub(super) fn trumps(obs: &Observation) -> Action {
    let worth = |suit: Suit| trick_estimate(obs.hand(), Some(suit));
    let best = Suit::ALL.into_iter().max_by(|&a, &b| worth(a).total_cmp(&worth(b)));
    Action::trump(best.unwrap_or(Suit::Hearts))
}
