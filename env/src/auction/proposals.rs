//! The calls of the Luxembourg family, where any suit may be proposed.

use super::progress::{Auction, AuctionContext, BIG, MISERES, SOLOS, Standing, Status, suit_calls};
use crate::action::{Action, call_bit};
use crate::cards::{CardSet, Suit};
use crate::seat::Seat;

impl Auction {
    pub(super) fn legal_proposals(
        &self,
        context: AuctionContext<'_>,
        seat: Seat,
        hand: CardSet,
    ) -> u128 {
        let spec = &context.rules.spec;
        let above = context.rules.outranking(None, self.highest_rank);
        let status = self.status[seat];
        let miseres = above & MISERES | self.joinable(context);
        match status {
            Status::Partner => {
                return call_bit(Action::PASS) | above & suit_calls(self.suit[seat]);
            }
            Status::Waiting => {
                return call_bit(Action::PASS) | self.go_along(context, seat, hand, above);
            }
            Status::Released => return call_bit(Action::PASS) | above & SOLOS | miseres,
            _ => {}
        }
        let mut calls = self.pass_or_keep(seat) | miseres;
        if status == Status::Fresh && seat == context.eldest && self.highest_rank == 0 {
            calls |= call_bit(Action::WAIT);
        }
        let proposals = self.proposals(context, seat, above);
        calls |= proposals | self.go_along(context, seat, hand, above);
        let solo_allowed = !spec.solo_needs_proposal
            || proposals == 0
            || status == Status::Proposed
            || self.bid_alone.has(seat);
        if solo_allowed {
            calls |= above & SOLOS;
        }
        if status == Status::Fresh || self.big_first.has(seat) {
            calls |= above & BIG;
        }
        if spec.stay
            && status == Status::Proposed
            && self.has_possible_partner(seat, self.suit[seat])
        {
            calls |= call_bit(Action::STAY);
        }
        calls
    }

    /// Proposals open to a seat that has not spoken or holds an unanswered one.
    fn proposals(&self, context: AuctionContext<'_>, seat: Seat, above: u128) -> u128 {
        let status = self.status[seat];
        if !matches!(status, Status::Fresh | Status::Proposed)
            || context.rules.spec.misere_ends_proposals && self.misere_called
            || matches!(self.standing_call, Standing::Announced) && self.standing.has(seat)
        {
            return 0;
        }
        let mut calls = 0;
        for suit in Suit::ALL {
            let levels = above & suit_calls(suit);
            if levels != 0
                && (status == Status::Fresh || suit > self.suit[seat])
                && self.open_proposer(seat, suit).is_none()
                && self.has_possible_partner(seat, suit)
            {
                calls |= levels & levels.wrapping_neg();
            }
        }
        calls
    }

    /// Whether some other seat might still go along with the seat's proposal of this suit.
    fn has_possible_partner(&self, seat: Seat, suit: Suit) -> bool {
        Seat::ALL.into_iter().any(|other| {
            other != seat
                && match self.status[other] {
                    Status::Fresh | Status::Waiting => true,
                    Status::Proposed => self.suit[other] < suit,
                    _ => false,
                }
        })
    }

    /// Going along with the live proposals of others.
    fn go_along(
        &self,
        context: AuctionContext<'_>,
        seat: Seat,
        hand: CardSet,
        above: u128,
    ) -> u128 {
        let status = self.status[seat];
        if !matches!(status, Status::Fresh | Status::Waiting | Status::Proposed) {
            return 0;
        }
        let mut calls = 0;
        for other in Seat::ALL {
            let suit = self.suit[other];
            if other == seat
                || !matches!(self.status[other], Status::Proposed | Status::Stayed)
                || hand.of(suit).is_empty()
                || status == Status::Proposed && self.suit[seat] >= suit
            {
                continue;
            }
            calls |= above & suit_calls(suit);
            if self.proposal[other] == self.highest_rank {
                // At the proposal's own level: the suit call with just this rank.
                let at_or_above = context.rules.outranking(None, self.highest_rank - 1);
                calls |= at_or_above & !above & suit_calls(suit);
            }
        }
        calls
    }
}
