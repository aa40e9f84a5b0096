//! Calls, by expected points.
//!
//! For every contract that can be called, the bot estimates the distribution of the tricks and
//! averages the rule set's points over it. So house rules change its bidding, too.

use troel_env::auction::Status;
use troel_env::hand::{draws_trumps, misere_risk, trick_estimate};
use troel_env::{
    Action, CardSet, Contract, ContractKind, Observation, Seat, SeatSet, Suit, score_side,
};

use super::trick_distribution::TrickDistribution;
use super::trick_model::TrickModel;
use crate::deal_value::points_with_match_bonus;

// None of these constants comes from the fit in `examples/calibrate.rs`, which gave the first
// values of `TrickModel::FITTED`. The fit counts trumps beyond the same numbers as
// `PROPOSER_TRUMPS`, `PARTNER_TRUMPS` and `LONE_TRUMPS`.

/// Smallest expected gain of a call over passing, in points.
const MIN_GAIN: f32 = 0.5;

/// Smallest estimate of the tricks without trumps with which eldest waits.
const MIN_WAIT_ESTIMATE: f32 = 1.6;

/// Width of the softmax in [`likelihood`], as a fraction of the points of the lowest contract.
const RELATIVE_SOFTMAX_WIDTH: f32 = 0.25;

/// Points of the lowest contract if the rule set has none; a validated rule set always has them.
const DEFAULT_LOWEST_POINTS: f32 = 4.0;

/// Number of trumps beyond which [`TrickModel::proposer`] counts them. Also the minimum to propose.
const PROPOSER_TRUMPS: f32 = 4.0;

/// Number of trumps beyond which [`TrickModel::partner`] counts them.
const PARTNER_TRUMPS: f32 = 3.0;

/// Number of trumps beyond which [`TrickModel::alone`] counts them.
const LONE_TRUMPS: f32 = 5.0;

/// Lowest level of a proposal.
const LOWEST_LEVEL: u8 = 8;

/// Highest level without the penalty [`TrickModel::high_level`].
const MAX_LEVEL_WITHOUT_PENALTY: u8 = 9;

/// Tricks that the partner expects in addition per level of the proposal above [`LOWEST_LEVEL`].
const TRICKS_PER_PROPOSED_LEVEL: f32 = 0.2;

/// Mean and standard deviation of the uncertain tricks of a hand that draws all trumps.
const TRICKS_BEYOND_SURE: (f32, f32) = (0.25, 0.5);

/// Weight of the risk in [`misere_cost`] for a misère with a closed hand. Also for the cards of a
/// piccolo other than its ace.
const MISERE_RISK_WEIGHT: f32 = 1.6;

/// Weight of the risk in [`misere_cost`] for an open misère, whose hand the opponents see.
const OPEN_MISERE_RISK_WEIGHT: f32 = 2.6;

/// Weight of the risk in [`misere_cost`] for a small misère without the card laid aside.
const SMALL_MISERE_RISK_WEIGHT: f32 = 1.5;

/// Costs in [`misere_cost`] of a suit of which others hold one to four cards. Counted per card of
/// theirs that the hand cannot duck: chances of 5, 65, 78 and 87 %, measured with `rules` in all
/// seats.
const SHORT_OUTSIDE_COSTS: [f32; 4] = [2.9957, 0.4308, 0.2485, 0.1393];

/// Chance that an ace takes the one trick of a piccolo.
const PICCOLO_ACE_CHANCE: f32 = 0.9;

/// Returns the call with the highest expected gain.
pub(super) fn choose_call(obs: &Observation, model: &TrickModel) -> Action {
    let mut bidder = Bidder::new(obs, model);
    let mut best = (MIN_GAIN, fallback(obs));
    for call in obs.legal_actions() {
        if let Some(gain) = bidder.gain(call)
            && gain > best.0
        {
            best = (gain, call);
        }
    }
    best.1
}

/// Returns the expected gain of each legal call over passing, in points. The gain of the call that
/// bids nothing is [`MIN_GAIN`].
fn gains(obs: &Observation) -> impl Iterator<Item = (Action, f32)> {
    let default_call = fallback(obs);
    let mut bidder = Bidder::new(obs, &TrickModel::FITTED);
    obs.legal_actions().into_iter().map(move |call| {
        let nothing = if call == default_call { MIN_GAIN } else { 0.0 };
        (call, bidder.gain(call).unwrap_or(nothing))
    })
}

/// Returns the calls that bid nothing and, of the bids, the `most` with the highest expected gain.
pub(super) fn candidates(obs: &Observation, most: usize) -> Vec<Action> {
    let (mut bids, mut calls) = (Vec::new(), Vec::new());
    for (call, gain) in gains(obs) {
        if call.as_bid().is_some() { bids.push((gain, call)) } else { calls.push(call) }
    }
    bids.sort_by(|a, b| b.0.total_cmp(&a.0));
    calls.extend(bids.into_iter().take(most).map(|(_, call)| call));
    calls
}

/// Returns the likelihood of a call by a seat with similar bidding. It is a softmax over the gains
/// of the calls.
pub(super) fn likelihood(obs: &Observation, made: Action) -> f32 {
    let lowest = obs.public().rules().rows().first().and_then(|row| row.made.first());
    let width =
        RELATIVE_SOFTMAX_WIDTH * lowest.map_or(DEFAULT_LOWEST_POINTS, |&points| points as f32);
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

/// Returns the call of a seat with no contract to bid. It keeps trou or troel, waits with support
/// for others, or passes.
fn fallback(obs: &Observation) -> Action {
    let legal = obs.legal_actions();
    if legal.has(Action::KEEP) {
        return Action::KEEP;
    }
    // Eldest with some strength in several suits may still support another seat.
    if legal.has(Action::WAIT) && trick_estimate(obs.hand(), None) >= MIN_WAIT_ESTIMATE {
        return Action::WAIT;
    }
    Action::PASS
}

/// Points of a seat for 0 to 13 tricks of its side. They are kept for the last contract, because
/// calls of one row of the contract table follow each other.
#[derive(Default)]
struct PointsByTricks {
    /// Row and number of declarers.
    key: Option<(u8, u32)>,
    points: [f32; 14],
}

/// Estimates the gains of a seat's calls at one decision.
struct Bidder<'a> {
    obs: &'a Observation,
    model: &'a TrickModel,
    points_by_tricks: PointsByTricks,
}

impl<'a> Bidder<'a> {
    fn new(obs: &'a Observation, model: &'a TrickModel) -> Bidder<'a> {
        Bidder { obs, model, points_by_tricks: PointsByTricks::default() }
    }

    /// Returns the expected points of a call beyond those of passing. `None` for calls that bid
    /// nothing.
    fn gain(&mut self, call: Action) -> Option<f32> {
        let contract = self.obs.lone_contract(call)?;
        match contract.kind {
            ContractKind::Suit => self.suit_gain(contract, contract.trump?),
            ContractKind::Trou | ContractKind::Troel => None,
            kind if kind.is_negative() => Some(self.negative_gain(contract)),
            _ => Some(self.lone_gain(contract)),
        }
    }

    /// Returns the expected gain of proposing, joining or raising.
    fn suit_gain(&mut self, contract: Contract, suit: Suit) -> Option<f32> {
        let (obs, model) = (self.obs, self.model);
        let hand = obs.hand();
        let auction = obs.public().auction();
        let trumps = hand.of(suit).len() as f32;
        let excess = contract.goal.saturating_sub(MAX_LEVEL_WITHOUT_PENALTY);
        let level_penalty = model.high_level * f32::from(excess);
        let own = trick_estimate(hand, Some(suit));
        let proposer = Seat::ALL.into_iter().find(|&s| {
            s != obs.seat()
                && matches!(auction.status(s), Status::Proposed | Status::Stayed | Status::Silent)
                && auction.suit(s) == Some(suit)
        });
        let (mate, mean) = match proposer {
            Some(mate) => {
                // A proposer who starts above the lowest level has a stronger hand.
                let proposals = obs.calls(mate).into_iter().filter_map(Action::as_suit_call);
                let highest = proposals.map(|(level, _)| level).max().unwrap_or(LOWEST_LEVEL);
                let levels = highest.saturating_sub(LOWEST_LEVEL);
                let more = TRICKS_PER_PROPOSED_LEVEL * f32::from(levels);
                let mean = model.partner.at(own, trumps - PARTNER_TRUMPS) + more - level_penalty;
                (mate, mean)
            }
            None if trumps < PROPOSER_TRUMPS => return None,
            None => {
                let mean = model.proposer.at(own, trumps - PROPOSER_TRUMPS) - level_penalty;
                (obs.seat().plus(2), mean)
            }
        };
        let declarers = contract.declarers | SeatSet::single(mate);
        let tricks = TrickDistribution { least: 0, mean, spread: model.pair_spread };
        Some(self.expected_points(&Contract { declarers, ..contract }, tricks))
    }

    /// Returns the expected gain of a contract alone for tricks.
    fn lone_gain(&mut self, contract: Contract) -> f32 {
        let (obs, model) = (self.obs, self.model);
        let (hand, deck) = (obs.hand(), obs.public().rules().deck());
        let trump = contract.trump;
        let leads = obs.leads_as_declarer(contract.kind);
        let least = obs.lone_sure_tricks(&contract);
        let tricks = if leads && trump.is_some_and(|suit| draws_trumps(hand, deck, suit)) {
            let (beyond, spread) = TRICKS_BEYOND_SURE;
            TrickDistribution { least, mean: f32::from(least) + beyond, spread }
        } else {
            let trumps = trump.map_or(0, |suit| hand.of(suit).len()) as f32 - LONE_TRUMPS;
            let mean = model.alone.at(trick_estimate(hand, trump), trumps);
            let mean = mean + if leads { model.lead } else { 0.0 };
            TrickDistribution { least, mean, spread: model.alone_spread }
        };
        self.expected_points(&contract, tricks)
    }

    /// Returns the expected gain of a misère or piccolo.
    fn negative_gain(&self, contract: Contract) -> f32 {
        let (hand, deck) = (self.obs.hand(), self.obs.public().rules().deck());
        let chance = match contract.kind {
            ContractKind::Piccolo => piccolo_chance(hand, deck),
            ContractKind::OpenMisere => {
                misere_chance(misere_cost(hand, deck, CardSet::EMPTY, OPEN_MISERE_RISK_WEIGHT))
            }
            ContractKind::SmallMisere => {
                let without =
                    |card| misere_cost(hand, deck, CardSet::single(card), SMALL_MISERE_RISK_WEIGHT);
                misere_chance(hand.iter().map(without).fold(f32::MAX, f32::min))
            }
            _ => misere_chance(misere_cost(hand, deck, CardSet::EMPTY, MISERE_RISK_WEIGHT)),
        };
        let allowed = contract.kind.allowed_tricks();
        let (made, lost) = (self.points(&contract, allowed), self.points(&contract, allowed + 1));
        chance * made + (1.0 - chance) * lost
    }

    /// Returns the expected points of a contract for tricks.
    fn expected_points(&mut self, contract: &Contract, tricks: TrickDistribution) -> f32 {
        let key = Some((contract.row, contract.declarers.len()));
        if self.points_by_tricks.key != key {
            let points = std::array::from_fn(|n| self.points(contract, n as u8));
            self.points_by_tricks = PointsByTricks { key, points };
        }
        let most = self.obs.public().rules().cards_per_hand();
        tricks.expected_points(&self.points_by_tricks.points[..=usize::from(most)])
    }

    /// Returns the seat's points if its side takes `tricks` tricks.
    fn points(&self, contract: &Contract, tricks: u8) -> f32 {
        let rules = self.obs.public().rules();
        let points = score_side(rules, contract, tricks);
        if self.model.match_aware {
            points_with_match_bonus(rules, self.obs.totals(), &points, self.obs.seat())
        } else {
            points[self.obs.seat()] as f32
        }
    }
}

/// Returns the estimated chance of making a misère: exponential in its [`misere_cost`].
fn misere_chance(cost: f32) -> f32 {
    (-cost).exp()
}

/// Returns the cost of a misère: the weighted [`misere_risk`] of its hand, and more for long suits.
/// The cards `gone` leave the hand before its others are played.
fn misere_cost(hand: CardSet, deck: CardSet, gone: CardSet, weight: f32) -> f32 {
    let kept = hand - gone;
    let long_suits = Suit::ALL.map(|suit| long_suit_cost(kept, deck - gone, suit));
    weight * misere_risk(kept, deck) + long_suits.iter().sum::<f32>()
}

/// Returns the cost in a misère of a suit of which others hold few cards.
///
/// [`misere_risk`] assumes that opponents' higher cards save the hand. If they hold few cards of
/// the suit, their low cards are led without one.
fn long_suit_cost(hand: CardSet, deck: CardSet, suit: Suit) -> f32 {
    let others = (deck - hand).of(suit);
    let nth = (others.len() as usize).checked_sub(1);
    let Some(&cost) = nth.and_then(|nth| SHORT_OUTSIDE_COSTS.get(nth)) else { return 0.0 };
    let excess = |card| others.below(card).len().saturating_sub(hand.below(card).len());
    cost * hand.of(suit).into_iter().map(excess).max().unwrap_or(0) as f32
}

/// Returns the estimated chance of a piccolo, which needs one sure winner and no other winner.
fn piccolo_chance(hand: CardSet, deck: CardSet) -> f32 {
    let with_winner = |ace| {
        let cost = misere_cost(hand, deck, CardSet::single(ace), MISERE_RISK_WEIGHT);
        PICCOLO_ACE_CHANCE * misere_chance(cost)
    };
    hand.aces().iter().map(with_winner).fold(0.0, f32::max)
}

/// Chooses trumps for trou: the suit in which the hand is estimated to take most tricks.
pub(super) fn choose_trumps(obs: &Observation) -> Action {
    let worth = |suit: Suit| trick_estimate(obs.hand(), Some(suit));
    let best = Suit::ALL.into_iter().max_by(|&a, &b| worth(a).total_cmp(&worth(b)));
    Action::trump(best.unwrap_or(Suit::Hearts))
}

#[cfg(test)]
mod tests {
    use troel_env::parse_hand;

    use super::*;

    #[test]
    fn a_long_suit_without_its_low_cards_has_a_small_chance() {
        let chance = |hand: &str| {
            let hand = parse_hand(hand).unwrap();
            let cost = misere_cost(hand, CardSet::FULL, CardSet::EMPTY, OPEN_MISERE_RISK_WEIGHT);
            misere_chance(cost)
        };
        assert_eq!(chance("AKQJT9876532.2.."), 1.0);
        assert!(chance("AKQJT9876543.2..") < 0.1, "the two is led, and the three must win");
        assert!(chance("AKQJT987654.2.2.") < 0.5);
        // Higher cards of the others nearly always save the three.
        assert!(chance("9876543.5432.2.2") > 0.9);
    }
}
