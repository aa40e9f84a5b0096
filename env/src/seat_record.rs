//! What one seat may see of a deal, as a record, and back to an [`Observation`].
//!
//! A seat's view is a [`Record`] whose hidden hands are `-`. Some public facts cannot be read off the hands that are
//! left; [`Record::view`] writes them into extra fields, and [`Record::observe`] works without them where it can:
//! `announcer`, the seat whose aces force trou or troel; `partner`, who was called by that, once there is a contract;
//! `key_card`, the card that calls the partner, where the seat knows it; `holders`, the seats that turned out to hold
//! the cards asked for in an exchange, in order (`"EN"`).

use serde_json::Value;

use crate::action::Action;
use crate::cards::{Card, CardSet, Suit};
use crate::contract::ContractKind;
use crate::deal::{self, Deal};
use crate::error::IllegalAction;
use crate::observation::Observation;
use crate::record::{HIDDEN, Record, RecordError};
use crate::rules::RuleSet;
use crate::seat::{BySeat, Seat};
use crate::state::{Phase, State};

fn bad(message: impl Into<String>) -> RecordError {
    RecordError { message: message.into(), at: None }
}

impl Record {
    /// What `seat` may see of a full record: its own hand and hands that lie open, `-` for the rest.
    ///
    /// # Errors
    /// The record cannot be replayed.
    pub fn view(&self, rules: &'static RuleSet, seat: Seat) -> Result<Record, RecordError> {
        let deal = self.full_deal(rules)?;
        let mut actions = Vec::with_capacity(self.actions.len());
        let mut holders = String::new();
        let state = self.play(rules, |state, action| {
            if let (Phase::Exchange, Some(card)) = (state.phase(), action.as_card()) {
                let holder = Seat::ALL.into_iter().find(|&s| state.hands[s].has(card));
                holders.extend(holder.map(Seat::letter));
            }
            let hidden = state.phase() == Phase::Discard && state.turn() != seat;
            actions.push(if hidden { HIDDEN.to_string() } else { action.to_string() });
        })?;
        let open = |s: Seat| s == seat || state.shown[s].len() == 13;
        let hands = Seat::ALL
            .map(|s| if open(s) { deal::format_hand(deal.hands[s]) } else { HIDDEN.to_string() });
        let knowledge = state.as_seen_by(seat);
        let mut view = Record {
            deal: format!("N:{}", hands.join(" ")),
            turn_up: knowledge.turn_up.map(|card| card.to_string()),
            actions,
            ..self.clone()
        };
        view.tell(&knowledge, holders);
        Ok(view)
    }

    /// The record of what an observation holds: the view from which [`Record::observe`] makes the same observation.
    pub fn of(observation: &Observation) -> Record {
        let (state, me) = (observation.state(), observation.seat());
        let open = |s: Seat| s == me || state.shown[s].len() == 13;
        let dealt = state.dealt_hands();
        let hands = Seat::ALL
            .map(|s| if open(s) { deal::format_hand(dealt[s]) } else { HIDDEN.to_string() });
        let mut record = Record {
            deal: format!("N:{}", hands.join(" ")),
            ..Record::of_state(state, observation.totals())
        };
        let asked: Vec<Card> = state.asked_cards().collect();
        let taker = state.exchanged().map(|(taker, ..)| taker);
        let holders = asked.iter().enumerate().filter_map(|(n, &card)| {
            let last = n + 1 == asked.len();
            if last && state.phase() == Phase::Answer {
                return Some(state.turn());
            }
            let refused = !last || taker.is_none();
            if refused { Seat::ALL.into_iter().find(|&s| dealt[s].has(card)) } else { taker }
        });
        record.tell(state, holders.map(Seat::letter).collect());
        record
    }

    /// Writes the public facts that hands do not show, from what a seat may see of a state.
    fn tell(&mut self, state: &State, holders: String) {
        let announcer = state.auction.announcer;
        let announced = state.contract.filter(|contract| contract.kind.is_announced());
        let partner = announced
            .and_then(|contract| contract.declarers.iter().find(|&s| Some(s) != announcer));
        let key = state.key_card.filter(|_| announcer.is_some());
        let facts = [
            ("announcer", announcer.map(|s| s.letter().to_string())),
            ("partner", partner.map(|s| s.letter().to_string())),
            ("key_card", key.map(|card| card.to_string())),
            ("holders", (!holders.is_empty()).then_some(holders)),
        ];
        for (name, value) in facts {
            self.extra.remove(name);
            if let Some(value) = value {
                self.extra.insert(name.to_string(), Value::String(value));
            }
        }
    }

    /// What `seat` may know, from a record that shows at least its hand. A full record gives the same as its view.
    ///
    /// # Errors
    /// The seat's hand is not there, or what is there does not hold together.
    pub fn observe(&self, rules: &'static RuleSet, seat: Seat) -> Result<Observation, RecordError> {
        let totals = BySeat(self.scores_before.unwrap_or_default());
        let hands = deal::parse_hands(&self.deal)?;
        // Hands may all lie open where the turn-up is still hidden.
        let is_full = self.turn_up.is_some() || !rules.has_turn_up();
        if is_full && Seat::ALL.iter().all(|&s| hands[s].is_some()) {
            return Ok(self.play(rules, |_, _| {})?.observe(seat, totals));
        }
        let told = Told::read(self, rules, seat, &hands)?;
        // Where the record does not say who announced, the first guess that the actions bear out stands.
        let mut failure = None;
        for announcer in told.announcers() {
            for partner in told.partners(announcer) {
                for key in told.key_cards(announcer, partner) {
                    match told.replay(self, announcer, partner, key) {
                        Ok(state) => return Ok(state.observe(seat, totals)),
                        Err(error) => failure = failure.or(Some(error)),
                    }
                }
            }
        }
        Err(failure.unwrap_or_else(|| bad("the hands do not fit who is said to have announced")))
    }

    fn fact<T>(
        &self,
        name: &str,
        read: impl Fn(&str) -> Option<T>,
    ) -> Result<Option<T>, RecordError> {
        match self.extra.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) if read(text).is_some() => Ok(read(text)),
            Some(_) => Err(bad(format!("field {name} must be a seat or a card code"))),
        }
    }
}

/// What a seat's record tells before its first action.
struct Told {
    rules: &'static RuleSet,
    seat: Seat,
    /// Hands that are shown; for the others, every card that is in none of those.
    hands: BySeat<CardSet>,
    given: BySeat<bool>,
    turn_up: Option<Card>,
    announcer: Option<Seat>,
    partner: Option<Seat>,
    key_card: Option<Card>,
    holders: Vec<Seat>,
}

fn parse_seat(text: &str) -> Option<Seat> {
    let mut letters = text.chars();
    letters.next().and_then(Seat::from_letter).filter(|_| letters.next().is_none())
}

fn parse_seats(text: &str) -> Option<Vec<Seat>> {
    text.chars().map(Seat::from_letter).collect()
}

impl Told {
    fn read(
        record: &Record,
        rules: &'static RuleSet,
        seat: Seat,
        hands: &BySeat<Option<CardSet>>,
    ) -> Result<Told, RecordError> {
        if hands[seat].is_none() {
            let letter = seat.letter();
            return Err(bad(format!(
                "the hand of {letter} is not in the record: it is {letter} who asks"
            )));
        }
        let mut seen = CardSet::EMPTY;
        for other in Seat::ALL {
            let Some(hand) = hands[other] else { continue };
            if hand.len() != 13 {
                let (letter, n) = (other.letter(), hand.len());
                return Err(bad(format!("{letter} is dealt {n} cards; it must be 13")));
            }
            if let Some(card) = (seen & hand).lowest() {
                return Err(bad(format!("{card} is dealt twice")));
            }
            seen |= hand;
        }
        let turn_up = match record.turn_up.as_deref() {
            Some(code) if rules.has_turn_up() => {
                let card = Card::parse(code);
                let fits =
                    |card: &Card| hands[record.dealer].map_or(!seen.has(*card), |h| h.has(*card));
                Some(card.filter(fits).ok_or_else(|| {
                    let shown: String = code.chars().take(20).collect();
                    bad(format!("turn_up {shown:?} is not a card of the dealer"))
                })?)
            }
            _ => None,
        };
        let mut hidden = CardSet::FULL - seen;
        if let (Some(card), None) = (turn_up, hands[record.dealer]) {
            hidden.remove(card);
        }
        let mut wild = BySeat::from_fn(|s| hands[s].unwrap_or(hidden));
        if let Some(card) = turn_up {
            wild[record.dealer].insert(card);
        }
        Ok(Told {
            rules,
            seat,
            hands: wild,
            given: BySeat::from_fn(|s| hands[s].is_some()),
            turn_up,
            announcer: record.fact("announcer", parse_seat)?,
            partner: record.fact("partner", parse_seat)?,
            key_card: record.fact("key_card", Card::parse)?,
            holders: record.fact("holders", parse_seats)?.unwrap_or_default(),
        })
    }

    /// Who may have announced trou or troel, likeliest first.
    fn announcers(&self) -> Vec<Option<Seat>> {
        let Some(row) = self.rules.announced_row() else { return vec![None] };
        let is_trou = self.rules.rows()[usize::from(row)].kind == ContractKind::Trou;
        let aces = |s: &Seat| self.hands[*s].aces().len();
        let announces = |s: &Seat| aces(s) == 3 || aces(s) == 4 && !is_trou;
        let shown = Seat::ALL.into_iter().find(|s| self.given[*s] && announces(s));
        match self.announcer.or(shown) {
            Some(seat) => vec![Some(seat)],
            None => {
                let hidden = Seat::ALL.into_iter().filter(|s| !self.given[*s] && aces(s) >= 3);
                std::iter::once(None).chain(hidden.map(Some)).collect()
            }
        }
    }

    /// Who may be the partner of an announcer.
    fn partners(&self, announcer: Option<Seat>) -> Vec<Option<Seat>> {
        let Some(announcer) = announcer else { return vec![None] };
        if let Some(partner) = self.partner {
            return vec![Some(partner)];
        }
        // The missing ace is seen, or in one of the hidden hands; with four aces, a heart anywhere calls.
        let others = Seat::ALL.into_iter().filter(|&s| s != announcer);
        let holds = |s: &Seat| self.given[*s] && !self.hands[*s].aces().is_empty();
        match others.clone().find(holds) {
            Some(seat) => vec![Some(seat)],
            None => {
                let (shown, hidden): (Vec<_>, Vec<_>) = others.partition(|&s| self.given[s]);
                hidden.into_iter().chain(shown).map(Some).collect()
            }
        }
    }

    /// The cards that may call the partner: told, seen, or any that fits.
    fn key_cards(&self, announcer: Option<Seat>, partner: Option<Seat>) -> Vec<Option<Card>> {
        let (Some(announcer), Some(partner)) = (announcer, partner) else { return vec![None] };
        if let Some(key) = self.key_card {
            return if self.hands[partner].has(key) { vec![Some(key)] } else { Vec::new() };
        }
        let hearts = Suit::Hearts.cards();
        let aces = CardSet::FULL.aces();
        if self.given[announcer] {
            let lacked = |cards: CardSet| cards - self.hands[announcer];
            let key = lacked(aces).lowest().or(lacked(hearts).highest());
            return vec![key.filter(|&key| self.hands[partner].has(key))];
        }
        // The announcer may have all four aces: then a heart calls.
        let mut cards: Vec<_> = (self.hands[partner] & hearts).collect();
        cards.extend(self.hands[partner].aces());
        cards.dedup();
        cards.into_iter().rev().map(Some).collect()
    }

    fn replay(
        &self,
        record: &Record,
        announcer: Option<Seat>,
        partner: Option<Seat>,
        key: Option<Card>,
    ) -> Result<State, RecordError> {
        if announcer.is_some() && key.is_none() {
            return Err(bad("the partner does not hold the card that calls a partner"));
        }
        // All aces are the announcer's, but for the card that calls the partner, which is the partner's.
        let mut hands = self.hands;
        if let Some(key) = key {
            for other in Seat::ALL.into_iter().filter(|&s| !self.given[s]) {
                if Some(other) != announcer {
                    hands[other] -= CardSet::FULL.aces();
                }
                hands[other].remove(key);
                if Some(other) == partner {
                    hands[other].insert(key);
                }
            }
        }
        let deal = Deal { dealer: record.dealer, hands, turn_up: self.turn_up };
        let mut state = State::announced(self.rules, &deal, announcer.zip(key));
        let mut holders = self.holders.iter().copied();
        for (at, code) in record.actions.iter().enumerate() {
            self.step(&mut state, code, &mut holders).map_err(|message| RecordError {
                message: format!("action {at}: {message}"),
                at: Some(at),
            })?;
        }
        self.check_end(&state, key)?;
        Ok(state)
    }

    /// Refuses guesses that the play does not bear out, and open hands that are not shown.
    fn check_end(&self, state: &State, key: Option<Card>) -> Result<(), RecordError> {
        // Fewer cards are shown by an exchange; a hand is shown whole (of a hidden one, all it may hold).
        let open = |s: &Seat| !self.given[*s] && state.shown[*s].len() >= 13;
        if let Some(seat) = Seat::ALL.into_iter().find(open) {
            let letter = seat.letter();
            return Err(bad(format!("the hand of {letter} lies open: the record must show it")));
        }
        if !state.contract.is_some_and(|contract| contract.kind.is_announced()) {
            return Ok(());
        }
        // A partner of an announcer with three aces who leads an ace leads the fourth.
        let lead = state.history().iter().find_map(|(_, action)| action?.as_card());
        let is_ace = |card: Card| card.rank() == 12;
        match (lead.filter(|&lead| is_ace(lead)), key.filter(|&key| is_ace(key))) {
            (Some(lead), Some(key)) if lead != key => Err(bad("another ace called the partner")),
            _ => Ok(()),
        }
    }

    /// Takes an action of a seat whose cards may be hidden.
    fn step(
        &self,
        state: &mut State,
        code: &str,
        holders: &mut impl Iterator<Item = Seat>,
    ) -> Result<(), String> {
        let turn = state.turn();
        let letter = turn.letter();
        if state.is_done() {
            return Err(IllegalAction::Finished.to_string());
        }
        if code == HIDDEN && state.phase() == Phase::Discard && turn != self.seat {
            state.discard_hidden();
            return Ok(());
        }
        let shown: String = code.chars().take(20).collect();
        let action = Action::parse(code, state.phase())
            .ok_or_else(|| format!("{shown:?} is not an action code"))?;
        if let (Phase::Exchange, Some(card)) = (state.phase(), action.as_card()) {
            self.place(state, card, holders.next())?;
        }
        if !self.given[turn]
            && let Some(card) = action.as_card()
            && state.phase() == Phase::Play
        {
            if !state.hands[turn].has(card) {
                return Err(format!("{card} cannot be a card of {letter}"));
            }
            // Who does not follow suit has no card of it.
            if let Some(lead) = state.trick().lead().filter(|lead| lead.suit() != card.suit()) {
                state.hands[turn] -= lead.suit().cards();
            }
        }
        state.apply(action).map_err(|e| format!("{letter}: {e}"))?;
        if let Some(card) = action.as_card() {
            // What one seat has played no other can hold.
            for other in Seat::ALL {
                if state.played[turn].has(card) && !self.given[other] {
                    state.hands[other].remove(card);
                }
            }
        }
        Ok(())
    }

    /// Leaves a card that was asked for with one seat: the one that is told, or the first that may hold it.
    fn place(&self, state: &mut State, card: Card, told: Option<Seat>) -> Result<(), String> {
        let known = Seat::ALL.into_iter().find(|&s| self.given[s] && state.hands[s].has(card));
        let may = |s: &Seat| *s != state.turn() && state.hands[*s].has(card);
        let holder = known.or(told).or_else(|| Seat::ALL.into_iter().find(may));
        let holder = holder.filter(may).ok_or_else(|| format!("{card} is in nobody's hand"))?;
        for other in Seat::ALL {
            if other != holder {
                state.hands[other].remove(card);
            }
        }
        Ok(())
    }
}
