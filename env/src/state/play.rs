//! The play of the cards.

use super::State;
use super::trick::Trick;
use crate::cards::{Card, CardSet};
use crate::contract::ContractKind;
use crate::phase::Phase;

impl State {
    #[inline]
    pub(super) fn legal_cards(&self, hand: CardSet) -> CardSet {
        match self.public.trick.lead() {
            Some(lead) => {
                let follow = hand.of(lead.suit());
                if follow.is_empty() {
                    hand
                } else if self.public.tricks_played == 0
                    && self.must_play_ace()
                    && !follow.aces().is_empty()
                {
                    follow.aces()
                } else {
                    follow
                }
            }
            None if self.public.tricks_played == 0 => self.legal_first_lead(hand),
            None => hand,
        }
    }

    /// Returns the card that its holder has to play to the current trick. In a Flemish troel by
    /// house rules, it is the ace of the suit led to the first trick, while a declarer still holds
    /// it.
    pub fn obligatory_card(&self) -> Option<Card> {
        let ace = Card::ace(self.public.trick.lead()?.suit());
        let obliged = self.public.is_free_lead_troel()
            && self.public.tricks_played == 0
            && self.public.contract?.declarers.iter().any(|seat| self.hands[seat].has(ace));
        obliged.then_some(ace)
    }

    /// Returns whether the seat has to play the ace of the suit led to the first trick. Flemish
    /// house rules ask it of a troel declarer.
    fn must_play_ace(&self) -> bool {
        self.public.is_free_lead_troel()
            && self.public.contract.is_some_and(|c| c.declarers.has(self.public.turn))
    }

    fn legal_first_lead(&self, hand: CardSet) -> CardSet {
        if self.public.is_free_lead_troel() {
            hand.iter().filter(|c| c.is_ace() || !hand.has(Card::ace(c.suit()))).collect()
        } else if self.public.is_troel() {
            self.key_card.map_or(hand, CardSet::single)
        } else {
            hand
        }
    }

    #[inline]
    pub(super) fn play(&mut self, card: Card) {
        let seat = self.public.turn;
        let Some(contract) = &mut self.public.contract else { return };
        if let Some(lead) = self.public.trick.lead() {
            if card.suit() != lead.suit() {
                self.public.voids[seat].insert(lead.suit());
            }
        } else if contract.kind == ContractKind::Troel && contract.trump.is_none() {
            contract.trump = Some(card.suit());
        }
        self.public.trick.push(seat, card, contract.trump);
        self.hands[seat].remove(card);
        self.public.played[seat].insert(card);
        if self.public.trick.len() < 4 {
            self.public.turn = seat.next();
        } else {
            self.end_trick();
        }
    }

    /// Returns the card that called the partner in a troel whose tricks depend on it. Everybody
    /// knows it once the contract tells that it was led; `None` before.
    pub(crate) fn led_key_card(&self) -> Option<Card> {
        let is_public = self.public.is_free_lead_troel() && self.public.tricks_played > 0;
        let contract = self.public.contract.filter(|_| is_public)?;
        let row = self.public.rules.row(contract.row);
        let led = || self.history().iter().find_map(|(_, action)| action?.as_card());
        (contract.goal == row.goal()).then(led).flatten()
    }

    fn end_trick(&mut self) {
        let depends_on_lead = self.public.tricks_played == 0 && self.public.is_free_lead_troel();
        let Some(contract) = &mut self.public.contract else { return };
        if depends_on_lead {
            contract.goal += u8::from(self.public.trick.lead() != self.key_card);
        }
        let contract = *contract;
        let winner = self.public.trick.winner;
        self.public.tricks[winner] += 1;
        self.public.tricks_played += 1;
        self.public.turn = winner;
        self.public.trick = Trick::led_by(winner);
        self.show_open_misere();
        let is_last = self.public.tricks_left(&contract) == 0;
        if is_last || (self.public.rules.spec.stop_when_decided && self.is_decided()) {
            self.public.phase = Phase::Done;
        }
    }

    /// Returns whether no card still to be played can change the points of any seat. False before
    /// the play of the cards, and once the deal is over.
    pub fn is_decided(&self) -> bool {
        self.public.is_decided()
    }

    pub(super) fn show_open_misere(&mut self) {
        if let Some(contract) = self.public.contract
            && contract.kind == ContractKind::OpenMisere
            && self.public.tricks_played == self.public.rules.spec.open_misere_shown_after
        {
            for seat in contract.declarers.iter() {
                self.public.shown[seat] = self.hands[seat] | self.public.played[seat];
            }
        }
    }
}
