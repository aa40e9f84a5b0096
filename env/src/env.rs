//! One environment: a deal, or a whole match.

use serde::{Deserialize, Serialize};

use crate::action::{Action, ActionSet};
use crate::deals::Deals;
use crate::error::IllegalAction;
use crate::observation::{FullObservation, Observation};
use crate::rules::RuleSet;
use crate::scenario::Scenario;
use crate::seat::{BySeat, Seat};
use crate::session::{Episode, Outcome, Reward, Session, SessionConfig};
use crate::state::State;

/// Settings of an environment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct EnvConfig {
    /// Length of an episode.
    pub episode: Episode,
    /// Kind of reward.
    pub reward: Reward,
    /// Condition on the deals.
    pub scenario: Scenario,
}

/// Result of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    /// Reward of each seat; zero before the end of a deal.
    pub rewards: BySeat<f32>,
    /// Whether a deal ended with this step. The next one is dealt already, unless the episode
    /// is over.
    pub deal_over: bool,
    /// The result of the deal that ended with this step, if one did.
    pub outcome: Option<Outcome>,
    /// Whether the episode is over; [`Env::reset`] starts the next.
    pub done: bool,
}

/// An environment: turn-based, one acting seat at a time.
///
/// It is a [`Session`] that deals the next deal automatically, and is serialised as one. The
/// configuration is the session's; [`Env::config`] gives it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Env {
    session: Session,
}

impl Env {
    /// Creates an environment with its first deal dealt. The seed decides all deals.
    pub fn new(rules: &'static RuleSet, config: EnvConfig, seed: u64) -> Env {
        Env::with_stride(rules, config, seed, 0, 1)
    }

    /// Creates environment number `first` of `stride` ones that share a seed.
    pub(crate) fn with_stride(
        rules: &'static RuleSet,
        config: EnvConfig,
        seed: u64,
        first: u64,
        stride: u64,
    ) -> Env {
        let deals = Deals::new(rules, seed).with_scenario(config.scenario);
        let EnvConfig { episode, reward, .. } = config;
        let settings = SessionConfig { episode, reward, stride, ..SessionConfig::default() };
        let dealer = deals.first_dealer(first);
        Env { session: Session::new(deals, settings, first, dealer) }
    }

    /// Creates an environment whose first episode continues from a given state, at totals of zero.
    /// The deals after the current one are those of seed 0; [`Env::reset`] chooses others.
    pub fn from_state(state: State, config: EnvConfig) -> Env {
        Env::from_state_at(state, config, BySeat::default())
    }

    /// Creates an environment like [`Env::from_state`], with these match points. They are the
    /// points before the deal and after each reset.
    pub fn from_state_at(state: State, config: EnvConfig, totals: BySeat<i32>) -> Env {
        let deals = Deals::new(state.rules(), 0).with_scenario(config.scenario);
        let EnvConfig { episode, reward, .. } = config;
        let settings = SessionConfig { episode, reward, totals, ..SessionConfig::default() };
        let mut session = Session::start(deals, settings, state, 0);
        if session.is_deal_over() {
            // Refused where the episode is over, as intended.
            let _ = session.next_deal();
        }
        Env { session }
    }

    /// Returns the configuration.
    pub fn config(&self) -> EnvConfig {
        let SessionConfig { episode, reward, .. } = *self.session.config();
        EnvConfig { episode, reward, scenario: self.session.deals().scenario() }
    }

    /// Starts a new episode. It begins with the first deals of a seed if one is given, else with
    /// the next deals. The configuration stays as it is.
    pub fn reset(&mut self, seed: Option<u64>) {
        match seed {
            Some(seed) => *self = Env::new(self.session.rules(), self.config(), seed),
            None => self.session.restart(),
        }
    }

    /// Returns the session that is being played.
    #[inline]
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// Returns the seat to act.
    #[inline]
    pub fn turn(&self) -> Seat {
        self.session.turn()
    }

    /// Returns the legal actions of the seat to act; empty once the episode is over.
    #[inline]
    pub fn legal_actions(&self) -> ActionSet {
        self.session.legal_actions()
    }

    /// Returns the observation of the seat to act.
    pub fn observe(&self) -> Observation {
        self.session.observe()
    }

    /// Writes the features of the seat to act, `N_FEATURES` of them.
    ///
    /// # Panics
    /// If `out` is of another length.
    #[inline]
    pub fn encode(&self, out: &mut [f32]) {
        self.session.observe_ref().encode(out);
    }

    /// Returns full information, all four hands, from the point of view of the seat to act.
    pub fn observe_full(&self) -> FullObservation {
        self.session.observe_full()
    }

    /// Returns the state of the current deal.
    pub fn state(&self) -> &State {
        self.session.state()
    }

    /// Returns the match points of each seat, those of the last finished deal included.
    pub fn totals(&self) -> &BySeat<i32> {
        self.session.totals()
    }

    /// Returns whether the episode is over.
    pub fn is_over(&self) -> bool {
        self.session.is_over()
    }

    /// Takes an action for the seat to act.
    ///
    /// # Errors
    /// The action is not legal, or the episode is over; nothing changes.
    #[inline]
    pub fn step(&mut self, action: Action) -> Result<Step, IllegalAction> {
        if !self.legal_actions().has(action) {
            return Err(self.state().refuse(action));
        }
        Ok(self.step_unchecked(action))
    }

    /// Takes an action that is known to be legal.
    #[inline]
    pub(crate) fn step_unchecked(&mut self, action: Action) -> Step {
        self.session.apply_unchecked(action);
        if self.session.is_deal_over() {
            return self.end_deal();
        }
        Step { rewards: BySeat::default(), deal_over: false, outcome: None, done: false }
    }

    /// Rewards a finished deal, and deals the next one unless the episode is over.
    #[cold]
    fn end_deal(&mut self) -> Step {
        let outcome = self.session.outcome();
        let rewards = outcome.map(|outcome| outcome.rewards).unwrap_or_default();
        // Refused where the episode is over, as intended.
        let done = self.session.next_deal().is_err();
        Step { rewards, deal_over: true, outcome, done }
    }
}
