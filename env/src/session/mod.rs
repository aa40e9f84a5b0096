//! A match: several deals at one table, with totals, a changing dealer, an end and rewards.
//!
//! Environments, the driver and the tables of front ends play more than one deal in a row through a
//! [`Session`]. Nothing else rotates a dealer or adds up points.

mod config;

pub use config::{Episode, Reward, SessionConfig};

use serde::{Deserialize, Serialize};

use crate::action::{Action, ActionSet};
use crate::contract::Contract;
use crate::deal::Deal;
use crate::deals::Deals;
use crate::error::{IllegalAction, SaveError, SessionError};
use crate::observation::{FullObservation, Observation, ObservationRef};
use crate::rules::RuleSet;
use crate::seat::{BySeat, Seat};
use crate::secret_deals::SecretDeals;
use crate::state::State;

/// A match in progress.
///
/// Its serialised form holds all that it needs to continue: the source of deals, settings, totals,
/// numbers, and the current deal as a record. A session that was saved and read again deals the
/// same deals as one that was not.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "SavedSession", into = "SavedSession")]
pub struct Session {
    deals: Deals,
    config: SessionConfig,
    state: State,
    /// The legal actions of the current state. Acting, drawing and checking all ask for them.
    legal: ActionSet,
    totals: BySeat<i32>,
    /// Number of the current deal in its source.
    number: u64,
    /// Number of deals dealt so far, the current one included.
    dealt: u32,
    is_over: bool,
}

/// A session as it is serialised.
#[derive(Serialize, Deserialize)]
#[serde(rename = "Session")]
struct SavedSession {
    deals: Deals,
    config: SessionConfig,
    totals: BySeat<i32>,
    number: u64,
    dealt: u32,
    is_over: bool,
    state: State,
}

impl From<Session> for SavedSession {
    fn from(session: Session) -> SavedSession {
        let Session { deals, config, state, totals, number, dealt, is_over, legal: _ } = session;
        SavedSession { deals, config, totals, number, dealt, is_over, state }
    }
}

impl TryFrom<SavedSession> for Session {
    type Error = SaveError;
    fn try_from(saved: SavedSession) -> Result<Session, SaveError> {
        let SavedSession { deals, config, totals, number, dealt, is_over, state } = saved;
        let legal = state.legal_actions();
        let session = Session { deals, config, state, legal, totals, number, dealt, is_over };
        session.check().map_err(SaveError::Contradiction)?;
        Ok(session)
    }
}

/// The result of a finished deal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outcome {
    /// The contract; `None` where everybody passed.
    pub contract: Option<Contract>,
    /// Tricks taken by each seat.
    pub tricks: BySeat<u8>,
    /// Points of each seat; zeros where everybody passed.
    pub scores: BySeat<i32>,
    /// Match points of each seat, this deal included.
    pub totals: BySeat<i32>,
    /// Reward of each seat.
    pub rewards: BySeat<f32>,
}

impl Session {
    /// Creates a session that begins with deal number `first` of a source, dealt by `dealer`.
    pub fn new(deals: Deals, config: SessionConfig, first: u64, dealer: Seat) -> Session {
        let state = State::new(deals.rules(), &deals.fresh(first, dealer));
        Session::start(deals, config, state, first)
    }

    /// Creates a session of one given deal, which must have passed [`Deal::check`].
    pub fn from_deal(rules: &'static RuleSet, deal: &Deal) -> Session {
        Session::from_state(State::new(rules, deal))
    }

    /// Creates a session of one deal that continues from a state.
    pub fn from_state(state: State) -> Session {
        Session::start(Deals::new(state.rules(), 0), SessionConfig::default(), state, 0)
    }

    /// Creates a session whose first deal continues from a given state. It counts as deal number
    /// `number` of the source.
    ///
    /// # Errors
    /// The state follows another rule set than the source.
    pub fn resume(
        deals: Deals,
        config: SessionConfig,
        state: State,
        number: u64,
    ) -> Result<Session, SessionError> {
        if deals.rules() != state.rules() {
            return Err(SessionError::OtherRules);
        }
        Ok(Session::start(deals, config, state, number))
    }

    pub(crate) fn start(deals: Deals, config: SessionConfig, state: State, number: u64) -> Session {
        let mut session = Session {
            deals,
            config,
            state,
            legal: state.legal_actions(),
            totals: config.totals,
            number,
            dealt: 1,
            is_over: false,
        };
        if session.state.is_done() {
            session.add_scores();
        }
        session
    }

    /// Returns the rule set.
    #[inline]
    pub fn rules(&self) -> &'static RuleSet {
        self.state.rules()
    }

    /// Returns the source of the deals.
    pub fn deals(&self) -> &Deals {
        &self.deals
    }

    /// Returns the settings.
    pub fn config(&self) -> &SessionConfig {
        &self.config
    }

    /// Returns the state of the current deal, which may be over.
    #[inline]
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Returns the match points, those of the current deal included once it is over.
    #[inline]
    pub fn totals(&self) -> &BySeat<i32> {
        &self.totals
    }

    /// Returns the number of deals dealt so far, the current one included.
    pub fn deals_dealt(&self) -> u32 {
        self.dealt
    }

    /// Returns the seat to act. The value has no meaning once the deal is over.
    #[inline]
    pub fn turn(&self) -> Seat {
        self.state.turn()
    }

    /// Returns the legal actions of the seat to act; empty once the deal is over.
    #[inline]
    pub fn legal_actions(&self) -> ActionSet {
        self.legal
    }

    /// Returns whether the current deal is over.
    #[inline]
    pub fn is_deal_over(&self) -> bool {
        self.state.is_done()
    }

    /// Returns whether the session is over: the current deal is, and no other follows.
    #[inline]
    pub fn is_over(&self) -> bool {
        self.is_over
    }

    /// Returns the observation of the seat to act.
    pub fn observe(&self) -> Observation {
        self.observe_as(self.turn())
    }

    /// Returns the observation of `seat`.
    pub fn observe_as(&self, seat: Seat) -> Observation {
        self.state.observe(seat, self.totals)
    }

    /// Returns the observation of the seat to act, borrowed.
    #[inline]
    pub fn observe_ref(&self) -> ObservationRef<'_> {
        self.state.observe_ref(self.turn(), &self.totals)
    }

    /// Returns full information, from the point of view of the seat to act.
    pub fn observe_full(&self) -> FullObservation {
        self.state.observe_full(self.turn(), self.totals)
    }

    /// Takes an action for the seat to act. A deal that ends with it is counted; the next is dealt
    /// by [`Session::next_deal`].
    ///
    /// # Errors
    /// The action is not legal, or the deal is over; nothing changes.
    #[inline]
    pub fn apply(&mut self, action: Action) -> Result<(), IllegalAction> {
        if !self.legal.has(action) {
            return Err(self.state.refuse(action));
        }
        self.apply_unchecked(action);
        Ok(())
    }

    /// Takes an action that is known to be legal.
    #[inline]
    pub(crate) fn apply_unchecked(&mut self, action: Action) {
        self.state.apply_unchecked(action);
        if self.state.is_done() {
            self.add_scores();
        }
        self.legal = self.state.legal_actions();
    }

    /// Takes actions as long as there is only one to choose.
    pub fn apply_only_actions(&mut self) {
        while self.legal.len() == 1
            && let Some(action) = self.legal.nth_action(0)
        {
            self.apply_unchecked(action);
        }
    }

    /// Returns the same session, except that it ends with the current deal.
    pub fn ending_with_deal(&self) -> Session {
        let mut session = self.clone();
        session.config.episode = Episode::Deal;
        session.is_over = session.state.is_done();
        session
    }

    /// Lets one more deal follow if the session has a number of deals: the current one, which is
    /// over, does not count.
    pub fn discount_deal(&mut self) {
        if let Episode::Deals(deals) = &mut self.config.episode {
            *deals = deals.saturating_add(1);
            self.is_over = self.ends();
        }
    }

    /// Returns the result of the current deal; `None` before its end.
    pub fn outcome(&self) -> Option<Outcome> {
        let scores = self.state.scores()?;
        let rewards = self.config.reward.of_deal(&scores, &self.totals, self.is_over);
        let (contract, tricks) = (self.state.contract().copied(), *self.state.tricks());
        Some(Outcome { contract, tricks, scores, totals: self.totals, rewards })
    }

    /// Deals the next deal. The dealer changes, unless everybody passed under rules that keep the
    /// dealer then.
    ///
    /// # Errors
    /// The deal is not over, or the session is.
    pub fn next_deal(&mut self) -> Result<(), SessionError> {
        self.deal_next(|session, dealer| {
            session.deals.after(session.number, dealer, &session.state)
        })
    }

    /// Deals the next deal as [`Session::next_deal`] does, with cards from this source. The
    /// session's own source is not used.
    ///
    /// # Errors
    /// The deal is not over, or the session is.
    pub fn next_secret_deal(&mut self, source: &mut SecretDeals) -> Result<(), SessionError> {
        self.deal_next(|session, dealer| source.after(session.rules(), dealer, &session.state))
    }

    fn deal_next(&mut self, draw: impl FnOnce(&Session, Seat) -> Deal) -> Result<(), SessionError> {
        if !self.state.is_done() {
            return Err(SessionError::DealNotOver);
        }
        if self.is_over {
            return Err(SessionError::Over);
        }
        let moves = !self.state.is_passed_out() || self.rules().spec().void_moves_dealer;
        let dealer = self.state.dealer().plus(usize::from(moves));
        self.number = self.number.wrapping_add(self.config.stride);
        self.dealt += 1;
        let deal = draw(self, dealer);
        self.state = State::new(self.rules(), &deal);
        self.legal = self.state.legal_actions();
        Ok(())
    }

    /// Begins a new session with the deal that follows in the source. It starts at the totals of
    /// the settings, and the first dealer is drawn at random.
    pub fn restart(&mut self) {
        let number = self.number.wrapping_add(self.config.stride);
        let dealer = self.deals.first_dealer(number);
        let state = State::new(self.rules(), &self.deals.fresh(number, dealer));
        *self = Session::start(self.deals.clone(), self.config, state, number);
    }

    /// Adds the points of a finished deal to the totals, and ends the session if it was the last.
    #[cold]
    fn add_scores(&mut self) {
        let scores = self.state.scores().unwrap_or_default();
        for seat in Seat::ALL {
            self.totals[seat] = self.totals[seat].saturating_add(scores[seat]);
        }
        self.is_over = self.ends();
    }

    /// Returns whether the session ends with the current deal, which is over and counted.
    fn ends(&self) -> bool {
        let target = self.rules().spec().match_target;
        let reached = target > 0 && self.totals.iter().any(|&t| t >= target);
        match self.config.episode {
            Episode::Deal => true,
            Episode::Deals(n) => self.dealt >= n,
            Episode::Match => target == 0 || reached,
            Episode::UntilTarget => reached,
        }
    }

    /// Refuses fields that cannot belong to a session that was played.
    fn check(&self) -> Result<(), &'static str> {
        if self.deals.rules() != self.state.rules() {
            return Err("the deals and the current deal follow different rules");
        }
        let done = self.state.is_done();
        if self.is_over != (done && self.ends()) {
            return Err("is_over contradicts the deals played and the totals");
        }
        if self.config.stride == 0 {
            return Err("stride is 0, so that every deal is the same; it must be 1 or more");
        }
        if self.dealt == 0 {
            return Err("dealt is 0, but it counts the current deal; it must be 1 or more");
        }
        let scores = self.state.scores().unwrap_or_default();
        let counted = |s: Seat| self.config.totals[s].saturating_add(scores[s]) == self.totals[s];
        if self.dealt == 1 && !Seat::ALL.into_iter().all(counted) {
            return Err("totals must be config.totals plus the points of the only deal so far");
        }
        Ok(())
    }
}
