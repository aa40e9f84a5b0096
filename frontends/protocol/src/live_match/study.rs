//! Hints, and answers about a deal that is over: reviews, values of cards, par.

use std::collections::BTreeMap;

use troel_agents::BotError;
use troel_agents::driver::{self, BotTable, Seating};
use troel_agents::review::{self, Advice, DEFAULT_REVIEW_WORLDS, Hindsight, Reviewer};
use troel_env::rng::{Purpose, Stream};
use troel_env::{BySeat, Record, Seat};
use troel_solver::Solver;

use super::LiveMatch;
use super::seat_bots::Cache;
use super::settings::MatchSettings;
use crate::error::TableError;
use crate::messages::{ResultsView, ReviewView, ValuesView};
use crate::review::DecisionView;

/// Memory of the solver for open hands, in bytes; small enough for a telephone.
const SOLVER_BYTES: usize = 16 << 20;
/// Maximum number of positions that the solver visits for one answer; takes some seconds.
const MAX_STUDY_NODES: u64 = 10_000_000;
/// Number of times that bots play a deal for [`LiveMatch::results`].
const RESULT_PLAYS: usize = 1000;

/// Returns the reviewer of a seat, created at its first use.
fn reviewer<'a>(
    reviewers: &'a mut BySeat<Cache<Reviewer>>,
    settings: &MatchSettings,
    seat: Seat,
) -> &'a mut Reviewer {
    let MatchSettings { bots, seed, .. } = settings;
    let new =
        || Reviewer::new(&bots[seat], DEFAULT_REVIEW_WORLDS, *seed, Solver::new(SOLVER_BYTES));
    reviewers[seat].0.get_or_insert_with(new)
}

impl LiveMatch {
    /// Returns the values of the plausible actions of this seat, and the choice of its bot.
    ///
    /// # Errors
    /// It is not its turn, or the bot failed.
    pub fn hint(&mut self, seat: Seat) -> Result<Advice, TableError> {
        if !self.is_turn_of(seat) {
            return Err(TableError::NotYourTurn);
        }
        let obs = self.observe_as(seat);
        Ok(reviewer(&mut self.reviewers, &self.settings, seat).advise(&obs, None)?)
    }

    /// Returns the full record of the deal, which must be over. Every answer that shows hidden
    /// cards starts with this check.
    fn finished_record(&self) -> Result<Record, TableError> {
        self.session.is_deal_over().then(|| self.record()).ok_or(TableError::NotOver)
    }

    /// Judges decision number `number` of this seat, counted from 0 among those with a choice.
    ///
    /// # Errors
    /// The deal is not over, or a bot failed.
    pub fn review(&mut self, seat: Seat, number: usize) -> Result<ReviewView, TableError> {
        let record = self.finished_record()?;
        let choices = match &mut self.choices[seat].0 {
            Some(known) => known,
            empty => {
                let found = review::decision_points(self.session.rules(), &record, Some(seat));
                let (mut choices, _) =
                    found.map_err(|error| TableError::CannotAnswer(error.message))?;
                // Once the points are settled no card costs any, and the rest may have been
                // claimed.
                choices.retain(|choice| !choice.is_settled());
                empty.insert(choices)
            }
        };
        let reviewer = reviewer(&mut self.reviewers, &self.settings, seat);
        let choice = choices.get(number);
        let decision = choice.map(|choice| reviewer.review_decision(choice)).transpose()?;
        Ok(ReviewView {
            number,
            count: choices.len(),
            judge: self.settings.bots[seat].name().to_string(),
            decision: decision.as_ref().map(DecisionView::from),
        })
    }

    /// Returns the double-dummy values of the cards of the seat to play after a number of actions.
    /// They are minimum and maximum total tricks of the declarers. They differ only where solving
    /// would take too long.
    ///
    /// # Errors
    /// The deal is not over.
    pub fn values(&self, actions_before: usize) -> Result<ValuesView, TableError> {
        let mut record = self.finished_record()?;
        record.actions.truncate(actions_before);
        let state = record.play(self.session.rules(), |_, _| {});
        let state = state.map_err(|error| TableError::CannotAnswer(error.message))?;
        let values = Solver::new(SOLVER_BYTES)
            .card_values_within(&state, MAX_STUDY_NODES)
            .unwrap_or_default();
        let values = values.into_iter().map(|(card, bounds)| (card, [bounds.least, bounds.most]));
        Ok(ValuesView { actions_before, values: values.collect() })
    }

    /// Returns the contract and points of the deal if all seats see all cards. Also returns the
    /// points that each seat lost against them. `None` where solving would take too long.
    ///
    /// # Errors
    /// The deal is not over.
    pub fn par(&self) -> Result<Hindsight, TableError> {
        self.finished_record()?;
        let found = review::hindsight(self.session.state(), &mut Solver::new(SOLVER_BYTES));
        found.map_err(|error| TableError::CannotAnswer(error.to_string()))
    }

    /// Returns the distribution of the seat's points over 1,000 plays of the deal by the bots of
    /// the table, which sample their actions. Searching bots play without their look-ahead. Empty
    /// unless all bots have a network, because others do not sample.
    ///
    /// # Errors
    /// The deal is not over, or a bot failed.
    pub fn results(&self, seat: Seat) -> Result<ResultsView, TableError> {
        self.finished_record()?;
        let MatchSettings { bots, seed, .. } = &self.settings;
        let sampling = |seat: Seat| {
            let stream = Stream::new(*seed, Purpose::Action, seat.index() as u64);
            bots[seat].instantiate_sampling(stream)
        };
        let mut points = BTreeMap::new();
        let bots: Option<Vec<_>> = Seat::ALL.into_iter().map(sampling).collect();
        if let Some(mut bots) = bots {
            let session = self.deal_start.ending_with_deal();
            let seating = Seating::full(BySeat::from_fn(Seat::index));
            let mut tables = vec![BotTable { session, seating }; RESULT_PLAYS];
            driver::run(&mut tables, &mut bots, &mut ()).map_err(BotError::from)?;
            for scores in tables.iter().filter_map(|table| table.session.state().scores()) {
                *points.entry(scores[seat]).or_insert(0) += 1;
            }
        }
        Ok(ResultsView { points: points.into_iter().collect() })
    }
}
