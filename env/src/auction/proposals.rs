//! The calls of the Luxembourg family, where any suit may be proposed.

use super::progress::{
    ABONDANCES_AND_SLAMS, Auction, AuctionContext, NEGATIVES, SOLOS, StandingContract, Status,
};
use crate::action::{Action, CallSet};
use crate::cards::{CardSet, Suit};
use crate::rules::CallRank;
use crate::seat::Seat;

impl Auction {
    pub(super) fn legal_proposals(
        &self,
        context: AuctionContext<'_>,
        seat: Seat,
        hand: CardSet,
    ) -> CallSet {
        let spec = &context.rules.spec;
        let above = context.rules.outranking(None, self.highest_rank);
        let status = self.status[seat];
        let miseres = above & NEGATIVES | self.joinable(context);
        match status {
            Status::Partner => {
                return CallSet::single(Action::PASS)
                    | above & CallSet::suit_calls(self.suit[seat]);
            }
            Status::Waiting => {
                return CallSet::single(Action::PASS) | self.go_along(context, seat, hand, above);
            }
            Status::Released => return CallSet::single(Action::PASS) | above & SOLOS | miseres,
            _ => {}
        }
        let mut calls = self.pass_or_keep(seat) | miseres;
        if status == Status::Fresh && seat == context.eldest && self.highest_rank == CallRank::NONE
        {
            calls |= CallSet::single(Action::WAIT);
        }
        let proposals = self.proposals(context, seat, above);
        calls |= proposals | self.go_along(context, seat, hand, above);
        let solo_allowed = !spec.solo_needs_proposal
            || proposals.is_empty()
            || status == Status::Proposed
            || self.lone_bidders.has(seat);
        if solo_allowed {
            calls |= above & SOLOS;
        }
        if status == Status::Fresh || self.abondance_or_slam_first.has(seat) {
            calls |= above & ABONDANCES_AND_SLAMS;
        }
        if spec.stay
            && status == Status::Proposed
            && self.has_possible_partner(seat, self.suit[seat])
        {
            calls |= CallSet::single(Action::STAY);
        }
        calls
    }

    /// Returns the proposals of a seat that has not spoken or holds an unanswered proposal.
    fn proposals(&self, context: AuctionContext<'_>, seat: Seat, above: CallSet) -> CallSet {
        let status = self.status[seat];
        if !matches!(status, Status::Fresh | Status::Proposed)
            || context.rules.spec.misere_ends_proposals && self.negative_called
            || matches!(self.standing_contract, StandingContract::Announced)
                && self.standing_seats.has(seat)
        {
            return CallSet::EMPTY;
        }
        let mut calls = CallSet::EMPTY;
        for suit in Suit::ALL {
            let levels = above & CallSet::suit_calls(suit);
            if !levels.is_empty()
                && (status == Status::Fresh || suit > self.suit[seat])
                && self.open_proposer(seat, suit).is_none()
                && self.has_possible_partner(seat, suit)
            {
                calls |= levels.lowest_bit();
            }
        }
        calls
    }

    /// Returns whether another seat might still go along with the seat's proposal of this suit.
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

    /// Returns the calls that go along with live proposals of others.
    fn go_along(
        &self,
        context: AuctionContext<'_>,
        seat: Seat,
        hand: CardSet,
        above: CallSet,
    ) -> CallSet {
        let status = self.status[seat];
        if !matches!(status, Status::Fresh | Status::Waiting | Status::Proposed) {
            return CallSet::EMPTY;
        }
        let mut calls = CallSet::EMPTY;
        for other in Seat::ALL {
            let suit = self.suit[other];
            if other == seat
                || !matches!(self.status[other], Status::Proposed | Status::Stayed)
                || hand.of(suit).is_empty()
                || status == Status::Proposed && self.suit[seat] >= suit
            {
                continue;
            }
            calls |= above & CallSet::suit_calls(suit);
            if self.proposal_rank[other] == self.highest_rank {
                // At the proposal's own level: the suit call with just this rank.
                let at_or_above = context.rules.outranking(None, self.highest_rank.lower());
                calls |= (at_or_above - above) & CallSet::suit_calls(suit);
            }
        }
        calls
    }
}
