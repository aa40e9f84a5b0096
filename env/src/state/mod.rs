//! The full state of a deal: all cards, the auction, the play.

mod actions;
mod play;
mod public;
mod saved;
mod start;
mod trick;

pub use public::PublicState;
pub use trick::Trick;

use crate::action::Action;
use crate::auction::{Auction, AuctionContext};
use crate::cards::{Card, CardSet, N_CARDS, Suit};
use crate::contract::{Contract, ContractKind};
use crate::deal::{Deal, disjoint_union};
use crate::error::DealError;
use crate::history::History;
use crate::phase::Phase;
use crate::rules::RuleSet;
use crate::seat::{BySeat, Seat};

/// The full state of a deal, small and `Copy`. Rule sets live for the whole program.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct State {
    pub(crate) public: PublicState,
    pub(crate) hands: BySeat<CardSet>,
    /// Cards that seats laid aside before a small misère.
    pub(crate) laid_aside: BySeat<CardSet>,
    pub(crate) turn_up: Option<Card>,
    /// The card whose holder becomes the partner of the announcer of trou or troel.
    pub(crate) key_card: Option<Card>,
    pub(crate) history: History,
}

/// Exchange between the dealer of a misère and another seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exchange {
    /// Seat that took the turn-up.
    pub taker: Seat,
    /// Turn-up, which the dealer gave away.
    pub turn_up: Card,
    /// Card that the dealer received for it.
    pub given: Card,
}

impl Exchange {
    /// Puts both cards back into the hands in which they were before the exchange.
    pub fn undo(&self, dealer: Seat, hands: &mut BySeat<CardSet>) {
        hands[self.taker].remove(self.turn_up);
        hands[self.taker].insert(self.given);
        hands[dealer].remove(self.given);
        hands[dealer].insert(self.turn_up);
    }
}

/// Returns the seat that announces trou or troel, and the card whose holder becomes the partner.
pub(crate) fn announcement(rules: &RuleSet, hands: &BySeat<CardSet>) -> Option<(Seat, Card)> {
    let row = rules.announced_row()?;
    let seat = Seat::ALL.into_iter().find(|&s| hands[s].aces().len() >= 3)?;
    let missing = CardSet::FULL.aces() - hands[seat].aces();
    match missing.lowest() {
        Some(ace) => Some((seat, ace)),
        // Four aces: no trou; of a troel, the highest heart that the announcer lacks decides.
        None if rules.row(row).kind == ContractKind::Trou => None,
        None => Some((seat, (Suit::Hearts.cards() - hands[seat]).highest()?)),
    }
}

impl State {
    /// Returns the state after dealing. The deal must have passed [`Deal::check`].
    pub fn new(rules: &'static RuleSet, deal: &Deal) -> State {
        State::with_announcement(rules, deal, announcement(rules, &deal.hands))
    }

    /// Returns the state after dealing, given the announcer of trou or troel and the key card.
    pub(crate) fn with_announcement(
        rules: &'static RuleSet,
        deal: &Deal,
        announced: Option<(Seat, Card)>,
    ) -> State {
        let eldest = deal.dealer.next();
        let turn_up_open =
            rules.has_turn_up() && (rules.spec.turn_up_always_shown || announced.is_none());
        let mut shown = BySeat::default();
        if let (true, Some(card)) = (turn_up_open, deal.turn_up) {
            shown[deal.dealer] = CardSet::single(card);
        }
        let public = PublicState {
            rules,
            played: BySeat::default(),
            shown,
            refused: CardSet::EMPTY,
            asked_for: None,
            turn_up_open,
            dealer: deal.dealer,
            turn: eldest,
            phase: Phase::Auction,
            auction: Auction::new(rules, announced.map(|(seat, _)| seat)),
            calls: BySeat::default(),
            contract: None,
            trick: Trick::led_by(eldest),
            tricks: BySeat::default(),
            tricks_played: 0,
            voids: BySeat::default(),
        };
        State {
            public,
            hands: deal.hands,
            laid_aside: BySeat::default(),
            turn_up: deal.turn_up.filter(|_| rules.has_turn_up()),
            key_card: announced.map(|(_, card)| card),
            history: History::default(),
        }
    }

    /// Returns the original deal. The cards that were played, laid aside or exchanged are back in
    /// the hands. Replaying the history from it gives the state again, unless the state came from
    /// [`State::with_hands`] with hands that do not fit the history.
    pub fn deal(&self) -> Deal {
        Deal { dealer: self.public.dealer, hands: self.dealt_hands(), turn_up: self.turn_up }
    }

    /// Returns the hands as they were dealt. In a state as one seat sees it, they hold only their
    /// known cards.
    pub(crate) fn dealt_hands(&self) -> BySeat<CardSet> {
        let mut hands =
            BySeat::from_fn(|s| self.hands[s] | self.public.played[s] | self.laid_aside[s]);
        if let Some(exchange) = self.exchanged() {
            exchange.undo(self.public.dealer, &mut hands);
        }
        hands
    }

    /// Returns the cards that the dealer has asked for in an exchange, in order.
    pub(crate) fn asked_cards(&self) -> impl Iterator<Item = Card> + '_ {
        // Only a misère has an exchange, and then only the dealer names cards before the play.
        let exchanges = self.public.rules.spec.exchange
            && self.public.contract.is_some_and(|c| c.kind == ContractKind::Misere);
        let before = if exchanges { self.actions_before_play() } else { 0 };
        self.history.iter().take(before).filter_map(|(_, action)| action?.as_card())
    }

    /// Returns the exchange of the turn-up, if one took place and the taker is known.
    pub fn exchanged(&self) -> Option<Exchange> {
        let given = self.asked_cards().last()?;
        let turn_up = self.turn_up?;
        let has = |s: &Seat| (self.hands[*s] | self.public.played[*s]).has(turn_up);
        let taker = Seat::ALL.into_iter().filter(|&s| s != self.public.dealer).find(has)?;
        Some(Exchange { taker, turn_up, given })
    }

    fn auction_context(&self) -> AuctionContext<'static> {
        let suit = self.turn_up.filter(|_| self.public.turn_up_open).map(Card::suit);
        AuctionContext {
            rules: self.public.rules,
            eldest: self.public.dealer.next(),
            turn_up: suit,
        }
    }

    /// Returns the points of each seat; `None` before the end, zeros if the deal was passed out.
    pub fn scores(&self) -> Option<BySeat<i32>> {
        self.public.scores()
    }

    /// Returns the same position and history with other cards in the hands. The caller must make
    /// sure that the new hands could have led to that history (suits shown not to be held, aces
    /// announced).
    ///
    /// # Errors
    /// A hand has another number of cards, or the hands do not hold the same cards in total.
    pub fn with_hands(&self, hands: BySeat<CardSet>) -> Result<State, DealError> {
        let cards = disjoint_union(hands.0)?;
        for seat in Seat::ALL {
            if hands[seat].len() != self.hands[seat].len() {
                return Err(DealError::HandSizeInPosition { seat, cards: hands[seat].len() });
            }
        }
        let held: CardSet = self.hands.iter().copied().collect();
        match (cards - held).lowest() {
            Some(card) => Err(DealError::NotHeld(card)),
            None => Ok(State { hands, ..*self }),
        }
    }

    /// Returns the part that everybody at the table knows.
    #[inline]
    pub fn public(&self) -> &PublicState {
        &self.public
    }

    /// Returns whether the deal is over.
    #[inline]
    pub fn is_done(&self) -> bool {
        self.public.is_done()
    }

    /// Returns whether everybody passed.
    pub fn is_passed_out(&self) -> bool {
        self.public.is_passed_out()
    }

    /// Returns the rule set.
    #[inline]
    pub fn rules(&self) -> &'static RuleSet {
        self.public.rules
    }

    /// Returns the seat to act. The value has no meaning once the deal is over.
    #[inline]
    pub fn turn(&self) -> Seat {
        self.public.turn
    }

    /// Returns the kind of action that is due.
    #[inline]
    pub fn phase(&self) -> Phase {
        self.public.phase
    }

    /// Returns the dealer.
    #[inline]
    pub fn dealer(&self) -> Seat {
        self.public.dealer
    }

    /// Returns the contract, once the auction is over.
    #[inline]
    pub fn contract(&self) -> Option<&Contract> {
        self.public.contract.as_ref()
    }

    /// Returns the tricks taken by each seat.
    #[inline]
    pub fn tricks(&self) -> &BySeat<u8> {
        &self.public.tricks
    }

    /// Returns the cards still held by each seat.
    #[inline]
    pub fn hands(&self) -> &BySeat<CardSet> {
        &self.hands
    }

    /// Returns the cards played by each seat.
    #[inline]
    pub fn played(&self) -> &BySeat<CardSet> {
        &self.public.played
    }

    /// Returns the current trick.
    #[inline]
    pub fn trick(&self) -> &Trick {
        &self.public.trick
    }

    /// Returns all actions so far.
    pub fn history(&self) -> &History {
        &self.history
    }

    /// Replays the deal: returns the state before each action, its seat, and the action.
    pub fn steps(&self) -> impl Iterator<Item = (State, Seat, Action)> + '_ {
        let mut next = State::new(self.public.rules, &self.deal());
        self.history.iter().map_while(move |(seat, action)| {
            let (before, action) = (next, action?);
            next.apply_unchecked(action);
            Some((before, seat, action))
        })
    }

    /// Returns the number of actions before the first card was played. They are calls, exchanges
    /// and discards.
    pub fn actions_before_play(&self) -> usize {
        let played: u32 = self.public.played.iter().map(|cards| cards.len()).sum();
        self.history.len() - played as usize
    }

    /// Returns the auction.
    pub fn auction(&self) -> &Auction {
        &self.public.auction
    }

    /// Returns the 52 cards in the order in which they are gathered after the deal. Tricks come in
    /// the order won, each card in the order played. Cards laid aside, or the hands of a passed-out
    /// deal, come in dealing order.
    pub fn gathered(&self) -> [Card; N_CARDS] {
        let mut deck = [Card::ace(Suit::Spades); N_CARDS];
        let before = self.actions_before_play();
        let cards = self.history.iter().skip(before).filter_map(|(_, action)| action?.as_card());
        let mut n = 0;
        for card in cards {
            deck[n] = card;
            n += 1;
        }
        for step in 1..=4 {
            let seat = self.public.dealer.plus(step);
            for card in self.hands[seat] | self.laid_aside[seat] {
                deck[n] = card;
                n += 1;
            }
        }
        deck
    }
}

impl std::fmt::Debug for State {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("State")
            .field("rules", &self.public.rules)
            .field("hands", &self.hands)
            .field("phase", &self.public.phase)
            .field("turn", &self.public.turn)
            .field("history", &self.history)
            .finish_non_exhaustive()
    }
}
