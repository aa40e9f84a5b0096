//! The play of the cards.

use super::State;
use super::trick::Trick;
use crate::cards::{Card, CardSet};
use crate::contract::{Contract, ContractKind};
use crate::phase::Phase;
use crate::scoring;

impl State {
    #[inline]
    pub(super) fn legal_cards(&self, hand: CardSet) -> CardSet {
        match self.trick.lead() {
            Some(lead) => {
                let follow = hand.of(lead.suit());
                if follow.is_empty() {
                    hand
                } else if self.tricks_played == 0
                    && self.must_play_ace()
                    && !follow.aces().is_empty()
                {
                    follow.aces()
                } else {
                    follow
                }
            }
            None if self.tricks_played == 0 => self.legal_first_lead(hand),
            None => hand,
        }
    }

    fn is_troel(&self) -> bool {
        self.contract.is_some_and(|c| c.kind == ContractKind::Troel)
    }

    /// Returns whether the contract is a troel whose first lead is free. Otherwise a troel begins
    /// with the card that called the partner.
    fn is_free_lead_troel(&self) -> bool {
        self.is_troel() && !self.rules.spec.troel_leads_key_card
    }

    /// Returns the card that its holder has to play to the current trick. In a Flemish troel by
    /// house rules, it is the ace of the suit led to the first trick, while a declarer still holds
    /// it.
    pub fn obligatory_card(&self) -> Option<Card> {
        let ace = Card::ace(self.trick.lead()?.suit());
        let obliged = self.is_free_lead_troel()
            && self.tricks_played == 0
            && self.contract?.declarers.iter().any(|seat| self.hands[seat].has(ace));
        obliged.then_some(ace)
    }

    /// Returns whether the seat has to play the ace of the suit led to the first trick. Flemish
    /// house rules ask it of a troel declarer.
    fn must_play_ace(&self) -> bool {
        self.is_free_lead_troel() && self.contract.is_some_and(|c| c.declarers.has(self.turn))
    }

    fn legal_first_lead(&self, hand: CardSet) -> CardSet {
        if self.is_free_lead_troel() {
            hand.iter().filter(|c| c.is_ace() || !hand.has(Card::ace(c.suit()))).collect()
        } else if self.is_troel() {
            self.key_card.map_or(hand, CardSet::single)
        } else {
            hand
        }
    }

    #[inline]
    pub(super) fn play(&mut self, card: Card) {
        let seat = self.turn;
        let Some(contract) = &mut self.contract else { return };
        if let Some(lead) = self.trick.lead() {
            if card.suit() != lead.suit() {
                self.voids[seat].insert(lead.suit());
            }
        } else if contract.kind == ContractKind::Troel && contract.trump.is_none() {
            contract.trump = Some(card.suit());
        }
        self.trick.push(seat, card, contract.trump);
        self.hands[seat].remove(card);
        self.played[seat].insert(card);
        if self.trick.len() < 4 {
            self.turn = seat.next();
        } else {
            self.end_trick();
        }
    }

    /// Returns the card that called the partner in a troel whose tricks depend on it. Everybody
    /// knows it once the contract tells that it was led; `None` before.
    pub(crate) fn led_key_card(&self) -> Option<Card> {
        let is_public = self.is_free_lead_troel() && self.tricks_played > 0;
        let contract = self.contract.filter(|_| is_public)?;
        let row = self.rules.row(contract.row);
        let led = || self.history().iter().find_map(|(_, action)| action?.as_card());
        (contract.goal == row.goal()).then(led).flatten()
    }

    fn end_trick(&mut self) {
        let depends_on_lead = self.tricks_played == 0 && self.is_free_lead_troel();
        let Some(contract) = &mut self.contract else { return };
        if depends_on_lead {
            contract.goal += u8::from(self.trick.lead() != self.key_card);
        }
        let contract = *contract;
        let winner = self.trick.winner;
        self.tricks[winner] += 1;
        self.tricks_played += 1;
        self.turn = winner;
        self.trick = Trick::led_by(winner);
        self.show_open_misere();
        let is_last = self.tricks_left(&contract) == 0;
        if is_last || (self.rules.spec.stop_when_decided && self.is_decided()) {
            self.phase = Phase::Done;
        }
    }

    /// Returns the tricks that are not finished yet.
    fn tricks_left(&self, contract: &Contract) -> u8 {
        self.rules.tricks_of_deal(contract.kind) - self.tricks_played
    }

    /// Returns whether no card still to be played can change the points of any seat. False before
    /// the play of the cards, and once the deal is over.
    pub fn is_decided(&self) -> bool {
        let contract = self.contract.filter(|_| self.phase == Phase::Play);
        contract.is_some_and(|contract| {
            let left = self.tricks_left(&contract);
            scoring::is_decided(self.rules, &contract, &self.tricks, left)
        })
    }

    pub(super) fn show_open_misere(&mut self) {
        if let Some(contract) = self.contract
            && contract.kind == ContractKind::OpenMisere
            && self.tricks_played == self.rules.spec.open_misere_shown_after
        {
            for seat in contract.declarers.iter() {
                self.shown[seat] = self.hands[seat] | self.played[seat];
            }
        }
    }
}
