//! The walk over the tree of public events.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;
use troel_env::{Action, ActionSet, BySeat, Card, CardSet, Observation, Phase, Seat, State, score};

use super::error::NashConvError;
use super::policy::Policies;
use crate::progress::ProgressFn;

/// Number of deals from which on the actions of a node are walked in parallel.
const MIN_PARALLEL_DEALS: usize = 200;

/// Largest number of deals that are sorted to find their hands. For more deals a table of all hands
/// is faster.
const MAX_SORTED_DEALS: usize = 32;

/// A deal that is possible at a node.
#[derive(Clone, Copy)]
pub(super) struct PossibleDeal {
    /// Numbers of the hands as dealt, by seat.
    pub(super) hands: [u16; 4],
    /// By seat, the product of the probabilities of its actions so far.
    reach: [f64; 4],
}

impl PossibleDeal {
    pub(super) fn new(hands: [u16; 4]) -> PossibleDeal {
        PossibleDeal { hands, reach: [1.0; 4] }
    }

    /// Returns the product of the probabilities of all seats but one.
    fn reach_of_others(&self, seat: usize) -> f64 {
        (0..4).filter(|&other| other != seat).map(|other| self.reach[other]).product()
    }

    /// Returns whether the deal can matter to any seat: at most one deviates from its policy.
    fn can_matter(&self) -> bool {
        self.reach.iter().filter(|&&reach| reach == 0.0).count() <= 1
    }
}

/// A node of the tree: a state, and the deals that look the same to the public. The hands of the
/// state are those of the first deal.
pub(super) struct Node {
    pub(super) state: State,
    pub(super) deals: Vec<PossibleDeal>,
}

/// Points of a seat with one hand, times probabilities.
#[derive(Clone, Copy, Debug)]
struct HandPoints {
    hand: u16,
    points: f64,
}

/// Sums over the deals below a node, points times probabilities.
#[derive(Clone, Debug, Default)]
pub(super) struct DealSums {
    /// Points under the policies.
    pub(super) value: BySeat<f64>,
    /// Points of a best response, by the hand of the seat, in the order of hands.
    best: BySeat<Vec<HandPoints>>,
    pub(super) information_sets: u64,
    pub(super) histories: u64,
}

impl DealSums {
    /// Adds the sums over two groups of deals, or two actions of another seat.
    pub(super) fn plus(mut self, other: DealSums) -> DealSums {
        self.add_counts(&other);
        for seat in Seat::ALL {
            let best = std::mem::take(&mut self.best[seat]);
            self.best[seat] = merge_by_hand(best, &other.best[seat]);
        }
        self
    }

    fn add_counts(&mut self, other: &DealSums) {
        Seat::ALL.into_iter().for_each(|seat| self.value[seat] += other.value[seat]);
        self.information_sets += other.information_sets;
        self.histories += other.histories;
    }

    /// Returns the points of a best response of a seat.
    pub(super) fn best(&self, seat: Seat) -> f64 {
        self.best[seat].iter().map(|best| best.points).sum()
    }
}

/// Merges two lists in the order of hands. Adds the points of a hand that is in both.
fn merge_by_hand(a: Vec<HandPoints>, b: &[HandPoints]) -> Vec<HandPoints> {
    if a.is_empty() {
        return b.to_vec();
    }
    let mut out = Vec::with_capacity(a.len().max(b.len()));
    let mut rest = b.iter().copied().peekable();
    for HandPoints { hand, points } in a {
        while let Some(lower) = rest.next_if(|next| next.hand < hand) {
            out.push(lower);
        }
        let same = rest.next_if(|next| next.hand == hand);
        let points = same.map_or(points, |same| points + same.points);
        out.push(HandPoints { hand, points });
    }
    out.extend(rest);
    out
}

/// A best response that the walk records.
#[derive(Clone, Copy)]
pub(super) struct WantedResponse<'a> {
    /// Seat that responds to the other three.
    pub(super) seat: Seat,
    /// Its actions, by the fingerprint of the observation.
    pub(super) actions: &'a Mutex<HashMap<u64, Action>>,
}

/// Settings of a walk, which do not change during it.
pub(super) struct Walk<'a> {
    pub(super) hands: &'a [CardSet],
    pub(super) policies: &'a Policies<'a>,
    pub(super) wanted: Option<WantedResponse<'a>>,
    pub(super) progress: ProgressFn<'a>,
}

/// A hand of the seat to act: its legal actions and their probabilities.
struct HandPolicy {
    hand: u16,
    legal: ActionSet,
    policy: Vec<(Action, f64)>,
    /// Fingerprint of the observation. It is `None` if there is no choice, or if no best response
    /// of the seat is wanted.
    fingerprint: Option<u64>,
}

impl Walk<'_> {
    /// Visits a node and returns its sums. `share` is its share of the tree; 0 where progress is no
    /// longer reported.
    pub(super) fn visit(&self, node: &Node, share: f64) -> Result<DealSums, NashConvError> {
        let is_small = node.deals.len() < MIN_PARALLEL_DEALS;
        let share = if share > 0.0 && (is_small || node.state.is_done()) {
            (self.progress)(share);
            0.0
        } else {
            share
        };
        // No deal matters: all sums are 0.
        if node.deals.is_empty() {
            return Ok(DealSums::default());
        }
        if let Some(scores) = node.state.scores() {
            return Ok(terminal_sums(node, |_| scores));
        }
        if let Some(last) = self.last_trick(node) {
            return Ok(last);
        }
        let seat = node.state.turn();
        let hand_policies = self.hand_policies(node, seat)?;
        let actions = hand_policies.iter().fold(ActionSet::EMPTY, |all, entry| all | entry.legal);
        let actions: Vec<Action> = actions.into_iter().collect();
        let share = share / actions.len() as f64;
        let below =
            |&action: &Action| self.visit(&self.child(node, seat, &hand_policies, action), share);
        let parts: Result<Vec<DealSums>, NashConvError> = if is_small {
            actions.iter().map(below).collect()
        } else {
            actions.par_iter().map(below).collect()
        };
        Ok(self.combine_actions(seat, &hand_policies, &actions, parts?))
    }

    /// Returns the hands of the seat to act, with their policies.
    fn hand_policies(&self, node: &Node, seat: Seat) -> Result<Vec<HandPolicy>, NashConvError> {
        let firsts = self.first_deal_of_each_hand(&node.deals, seat);
        let mut hand_policies = Vec::with_capacity(firsts.len());
        let mut asked = Vec::new();
        let mut observations: Vec<Observation> = Vec::new();
        for (hand, i) in firsts {
            let state = self.state(node, &node.deals[i]);
            let legal = state.legal_actions();
            let only = legal.into_iter().next().filter(|_| legal.len() == 1);
            let mut fingerprint = None;
            if only.is_none() {
                let obs = state.observe(seat, BySeat::default());
                if self.wanted.is_some_and(|wanted| wanted.seat == seat) {
                    fingerprint = Some(obs.fingerprint());
                }
                asked.push(hand_policies.len());
                observations.push(obs);
            }
            let policy = only.map(|action| (action, 1.0)).into_iter().collect();
            hand_policies.push(HandPolicy { hand, legal, policy, fingerprint });
        }
        let policies = self.policies.at(seat, &observations)?;
        asked.into_iter().zip(policies).for_each(|(i, policy)| hand_policies[i].policy = policy);
        Ok(hand_policies)
    }

    /// Returns the hands of a seat in order, each with the index of the first deal that has it.
    fn first_deal_of_each_hand(&self, deals: &[PossibleDeal], seat: Seat) -> Vec<(u16, usize)> {
        let hand_of = |deal: &PossibleDeal| deal.hands[seat.index()];
        if deals.len() <= MAX_SORTED_DEALS {
            let mut firsts: Vec<(u16, usize)> =
                deals.iter().enumerate().map(|(i, deal)| (hand_of(deal), i)).collect();
            firsts.sort_unstable();
            firsts.dedup_by_key(|first| first.0);
            firsts
        } else {
            let mut first = vec![usize::MAX; self.hands.len()];
            for (i, deal) in deals.iter().enumerate().rev() {
                first[usize::from(hand_of(deal))] = i;
            }
            let found = first.into_iter().enumerate().filter(|&(_, i)| i < usize::MAX);
            found.map(|(hand, i)| (hand as u16, i)).collect()
        }
    }

    /// Returns the state of a node with the cards of one of its deals.
    fn state(&self, node: &Node, deal: &PossibleDeal) -> State {
        let held = self.held(&node.state, deal);
        node.state
            .with_hands(held)
            .expect("the hands of a deal, less the cards played, are those that the state lacks")
    }

    /// Returns the cards that the seats still hold in a deal.
    fn held(&self, state: &State, deal: &PossibleDeal) -> BySeat<CardSet> {
        let played = state.played();
        BySeat::from_fn(|seat| self.hands[usize::from(deal.hands[seat.index()])] - played[seat])
    }

    /// Returns the node after an action.
    fn child(&self, node: &Node, seat: Seat, hand_policies: &[HandPolicy], action: Action) -> Node {
        let probability = |hand: u16| {
            let at = hand_policies.binary_search_by_key(&hand, |entry| entry.hand).ok()?;
            let entry = &hand_policies[at];
            let probability_of = |&(a, p): &(Action, f64)| (a == action).then_some(p);
            entry
                .legal
                .has(action)
                .then(|| entry.policy.iter().find_map(probability_of).unwrap_or(0.0))
        };
        let mut deals = Vec::new();
        for &(mut deal) in &node.deals {
            if let Some(p) = probability(deal.hands[seat.index()]) {
                deal.reach[seat.index()] *= p;
                if deal.can_matter() {
                    deals.push(deal);
                }
            }
        }
        let mut state = node.state;
        if let Some(first) = deals.first() {
            state = self.state(node, first);
            state.apply_unchecked(action);
        }
        Node { state, deals }
    }

    /// Returns the sums of a node from those of its actions.
    fn combine_actions(
        &self,
        seat: Seat,
        hand_policies: &[HandPolicy],
        actions: &[Action],
        parts: Vec<DealSums>,
    ) -> DealSums {
        let mut own: Vec<(f64, Option<Action>)> =
            vec![(f64::NEG_INFINITY, None); hand_policies.len()];
        let mut sum = DealSums::default();
        for (&action, mut sums) in actions.iter().zip(parts) {
            let found = std::mem::take(&mut sums.best[seat]);
            let mut found = found.into_iter().peekable();
            for (entry, best) in hand_policies.iter().zip(&mut own) {
                let here = found.next_if(|next| next.hand == entry.hand);
                // Where the other seats never play to this decision, all actions have the value 0.
                let points = here.map_or(0.0, |here| here.points);
                if entry.legal.has(action) && (best.1.is_none() || points > best.0) {
                    *best = (points, Some(action));
                }
            }
            sum = sum.plus(sums);
        }
        sum.information_sets +=
            hand_policies.iter().filter(|entry| entry.legal.len() > 1).count() as u64;
        if let Some(wanted) = self.wanted.filter(|wanted| wanted.seat == seat) {
            let mut found = wanted.actions.lock().unwrap_or_else(PoisonError::into_inner);
            let chosen = hand_policies.iter().zip(&own);
            found.extend(chosen.filter_map(|(entry, own)| Some((entry.fingerprint?, own.1?))));
        }
        let best = hand_policies.iter().zip(own);
        sum.best[seat] =
            best.map(|(entry, (points, _))| HandPoints { hand: entry.hand, points }).collect();
        sum
    }

    /// Returns the sums of the last trick, in which each card is forced.
    fn last_trick(&self, node: &Node) -> Option<DealSums> {
        let state = &node.state;
        let contract = state.contract().copied()?;
        let is_last = state.phase() == Phase::Play
            && state.trick().is_empty()
            && state.hands().iter().all(|hand| hand.len() == 1);
        if !is_last {
            return None;
        }
        let points = BySeat::from_fn(|winner: Seat| {
            let mut tricks = *state.tricks();
            tricks[winner] += 1;
            score(state.rules(), &contract, &tricks)
        });
        let winner = |deal: &PossibleDeal| {
            let held = self.held(state, deal);
            let mut best: Option<(Seat, Card)> = None;
            for step in 0..4 {
                let seat = state.turn().plus(step);
                if let Some(card) = held[seat].lowest()
                    && best.is_none_or(|(_, best)| card.beats(best, contract.trump))
                {
                    best = Some((seat, card));
                }
            }
            best.map_or(state.turn(), |(seat, _)| seat)
        };
        Some(terminal_sums(node, |deal| points[winner(deal)]))
    }
}

/// Returns the sums of a deal that is over, or about to be: `scores` gives the points of each deal.
fn terminal_sums(node: &Node, scores: impl Fn(&PossibleDeal) -> BySeat<i32>) -> DealSums {
    let mut sums = DealSums { histories: node.deals.len() as u64, ..DealSums::default() };
    let mut best: BySeat<Vec<HandPoints>> = BySeat::default();
    for deal in &node.deals {
        let points = scores(deal);
        for seat in Seat::ALL {
            let i = seat.index();
            let others = deal.reach_of_others(i);
            let points = f64::from(points[seat]) * others;
            sums.value[seat] += points * deal.reach[i];
            best[seat].push(HandPoints { hand: deal.hands[i], points });
        }
    }
    for seat in Seat::ALL {
        let list = &mut best[seat];
        // Stable: sums do not depend on anything but the order of deals.
        list.sort_by_key(|entry| entry.hand);
        list.dedup_by(|next, kept| {
            let same = next.hand == kept.hand;
            kept.points += if same { next.points } else { 0.0 };
            same
        });
    }
    sums.best = best;
    sums
}
