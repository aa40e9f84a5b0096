//! A deal replayed from what one seat may see of it.

use serde_json::Value;

use super::{HIDDEN_ACTION, Record};
use crate::action::Action;
use crate::cards::{Card, CardSet, Suit};
use crate::contract::ContractKind;
use crate::deal::{Deal, check_hands};
use crate::error::{IllegalAction, RecordError};
use crate::phase::Phase;
use crate::rules::RuleSet;
use crate::seat::{BySeat, Seat};
use crate::state::State;
use crate::text::excerpt;

/// Reads a fact from an extra field of a record.
fn read_fact<T>(
    record: &Record,
    name: &str,
    read: impl Fn(&str) -> Option<T>,
) -> Result<Option<T>, RecordError> {
    match record.extra.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) if read(text).is_some() => Ok(read(text)),
        Some(_) => Err(RecordError::new(format!("field {name} must be a seat or a card code"))),
    }
}

/// The start of a deal, as far as a seat's record has it.
pub(super) struct DealStart {
    rules: &'static RuleSet,
    seat: Seat,
    /// Hands that the record shows. A hidden hand has every card that is in none of these.
    hands: BySeat<CardSet>,
    /// Whether the record shows the hand of a seat.
    is_shown: BySeat<bool>,
    turn_up: Option<Card>,
    announcer: Option<Seat>,
    partner: Option<Seat>,
    key_card: Option<Card>,
    /// Holders of the cards asked for in an exchange, in order.
    holders: Vec<Seat>,
}

/// A guess of the facts about an announcement on aces that the record may not show.
#[derive(Clone, Copy)]
pub(super) struct Guess {
    announcer: Option<Seat>,
    partner: Option<Seat>,
    /// The card that calls the partner.
    key_card: Option<Card>,
}

fn parse_seats(text: &str) -> Option<Vec<Seat>> {
    text.chars().map(Seat::from_letter).collect()
}

/// Reads the turn-up, which must be a card that the dealer may have been dealt.
fn read_turn_up(code: &str, may_be_dealers: impl Fn(Card) -> bool) -> Result<Card, RecordError> {
    Card::parse(code).filter(|&card| may_be_dealers(card)).ok_or_else(|| {
        let shown = excerpt(code, 20);
        RecordError::new(format!("turn_up {shown:?} is not a card of the dealer"))
    })
}

impl DealStart {
    /// Reads the start of a deal from a record that shows the hand of `seat`.
    pub(super) fn read(
        record: &Record,
        rules: &'static RuleSet,
        seat: Seat,
        hands: &BySeat<Option<CardSet>>,
    ) -> Result<DealStart, RecordError> {
        if hands[seat].is_none() {
            return Err(RecordError::new(format!(
                "the hand of {seat} is not in the record: it is {seat} who asks"
            )));
        }
        let seen = check_hands(hands, rules)?;
        let may_be_dealers =
            |card: Card| hands[record.dealer].map_or(!seen.has(card), |hand| hand.has(card));
        let turn_up = match &record.turn_up {
            Some(code) if rules.has_turn_up() => Some(read_turn_up(code, may_be_dealers)?),
            _ => None,
        };
        let mut hidden = rules.deck() - seen;
        if let (Some(card), None) = (turn_up, hands[record.dealer]) {
            hidden.remove(card);
        }
        let mut possible = BySeat::from_fn(|s| hands[s].unwrap_or(hidden));
        if let Some(card) = turn_up {
            possible[record.dealer].insert(card);
        }
        Ok(DealStart {
            rules,
            seat,
            hands: possible,
            is_shown: BySeat::from_fn(|s| hands[s].is_some()),
            turn_up,
            announcer: read_fact(record, "announcer", Seat::parse)?,
            partner: read_fact(record, "partner", Seat::parse)?,
            key_card: read_fact(record, "key_card", Card::parse)?,
            holders: read_fact(record, "holders", parse_seats)?.unwrap_or_default(),
        })
    }

    /// Returns the guesses that the hands and the named facts allow, likeliest first.
    pub(super) fn guesses(&self) -> Vec<Guess> {
        let mut guesses = Vec::new();
        for announcer in self.announcers() {
            for partner in self.partners(announcer) {
                let keys = self.key_cards(announcer, partner).into_iter();
                guesses.extend(keys.map(|key_card| Guess { announcer, partner, key_card }));
            }
        }
        guesses
    }

    /// Returns the seats that may have announced trou or troel, likeliest first.
    fn announcers(&self) -> Vec<Option<Seat>> {
        let Some(row) = self.rules.announced_row() else { return vec![None] };
        let is_trou = self.rules.row(row).kind == ContractKind::Trou;
        let aces = |s: &Seat| self.hands[*s].aces().len();
        let announces = |s: &Seat| aces(s) == 3 || aces(s) == 4 && !is_trou;
        let shown = Seat::ALL.into_iter().find(|s| self.is_shown[*s] && announces(s));
        match self.announcer.or(shown) {
            Some(seat) => vec![Some(seat)],
            None => {
                let hidden = Seat::ALL.into_iter().filter(|s| !self.is_shown[*s] && aces(s) >= 3);
                std::iter::once(None).chain(hidden.map(Some)).collect()
            }
        }
    }

    /// Returns the seats that may be the partner of an announcer.
    fn partners(&self, announcer: Option<Seat>) -> Vec<Option<Seat>> {
        let Some(announcer) = announcer else { return vec![None] };
        if let Some(partner) = self.partner {
            return vec![Some(partner)];
        }
        // The missing ace is seen, or in one of the hidden hands; with four aces, a heart anywhere
        // calls.
        let others = Seat::ALL.into_iter().filter(|&s| s != announcer);
        let holds = |s: &Seat| self.is_shown[*s] && !self.hands[*s].aces().is_empty();
        match others.clone().find(holds) {
            Some(seat) => vec![Some(seat)],
            None => {
                let (shown, hidden): (Vec<_>, Vec<_>) = others.partition(|&s| self.is_shown[s]);
                hidden.into_iter().chain(shown).map(Some).collect()
            }
        }
    }

    /// Returns whether the record names the card that calls the partner.
    pub(super) fn names_key(&self) -> bool {
        self.key_card.is_some()
    }

    /// Returns the cards that may call the partner. They are the one in the record, one that is
    /// seen, or all that fit.
    fn key_cards(&self, announcer: Option<Seat>, partner: Option<Seat>) -> Vec<Option<Card>> {
        let (Some(announcer), Some(partner)) = (announcer, partner) else { return vec![None] };
        if let Some(key) = self.key_card {
            return if self.hands[partner].has(key) { vec![Some(key)] } else { Vec::new() };
        }
        let hearts = Suit::Hearts.cards();
        let aces = CardSet::FULL.aces();
        if self.is_shown[announcer] {
            let lacked = |cards: CardSet| cards - self.hands[announcer];
            let key = lacked(aces).lowest().or(lacked(hearts).highest());
            return vec![key.filter(|&key| self.hands[partner].has(key))];
        }
        // The announcer may have all four aces: then a heart calls.
        let mut cards: Vec<_> = (self.hands[partner] & hearts).iter().collect();
        cards.extend(self.hands[partner].aces());
        cards.dedup();
        cards.into_iter().rev().map(Some).collect()
    }

    /// Returns the hands under a guess. The announcer has all aces except the card that calls the
    /// partner, which the partner has.
    fn hands_under(&self, guess: Guess) -> BySeat<CardSet> {
        let mut hands = self.hands;
        let Some(key) = guess.key_card else { return hands };
        for seat in Seat::ALL.into_iter().filter(|&s| !self.is_shown[s]) {
            if Some(seat) != guess.announcer {
                hands[seat] -= CardSet::FULL.aces();
            }
            hands[seat].remove(key);
            if Some(seat) == guess.partner {
                hands[seat].insert(key);
            }
        }
        hands
    }

    /// Replays the record under a guess.
    pub(super) fn replay(&self, record: &Record, guess: Guess) -> Result<State, RecordError> {
        let Guess { announcer, key_card, .. } = guess;
        if announcer.is_some() && key_card.is_none() {
            return Err(RecordError::new(
                "the partner does not hold the card that calls a partner",
            ));
        }
        let hands = self.hands_under(guess);
        let deal = Deal { dealer: record.dealer, hands, turn_up: self.turn_up };
        let mut state = State::with_announcement(self.rules, &deal, announcer.zip(key_card));
        let mut holders = self.holders.iter().copied();
        // Calls that seem illegal may be legal with the turn-up.
        let turn_up = self.check_turn_up(&state);
        for (at, code) in record.actions.iter().enumerate() {
            if let Err(message) = self.apply(&mut state, code, &mut holders) {
                turn_up?;
                return Err(RecordError {
                    message: format!("action {at}: {message}"),
                    at: Some(at),
                });
            }
        }
        self.check_end(&state, key_card)?;
        Ok(state)
    }

    /// Refuses a record without the turn-up if the seat sees it in this state.
    pub(super) fn check_turn_up(&self, state: &State) -> Result<(), RecordError> {
        let is_seen = state.public.turn_up_open || self.seat == state.public.dealer;
        if self.turn_up.is_some() || !self.rules.has_turn_up() || !is_seen {
            return Ok(());
        }
        Err(RecordError::new(format!(
            "field turn_up is missing, but {} sees the turn-up; add its card code",
            self.seat
        )))
    }

    /// Refuses guesses that the play contradicts, and records that lack an open hand.
    fn check_end(&self, state: &State, key: Option<Card>) -> Result<(), RecordError> {
        let is_missing = |s: &Seat| !self.is_shown[*s] && state.public.lies_open(*s);
        if let Some(seat) = Seat::ALL.into_iter().find(is_missing) {
            return Err(RecordError::new(format!(
                "the hand of {seat} lies open: the record must show it"
            )));
        }
        if !state.public.contract.is_some_and(|contract| contract.kind.is_announced()) {
            return Ok(());
        }
        // A partner of an announcer with three aces who leads an ace leads the fourth.
        let lead = state.history().iter().find_map(|(_, action)| action?.as_card());
        match (lead.filter(|lead| lead.is_ace()), key.filter(|key| key.is_ace())) {
            (Some(lead), Some(key)) if lead != key => {
                Err(RecordError::new("another ace called the partner"))
            }
            _ => Ok(()),
        }
    }

    /// Takes an action of a seat whose cards may be hidden.
    fn apply(
        &self,
        state: &mut State,
        code: &str,
        holders: &mut impl Iterator<Item = Seat>,
    ) -> Result<(), String> {
        let turn = state.turn();
        if state.is_done() {
            return Err(IllegalAction::Finished.to_string());
        }
        if code == HIDDEN_ACTION && state.phase() == Phase::Discard && turn != self.seat {
            state.discard_hidden();
            return Ok(());
        }
        let action = Action::parse(code, state.phase()).ok_or_else(|| super::unknown_code(code))?;
        if let (Phase::Exchange, Some(card)) = (state.phase(), action.as_card()) {
            self.place_asked_card(state, card, holders.next())?;
        }
        if !self.is_shown[turn]
            && let Some(card) = action.as_card()
            && state.phase() == Phase::Play
        {
            if !state.hands[turn].has(card) {
                return Err(format!("{card} cannot be a card of {turn}"));
            }
            // A seat that does not follow suit is void in it.
            if let Some(lead) = state.trick().lead().filter(|lead| lead.suit() != card.suit()) {
                state.hands[turn] -= lead.suit().cards();
            }
        }
        state.apply(action).map_err(|e| format!("{turn}: {e}"))?;
        if let Some(card) = action.as_card() {
            // No other seat can hold a card that was played.
            for other in Seat::ALL {
                if state.public.played[turn].has(card) && !self.is_shown[other] {
                    state.hands[other].remove(card);
                }
            }
        }
        Ok(())
    }

    /// Gives a card that was asked for to one seat: `named`, or the first that may hold it.
    fn place_asked_card(
        &self,
        state: &mut State,
        card: Card,
        named: Option<Seat>,
    ) -> Result<(), String> {
        let known = Seat::ALL.into_iter().find(|&s| self.is_shown[s] && state.hands[s].has(card));
        let may_hold = |s: &Seat| *s != state.turn() && state.hands[*s].has(card);
        let holder = known.or(named).or_else(|| Seat::ALL.into_iter().find(may_hold));
        let holder =
            holder.filter(may_hold).ok_or_else(|| format!("no other seat can hold {card}"))?;
        for other in Seat::ALL {
            if other != holder {
                state.hands[other].remove(card);
            }
        }
        Ok(())
    }
}
