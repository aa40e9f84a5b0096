//! Random play that reaches rare contracts.

use crate::action::{Action, ActionSet};
use crate::contract::ContractKind;
use crate::deals::Deals;
use crate::phase::Phase;
use crate::rng::{Purpose, Stream};
use crate::rules::{CallRank, RuleSet};
use crate::scenario::Scenario;
use crate::seat::Seat;
use crate::state::State;

/// Random player that reaches every kind of contract of the rule set.
///
/// Uniform play would overcall until the contract is a slam. One deal in eight is played
/// uniformly.
#[derive(Clone, Debug)]
pub struct Explorer {
    stream: Stream,
    target: Option<ContractKind>,
}

impl Explorer {
    /// Returns the player of deal `n`.
    pub fn new(rules: &RuleSet, seed: u64, n: u64) -> Explorer {
        let mut stream = Stream::new(seed, Purpose::Action, n);
        let uniform = stream.below(8) == 0;
        let row = &rules.rows()[stream.below(rules.rows().len() as u32) as usize];
        Explorer { stream, target: (!uniform).then_some(row.kind) }
    }

    /// Returns deal `n` after dealing. It has the aces that the contract aimed at needs, if it
    /// needs any.
    pub fn deal(&self, rules: &'static RuleSet, seed: u64, n: u64) -> State {
        let needs_aces = self.target.is_some_and(|kind| kind.is_announced());
        let scenario = if needs_aces { Scenario::Aces } else { Scenario::Any };
        let deals = Deals::new(rules, seed).with_scenario(scenario);
        State::new(rules, &deals.shuffled(n, Seat::from_index_wrapping(n as usize)))
    }

    /// Chooses a legal action. `None` once the deal is over.
    pub fn choose(&mut self, state: &State) -> Option<Action> {
        let legal = state.legal_actions();
        let (Phase::Auction, Some(target)) = (state.phase(), self.target) else {
            return legal.sample(&mut self.stream);
        };
        // An ask comes before the contract that plays it alone.
        let asks =
            target == ContractKind::Alone && state.auction().highest_rank() == CallRank::NONE;
        let kind = if asks { ContractKind::Suit } else { target };
        let is_target = |a: &Action| a.as_bid().is_some_and(|bid| bid.kind == kind);
        let bids: ActionSet = legal.iter().filter(is_target).collect();
        match self.stream.below(8) {
            0 => legal.sample(&mut self.stream),
            1..=4 if !bids.is_empty() => bids.sample(&mut self.stream),
            _ => legal.silent_call().or_else(|| legal.sample(&mut self.stream)),
        }
    }
}
