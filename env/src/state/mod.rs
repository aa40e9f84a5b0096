//! The full state of a deal: all cards, the auction, the play.

mod start;
mod trick;

pub use trick::Trick;

use crate::action::{Action, ActionSet, N_ACTIONS, call_bit};
use crate::auction::{Auction, Table};
use crate::cards::{Card, CardSet, Suit};
use crate::contract::{Contract, ContractKind};
use crate::deal::Deal;
use crate::error::{DealError, IllegalAction};
use crate::history::History;
use crate::rules::RuleSet;
use crate::scoring;
use crate::seat::{BySeat, Seat};

/// What kind of action is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Phase {
    /// A call.
    Auction,
    /// The fourth ace's holder names trumps.
    Trump,
    /// A card is laid aside before a small misère.
    Discard,
    /// The dealer may ask for a card in exchange for the turn-up.
    Exchange,
    /// A misère declarer who is asked for a card gives or refuses it.
    Answer,
    /// A card is played.
    Play,
    /// The deal is over.
    Done,
}

impl Phase {
    /// Number of phases in which somebody acts.
    pub const COUNT: usize = 6;

    /// The name used in records.
    pub const fn name(self) -> &'static str {
        ["auction", "trump", "discard", "exchange", "answer", "play", "done"][self as usize]
    }
}

/// The full state of a deal, small and `Copy`. Rule sets live for the whole program.
#[derive(Clone, Copy)]
pub struct State {
    pub(crate) rules: &'static RuleSet,
    pub(crate) hands: BySeat<CardSet>,
    pub(crate) played: BySeat<CardSet>,
    /// Cards that everybody knows (or will see played) in a seat's hand.
    pub(crate) shown: BySeat<CardSet>,
    pub(crate) laid_aside: BySeat<CardSet>,
    pub(crate) refused: CardSet,
    pub(crate) asked_for: Option<Card>,
    pub(crate) turn_up: Option<Card>,
    pub(crate) turn_up_open: bool,
    pub(crate) key_card: Option<Card>,
    pub(crate) dealer: Seat,
    pub(crate) turn: Seat,
    pub(crate) phase: Phase,
    pub(crate) auction: Auction,
    /// Calls made by each seat, as bits of `ActionSet::calls`.
    pub(crate) calls: BySeat<u128>,
    pub(crate) contract: Option<Contract>,
    pub(crate) trick: Trick,
    pub(crate) tricks: BySeat<u8>,
    pub(crate) tricks_played: u8,
    /// Suits that a seat has shown not to hold, bit by suit.
    pub(crate) voids: BySeat<u8>,
    pub(crate) history: History,
}

/// The seat whose aces force trou or troel, and the card whose holder becomes the partner.
fn announcement(rules: &RuleSet, hands: &BySeat<CardSet>) -> Option<(Seat, Card)> {
    let row = rules.forced_row()?;
    let seat = Seat::ALL.into_iter().find(|&s| hands[s].aces().len() >= 3)?;
    let missing = CardSet::FULL.aces() - hands[seat].aces();
    match missing.lowest() {
        Some(ace) => Some((seat, ace)),
        // Four aces: no trou; of a troel, the highest heart that the announcer lacks decides.
        None if rules.rows()[usize::from(row)].kind == ContractKind::Trou => None,
        None => Some((seat, (Suit::Hearts.cards() - hands[seat]).highest()?)),
    }
}

impl State {
    /// The state after dealing. The deal must have passed [`Deal::check`].
    pub fn new(rules: &'static RuleSet, deal: &Deal) -> State {
        State::announced(rules, deal, announcement(rules, &deal.hands))
    }

    /// The state after dealing, given who announces trou or troel by which card.
    pub(crate) fn announced(
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
        State {
            rules,
            hands: deal.hands,
            played: BySeat::default(),
            shown,
            laid_aside: BySeat::default(),
            refused: CardSet::EMPTY,
            asked_for: None,
            turn_up: deal.turn_up.filter(|_| rules.has_turn_up()),
            turn_up_open,
            key_card: announced.map(|(_, card)| card),
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
            history: History::default(),
        }
    }

    /// The deal as it was dealt, if no card has been played, laid aside or exchanged yet; the hands of a later state are
    /// not those that were dealt.
    pub fn dealt(&self) -> Deal {
        Deal { dealer: self.dealer, hands: self.hands, turn_up: self.turn_up }
    }

    fn table(&self) -> Table<'static> {
        let suit = self.turn_up.filter(|_| self.turn_up_open).map(Card::suit);
        Table { rules: self.rules, eldest: self.dealer.next(), turn_up: suit }
    }

    /// The actions open to the seat whose turn it is; empty once the deal is over.
    #[inline]
    pub fn legal_actions(&self) -> ActionSet {
        let hand = self.hands[self.turn];
        match self.phase {
            Phase::Play => ActionSet::from_cards(self.legal_cards(hand)),
            Phase::Auction => self.auction.legal(self.table(), self.turn, hand),
            Phase::Trump => ActionSet::from_calls(
                Suit::ALL.iter().fold(0, |c, &s| c | call_bit(Action::trump(s))),
            ),
            Phase::Discard => ActionSet::from_cards(hand),
            Phase::Exchange => {
                let withdraw = if self.refused.is_empty() { 0 } else { call_bit(Action::PASS) };
                ActionSet {
                    cards: CardSet::FULL - hand - self.refused,
                    calls: call_bit(Action::KEEP) | withdraw,
                }
            }
            Phase::Answer => {
                ActionSet::from_calls(call_bit(Action::GIVE) | call_bit(Action::REFUSE))
            }
            Phase::Done => ActionSet::EMPTY,
        }
    }

    #[inline]
    fn legal_cards(&self, hand: CardSet) -> CardSet {
        match self.trick.lead() {
            Some(lead) => {
                let follow = hand.of(lead.suit());
                if follow.is_empty() {
                    hand
                } else if self.tricks_played == 0
                    && self.must_play_ace()
                    && !follow.aces().is_empty()
                {
                    follow.aces()
                } else {
                    follow
                }
            }
            None if self.tricks_played == 0 => self.legal_first_lead(hand),
            None => hand,
        }
    }

    fn is_troel(&self) -> bool {
        self.contract.is_some_and(|c| c.kind == ContractKind::Troel)
    }

    /// The card that its holder must play to the current trick if he can: in a Flemish troel the ace of the
    /// suit led to the first trick, where a declarer still holds it.
    pub fn forced_card(&self) -> Option<Card> {
        let ace = Card::ace(self.trick.lead()?.suit());
        let forced = self.is_troel()
            && self.tricks_played == 0
            && !self.rules.spec.troel_leads_key_card
            && self.contract?.declarers.iter().any(|seat| self.hands[seat].has(ace));
        forced.then_some(ace)
    }

    /// Flemish house rules: a troel declarer plays the ace of the suit led to the first trick.
    fn must_play_ace(&self) -> bool {
        self.is_troel()
            && !self.rules.spec.troel_leads_key_card
            && self.contract.is_some_and(|c| c.declarers.has(self.turn))
    }

    fn legal_first_lead(&self, hand: CardSet) -> CardSet {
        if !self.is_troel() {
            return hand;
        }
        if self.rules.spec.troel_leads_key_card {
            return self.key_card.map_or(hand, CardSet::single);
        }
        hand.filter(|c| c.rank() == 12 || !hand.has(Card::ace(c.suit()))).collect()
    }

    /// Takes an action.
    ///
    /// # Errors
    /// The action is not legal; the state stays as it was.
    pub fn apply(&mut self, action: Action) -> Result<(), IllegalAction> {
        if self.phase == Phase::Done {
            return Err(IllegalAction::Finished);
        }
        if !self.legal_actions().has(action) {
            return Err(IllegalAction::NotLegal { action, phase: self.phase.name() });
        }
        self.apply_unchecked(action);
        Ok(())
    }

    /// Takes an action that is known to be legal. An illegal one leaves a state without
    /// meaning (but harms nothing else).
    #[inline]
    pub fn apply_unchecked(&mut self, action: Action) {
        self.history.push(self.turn, action);
        match (self.phase, action.as_card()) {
            (Phase::Play, Some(card)) => self.play(card),
            (Phase::Discard, Some(card)) => self.discard(card),
            (Phase::Exchange, Some(card)) => self.ask_for(card),
            (Phase::Exchange, None) => self.end_exchange(action),
            (Phase::Answer, _) => self.answer(action),
            (Phase::Trump, _) => self.name_trumps(action),
            _ => self.call(action),
        }
    }

    fn call(&mut self, call: Action) {
        self.calls[self.turn] |= call_bit(call);
        self.auction.apply(self.table(), self.turn, call);
        match self.auction.next_to_speak(self.turn) {
            Some(seat) => self.turn = seat,
            None => self.end_auction(),
        }
    }

    #[inline]
    fn play(&mut self, card: Card) {
        let seat = self.turn;
        let Some(contract) = &mut self.contract else { return };
        if let Some(lead) = self.trick.lead() {
            if card.suit() != lead.suit() {
                self.voids[seat] |= 1 << lead.suit() as u8;
            }
        } else if contract.kind == ContractKind::Troel && contract.trump.is_none() {
            contract.trump = Some(card.suit());
        }
        self.trick.push(seat, card, contract.trump);
        self.hands[seat].remove(card);
        self.played[seat].insert(card);
        if self.trick.len() < 4 {
            self.turn = seat.next();
        } else {
            self.end_trick();
        }
    }

    fn end_trick(&mut self) {
        let Some(contract) = &mut self.contract else { return };
        let by_choice = !self.rules.spec.troel_leads_key_card;
        if self.tricks_played == 0 && contract.kind == ContractKind::Troel && by_choice {
            contract.level += u8::from(self.trick.lead() != self.key_card);
        }
        let contract = *contract;
        let winner = self.trick.winner;
        self.tricks[winner] += 1;
        self.tricks_played += 1;
        self.turn = winner;
        self.trick = Trick::led_by(winner);
        self.show_open_misere();
        let left = 13 - u8::from(contract.kind == ContractKind::SmallMisere) - self.tricks_played;
        let decided = self.rules.spec.stop_when_decided
            && scoring::is_decided(self.rules, &contract, &self.tricks, left);
        if left == 0 || decided {
            self.phase = Phase::Done;
        }
    }

    fn show_open_misere(&mut self) {
        if let Some(contract) = self.contract
            && contract.kind == ContractKind::OpenMisere
            && self.tricks_played == self.rules.spec.open_misere_shown_after
        {
            for seat in contract.declarers.iter() {
                self.shown[seat] = self.hands[seat] | self.played[seat];
            }
        }
    }

    /// Points of each seat; `None` while the deal goes on, zeros when it is void.
    pub fn scores(&self) -> Option<BySeat<i32>> {
        if self.phase != Phase::Done {
            return None;
        }
        Some(match &self.contract {
            Some(contract) => scoring::score(self.rules, contract, &self.tricks),
            None => BySeat([0; 4]),
        })
    }

    /// The same position with other cards in the hands: what hidden hands could be, with the
    /// history as it is. Whether the new hands could have led to that history (suits shown not
    /// to be held, aces announced) is up to the caller.
    ///
    /// # Errors
    /// A hand has another number of cards, or the cards are not the same ones in all.
    pub fn redeal(&self, hands: BySeat<CardSet>) -> Result<State, DealError> {
        let mut seen = CardSet::EMPTY;
        for seat in Seat::ALL {
            if let Some(card) = (seen & hands[seat]).lowest() {
                return Err(DealError::Twice(card));
            }
            seen |= hands[seat];
            if hands[seat].len() != self.hands[seat].len() {
                return Err(DealError::Cards { seat: seat.letter(), cards: hands[seat].len() });
            }
        }
        let held = self.hands.iter().fold(CardSet::EMPTY, |all, &h| all | h);
        match (seen - held).lowest() {
            Some(card) => Err(DealError::NotHeld(card)),
            None => Ok(State { hands, ..*self }),
        }
    }

    /// Whether the deal is over.
    #[inline]
    pub fn is_done(&self) -> bool {
        self.phase == Phase::Done
    }

    /// Whether everybody passed.
    pub fn is_passed_out(&self) -> bool {
        self.phase == Phase::Done && self.contract.is_none()
    }

    /// The rule set.
    #[inline]
    pub fn rules(&self) -> &'static RuleSet {
        self.rules
    }

    /// The seat to act. Without meaning once the deal is over.
    #[inline]
    pub fn turn(&self) -> Seat {
        self.turn
    }

    /// What kind of action is due.
    #[inline]
    pub fn phase(&self) -> Phase {
        self.phase
    }

    /// The dealer.
    #[inline]
    pub fn dealer(&self) -> Seat {
        self.dealer
    }

    /// The contract, once the auction is over.
    #[inline]
    pub fn contract(&self) -> Option<&Contract> {
        self.contract.as_ref()
    }

    /// Tricks taken by each seat.
    #[inline]
    pub fn tricks(&self) -> &BySeat<u8> {
        &self.tricks
    }

    /// Cards still held by each seat.
    #[inline]
    pub fn hands(&self) -> &BySeat<CardSet> {
        &self.hands
    }

    /// The current trick.
    #[inline]
    pub fn trick(&self) -> &Trick {
        &self.trick
    }

    /// All actions so far.
    pub fn history(&self) -> &History {
        &self.history
    }

    /// The auction.
    pub fn auction(&self) -> &Auction {
        &self.auction
    }

    /// The 52 cards in the order in which they are gathered after the deal: trick by trick as
    /// won, each card in the order played; the cards laid aside, or the hands of a void deal,
    /// in dealing order.
    pub fn gathered(&self) -> [Card; 52] {
        let mut deck = [Card::ace(Suit::Spades); 52];
        let played: usize = self.played.iter().map(|cards| cards.len() as usize).sum();
        let before = self.history.len() - played;
        let cards = self.history.iter().skip(before).filter_map(|(_, action)| action?.as_card());
        let mut n = 0;
        for card in cards {
            deck[n] = card;
            n += 1;
        }
        for step in 1..=4 {
            let seat = self.dealer.plus(step);
            for card in self.hands[seat] | self.laid_aside[seat] {
                deck[n] = card;
                n += 1;
            }
        }
        deck
    }
}

const _: () = assert!(N_ACTIONS < u8::MAX as usize, "History keeps an action in a byte");

impl std::fmt::Debug for State {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("State")
            .field("rules", &self.rules)
            .field("hands", &self.hands)
            .field("phase", &self.phase)
            .field("turn", &self.turn)
            .field("history", &self.history)
            .finish_non_exhaustive()
    }
}
