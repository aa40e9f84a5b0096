//! Bounds on every deal of a rule set: the scores of a seat, and the number of actions.

use std::ops::RangeInclusive;

use super::compile::RuleSet;
use super::spec::Family;
use crate::contract::{Contract, ContractKind};
use crate::scoring::score;
use crate::seat::{BySeat, Seat, SeatSet};

impl RuleSet {
    /// Returns the lowest and the highest points that a seat can score in a deal.
    pub fn score_range(&self) -> RangeInclusive<i32> {
        self.range_over_outcomes(|scores, seat| scores[seat])
    }

    /// Returns the lowest and the highest points of a seat less the mean of the four seats. They
    /// are the rewards of [`Reward::Centred`](crate::Reward::Centred).
    pub fn centred_score_range(&self) -> RangeInclusive<f64> {
        let times_four = |scores: &BySeat<i32>, seat| 4 * scores[seat] - scores.iter().sum::<i32>();
        let (lowest, highest) = self.range_over_outcomes(times_four).into_inner();
        f64::from(lowest) / 4.0..=f64::from(highest) / 4.0
    }

    /// Returns an upper bound of the number of actions of a deal.
    pub fn max_actions(&self) -> usize {
        self.max_calls() + self.max_exchange_actions() + self.deck().len() as usize
    }

    /// Returns an upper bound of the number of calls of an auction, the naming of trumps included.
    fn max_calls(&self) -> usize {
        let has_proposals = self.spec.family == Family::Proposals;
        let has_announced = self.announced().is_some();
        // Three seats may go along at the level of a proposal. With a turn-up one seat asks, and
        // one goes along.
        let along = if has_proposals { 3 } else { 1 };
        // A misère is bid once, and then shared by three seats.
        let negative = self.rows().iter().filter(|row| row.kind.is_negative()).count();
        let shared = if self.spec.share_miseres { 3 * negative } else { 0 };
        // Each seat passes or stays once.
        let passes = 4;
        // Eldest may wait on the first turn.
        let waits = usize::from(has_proposals);
        // The announcer of trou or troel may keep it, and in a trou the partner names trumps.
        let keeps = usize::from(has_announced);
        let trumps = usize::from(has_proposals && has_announced);
        self.max_bids() + along + shared + passes + waits + keeps + trumps
    }

    /// Returns an upper bound of the number of actions of an exchange. In the longest one the
    /// dealer asks for every card of the others, each is refused, and then the dealer keeps the
    /// turn-up.
    fn max_exchange_actions(&self) -> usize {
        let others = self.deck().len() as usize - usize::from(self.cards_per_hand());
        if self.spec.exchange { 2 * others + 1 } else { 0 }
    }

    /// Returns the range of a value over all seats, contracts and ways to share out the tricks. The
    /// value depends on the scores of all seats and on the seat.
    fn range_over_outcomes(
        &self,
        value: impl Fn(&BySeat<i32>, Seat) -> i32,
    ) -> RangeInclusive<i32> {
        // A deal that is passed out scores 0.
        let (mut lowest, mut highest) = (0, 0);
        for contract in self.scored_contracts() {
            for tricks in shared_out(self.tricks_of_deal(contract.kind)) {
                let scores = score(self, &contract, &tricks);
                for value in Seat::ALL.map(|seat| value(&scores, seat)) {
                    (lowest, highest) = (lowest.min(value), highest.max(value));
                }
            }
        }
        lowest..=highest
    }

    /// Returns one contract for each row, level and number of declarers. Points depend neither on
    /// trumps nor on which seats declare.
    fn scored_contracts(&self) -> Vec<Contract> {
        let mut contracts = Vec::new();
        for (row, spec) in (0..).zip(self.rows()) {
            let declarers = match spec.kind {
                kind if kind.is_pair() => 2..=2,
                kind if kind.is_negative() && self.spec.share_miseres => 1..=4,
                _ => 1..=1,
            };
            // A troel needs one more trick with four aces, or if another suit is led.
            let extra = u8::from(spec.kind == ContractKind::Troel);
            for n in declarers {
                let declarers = Seat::ALL[..n].iter().copied().collect::<SeatSet>();
                let contract = self.contract_of_row(row, None, declarers);
                let goals = contract.goal..=contract.goal + extra;
                contracts.extend(goals.map(|goal| Contract { goal, ..contract }));
            }
        }
        contracts
    }
}

/// Returns all ways to share out tricks among the seats.
fn shared_out(tricks: u8) -> impl Iterator<Item = BySeat<u8>> {
    (0..=tricks).flat_map(move |north| {
        (0..=tricks - north).flat_map(move |east| {
            let left = tricks - north - east;
            (0..=left).map(move |south| BySeat([north, east, south, left - south]))
        })
    })
}
