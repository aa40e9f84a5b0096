//! The auction. Its two families, proposals (Luxembourg) and turn-up (Flanders), have one
//! interface.

mod progress;
mod proposals;
mod turn_up;

pub(crate) use progress::AuctionContext;
pub use progress::{Auction, StandingContract, Status};

use crate::action::ActionSet;
use crate::cards::CardSet;
use crate::rules::Family;
use crate::seat::Seat;

impl Auction {
    /// Returns the legal calls of `seat`, whose turn it is.
    #[inline]
    pub(crate) fn legal(
        &self,
        context: AuctionContext<'_>,
        seat: Seat,
        hand: CardSet,
    ) -> ActionSet {
        ActionSet::from_calls(match context.rules.spec.family {
            Family::Proposals => self.legal_proposals(context, seat, hand),
            Family::TurnUp => self.legal_turn_up(context, seat),
        })
    }
}
