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
        match self.public.auction.standing_contract {
            StandingContract::Nothing => self.public.phase = Phase::Done,
            StandingContract::Announced => self.start_announced(),
            StandingContract::Call(call) => self.start_called(call),
        }
    }

    /// Starts trou or troel: the holder of the key card is the partner, and leads.
    fn start_announced(&mut self) {
        let (Some(announcer), Some(key), Some(row)) =
            (self.public.auction.announcer, self.key_card, self.public.rules.announced_row())
        else {
            return;
        };
        let partner = Seat::ALL.into_iter().find(|&s| self.hands[s].has(key)).unwrap_or(announcer);
        let led_by_rule = self.public.rules.spec.troel_leads_key_card;
        if led_by_rule {
            self.public.shown[partner].insert(key);
        }
        let trump = led_by_rule.then(|| key.suit());
        let declarers = SeatSet::single(announcer) | SeatSet::single(partner);
        let mut contract = self.public.rules.contract_of_row(row, trump, declarers);
        contract.goal += u8::from(led_by_rule && !key.is_ace());
        self.public.contract = Some(contract);
        self.public.turn = partner;
        self.public.trick = Trick::led_by(partner);
        let is_trou = self.public.rules.spec.family == Family::Proposals;
        self.public.phase = if is_trou { Phase::Trump } else { Phase::Play };
    }

    fn start_called(&mut self, call: Action) {
        let Some(bid) = call.as_bid() else { return };
        let rank = self.public.rules.rank(self.auction_context().turn_up, call);
        let row = rank.row().unwrap_or(0);
        let declarers = self.public.auction.standing_seats;
        let mut trump = bid.trump;
        if bid.kind == ContractKind::SoloSlim {
            self.public.turn_up_open = true;
            if let Some(card) = self.turn_up {
                self.public.shown[self.public.dealer].insert(card);
            }
            trump = self.turn_up.map(Card::suit);
        }
        self.public.contract = Some(self.public.rules.contract_of_row(row, trump, declarers));
        let eldest = self.public.dealer.next();
        self.public.turn = match declarers.first() {
            Some(declarer) if bid.kind.declarer_leads() => declarer,
            _ => eldest,
        };
        self.public.trick = Trick::led_by(self.public.turn);
        self.public.phase = match bid.kind {
            ContractKind::SmallMisere => Phase::Discard,
            ContractKind::Misere
                if self.public.rules.spec.exchange && declarers.has(self.public.dealer) =>
            {
                self.public.turn = self.public.dealer;
                Phase::Exchange
            }
            _ => Phase::Play,
        };
        self.show_open_misere();
    }

    pub(super) fn name_trumps(&mut self, action: Action) {
        if let Some(contract) = &mut self.public.contract {
            contract.trump = action.as_trump();
        }
        self.public.phase = Phase::Play;
    }

    pub(super) fn discard(&mut self, card: Card) {
        self.hands[self.public.turn].remove(card);
        self.laid_aside[self.public.turn] = CardSet::single(card);
        self.next_discard();
    }

    /// Lays aside a card that the observer does not see. The observer knows only the cards that the
    /// hand may hold.
    pub(crate) fn discard_hidden(&mut self) {
        if let Some(card) = self.hands[self.public.turn].lowest() {
            self.history.push(self.public.turn, Action::card(card));
            self.laid_aside[self.public.turn] = CardSet::single(card);
        }
        self.next_discard();
    }

    /// Passes the turn to the next seat that lays a card aside. After the last one, play begins.
    fn next_discard(&mut self) {
        self.public.turn = self.public.turn.next();
        if self.public.turn == self.public.dealer.next() {
            self.public.phase = Phase::Play;
        }
    }

    pub(super) fn ask_for(&mut self, card: Card) {
        let holder = Seat::ALL.into_iter().find(|&s| self.hands[s].has(card));
        let holder = holder.unwrap_or(self.public.dealer);
        if self.public.contract.is_some_and(|c| c.declarers.has(holder)) {
            self.public.asked_for = Some(card);
            self.public.turn = holder;
            self.public.phase = Phase::Answer;
        } else {
            self.swap(holder, card);
        }
    }

    pub(super) fn answer(&mut self, action: Action) {
        let Some(card) = self.public.asked_for.take() else { return };
        self.public.shown[self.public.turn].insert(card);
        if action == Action::GIVE {
            self.swap(self.public.turn, card);
        } else {
            self.public.refused.insert(card);
            self.public.turn = self.public.dealer;
            self.public.phase = Phase::Exchange;
        }
    }

    /// Gives the holder's card to the dealer and the turn-up to the holder.
    fn swap(&mut self, holder: Seat, card: Card) {
        let Some(turn_up) = self.turn_up else { return };
        for set in [&mut self.hands, &mut self.public.shown] {
            set[holder].remove(card);
            set[self.public.dealer].insert(card);
            set[self.public.dealer].remove(turn_up);
            set[holder].insert(turn_up);
        }
        self.start_play_by_eldest();
    }

    /// Ends the exchange: the dealer keeps the turn-up, or withdraws from the contract.
    pub(super) fn end_exchange(&mut self, action: Action) {
        if let (Action::PASS, Some(contract)) = (action, &mut self.public.contract) {
            contract.declarers -= SeatSet::single(self.public.dealer);
        }
        self.start_play_by_eldest();
    }

    fn start_play_by_eldest(&mut self) {
        self.public.turn = self.public.dealer.next();
        self.public.phase = Phase::Play;
    }
}
