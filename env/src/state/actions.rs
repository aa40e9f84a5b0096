//! The legal actions of a state, and their effect.

use super::State;
use crate::action::{Action, ActionSet, CallSet, N_ACTIONS};
use crate::cards::{Card, CardSet, Suit};
use crate::error::IllegalAction;
use crate::history::History;
use crate::phase::Phase;
use crate::seat::BySeat;

const _: () = assert!(N_ACTIONS < u8::MAX as usize, "History keeps an action in a byte");

impl State {
    /// Returns the legal actions of the seat whose turn it is; empty once the deal is over.
    #[inline]
    pub fn legal_actions(&self) -> ActionSet {
        let hand = self.hands[self.public.turn];
        match self.public.phase {
            Phase::Play => ActionSet::from_cards(self.legal_cards(hand)),
            Phase::Auction => {
                self.public.auction.legal(self.auction_context(), self.public.turn, hand)
            }
            Phase::Trump => ActionSet::from_calls(
                Suit::ALL
                    .iter()
                    .fold(CallSet::EMPTY, |c, &s| c | CallSet::single(Action::trump(s))),
            ),
            Phase::Discard => ActionSet::from_cards(hand),
            Phase::Exchange => {
                let withdraw = if self.public.refused.is_empty() {
                    CallSet::EMPTY
                } else {
                    CallSet::single(Action::PASS)
                };
                ActionSet {
                    cards: CardSet::FULL - hand - self.public.refused,
                    calls: CallSet::single(Action::KEEP) | withdraw,
                }
            }
            Phase::Answer => ActionSet::from_calls(
                CallSet::single(Action::GIVE) | CallSet::single(Action::REFUSE),
            ),
            Phase::Done => ActionSet::EMPTY,
        }
    }

    /// Takes an action.
    ///
    /// # Errors
    /// The action is not legal; the state stays as it was.
    pub fn apply(&mut self, action: Action) -> Result<(), IllegalAction> {
        if !self.legal_actions().has(action) {
            return Err(self.refuse(action));
        }
        self.apply_unchecked(action);
        Ok(())
    }

    /// Plays the actions of a history, each by the seat that made it there. `laid_aside` has the
    /// cards of discards that the history hides.
    ///
    /// `None` if an action is not legal, another seat is to act, or a card laid aside is missing.
    pub fn replay(mut self, history: &History, laid_aside: &BySeat<Option<Card>>) -> Option<State> {
        for (seat, action) in history.iter() {
            if self.public.turn != seat {
                return None;
            }
            let action = match action {
                Some(action) => action,
                None => Action::card(laid_aside[seat]?),
            };
            self.apply(action).ok()?;
        }
        Some(self)
    }

    /// Returns the error of an action that is not legal.
    pub(crate) fn refuse(&self, action: Action) -> IllegalAction {
        match self.public.phase {
            Phase::Done => IllegalAction::Finished,
            phase => IllegalAction::NotLegal { action, phase },
        }
    }

    /// Takes an action that is known to be legal. An illegal one leaves an invalid state.
    #[inline]
    pub fn apply_unchecked(&mut self, action: Action) {
        self.history.push(self.public.turn, action);
        match (self.public.phase, action.as_card()) {
            (Phase::Play, Some(card)) => self.play(card),
            (Phase::Discard, Some(card)) => self.discard(card),
            (Phase::Exchange, Some(card)) => self.ask_for(card),
            (Phase::Exchange, None) => self.end_exchange(action),
            (Phase::Answer, _) => self.answer(action),
            (Phase::Trump, _) => self.name_trumps(action),
            _ => self.call(action),
        }
    }

    fn call(&mut self, call: Action) {
        self.public.calls[self.public.turn].insert(call);
        self.public.auction.apply(self.auction_context(), self.public.turn, call);
        match self.public.auction.next_to_speak(self.public.turn) {
            Some(seat) => self.public.turn = seat,
            None => self.end_auction(),
        }
    }
}
