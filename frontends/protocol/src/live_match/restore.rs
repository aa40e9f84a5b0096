//! Restores a match from the actions that a person saw.

use troel_agents::{DecisionDetail, decide_one};
use troel_env::{Action, BySeat, HIDDEN_ACTION, Seat, SeatSet, Session};

use super::LiveMatch;
use super::settings::MatchSettings;
use crate::error::TableError;

impl LiveMatch {
    /// Restores a match from the actions of each deal. `-` is a card that another seat laid aside:
    /// the bot decides again which one, among the cards that the seat did not play later.
    ///
    /// # Errors
    /// An action is not possible in its place.
    pub fn restore(
        settings: MatchSettings,
        person: Seat,
        deals: &[Vec<String>],
    ) -> Result<LiveMatch, TableError> {
        let mut live_match = LiveMatch::new(settings, SeatSet::single(person))?;
        for (number, actions) in deals.iter().enumerate() {
            let contradiction = |at: usize| TableError::contradiction(number, actions, at);
            // Under these rules the deal before may not be over, or the match may be.
            if number > 0 && live_match.next_deal().is_err() {
                return Err(contradiction(0));
            }
            // A card laid aside contradicts only what its own seat played afterwards: the next
            // candidate of that seat.
            let mut candidate = BySeat([0; 4]);
            while let Err((at, seat)) = live_match.replay_actions(actions, &candidate) {
                candidate[seat] += 1;
                let is_hidden = actions[..at].iter().any(|code| code == HIDDEN_ACTION);
                if !is_hidden || candidate[seat] >= 13 {
                    return Err(contradiction(at));
                }
                live_match.restart_deal();
            }
        }
        Ok(live_match)
    }

    /// Returns the match after these actions of a deal, all of them known. `deal_start` is the
    /// session before the first one.
    ///
    /// # Errors
    /// An action is not possible in its place.
    pub(crate) fn from_deal_start(
        settings: MatchSettings,
        deal_start: Session,
        played_by_persons: SeatSet,
        actions: &[String],
    ) -> Result<LiveMatch, TableError> {
        let mut live_match = LiveMatch::at_deal_start(settings, deal_start, played_by_persons);
        let replayed = live_match.replay_actions(actions, &BySeat::default());
        replayed.map_err(|(at, _)| TableError::contradiction(0, actions, at))?;
        Ok(live_match)
    }

    /// Takes these actions from the start of the deal. For each seat, `candidate` has the number of
    /// the hidden card to try. Fails with the number of the action that is not possible, and its
    /// seat.
    fn replay_actions(
        &mut self,
        actions: &[String],
        candidate: &BySeat<usize>,
    ) -> Result<(), (usize, Seat)> {
        for (at, code) in actions.iter().enumerate() {
            let seat = self.session.turn();
            let action = if code == HIDDEN_ACTION {
                self.hidden_card(&actions[at..], candidate[seat])
            } else {
                Action::parse(code, self.session.state().phase())
            };
            let before = self.snapshot();
            let is_persons = self.is_turn_of(seat) && self.played_by_persons.has(seat);
            let applied = action.ok_or(TableError::NoAction).and_then(|a| self.apply(a));
            applied.map_err(|_| (at, seat))?;
            if is_persons {
                self.decisions.push(before);
            }
        }
        Ok(())
    }

    /// Returns a card that a seat may have laid aside before these actions. The bot's choice comes
    /// first, then the others.
    fn hidden_card(&mut self, later: &[String], candidate: usize) -> Option<Action> {
        let fits = |action: &Action| !later.contains(&action.to_string());
        let (seat, obs) = (self.session.turn(), self.session.observe());
        let likely = decide_one(self.bots[seat].instance(), &obs, DecisionDetail::Action).ok();
        let likely = likely.map(|decision| decision.action);
        let others = self.session.legal_actions().into_iter().filter(|&a| Some(a) != likely);
        likely.into_iter().chain(others).filter(fits).nth(candidate)
    }
}
