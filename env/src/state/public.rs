//! The part of a state that everybody at the table knows.

use super::trick::Trick;
use crate::action::CallSet;
use crate::auction::Auction;
use crate::cards::{Card, CardSet, SuitSet};
use crate::contract::{Contract, ContractKind};
use crate::phase::Phase;
use crate::rules::RuleSet;
use crate::scoring;
use crate::seat::{BySeat, Seat};

/// Facts about a deal that everybody at the table knows.
///
/// They are rules, dealer, phase, auction, contract, cards played, tricks, turn and scores.
///
/// It does not hold hands, cards laid aside, the turn-up, the key card or the history. A seat may
/// know more of these than the others; its [`Observation`](crate::Observation) has them.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct PublicState {
    pub(crate) rules: &'static RuleSet,
    pub(crate) played: BySeat<CardSet>,
    /// Cards that everybody knows (or will see played) in a seat's hand.
    pub(crate) shown: BySeat<CardSet>,
    /// Cards that the dealer of a misère asked for, and was refused.
    pub(crate) refused: CardSet,
    /// The card that the dealer of a misère has asked for, until it is given or refused.
    pub(crate) asked_for: Option<Card>,
    /// Whether all seats see the turn-up.
    pub(crate) turn_up_open: bool,
    pub(crate) dealer: Seat,
    pub(crate) turn: Seat,
    pub(crate) phase: Phase,
    pub(crate) auction: Auction,
    /// Calls made by each seat.
    pub(crate) calls: BySeat<CallSet>,
    pub(crate) contract: Option<Contract>,
    pub(crate) trick: Trick,
    pub(crate) tricks: BySeat<u8>,
    pub(crate) tricks_played: u8,
    /// Suits that a seat has shown not to hold.
    pub(crate) voids: BySeat<SuitSet>,
}

impl PublicState {
    /// Returns the rule set.
    #[inline]
    pub fn rules(&self) -> &'static RuleSet {
        self.rules
    }

    /// Returns the dealer.
    #[inline]
    pub fn dealer(&self) -> Seat {
        self.dealer
    }

    /// Returns the seat to act. The value has no meaning once the deal is over.
    #[inline]
    pub fn turn(&self) -> Seat {
        self.turn
    }

    /// Returns the kind of action that is due.
    #[inline]
    pub fn phase(&self) -> Phase {
        self.phase
    }

    /// Returns the auction.
    #[inline]
    pub fn auction(&self) -> &Auction {
        &self.auction
    }

    /// Returns the calls made by each seat.
    #[inline]
    pub(crate) fn calls(&self) -> &BySeat<CallSet> {
        &self.calls
    }

    /// Returns the contract, once the auction is over.
    #[inline]
    pub fn contract(&self) -> Option<&Contract> {
        self.contract.as_ref()
    }

    /// Returns the current trick.
    #[inline]
    pub fn trick(&self) -> &Trick {
        &self.trick
    }

    /// Returns the number of tricks taken by each seat.
    #[inline]
    pub fn tricks(&self) -> &BySeat<u8> {
        &self.tricks
    }

    /// Returns the cards played by each seat, the current trick included.
    #[inline]
    pub fn played(&self) -> &BySeat<CardSet> {
        &self.played
    }

    /// Returns the suits that each seat has shown not to hold.
    #[inline]
    pub fn voids(&self) -> &BySeat<SuitSet> {
        &self.voids
    }

    /// Returns whether the deal is over.
    #[inline]
    pub fn is_done(&self) -> bool {
        self.phase == Phase::Done
    }

    /// Returns whether everybody passed.
    pub fn is_passed_out(&self) -> bool {
        self.phase == Phase::Done && self.contract.is_none()
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

    /// Returns the points of each seat; `None` before the end, zeros if the deal was passed out.
    pub fn scores(&self) -> Option<BySeat<i32>> {
        if self.phase != Phase::Done {
            return None;
        }
        Some(match &self.contract {
            Some(contract) => scoring::score(self.rules, contract, &self.tricks),
            None => BySeat([0; 4]),
        })
    }

    /// Returns the tricks that are not finished yet.
    pub(super) fn tricks_left(&self, contract: &Contract) -> u8 {
        self.rules.tricks_of_deal(contract.kind) - self.tricks_played
    }

    pub(super) fn is_troel(&self) -> bool {
        self.contract.is_some_and(|c| c.kind == ContractKind::Troel)
    }

    /// Returns whether the contract is a troel whose first lead is free. Otherwise a troel begins
    /// with the card that called the partner.
    pub(super) fn is_free_lead_troel(&self) -> bool {
        self.is_troel() && !self.rules.spec.troel_leads_key_card
    }

    /// Returns whether a seat has shown its whole hand, played cards included. A turn-up, a key
    /// card or an exchange shows fewer cards.
    ///
    /// In a replay from the record of one seat a hidden hand holds every card that it may have.
    /// There a hand that lies open shows more cards than were dealt to it.
    pub(crate) fn lies_open(&self, seat: Seat) -> bool {
        self.shown[seat].len() >= u32::from(self.rules.cards_per_hand())
    }
}

impl std::fmt::Debug for PublicState {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PublicState")
            .field("rules", &self.rules)
            .field("dealer", &self.dealer)
            .field("phase", &self.phase)
            .field("turn", &self.turn)
            .field("contract", &self.contract)
            .field("played", &self.played)
            .finish_non_exhaustive()
    }
}
