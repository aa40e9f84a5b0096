//! A match of persons and bots that is being played. A person is shown only what that seat may see.

use troel_agents::review::{DecisionPoint, Reviewer};
use troel_agents::{DecisionDetail, NamedBot, decide_one};
use troel_env::{
    Action, BySeat, Card, Deals, Episode, Observation, Record, RuleSet, Seat, SeatSet, SecretDeals,
    Session, SessionConfig, State,
};

use crate::error::TableError;

mod restore;
mod seat_bots;
mod settings;
mod show;
mod study;

pub use seat_bots::BotTurn;
use seat_bots::{Cache, SeatBot};
pub use settings::MatchSettings;

/// A match in progress: a session, a bot at each seat, and decisions that persons can take back. A
/// clone is in the same state, with bots that remember nothing of earlier decisions.
#[derive(Clone)]
pub struct LiveMatch {
    /// The seats at which persons play; bots play at the others.
    played_by_persons: SeatSet,
    settings: MatchSettings,
    bots: BySeat<SeatBot>,
    session: Session,
    /// The session before the first action of the current deal.
    deal_start: Session,
    /// The last finished trick, from its lead.
    last_trick: Vec<(Seat, Card)>,
    /// The undo stack: a snapshot before each decision of a person, latest last.
    decisions: Vec<Snapshot>,
    /// Reviewers of the seats, for hints and reviews.
    reviewers: BySeat<Cache<Reviewer>>,
    /// The decisions of a seat in the deal that is over.
    choices: BySeat<Cache<Vec<DecisionPoint>>>,
}

/// Point of a deal to which a match can go back.
#[derive(Clone)]
struct Snapshot {
    session: Session,
    last_trick: Vec<(Seat, Card)>,
}

impl Snapshot {
    /// Returns the seat to act.
    fn turn(&self) -> Seat {
        self.session.turn()
    }

    /// Returns the number of actions of the deal so far.
    fn action_count(&self) -> usize {
        self.session.state().history().len()
    }
}

impl LiveMatch {
    /// Starts a match and deals its first deal.
    ///
    /// # Errors
    /// A match of these rules with this deal cannot be started.
    pub fn new(
        settings: MatchSettings,
        played_by_persons: SeatSet,
    ) -> Result<LiveMatch, TableError> {
        let deals = Deals::new(settings.rules, settings.seed);
        let episode = match settings.length {
            Some(deals) => Episode::Deals(deals.get()),
            None => Episode::UntilTarget,
        };
        let config = SessionConfig { episode, ..SessionConfig::default() };
        let session = match &settings.deal {
            Some(deal) => Session::resume(deals, config, State::new(settings.rules, deal), 0)?,
            None => {
                let dealer = deals.first_dealer(0);
                Session::new(deals, config, 0, dealer)
            }
        };
        Ok(LiveMatch::at_deal_start(settings, session, played_by_persons))
    }

    /// Returns a match whose session is before the first action of a deal.
    fn at_deal_start(
        settings: MatchSettings,
        session: Session,
        played_by_persons: SeatSet,
    ) -> LiveMatch {
        let bots = BySeat::from_fn(|seat| SeatBot::new(&settings, seat));
        LiveMatch {
            played_by_persons,
            settings,
            bots,
            deal_start: session.clone(),
            session,
            last_trick: Vec::new(),
            decisions: Vec::new(),
            reviewers: BySeat::default(),
            choices: BySeat::default(),
        }
    }

    /// Returns the seat to act; `None` once the deal is over.
    pub fn turn(&self) -> Option<Seat> {
        (!self.session.is_deal_over()).then(|| self.session.turn())
    }

    /// Returns whether a bot is to act.
    pub fn is_bots_turn(&self) -> bool {
        !self.session.is_deal_over() && !self.played_by_persons.has(self.session.turn())
    }

    /// Returns whether the seat is to act.
    fn is_turn_of(&self, seat: Seat) -> bool {
        !self.session.is_deal_over() && self.session.turn() == seat
    }

    /// Returns the seats at which persons play.
    pub fn played_by_persons(&self) -> SeatSet {
        self.played_by_persons
    }

    /// Assigns the seat to its person from now on.
    pub fn assign_to_person(&mut self, seat: Seat) {
        self.played_by_persons |= SeatSet::single(seat);
    }

    /// Assigns the seat to its bot from now on.
    pub fn assign_to_bot(&mut self, seat: Seat) {
        self.played_by_persons -= SeatSet::single(seat);
    }

    /// Takes the action of the bot whose turn it is.
    ///
    /// # Errors
    /// The bot failed; the match is unchanged.
    pub fn play_bot_turn(&mut self) -> Result<(), TableError> {
        let (seat, obs) = (self.session.turn(), self.session.observe());
        let decision = decide_one(self.bots[seat].instance(), &obs, DecisionDetail::Action)?;
        self.apply(decision.action)
    }

    /// Returns the observation of the bot whose turn it is.
    pub fn bot_observation(&self) -> Option<Observation> {
        self.is_bots_turn().then(|| self.session.observe())
    }

    /// Takes the bot whose turn it is out of the match, to be asked outside it.
    /// [`LiveMatch::finish_bot_turn`] puts it back. If the seat's bot is needed before, another
    /// instance of it is created.
    pub fn take_bot_turn(&mut self) -> Option<BotTurn> {
        let observation = self.bot_observation()?;
        let seat = observation.seat();
        let another = self.bots[seat].clone();
        let bot = std::mem::replace(&mut self.bots[seat], another);
        Some(BotTurn { seat, observation, bot })
    }

    /// Applies the decision of a bot that was taken out of the match.
    ///
    /// # Errors
    /// It is not this bot's turn any more, or the action is not legal; the match is unchanged.
    pub fn finish_bot_turn(&mut self, turn: BotTurn, action: Action) -> Result<(), TableError> {
        if self.bot_observation() != Some(turn.observation) {
            return Err(TableError::NotYourTurn);
        }
        self.bots[turn.seat] = turn.bot;
        self.apply(action)
    }

    /// Applies the action of the person at this seat, given as its code.
    ///
    /// # Errors
    /// It is not the person's turn, or the code is unknown or not legal.
    pub fn act(&mut self, seat: Seat, code: &str) -> Result<(), TableError> {
        if !self.is_turn_of(seat) {
            return Err(TableError::NotYourTurn);
        }
        let phase = self.session.state().phase();
        let action = Action::parse(code, phase).ok_or(TableError::NoAction)?;
        let before = self.snapshot();
        self.apply(action)?;
        self.decisions.push(before);
        Ok(())
    }

    /// Goes back to the last decision in this deal of the person at this seat.
    ///
    /// # Errors
    /// There is nothing to take back.
    pub fn undo(&mut self, seat: Seat) -> Result<(), TableError> {
        let last = self.decisions_of(seat).last().ok_or(TableError::NothingToTakeBack)?;
        self.go_back(seat, last)
    }

    /// Returns the numbers, in the deal from 0, of the actions that this seat's person decided.
    fn decisions_of(&self, seat: Seat) -> impl DoubleEndedIterator<Item = usize> {
        let own = self.decisions.iter().filter(move |before| before.turn() == seat);
        own.map(Snapshot::action_count)
    }

    /// Goes back to a decision of the person at this seat. It was action `to`, from 0, of the deal.
    ///
    /// # Errors
    /// The person did not decide there; nothing changes.
    pub fn go_back(&mut self, seat: Seat, to: usize) -> Result<(), TableError> {
        let is_there = |before: &Snapshot| before.turn() == seat && before.action_count() == to;
        let found = self.decisions.iter().position(is_there);
        let found = found.ok_or(TableError::NotYourDecision(to))?;
        let Snapshot { session, last_trick } = self.decisions[found].clone();
        self.session = session;
        self.last_trick = last_trick;
        self.decisions.truncate(found);
        self.choices = BySeat::default();
        Ok(())
    }

    /// Returns the rule set.
    pub fn rules(&self) -> &'static RuleSet {
        self.session.rules()
    }

    /// Returns the session before the first action of the current deal.
    pub(crate) fn deal_start(&self) -> &Session {
        &self.deal_start
    }

    /// Returns the settings, with the bots of the last [`LiveMatch::replay_deal`].
    pub(crate) fn settings(&self) -> &MatchSettings {
        &self.settings
    }

    /// Returns the bots by seat. The bots of the persons' seats give hints.
    pub fn bots(&self) -> &BySeat<NamedBot> {
        &self.settings.bots
    }

    /// Starts the deal again from its first call, with these bots.
    pub fn replay_deal(&mut self, bots: BySeat<NamedBot>) {
        self.settings.bots = bots;
        self.bots = BySeat::from_fn(|seat| SeatBot::new(&self.settings, seat));
        self.reviewers = BySeat::default();
        self.restart_deal();
    }

    /// Goes back to the first action of the current deal.
    fn restart_deal(&mut self) {
        self.session = self.deal_start.clone();
        self.forget_deal();
    }

    /// Plays a deal to its end. The person at this seat must take all the rest, or the points must
    /// be settled.
    ///
    /// # Errors
    /// It is not the person's turn, or cards still to be played could matter.
    pub fn claim(&mut self, seat: Seat) -> Result<(), TableError> {
        let is_settled = self.is_turn_of(seat) && self.session.state().is_decided();
        if !is_settled && !self.observe_as(seat).takes_the_rest() {
            return Err(TableError::NotCertain);
        }
        // No card changes the result any more.
        while let Some(action) = self.session.legal_actions().nth_action(0) {
            if self.is_turn_of(seat) {
                self.act(seat, &action.to_string())?;
            } else {
                self.apply(action)?;
            }
        }
        Ok(())
    }

    /// Returns the full record of the deal.
    pub fn record(&self) -> Record {
        Record::from_state(self.session.state(), self.deal_start.totals())
    }

    /// Deals the next deal once the current one is over.
    ///
    /// # Errors
    /// The deal is not over, or the match is.
    pub fn next_deal(&mut self) -> Result<(), TableError> {
        self.session.next_deal()?;
        self.begin_deal();
        Ok(())
    }

    /// Deals the next deal as [`LiveMatch::next_deal`] does, with cards from this source. The
    /// match's seed plays no part.
    ///
    /// # Errors
    /// The deal is not over, or the match is.
    pub fn next_secret_deal(&mut self, source: &mut SecretDeals) -> Result<(), TableError> {
        self.session.next_secret_deal(source)?;
        self.begin_deal();
        Ok(())
    }

    /// Forgets the previous deal: the session is at the first action of a new one.
    fn begin_deal(&mut self) {
        self.deal_start = self.session.clone();
        self.forget_deal();
    }

    /// Clears the fields that depend on the actions of a deal.
    ///
    /// The reviewers stay: they depend on the bots, and only [`LiveMatch::replay_deal`] replaces
    /// those.
    fn forget_deal(&mut self) {
        self.last_trick.clear();
        self.decisions.clear();
        self.choices = BySeat::default();
    }

    /// Returns the point of the deal that the match is at.
    fn snapshot(&self) -> Snapshot {
        Snapshot { session: self.session.clone(), last_trick: self.last_trick.clone() }
    }

    /// Applies the action of the seat to act, and keeps a trick that it completes.
    fn apply(&mut self, action: Action) -> Result<(), TableError> {
        let state = self.session.state();
        let trick: Vec<(Seat, Card)> = state.trick().cards().collect();
        let turn = state.turn();
        let tricks_taken = |state: &State| state.tricks().iter().sum::<u8>();
        let before = tricks_taken(state);
        self.session.apply(action).map_err(|_| TableError::NotLegal)?;
        if tricks_taken(self.session.state()) > before {
            self.last_trick = trick;
            self.last_trick.extend(action.as_card().map(|card| (turn, card)));
        }
        // The same dealer deals again, so that each person deals equally often.
        let state = self.session.state();
        if state.is_done() && state.is_passed_out() && !self.rules().spec().void_moves_dealer {
            self.session.discount_deal();
        }
        Ok(())
    }

    /// Returns the number of deals that follow the current one; `None` in a match without a length.
    fn deals_left(&self) -> Option<u32> {
        match self.session.config().episode {
            Episode::Deals(deals) => Some(deals.saturating_sub(self.session.deals_dealt())),
            _ => None,
        }
    }

    /// Returns whether the deal just played ended the match.
    pub fn is_over(&self) -> bool {
        self.session.is_over()
    }

    /// Returns the observation of a seat.
    pub fn observe_as(&self, seat: Seat) -> Observation {
        self.session.observe_as(seat)
    }

    /// Returns the points of the deal, once it is over.
    pub fn scores(&self) -> Option<BySeat<i32>> {
        self.session.state().scores()
    }

    /// Returns the number of deals that were dealt.
    pub fn deals_dealt(&self) -> u32 {
        self.session.deals_dealt()
    }

    /// Returns the points of the match so far.
    pub fn totals(&self) -> &BySeat<i32> {
        self.session.totals()
    }

    /// Returns the last finished trick of the deal, from its lead; empty before there is one.
    pub fn last_trick(&self) -> &[(Seat, Card)] {
        &self.last_trick
    }
}

#[cfg(test)]
mod tests;
