//! One environment: a deal, or a whole match.

use serde::{Deserialize, Serialize};

use crate::action::{Action, ActionSet};
use crate::deals::{Condition, Deals};
use crate::error::IllegalAction;
use crate::observation::{FullObservation, Observation};
use crate::rules::RuleSet;
use crate::seat::{BySeat, Seat};
use crate::state::State;

/// What a seat is rewarded with at the end of a deal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reward {
    /// Points of the deal.
    #[default]
    Points,
    /// Points of the deal less the mean of the table (the same where scoring is zero-sum).
    Centred,
    /// Nothing until the end of the episode; then 1 shared by the winners, less 1/4.
    Match,
}

/// How long an episode is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Episode {
    /// A single deal.
    #[default]
    Deal,
    /// So many deals at one table; a deck that is never shuffled is gathered and cut between.
    Deals(u32),
    /// A match to the rule set's target; a single deal where it has none.
    Match,
}

/// Settings of an environment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EnvConfig {
    /// How long an episode is.
    pub episode: Episode,
    /// What is rewarded.
    pub reward: Reward,
    /// Which deals are dealt.
    pub condition: Condition,
}

/// Result of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    /// Reward of each seat; zero before the end of a deal.
    pub rewards: BySeat<f32>,
    /// Whether a deal ended with this step (the next one is dealt already, unless the episode
    /// is over).
    pub deal_over: bool,
    /// Whether the episode is over; [`Env::reset`] starts the next.
    pub done: bool,
}

/// An environment: turn-based, one acting seat at a time.
#[derive(Clone, Debug)]
pub struct Env {
    deals: Deals,
    config: EnvConfig,
    state: State,
    /// What may be done now: asked for by whoever acts, by the mask and by the check of a step.
    legal: ActionSet,
    totals: BySeat<i32>,
    /// Number of deals dealt so far; each takes the next number of the source.
    dealt: u64,
    /// Distance between the numbers of consecutive deals, so that environments beside each
    /// other share a source without sharing deals.
    stride: u64,
    dealt_this_episode: u32,
    done: bool,
}

impl Env {
    /// An environment that has dealt its first deal.
    pub fn new(rules: &'static RuleSet, config: EnvConfig, seed: u64) -> Env {
        Env::with_stride(rules, config, seed, 0, 1)
    }

    /// Environment number `first` of `stride` ones that share a seed.
    pub(crate) fn with_stride(
        rules: &'static RuleSet,
        config: EnvConfig,
        seed: u64,
        first: u64,
        stride: u64,
    ) -> Env {
        let deals = Deals::new(rules, seed).with_condition(config.condition);
        let deal = deals.shuffled(first, deals.first_dealer(first));
        let state = State::new(rules, &deal);
        Env {
            state,
            legal: state.legal_actions(),
            deals,
            config,
            totals: BySeat::default(),
            dealt: first,
            stride,
            dealt_this_episode: 1,
            done: false,
        }
    }

    /// Starts a new episode: seeds again if a seed is given, else goes on with the next deals.
    /// The configuration stays.
    pub fn reset(&mut self, seed: Option<u64>) {
        if let Some(seed) = seed {
            *self = Env::new(self.deals.rules(), self.config, seed);
            return;
        }
        self.dealt += self.stride;
        self.totals = BySeat::default();
        self.dealt_this_episode = 1;
        self.done = false;
        let deal = self.deals.shuffled(self.dealt, self.deals.first_dealer(self.dealt));
        self.state = State::new(self.deals.rules(), &deal);
        self.legal = self.state.legal_actions();
    }

    /// The seat to act.
    #[inline]
    pub fn turn(&self) -> Seat {
        self.state.turn()
    }

    /// The legal actions of the seat to act; empty once the episode is over.
    #[inline]
    pub fn legal_actions(&self) -> ActionSet {
        self.legal
    }

    /// What the seat to act may know.
    pub fn observe(&self) -> Observation {
        self.state.observe(self.state.turn(), self.totals)
    }

    /// Writes the features of the seat to act, `N_FEATURES` of them.
    ///
    /// # Panics
    /// If `out` is of another length.
    #[inline]
    pub fn encode(&self, out: &mut [f32]) {
        self.state.view(self.state.turn(), &self.totals).encode(out);
    }

    /// Everything, as seen from the seat to act.
    pub fn observe_full(&self) -> FullObservation {
        self.state.observe_full(self.state.turn(), self.totals)
    }

    /// The state of the current deal.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Match points, the last finished deal included.
    pub fn totals(&self) -> &BySeat<i32> {
        &self.totals
    }

    /// Whether the episode is over.
    pub fn is_done(&self) -> bool {
        self.done
    }

    /// Takes an action for the seat to act.
    ///
    /// # Errors
    /// The action is not legal, or the episode is over; nothing changes.
    #[inline]
    pub fn step(&mut self, action: Action) -> Result<Step, IllegalAction> {
        if self.done {
            return Err(IllegalAction::Finished);
        }
        if !self.legal.has(action) {
            return Err(IllegalAction::NotLegal { action, phase: self.state.phase().name() });
        }
        self.state.apply_unchecked(action);
        let step = if self.state.is_done() {
            self.end_deal()
        } else {
            Step { rewards: BySeat::default(), deal_over: false, done: false }
        };
        self.legal = self.state.legal_actions();
        Ok(step)
    }

    /// Counts a finished deal, and deals the next one unless the episode is over.
    #[cold]
    fn end_deal(&mut self) -> Step {
        let scores = self.state.scores().unwrap_or_default();
        for seat in Seat::ALL {
            self.totals[seat] += scores[seat];
        }
        self.done = self.episode_is_over();
        let rewards = self.rewards(&scores);
        if !self.done {
            self.deal_next();
        }
        Step { rewards, deal_over: true, done: self.done }
    }

    fn episode_is_over(&self) -> bool {
        match self.config.episode {
            Episode::Deal => true,
            Episode::Deals(n) => self.dealt_this_episode >= n,
            Episode::Match => {
                let target = self.deals.rules().spec().match_target;
                target == 0 || self.totals.iter().any(|&t| t >= target)
            }
        }
    }

    fn rewards(&self, scores: &BySeat<i32>) -> BySeat<f32> {
        match self.config.reward {
            Reward::Points => BySeat::from_fn(|s| scores[s] as f32),
            Reward::Centred => {
                let mean = scores.iter().sum::<i32>() as f32 / 4.0;
                BySeat::from_fn(|s| scores[s] as f32 - mean)
            }
            Reward::Match if self.done => {
                let best = self.totals.iter().copied().max().unwrap_or(0);
                let winners = self.totals.iter().filter(|&&t| t == best).count() as f32;
                BySeat::from_fn(|s| {
                    (if self.totals[s] == best { 1.0 / winners } else { 0.0 }) - 0.25
                })
            }
            Reward::Match => BySeat::default(),
        }
    }

    fn deal_next(&mut self) {
        let rules = self.deals.rules();
        let moves = !self.state.is_void() || rules.spec().void_moves_dealer;
        let dealer = self.state.dealer().plus(usize::from(moves));
        self.dealt += self.stride;
        self.dealt_this_episode += 1;
        let deal = self.deals.after(self.dealt, dealer, &self.state);
        self.state = State::new(rules, &deal);
    }
}
