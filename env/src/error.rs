//! The error types of this crate.

use crate::action::Action;
use crate::cards::Card;
use crate::phase::Phase;
use crate::seat::Seat;

/// A rule file that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{origin}: {message}")]
pub struct RulesError {
    /// Name or path of the rule set.
    pub origin: String,
    /// One sentence that names the key.
    pub message: String,
}

/// An action that the rules do not allow.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum IllegalAction {
    /// Not among the legal actions.
    #[error("{action} is not legal here ({phase})")]
    NotLegal {
        /// The action tried.
        action: Action,
        /// The phase of the deal.
        phase: Phase,
    },
    /// The deal is over.
    #[error("the deal is over; no action can follow")]
    Finished,
}

/// A session that cannot begin, or a next deal that cannot be dealt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SessionError {
    /// The deal is still being played.
    #[error("the deal is not over: play it to the end before the next one")]
    DealNotOver,
    /// The last deal of the session has been played.
    #[error("the match is over: start a new one")]
    Over,
    /// The state to continue from follows another rule set than the source of deals.
    #[error("the state and the deals follow different rules")]
    OtherRules,
}

/// A deal, or the text of one, that is not valid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DealError {
    /// The text is not of the form `N:hand hand hand hand`.
    #[error("deal {0:?} is not of the form \"N:S.H.D.C S.H.D.C S.H.D.C S.H.D.C\"")]
    MalformedDeal(String),
    /// A hand has a character that is not a rank, or ranks out of order.
    #[error("hand {0:?} is not four suits S.H.D.C of ranks AKQJT98765432, highest first")]
    MalformedHand(String),
    /// The turn-up is not a card.
    #[error("turn_up {0:?} is not a card: write its rank and its suit, such as 7D")]
    UnreadableTurnUp(String),
    /// A card is dealt twice.
    #[error("card {0} is dealt twice")]
    DealtTwice(Card),
    /// A hand has the wrong number of cards.
    #[error("the hand of {seat} has {cards} cards instead of {wanted}")]
    HandSize {
        /// The seat.
        seat: Seat,
        /// Number of cards found.
        cards: u32,
        /// Number of cards of a hand.
        wanted: u32,
    },
    /// A card that the deck of the rule set does not have.
    #[error("card {card} is not in the deck of {rules}")]
    NotInDeck {
        /// The card.
        card: Card,
        /// Identifier of the rule set.
        rules: String,
    },
    /// A hand has a different number of cards than in the position.
    #[error("the hand of {seat} has {cards} cards; give as many as it holds in this position")]
    HandSizeInPosition {
        /// The seat.
        seat: Seat,
        /// Number of cards found.
        cards: u32,
    },
    /// A card is not among those still held.
    #[error("no seat holds card {0} in this position")]
    NotHeld(Card),
    /// A hand that must be known is unknown.
    #[error("the hand of {0} is unknown; a full record needs all four hands")]
    UnknownHand(Seat),
    /// The rule set turns up a card and the deal names none.
    #[error("turn_up is missing; {0} turns up the dealer's last card")]
    MissingTurnUp(String),
    /// The list of deals is empty.
    #[error("the list of deals is empty: add at least one")]
    NoDeals,
    /// The turned-up card is not the dealer's.
    #[error("turn_up {0} is not in the dealer's hand")]
    TurnUpNotDealers(Card),
}

/// A record that cannot be replayed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct RecordError {
    /// Description of the fault and its place.
    pub message: String,
    /// Index into `actions` of the invalid action, if an action is at fault.
    pub at: Option<usize>,
}

impl RecordError {
    /// Returns an error that belongs to no action.
    pub(crate) fn new(message: impl Into<String>) -> RecordError {
        RecordError { message: message.into(), at: None }
    }
}

impl From<DealError> for RecordError {
    fn from(error: DealError) -> RecordError {
        RecordError::new(error.to_string())
    }
}

/// A saved state or session that cannot be restored.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SaveError {
    /// The rule set is not built in, and is not written out in the file.
    #[error("{id:?} is not a built-in rule set, and the rules are not in the file")]
    UnknownRules {
        /// Identifier of the rule set.
        id: String,
    },
    /// The rule set is not the one that was saved.
    #[error("rule set {id} has hash {found} here and {hash:?} in the file: the rules differ")]
    OtherRules {
        /// Identifier of the rule set.
        id: String,
        /// The hash that the file names.
        hash: String,
        /// The hash of the rule set of that name.
        found: String,
    },
    /// The rules in the file are not valid.
    #[error(transparent)]
    Rules(#[from] RulesError),
    /// The deal, or an action of it, is not possible.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// A deal of the list is not valid.
    #[error(transparent)]
    Deal(#[from] DealError),
    /// Parts of the file contradict each other.
    #[error("{0}")]
    Contradiction(&'static str),
}

/// A step of a vectorised environment that was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum VecEnvError {
    /// A buffer has the wrong shape or layout.
    #[error("{name} must be a contiguous array of {wanted:?}")]
    Shape {
        /// Name of the buffer.
        name: &'static str,
        /// The shape it must have.
        wanted: Vec<usize>,
    },
    /// An action was not legal. No environment has stepped then.
    #[error("environment {index}: {error}")]
    Illegal {
        /// Index of the first environment at fault.
        index: usize,
        /// Description of the fault.
        error: IllegalAction,
    },
}
