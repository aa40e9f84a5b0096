//! Contents of an observation, as a number and as a line of text.

use std::fmt::Write;

use super::Observation;
use crate::cards::{Card, CardSet};
use crate::rng::mix;
use crate::seat::Seat;

/// Returns the number of a card, 0 to 51, or 52 for no card.
fn card_number(card: Option<Card>) -> u64 {
    card.map_or(52, |card| card.index() as u64)
}

impl Observation {
    /// Returns a 64-bit hash of all facts that the seat knows.
    ///
    /// Two different observations have the same hash with a probability of about 2^-64. Random
    /// draws keyed by the hash do not depend on the batch, the thread or the order of the draws.
    ///
    /// It covers the same facts as [`Observation::information_state`].
    pub fn fingerprint(&self) -> u64 {
        let (state, public, history) = (self.state(), self.public(), self.history());
        let setting = [
            self.seat() as u64,
            public.dealer as u64,
            public.turn as u64,
            public.phase as u64,
            public.auction.announcer.map_or(4, |seat| seat as u64),
            public.turn_up_open.into(),
        ];
        // Four bits each; cards take six.
        let setting = setting.into_iter().fold(0, |sum, field| sum << 4 | field);
        let cards = [state.turn_up, state.key_card, public.asked_for].map(card_number);
        let setting = cards.into_iter().fold(setting, |sum, card| sum << 6 | card);
        let contract = public.contract.map_or(0, |c| {
            let trump = c.trump.map_or(4, |suit| suit as u64);
            1 << 32
                | (c.kind as u64) << 24
                | u64::from(c.goal) << 16
                | trump << 8
                | u64::from(c.declarers.0)
        });
        let totals = self.totals().0.map(|points| u64::from(points as u32));
        let words = [
            setting,
            contract << 8 | history.len() as u64,
            self.hand().0,
            state.laid_aside[self.seat()].0,
            public.shown.0[0].0,
            public.shown.0[1].0,
            public.shown.0[2].0,
            public.shown.0[3].0,
            totals[0] << 32 | totals[1],
            totals[2] << 32 | totals[3],
        ];
        let sum = words.into_iter().fold(public.rules.hash_number, |sum, word| mix(sum ^ word));
        history.words().fold(sum, |sum, word| mix(sum ^ word))
    }

    /// Returns all that the seat knows, and nothing else, in one line of text. Two observations
    /// have the same line if and only if they are equal. It serves tabular methods and inspection.
    ///
    /// Fields are separated by spaces and written `name=value`; a field without a value is left
    /// out. Cards are in the code of records, hands as `S.H.D.C`.
    ///
    /// | field | meaning |
    /// |---|---|
    /// | `rules` | rule set: identifier and hash, `iwwa:0123456789abcdef` |
    /// | `seat`, `dealer` | the observer and the dealer |
    /// | `totals` | match points before the deal, N E S W |
    /// | `hand`, `aside` | the observer's cards, and the one that it laid aside |
    /// | `turn_up` | the turned-up card where the seat sees it; `?` behind it if it does not lie open |
    /// | `announcer`, `key` | the seat that announced trou or troel, and the card that calls the partner, where known |
    /// | `shown` | cards that everybody has been shown in a seat's hand, `E:...5` |
    /// | `phase`, `turn` | the kind of action that is due, and the seat to act |
    /// | `asked` | the card that the dealer asks for |
    /// | `contract` | kind, level, trumps (`-`: none or not named yet) and declarers, `suit/8/H/NS` |
    /// | `history` | all actions with their seats, `N:8H,E:pass`; `-` for a card laid aside unseen |
    pub fn information_state(&self) -> String {
        let (state, public) = (self.state(), self.public());
        let rules = public.rules;
        let mut line = format!(
            "rules={}:{} seat={} dealer={} totals=",
            rules.id(),
            rules.hash(),
            self.seat(),
            public.dealer
        );
        let mut field = |text: std::fmt::Arguments<'_>| {
            // Writing into a string cannot fail.
            let _ = line.write_fmt(text);
        };
        let [n, e, s, w] = self.totals().0;
        field(format_args!("{n},{e},{s},{w} hand={}", self.hand()));
        if let Some(card) = self.laid_aside() {
            field(format_args!(" aside={card}"));
        }
        if let Some(card) = state.turn_up {
            field(format_args!(" turn_up={card}{}", if public.turn_up_open { "" } else { "?" }));
        }
        if let Some(announcer) = public.auction.announcer {
            field(format_args!(" announcer={announcer}"));
        }
        if let Some(card) = state.key_card {
            field(format_args!(" key={card}"));
        }
        for seat in Seat::ALL.into_iter().filter(|&s| public.shown[s] != CardSet::EMPTY) {
            field(format_args!(" shown={seat}:{}", public.shown[seat]));
        }
        field(format_args!(" phase={} turn={}", public.phase, public.turn));
        if let Some(card) = public.asked_for {
            field(format_args!(" asked={card}"));
        }
        if let Some(contract) = &public.contract {
            field(format_args!(" contract={}/{}/", contract.kind.name(), contract.goal));
            field(format_args!("{}/", contract.trump.map_or('-', |suit| suit.letter())));
            contract.declarers.iter().for_each(|s| field(format_args!("{s}")));
        }
        for (i, (seat, action)) in self.history().iter().enumerate() {
            let before = if i == 0 { " history=" } else { "," };
            field(format_args!("{before}{seat}:"));
            match action {
                Some(action) => field(format_args!("{action}")),
                None => field(format_args!("-")),
            }
        }
        line
    }
}
