//! The part of a state that every seat knows.

use crate::action::CallSet;
use crate::auction::Auction;
use crate::cards::{CardSet, SuitSet};
use crate::contract::Contract;
use crate::phase::Phase;
use crate::rules::RuleSet;
use crate::seat::{BySeat, Seat};
use crate::state::{State, Trick};

/// A state of which only public facts can be read. It has no accessor for hands, cards laid aside,
/// a turn-up that may be hidden, or the key card.
#[derive(Clone, Copy)]
pub(crate) struct PublicState<'a>(&'a State);

impl<'a> PublicState<'a> {
    #[inline]
    pub fn of(state: &'a State) -> PublicState<'a> {
        PublicState(state)
    }

    #[inline]
    pub fn rules(self) -> &'static RuleSet {
        self.0.rules
    }

    #[inline]
    pub fn dealer(self) -> Seat {
        self.0.dealer
    }

    #[inline]
    pub fn phase(self) -> Phase {
        self.0.phase
    }

    #[inline]
    pub fn auction(self) -> &'a Auction {
        &self.0.auction
    }

    /// Returns the calls made by each seat.
    #[inline]
    pub fn calls(self) -> &'a BySeat<CallSet> {
        &self.0.calls
    }

    #[inline]
    pub fn contract(self) -> Option<&'a Contract> {
        self.0.contract.as_ref()
    }

    #[inline]
    pub fn trick(self) -> &'a Trick {
        &self.0.trick
    }

    /// Returns the number of tricks taken by each seat.
    #[inline]
    pub fn tricks(self) -> &'a BySeat<u8> {
        &self.0.tricks
    }

    /// Returns the cards played by each seat, the current trick included.
    #[inline]
    pub fn played(self) -> &'a BySeat<CardSet> {
        &self.0.played
    }

    /// Returns the suits that each seat has shown not to hold.
    #[inline]
    pub fn voids(self) -> &'a BySeat<SuitSet> {
        &self.0.voids
    }
}
