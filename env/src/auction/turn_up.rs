//! The calls of the Flemish family, where only the suit of the turned-up card may be asked for.

use super::progress::{ABONDANCES_AND_SLAMS, Auction, AuctionContext, NEGATIVES, SOLOS, Status};
use crate::action::{Action, CallSet};
use crate::cards::Suit;
use crate::rules::CallRank;
use crate::seat::Seat;

/// `solo-5` in all suits.
const SOLO_5: CallSet = CallSet::single(Action::solo(5, Suit::Spades))
    .union(CallSet::single(Action::solo(5, Suit::Clubs)))
    .union(CallSet::single(Action::solo(5, Suit::Diamonds)))
    .union(CallSet::single(Action::solo(5, Suit::Hearts)));

impl Auction {
    pub(super) fn legal_turn_up(&self, context: AuctionContext<'_>, seat: Seat) -> CallSet {
        let above = context.rules.outranking(context.turn_up, self.highest_rank);
        let contracts = (SOLOS - SOLO_5)
            | ABONDANCES_AND_SLAMS
            | NEGATIVES
            | CallSet::single(Action::SOLO_SLIM);
        let mut calls = self.pass_or_keep(seat) | above & contracts | self.joinable(context);
        let Some(suit) = context.turn_up else { return calls };
        match self.status[seat] {
            Status::Fresh if self.highest_rank == CallRank::NONE => {
                calls |= above & CallSet::suit_calls(suit)
            }
            // Only one ask is ever made; it is open while nothing outranks it.
            Status::Fresh if self.ask_is_open(seat, suit) => {
                calls |= CallSet::single(Action::suit_call(8, suit));
            }
            Status::Proposed if self.proposal_rank[seat] == self.highest_rank => {
                calls |= above & SOLO_5
            }
            _ => {}
        }
        calls
    }

    fn ask_is_open(&self, seat: Seat, suit: Suit) -> bool {
        self.open_proposer(seat, suit)
            .is_some_and(|asker| self.proposal_rank[asker] == self.highest_rank)
    }
}
