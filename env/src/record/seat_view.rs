//! Records as one seat sees them, and the way back to an [`Observation`].
//!
//! A seat's view is a [`Record`] whose hidden hands are `-`. The remaining hands do not show all
//! public facts. [`Record::view`] writes the others into extra fields; [`Record::observe`] works
//! without them where it can:
//! - `announcer`: the seat that announced trou or troel
//! - `partner`: its partner, once that is the contract
//! - `key_card`: the card that calls the partner, where the seat knows it
//! - `holders`: the seats that held the cards asked for in an exchange, in order (`"EN"`)

use serde_json::Value;

use super::seat_replay::DealStart;
use super::{HIDDEN_ACTION, Record};
use crate::cards::Card;
use crate::deal;
use crate::error::RecordError;
use crate::observation::Observation;
use crate::phase::Phase;
use crate::rules::RuleSet;
use crate::seat::{BySeat, Seat};
use crate::state::State;

impl Record {
    /// Returns the part of a full record that `seat` may see. It shows its own hand and hands that
    /// lie open, and `-` for the rest.
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
            actions.push(if hidden { HIDDEN_ACTION.to_string() } else { action.to_string() });
        })?;
        let is_shown = |s: Seat| s == seat || state.public.lies_open(s);
        let hands = BySeat::from_fn(|s| is_shown(s).then_some(deal.hands[s]));
        let seen = state.as_seen_by(seat);
        let mut view = Record {
            deal: deal::format_hands(&hands),
            turn_up: seen.turn_up.map(|card| card.to_string()),
            actions,
            ..self.clone()
        };
        view.write_public_facts(&seen, holders);
        Ok(view)
    }

    /// Returns the view of an observation. [`Record::observe`] makes the same observation from it.
    pub fn from_observation(obs: &Observation) -> Record {
        let (state, me) = (obs.state(), obs.seat());
        let is_shown = |s: Seat| s == me || state.public.lies_open(s);
        let dealt = state.dealt_hands();
        let hands = BySeat::from_fn(|s| is_shown(s).then_some(dealt[s]));
        let mut record =
            Record { deal: deal::format_hands(&hands), ..Record::from_state(state, obs.totals()) };
        let asked: Vec<Card> = state.asked_cards().collect();
        let taker = state.exchanged().map(|exchange| exchange.taker);
        let holders = asked.iter().enumerate().filter_map(|(n, &card)| {
            let last = n + 1 == asked.len();
            if last && state.phase() == Phase::Answer {
                return Some(state.turn());
            }
            let refused = !last || taker.is_none();
            if refused { Seat::ALL.into_iter().find(|&s| dealt[s].has(card)) } else { taker }
        });
        record.write_public_facts(state, holders.map(Seat::letter).collect());
        record
    }

    /// Writes the public facts that hands do not show, from what a seat may see of a state.
    fn write_public_facts(&mut self, state: &State, holders: String) {
        let announcer = state.public.auction.announcer;
        let announced = state.public.contract.filter(|contract| contract.kind.is_announced());
        let partner = announced
            .and_then(|contract| contract.declarers.iter().find(|&s| Some(s) != announcer));
        let key = state.key_card.filter(|_| announcer.is_some()).or(state.led_key_card());
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

    /// Returns the observation of `seat`, from a record that shows at least its hand. A full record
    /// gives the same result as its view.
    ///
    /// # Errors
    /// The seat's hand is missing, or the record contradicts itself.
    pub fn observe(&self, rules: &'static RuleSet, seat: Seat) -> Result<Observation, RecordError> {
        let totals = BySeat(self.scores_before.unwrap_or_default());
        let hands = deal::parse_hands(&self.deal)?;
        // Hands may all lie open where the turn-up is still hidden.
        let is_full = self.turn_up.is_some() || !rules.has_turn_up();
        if is_full && Seat::ALL.iter().all(|&s| hands[s].is_some()) {
            return Ok(self.play(rules, |_, _| {})?.observe(seat, totals));
        }
        let start = DealStart::read(self, rules, seat, &hands)?;
        // The first guess that fits the actions counts.
        let (mut found, mut doubtful, mut failure) = (None, None, None);
        for guess in start.guesses() {
            match start.replay(self, guess) {
                // A view would name the key card if it was led, so this guess comes last.
                Ok(state) if !start.names_key() && state.led_key_card().is_some() => {
                    doubtful = doubtful.or(Some(state));
                }
                Ok(state) => {
                    found = Some(state);
                    break;
                }
                Err(error) => failure = failure.or(Some(error)),
            }
        }
        if let Some(state) = found.or(doubtful) {
            start.check_turn_up(&state)?;
            return Ok(state.observe(seat, totals));
        }
        Err(failure.unwrap_or_else(|| {
            RecordError::new("the hands contradict the announcement in the record")
        }))
    }
}
