//! Classes of opening leads.

use troel_env::cards::rank;
use troel_env::{Phase, State};

/// Class of an opening lead: the first that fits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeadClass {
    /// A trump.
    Trump,
    /// An ace of another suit.
    Ace,
    /// The only card of another suit.
    Singleton,
    /// A king, queen or jack of another suit.
    Honour,
    /// A lower card of another suit.
    Low,
}

impl LeadClass {
    /// All classes.
    pub const ALL: [LeadClass; 5] =
        [LeadClass::Trump, LeadClass::Ace, LeadClass::Singleton, LeadClass::Honour, LeadClass::Low];

    /// Returns the name: `trump`, `ace`, `singleton`, `honour` or `low`.
    pub const fn name(self) -> &'static str {
        match self {
            LeadClass::Trump => "trump",
            LeadClass::Ace => "ace",
            LeadClass::Singleton => "singleton",
            LeadClass::Honour => "honour",
            LeadClass::Low => "low",
        }
    }

    /// Returns the class of the opening lead of a trick contract. `None` for other contracts, and
    /// if no card was played.
    pub(super) fn of_deal(state: &State) -> Option<LeadClass> {
        let contract = state.contract()?;
        if contract.kind.is_negative() {
            return None;
        }
        let (before, seat, action) = state.steps().find(|step| step.0.phase() == Phase::Play)?;
        let card = action.as_card()?;
        let alone = before.hands()[seat].of(card.suit()).len() == 1;
        Some(match card.rank() {
            _ if contract.trump == Some(card.suit()) => LeadClass::Trump,
            rank::ACE => LeadClass::Ace,
            _ if alone => LeadClass::Singleton,
            rank::JACK..=rank::KING => LeadClass::Honour,
            _ => LeadClass::Low,
        })
    }
}
