//! Hints and reviews: values of a seat's plausible actions by search.

use troel_env::{Action, Observation, Phase, best_sure_calls};

use super::action_value::ActionValue;
use super::budget::SearchBudget;
use super::card_chooser::distinct;
use super::lookahead::{Lookahead, MIN_ACTION_PROBABILITY};
use super::pimc::{MAX_CALLS, Pimc};
use crate::bot::{BotError, Decision, check_legal};
use crate::heuristic;
use crate::network::Evaluator;

/// Largest number of actions of a policy to judge, the most probable ones.
const MAX_POLICY_ACTIONS: usize = 12;

/// Search that judges the plausible actions of a decision with the information of one seat.
pub struct Advisor {
    search: Search,
}

enum Search {
    /// Plays worlds out with a network.
    Network(Box<Lookahead>),
    /// Plays worlds out by the heuristic bot's rules of thumb.
    Heuristic(Box<Pimc>),
}

impl Advisor {
    /// Creates an advisor that plays `worlds` sampled worlds (at least 1) out with a network.
    pub(crate) fn with_network(evaluator: Evaluator, worlds: usize, seed: u64) -> Advisor {
        let search = Lookahead::new(evaluator, SearchBudget::Worlds(worlds), seed);
        Advisor { search: Search::Network(Box::new(search)) }
    }

    /// Creates an advisor that plays `worlds` sampled worlds (at least 1) out by rules of thumb.
    pub(crate) fn with_heuristic(worlds: usize, seed: u64) -> Advisor {
        Advisor { search: Search::Heuristic(Box::new(Pimc::new(worlds, seed))) }
    }

    /// Returns the values of the plausible actions, the best one first, then by points.
    ///
    /// Plausible are passing, the bot's decision, the actions of its policy with a probability of
    /// at least 2 %, those of the rule-based bots, the best calls that the hand is certain to make,
    /// and `did`. With few cards in hand, or if the bot has no network, all cards are.
    ///
    /// The best action is the bot's choice unless another one is better by more than a standard
    /// error. While a call looks better than the best one by a point or more, up to four times as
    /// many worlds are sampled.
    ///
    /// # Errors
    /// `did` is not legal, no deal of the hidden cards fits the observation, or the search was
    /// cancelled.
    pub fn action_values(
        &mut self,
        obs: &Observation,
        decision: &Decision,
        did: Option<Action>,
    ) -> Result<Vec<ActionValue>, BotError> {
        let actions = self.candidates(obs, decision, did);
        actions.iter().try_for_each(|&action| check_legal(obs, action))?;
        match &mut self.search {
            Search::Network(search) => search.action_values(obs, &actions),
            Search::Heuristic(search) => search.action_values(obs, &actions),
        }
    }

    /// Returns the actions to judge, the bot's choice first.
    fn candidates(
        &self,
        obs: &Observation,
        decision: &Decision,
        did: Option<Action>,
    ) -> Vec<Action> {
        let mut sorted = decision.clone();
        sorted.sort_policy();
        let likely = sorted.policy.into_iter().take(MAX_POLICY_ACTIONS);
        let likely = likely.filter(|&(_, probability)| probability >= MIN_ACTION_PROBABILITY);
        let likely = likely.map(|(action, _)| action);
        let all = [decision.action]
            .into_iter()
            .chain(likely)
            .chain(heuristic::choices_of_both_models(obs))
            .chain(best_sure_calls(obs))
            .chain(obs.legal_actions().silent_call())
            .chain(self.extra_candidates(obs, decision.action))
            .chain(did);
        let mut actions: Vec<Action> = Vec::new();
        for action in all {
            if !actions.contains(&action) {
                actions.push(action);
            }
        }
        actions
    }

    /// Returns actions that are judged even if no policy suggests them.
    fn extra_candidates(&self, obs: &Observation, chosen: Action) -> Vec<Action> {
        let cards = || distinct(obs, chosen.as_card()).into_iter().map(Action::card).collect();
        match &self.search {
            Search::Network(search) if search.is_ending(obs) => cards(),
            Search::Network(_) => Vec::new(),
            Search::Heuristic(_) if obs.public().phase() == Phase::Play => cards(),
            Search::Heuristic(_) => heuristic::candidates(obs, MAX_CALLS),
        }
    }
}
