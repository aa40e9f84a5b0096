//! Visible contents of a table, independent of the renderer.

use crate::action::Action;
use crate::cards::{Card, CardSet, Suit};
use crate::contract::Contract;
use crate::observation::Observation;
use crate::phase::Phase;
use crate::seat::{BySeat, Seat};
use crate::state::State;

/// The cards of a seat, as far as they are seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hand {
    /// Cards that are seen.
    pub cards: CardSet,
    /// Number of cards that are not seen.
    pub hidden: u32,
}

/// Contents of a picture of a deal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scene {
    /// Name of the rule set.
    pub rules: String,
    /// The seat at the bottom of the picture.
    pub bottom: Seat,
    /// The dealer.
    pub dealer: Seat,
    /// The seat to act; `None` once the deal is over.
    pub turn: Option<Seat>,
    /// Kind of action that is due.
    pub phase: Phase,
    /// The hands.
    pub hands: BySeat<Hand>,
    /// The turned-up card, where it is seen.
    pub turn_up: Option<Card>,
    /// The card of each seat on the table.
    pub trick: BySeat<Option<Card>>,
    /// Tricks taken.
    pub tricks: BySeat<u8>,
    /// All calls (and other actions that are not cards) so far.
    pub calls: Vec<(Seat, Action)>,
    /// The seat that announced trou or troel.
    pub announcer: Option<Seat>,
    /// The contract, once the auction is over.
    pub contract: Option<Contract>,
    /// Points of the deal, once it is over.
    pub scores: Option<BySeat<i32>>,
    /// Match points before the deal.
    pub totals: BySeat<i32>,
}

impl Scene {
    /// Returns a deal with all hands open, South at the bottom. `totals` are the match points
    /// before the deal.
    pub fn from_state(state: &State, totals: BySeat<i32>) -> Scene {
        let hands = BySeat::from_fn(|s| Hand { cards: state.hands()[s], hidden: 0 });
        Scene::new(state, hands, Seat::South, totals)
    }

    /// Returns a deal as one seat sees it, that seat at the bottom.
    pub fn from_observation(obs: &Observation) -> Scene {
        let (state, me) = (obs.state(), obs.seat());
        let hands = BySeat::from_fn(|s| {
            let cards = if s == me { obs.hand() } else { obs.known(s) };
            let aside = state.history().iter().any(|(actor, a)| actor == s && a.is_none());
            let hand_size = u32::from(state.rules().cards_per_hand());
            let held = hand_size - obs.played(s).len() - u32::from(aside);
            Hand { cards, hidden: if s == me { 0 } else { held - cards.len() } }
        });
        Scene::new(state, hands, me, *obs.totals())
    }

    fn new(state: &State, hands: BySeat<Hand>, bottom: Seat, totals: BySeat<i32>) -> Scene {
        let mut trick = BySeat::default();
        state.trick().cards().for_each(|(seat, card)| trick[seat] = Some(card));
        let calls = state.history().iter().filter_map(|(seat, action)| {
            action.filter(|action| action.as_card().is_none()).map(|action| (seat, action))
        });
        Scene {
            rules: state.rules().id().to_string(),
            bottom,
            dealer: state.dealer(),
            turn: (!state.is_done()).then(|| state.turn()),
            phase: state.phase(),
            hands,
            turn_up: state.turn_up,
            trick,
            tricks: *state.tricks(),
            calls: calls.collect(),
            announcer: state.auction().announcer(),
            contract: state.contract().copied(),
            scores: state.scores(),
            totals,
        }
    }

    /// Returns the kind of action that is due, in words.
    pub(super) fn headline(&self) -> String {
        let due = match self.phase {
            Phase::Auction => "to call",
            Phase::Trump => "to name trumps",
            Phase::Discard => "to lay a card aside",
            Phase::Exchange => "to ask for a card",
            Phase::Answer => "to give or refuse",
            Phase::Play => "to play",
            Phase::Done => "",
        };
        match self.turn {
            Some(seat) => format!("{}: {seat:?} {due}", self.rules),
            None if self.contract.is_none() => format!("{}: passed out", self.rules),
            None => format!("{}: the deal is over", self.rules),
        }
    }

    /// Returns the contract, or the announcement, in words.
    pub(super) fn contract_line(&self) -> String {
        let Some(contract) = &self.contract else {
            return match self.announcer {
                Some(seat) => format!("{seat:?} has announced on aces"),
                None => "no contract yet".to_string(),
            };
        };
        let trump = contract.trump.map_or(String::new(), |suit| format!(" in {}", name(suit)));
        let seats: Vec<String> = contract.declarers.iter().map(|s| format!("{s:?}")).collect();
        format!("{}{trump} by {}", contract.label(), seats.join(" and "))
    }

    /// Returns the last call of a seat.
    pub(super) fn last_call(&self, seat: Seat) -> Option<Action> {
        self.calls.iter().rev().find(|(s, _)| *s == seat).map(|(_, action)| *action)
    }
}

fn name(suit: Suit) -> &'static str {
    ["spades", "clubs", "diamonds", "hearts"][suit.index()]
}

/// Returns the cards of a hand in display order: by suit, high cards first; black and red in turn.
pub(super) fn in_order(cards: CardSet) -> Vec<Card> {
    let suits = [Suit::Spades, Suit::Hearts, Suit::Clubs, Suit::Diamonds];
    let mut ordered = Vec::with_capacity(cards.len() as usize);
    for suit in suits {
        let mut of_suit: Vec<Card> = cards.of(suit).iter().collect();
        of_suit.reverse();
        ordered.append(&mut of_suit);
    }
    ordered
}
