//! Between the auction and the first lead: declarers, trump choice, discards, exchange.

use super::State;
use super::trick::Trick;
use crate::action::Action;
use crate::auction::StandingContract;
use crate::cards::{Card, CardSet};
use crate::contract::ContractKind;
use crate::phase::Phase;
use crate::rules::Family;
use crate::seat::{Seat, SeatSet};

impl State {
    pub(super) fn end_auction(&mut self) {
        match self.auction.standing_contract {
            StandingContract::Nothing => self.phase = Phase::Done,
            StandingContract::Announced => self.start_announced(),
            StandingContract::Call(call) => self.start_called(call),
        }
    }

    /// Starts trou or troel: the holder of the key card is the partner, and leads.
    fn start_announced(&mut self) {
        let (Some(announcer), Some(key), Some(row)) =
            (self.auction.announcer, self.key_card, self.rules.announced_row())
        else {
            return;
        };
        let partner = Seat::ALL.into_iter().find(|&s| self.hands[s].has(key)).unwrap_or(announcer);
        let led_by_rule = self.rules.spec.troel_leads_key_card;
        if led_by_rule {
            self.shown[partner].insert(key);
        }
        let trump = led_by_rule.then(|| key.suit());
        let declarers = SeatSet::single(announcer) | SeatSet::single(partner);
        let mut contract = self.rules.contract_of_row(row, trump, declarers);
        contract.goal += u8::from(led_by_rule && !key.is_ace());
        self.contract = Some(contract);
        self.turn = partner;
        self.trick = Trick::led_by(partner);
        let is_trou = self.rules.spec.family == Family::Proposals;
        self.phase = if is_trou { Phase::Trump } else { Phase::Play };
    }

    fn start_called(&mut self, call: Action) {
        let Some(bid) = call.as_bid() else { return };
        let rank = self.rules.rank(self.auction_context().turn_up, call);
        let row = rank.row().unwrap_or(0);
        let declarers = self.auction.standing_seats;
        let mut trump = bid.trump;
        if bid.kind == ContractKind::SoloSlim {
            self.turn_up_open = true;
            if let Some(card) = self.turn_up {
                self.shown[self.dealer].insert(card);
            }
            trump = self.turn_up.map(Card::suit);
        }
        self.contract = Some(self.rules.contract_of_row(row, trump, declarers));
        let eldest = self.dealer.next();
        self.turn = match declarers.first() {
            Some(declarer) if bid.kind.declarer_leads() => declarer,
            _ => eldest,
        };
        self.trick = Trick::led_by(self.turn);
        self.phase = match bid.kind {
            ContractKind::SmallMisere => Phase::Discard,
            ContractKind::Misere if self.rules.spec.exchange && declarers.has(self.dealer) => {
                self.turn = self.dealer;
                Phase::Exchange
            }
            _ => Phase::Play,
        };
        self.show_open_misere();
    }

    pub(super) fn name_trumps(&mut self, action: Action) {
        if let Some(contract) = &mut self.contract {
            contract.trump = action.as_trump();
        }
        self.phase = Phase::Play;
    }

    pub(super) fn discard(&mut self, card: Card) {
        self.hands[self.turn].remove(card);
        self.laid_aside[self.turn] = CardSet::single(card);
        self.next_discard();
    }

    /// Lays aside a card that the observer does not see. The observer knows only the cards that the
    /// hand may hold.
    pub(crate) fn discard_hidden(&mut self) {
        if let Some(card) = self.hands[self.turn].lowest() {
            self.history.push(self.turn, Action::card(card));
            self.laid_aside[self.turn] = CardSet::single(card);
        }
        self.next_discard();
    }

    /// Passes the turn to the next seat that lays a card aside. After the last one, play begins.
    fn next_discard(&mut self) {
        self.turn = self.turn.next();
        if self.turn == self.dealer.next() {
            self.phase = Phase::Play;
        }
    }

    pub(super) fn ask_for(&mut self, card: Card) {
        let holder = Seat::ALL.into_iter().find(|&s| self.hands[s].has(card));
        let holder = holder.unwrap_or(self.dealer);
        if self.contract.is_some_and(|c| c.declarers.has(holder)) {
            self.asked_for = Some(card);
            self.turn = holder;
            self.phase = Phase::Answer;
        } else {
            self.swap(holder, card);
        }
    }

    pub(super) fn answer(&mut self, action: Action) {
        let Some(card) = self.asked_for.take() else { return };
        self.shown[self.turn].insert(card);
        if action == Action::GIVE {
            self.swap(self.turn, card);
        } else {
            self.refused.insert(card);
            self.turn = self.dealer;
            self.phase = Phase::Exchange;
        }
    }

    /// Gives the holder's card to the dealer and the turn-up to the holder.
    fn swap(&mut self, holder: Seat, card: Card) {
        let Some(turn_up) = self.turn_up else { return };
        for set in [&mut self.hands, &mut self.shown] {
            set[holder].remove(card);
            set[self.dealer].insert(card);
            set[self.dealer].remove(turn_up);
            set[holder].insert(turn_up);
        }
        self.start_play_by_eldest();
    }

    /// Ends the exchange: the dealer keeps the turn-up, or withdraws from the contract.
    pub(super) fn end_exchange(&mut self, action: Action) {
        if let (Action::PASS, Some(contract)) = (action, &mut self.contract) {
            contract.declarers -= SeatSet::single(self.dealer);
        }
        self.start_play_by_eldest();
    }

    fn start_play_by_eldest(&mut self) {
        self.turn = self.dealer.next();
        self.phase = Phase::Play;
    }
}
