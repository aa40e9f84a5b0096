//! Observations: the knowledge of one seat.

mod borrowed;
mod information;

pub use borrowed::ObservationRef;

use crate::action::{Action, ActionSet};
use crate::cards::{Card, CardSet, Suit, SuitSet};
use crate::contract::{Contract, ContractKind};
use crate::hand::{sure_tricks, sure_tricks_without_trumps};
use crate::history::History;
use crate::phase::Phase;
use crate::seat::{BySeat, Seat, SeatSet};
use crate::state::{Exchange, PublicState, State};

/// Knowledge of one seat about a deal and its match: the only input of an agent.
///
/// [`Observation::public`] returns the facts that everybody knows. Other methods return what the
/// seat alone knows, and conclusions from both.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Observation {
    state: State,
    seat: Seat,
    totals: BySeat<i32>,
}

/// Full information from the point of view of one seat: for critics and oracles, never for agents.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct FullObservation {
    pub(crate) observation: Observation,
    pub(crate) hands: BySeat<CardSet>,
}

impl State {
    /// Returns the knowledge of `seat`. `totals` are the match points before the deal (zeros for a
    /// single deal).
    pub fn observe(&self, seat: Seat, totals: BySeat<i32>) -> Observation {
        Observation { state: self.as_seen_by(seat), seat, totals }
    }

    /// Returns full information, from the point of view of `seat`.
    pub fn observe_full(&self, seat: Seat, totals: BySeat<i32>) -> FullObservation {
        FullObservation { observation: self.observe(seat, totals), hands: self.hands }
    }

    pub(crate) fn as_seen_by(&self, seat: Seat) -> State {
        let mut seen = *self;
        for other in Seat::ALL {
            if other != seat {
                seen.hands[other] = self.public.shown[other] - self.public.played[other];
                if !self.laid_aside[other].is_empty() {
                    seen.laid_aside[other] = CardSet::EMPTY;
                }
            }
        }
        if seat != self.public.dealer && !self.public.turn_up_open {
            seen.turn_up = None;
        }
        if !self.knows_key_card(seat) {
            seen.key_card = None;
        }
        let laid_aside = self.laid_aside.iter().filter(|set| !set.is_empty()).count();
        if laid_aside > 0 {
            let end = self.actions_before_play();
            seen.history.hide(end - laid_aside..end, |other| other != seat);
        }
        seen
    }

    /// Returns whether the seat knows which card makes its holder the partner of the announcer.
    fn knows_key_card(&self, seat: Seat) -> bool {
        let Some(key) = self.key_card else { return true };
        let holds = (self.hands[seat] | self.public.played[seat]).has(key);
        // Shown by being led, which it is only where the announcement itself is played.
        let is_played = self.public.contract.is_some_and(|contract| contract.kind.is_announced());
        let shown = self.public.rules.spec.troel_leads_key_card && is_played;
        self.public.auction.announcer == Some(seat) || shown || holds && key.is_ace()
    }
}

impl Observation {
    /// Returns the observing seat.
    #[inline]
    pub fn seat(&self) -> Seat {
        self.seat
    }

    /// Returns what everybody at the table knows.
    #[inline]
    pub fn public(&self) -> &PublicState {
        &self.state.public
    }

    /// Returns the deal without its hidden cards. It is not a full state: most hands lack cards.
    #[inline]
    pub(crate) fn state(&self) -> &State {
        &self.state
    }

    /// Returns all actions so far. A card that another seat laid aside is hidden.
    #[inline]
    pub fn history(&self) -> &History {
        &self.state.history
    }

    /// Returns the number of actions before the first card was played. They are calls, exchanges
    /// and discards.
    pub fn actions_before_play(&self) -> usize {
        self.state.actions_before_play()
    }

    /// Returns the exchange of the turn-up, if one took place and the taker is known.
    pub fn exchanged(&self) -> Option<Exchange> {
        self.state.exchanged()
    }

    /// Returns the legal actions; empty unless it is the observer's turn.
    #[inline]
    pub fn legal_actions(&self) -> ActionSet {
        if self.state.turn() == self.seat { self.state.legal_actions() } else { ActionSet::EMPTY }
    }

    /// Returns the observation, borrowed.
    #[inline]
    pub fn as_ref(&self) -> ObservationRef<'_> {
        self.state.observe_ref(self.seat, &self.totals)
    }

    /// Returns the cards that the observer holds.
    #[inline]
    pub fn hand(&self) -> CardSet {
        self.state.hands[self.seat]
    }

    /// Returns the cards that the observer was dealt.
    pub fn dealt_hand(&self) -> CardSet {
        self.state.dealt_hands()[self.seat]
    }

    /// Returns the cards that a seat has played, the current trick included.
    #[inline]
    pub fn played(&self, seat: Seat) -> CardSet {
        self.public().played[seat]
    }

    /// Returns all cards played so far.
    #[inline]
    pub fn all_played(&self) -> CardSet {
        self.public().played.iter().copied().collect()
    }

    /// Returns the cards that another seat is known to hold; of the observer, its whole hand.
    #[inline]
    pub fn known(&self, seat: Seat) -> CardSet {
        self.state.hands[seat]
    }

    /// Returns the cards whose place the observer does not know. They are not its own, not played,
    /// not laid aside by it, and not known in another hand.
    #[inline]
    pub fn unseen(&self) -> CardSet {
        let known: CardSet = self.state.hands.iter().copied().collect();
        self.public().rules.deck() - self.all_played() - known - self.state.laid_aside[self.seat]
    }

    /// Returns the cards that the others may still play. They are the unseen ones and those known
    /// in their hands.
    #[inline]
    pub fn outstanding(&self) -> CardSet {
        self.as_ref().outstanding()
    }

    /// Returns the card that the observer laid aside before a small misère.
    pub fn laid_aside(&self) -> Option<Card> {
        self.state.laid_aside[self.seat].lowest()
    }

    /// Returns the other seats that declare a misère, have taken no trick yet and lie open. The
    /// observer sees the whole hand of such a seat.
    pub fn open_miseres(&self) -> SeatSet {
        let obs = self.as_ref();
        let Some(contract) = self.public().contract().filter(|contract| contract.kind.is_misere())
        else {
            return SeatSet::EMPTY;
        };
        let is_open = |&seat: &Seat| self.public().tricks()[seat] == 0 && obs.knows_hand(seat);
        contract.declarers.iter().filter(is_open).collect()
    }

    /// Returns whether the observer is on lead and is certain to take all remaining tricks.
    ///
    /// It is certain if no outstanding card beats a card of the hand, by rank or as a trump. Then
    /// neither the order in which the hand is played nor the place of the unseen cards matters. A
    /// hand that takes the rest only if it draws trumps first does not count.
    pub fn takes_the_rest(&self) -> bool {
        let public = self.public();
        let Some(contract) = public.contract.filter(|_| public.phase == Phase::Play) else {
            return false;
        };
        let is_master = |card| self.is_master(contract.trump, card);
        public.turn == self.seat
            && public.trick.is_empty()
            && self.hand().into_iter().all(is_master)
    }

    /// Returns whether no outstanding card can beat a card when it is led, by rank or as a trump.
    pub fn is_master(&self, trump: Option<Suit>, card: Card) -> bool {
        let outstanding = self.outstanding();
        let can_ruff = trump.is_some_and(|t| t != card.suit() && !outstanding.of(t).is_empty());
        outstanding.above(card).is_empty() && !can_ruff
    }

    /// Returns the suits that a seat has shown not to hold.
    #[inline]
    pub fn voids(&self, seat: Seat) -> SuitSet {
        self.public().voids[seat]
    }

    /// Returns the turned-up card, where the observer may see it.
    #[inline]
    pub fn turn_up(&self) -> Option<Card> {
        self.as_ref().turn_up()
    }

    /// Returns the card whose holder is the announcer's partner, where the observer knows it.
    pub fn key_card(&self) -> Option<Card> {
        self.state.key_card
    }

    /// Returns the card that called the partner, once the contract tells everybody that it was led.
    /// It does so under house rules in which a troel needs one trick more if it was not.
    pub fn led_key_card(&self) -> Option<Card> {
        self.state.led_key_card()
    }

    /// Returns the card that the dealer asks for, while its holder is to answer.
    pub fn asked_for(&self) -> Option<Card> {
        self.public().asked_for
    }

    /// Returns the contract that a call of the observer bids if nobody goes along with it.
    /// `None` if the call bids none. The trump of a solo slim is missing while the observer
    /// does not see the turn-up.
    pub fn lone_contract(&self, call: Action) -> Option<Contract> {
        let turn_up = self.turn_up().map(Card::suit);
        self.public().rules().lone_contract(call, self.seat, turn_up)
    }

    /// Returns whether the observer leads to the first trick if it declares this kind of contract.
    /// It does so as eldest hand, or because the declarer leads.
    pub fn leads_as_declarer(&self, kind: ContractKind) -> bool {
        kind.declarer_leads() || self.public().dealer().next() == self.seat
    }

    /// Returns the number of tricks that the observer is certain to take as a lone declarer. It is
    /// 0 if it does not lead to the first trick of the contract, or does not know the trumps yet.
    pub fn lone_sure_tricks(&self, contract: &Contract) -> u8 {
        if !self.leads_as_declarer(contract.kind) {
            return 0;
        }
        let deck = self.public().rules().deck();
        match contract.trump {
            Some(suit) => sure_tricks(self.hand(), deck, suit),
            // The turn-up, which decides its trumps, is hidden.
            None if contract.kind == ContractKind::SoloSlim => 0,
            None => sure_tricks_without_trumps(self.hand(), deck),
        }
    }

    /// Returns the calls that a seat has made.
    pub fn calls(&self, seat: Seat) -> ActionSet {
        ActionSet::from_calls(self.public().calls[seat])
    }

    /// Returns the match points before the deal.
    #[inline]
    pub fn totals(&self) -> &BySeat<i32> {
        &self.totals
    }
}

impl FullObservation {
    /// Returns the observation of the seat itself.
    pub fn observation(&self) -> &Observation {
        &self.observation
    }

    /// Returns the cards held by each seat.
    pub fn hands(&self) -> &BySeat<CardSet> {
        &self.hands
    }
}

impl std::fmt::Debug for Observation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Observation").field("seat", &self.seat).field("state", &self.state).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conformance::{Explorer, redeal};
    use crate::rng::{Purpose, Stream};
    use crate::rules::RuleSet;

    /// Plays on at random, and returns the tricks that the seat and the others take.
    fn play_on(mut state: State, seat: Seat, stream: &mut Stream) -> (u8, u8) {
        let before = *state.tricks();
        while let Some(action) = state.legal_actions().sample(stream) {
            state.apply_unchecked(action);
        }
        let taken = |s: Seat| state.tricks()[s] - before[s];
        let others = Seat::ALL.into_iter().filter(|&s| s != seat);
        (taken(seat), others.map(taken).sum())
    }

    /// Checks that a seat that takes the rest does so with any cards in the hidden hands. At the
    /// last lead, also checks that a seat that does not take the rest takes no trick.
    #[test]
    fn the_rest_is_taken_with_any_cards() {
        let mut stream = Stream::new(4, Purpose::Action, 0);
        let (mut sure, mut sure_early, mut lost) = (0, 0, 0);
        let mut redeals = 0;
        for rules in RuleSet::all_built_in() {
            for seed in 0..100 {
                let mut explorer = Explorer::new(rules, seed, 0);
                let mut state = explorer.deal(rules, seed, 0);
                while let Some(action) = explorer.choose(&state) {
                    let seat = state.turn();
                    let obs = state.observe(seat, BySeat::default());
                    let cards = obs.hand().len() as u8;
                    let laid_aside =
                        state.contract().is_some_and(|c| c.kind == ContractKind::SmallMisere);
                    let is_lead = state.phase() == Phase::Play && state.trick().is_empty();
                    if obs.takes_the_rest() {
                        assert!(is_lead);
                        for _ in 0..4 {
                            let other = redeal(&state, seat, &mut stream);
                            redeals += u32::from(other.is_some());
                            let other = other.unwrap_or(state);
                            let taken = play_on(other, seat, &mut stream);
                            assert_eq!(taken, (cards, 0), "{obs:?}");
                        }
                        sure += 1;
                        sure_early += u32::from(cards > 2);
                    } else if is_lead && cards == 1 && !laid_aside {
                        assert_eq!(play_on(state, seat, &mut stream), (0, 1), "{obs:?}");
                        lost += 1;
                    }
                    let others = Seat::ALL.into_iter().filter(|&s| s != seat);
                    for other in others {
                        assert!(!state.observe(other, BySeat::default()).takes_the_rest());
                    }
                    state.apply_unchecked(action);
                }
            }
        }
        assert!(sure > 100 && sure_early > 10 && lost > 100, "{sure} {sure_early} {lost}");
        assert!(redeals > 100, "only {redeals} states with other cards");
    }
}
