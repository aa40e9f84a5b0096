//! Sentences of the terminal: calls, and the result of a deal.

use troel_env::{Action, BySeat, Contract, Phase, RuleSet, Seat, State};
use troel_web::{Words, fill};

use super::input::{Meaning, meaning_of, suit_call};
use crate::commands::seat_key;

/// Language, rules and seat of the person who reads the sentences.
pub struct Speech<'a> {
    pub words: &'a Words,
    pub rules: &'static RuleSet,
    pub person: Seat,
}

impl<'a> Speech<'a> {
    /// Returns the name of a seat: "you" or its direction.
    pub fn name(&self, seat: Seat) -> &'a str {
        self.words.text(if seat == self.person { "you" } else { seat_key(seat) })
    }

    /// Returns the sentence for an action in the auction or an exchange. `state` is the state
    /// before the action. `action` is `None` if the person does not see it.
    pub fn saying(&self, state: &State, action: Option<Action>) -> String {
        let seat = state.turn();
        let say = |form: &str, object: &str| {
            let [own, others] = self.words.says(form)?;
            // A call alone, without a verb, needs the name of its player.
            let sentence = if seat == self.person && form != "call" { own } else { others };
            Some(fill(sentence, &[("name", self.name(seat)), ("", object)]))
        };
        let Some(action) = action.filter(|_| state.phase() != Phase::Discard) else {
            return say("aside", "").unwrap_or_default();
        };
        let code = action.to_string();
        let sentence = if let Some(card) = action.as_card() {
            say("want", &self.words.card(card))
        } else if let Some((suit, level)) = suit_call(action) {
            let form = meaning_of(state.auction(), seat, suit).form();
            say(form, &format!("{level} {}", suit.symbol()))
        } else {
            say(&code, "").or_else(|| say("call", &self.words.call(&code, self.rules)))
        };
        sentence.unwrap_or(code)
    }

    /// Returns a call with the verb for a player who may make it, such as `ask 8 ♠`; a card as its
    /// rank and suit.
    pub fn action(&self, action: Action, meaning: Option<Meaning>) -> String {
        match (action.as_card(), suit_call(action), meaning) {
            (Some(card), ..) => self.words.card(card),
            (_, Some((suit, level)), Some(meaning)) => {
                self.with_verb(meaning, &format!("{level} {}", suit.symbol()))
            }
            _ => self.words.call(&action.to_string(), self.rules),
        }
    }

    /// Returns a suit call with its verb, such as `ask 8 ♠`. `object` is the level, with or without
    /// the suit.
    pub fn with_verb(&self, meaning: Meaning, object: &str) -> String {
        fill(self.words.text(&format!("calls.{}", meaning.form())), &[("", object)])
    }

    /// Returns a sentence for the declarers, or for each declarer of a misère or piccolo.
    pub fn result(&self, contract: &Contract, tricks: &BySeat<u8>) -> Vec<String> {
        let declarers: Vec<Seat> = self.person_first(contract.declarers.iter().collect());
        if contract.kind.is_negative() {
            let allowed = contract.kind.allowed_tricks();
            let sentence = |&seat: &Seat| {
                self.contract_result(contract, &[seat], tricks[seat], tricks[seat] == allowed)
            };
            return declarers.iter().map(sentence).collect();
        }
        let taken = declarers.iter().map(|&seat| tricks[seat]).sum();
        vec![self.contract_result(contract, &declarers, taken, taken >= contract.goal)]
    }

    fn contract_result(
        &self,
        contract: &Contract,
        declarers: &[Seat],
        taken: u8,
        is_made: bool,
    ) -> String {
        let words = self.words;
        let mut tricks = words.count("tricks", taken.into(), &taken.to_string());
        if contract.goal > 0 && taken != contract.goal {
            let key = if taken > contract.goal { "over" } else { "short" };
            let n = taken.abs_diff(contract.goal).to_string();
            tricks = format!("{tricks}, {}", fill(words.text(key), &[("n", &n)]));
        }
        let gaps = [
            ("who", self.names(declarers)),
            ("contract", words.contract(contract, self.rules)),
            ("tricks", tricks),
        ];
        let gaps = gaps.each_ref().map(|(name, value)| (*name, value.as_str()));
        let forms = if is_made { "made" } else { "failed" };
        fill(words.text(&self.form(forms, declarers)), &gaps)
    }

    /// Returns the sentence for the winners of a match.
    pub fn winners(&self, totals: &BySeat<i32>) -> String {
        let best = Seat::ALL.map(|seat| totals[seat]).into_iter().max();
        let winners = Seat::ALL.into_iter().filter(|&seat| Some(totals[seat]) == best);
        let winners = self.person_first(winners.collect());
        let form = self.form("matchWon", &winners);
        fill(self.words.text(&form), &[("who", &self.names(&winners))])
    }

    /// Returns the key of the form of a sentence for its subject.
    fn form(&self, forms: &str, subject: &[Seat]) -> String {
        let form = match (subject.contains(&self.person), subject.len() > 1) {
            (true, false) => "you",
            (false, false) => "one",
            (true, true) => "withYou",
            (false, true) => "several",
        };
        format!("{forms}.{form}")
    }

    fn names(&self, seats: &[Seat]) -> String {
        let names: Vec<&str> = seats.iter().map(|&seat| self.name(seat)).collect();
        self.words.list(&names)
    }

    /// Sorts seats in the order of play, the person first.
    fn person_first(&self, mut seats: Vec<Seat>) -> Vec<Seat> {
        seats.sort_by_key(|seat| seat.relative_to(self.person));
        seats
    }

    /// Returns points of all seats.
    pub fn points(&self, points: &BySeat<i32>, has_sign: bool) -> String {
        let shown = |seat| {
            let value = f64::from(points[seat]);
            let number =
                if has_sign { self.words.signed(value, 0) } else { self.words.number(value, 0) };
            format!("{} {number}", self.name(seat))
        };
        Seat::ALL.map(shown).join("  ")
    }
}

#[cfg(test)]
mod tests {
    use troel_env::{ContractKind, Deals, SeatSet, Suit};

    use super::*;

    fn speech<'a>(words: &'a Words, rules: &str) -> Speech<'a> {
        Speech { words, rules: RuleSet::built_in(rules).unwrap(), person: Seat::South }
    }

    #[test]
    fn a_suit_call_is_an_ask_or_goes_along() {
        let words = Words::from_language("nl").unwrap();
        let speech = speech(&words, "luxembourg");
        let deal = Deals::new(speech.rules, 3).shuffled(0, Seat::South);
        let mut state = State::new(speech.rules, &deal);
        let mut said = Vec::new();
        for code in ["8H", "pass", "8H", "abondance-9S"] {
            let action = Action::parse(code, state.phase()).unwrap();
            said.push(speech.saying(&state, Some(action)));
            state.apply(action).unwrap();
        }
        let shown = ["West vraagt 8 ♥", "Noord past", "Oost gaat mee: 8 ♥", "Jij: abondance 9 ♠"];
        assert_eq!(said, shown);
    }

    #[test]
    fn each_declarer_of_a_piccolo_has_a_result() {
        let words = Words::from_language("en").unwrap();
        let speech = speech(&words, "luxembourg");
        let mut contract = Contract {
            kind: ContractKind::Suit,
            goal: 9,
            trump: Some(Suit::Hearts),
            declarers: [Seat::South, Seat::North].into_iter().collect(),
            row: 0,
        };
        let tricks = BySeat([4, 1, 4, 4]);
        let result = speech.result(&contract, &tricks);
        assert_eq!(result, ["You and North failed in 9 ♥: 8 tricks, 1 short."]);
        (contract.kind, contract.goal, contract.trump) = (ContractKind::Piccolo, 0, None);
        contract.declarers = [Seat::East, Seat::South].into_iter().collect();
        let result = speech.result(&contract, &tricks);
        assert_eq!(result, ["You failed in piccolo: 4 tricks.", "East made piccolo: 1 trick."]);
        contract.declarers = SeatSet::single(Seat::East);
        assert_eq!(speech.result(&contract, &tricks), ["East made piccolo: 1 trick."]);
        (contract.kind, contract.goal) = (ContractKind::Abondance, 9);
        contract.trump = Some(Suit::Spades);
        let result = speech.result(&contract, &BySeat([1, 10, 1, 1]));
        assert_eq!(result, ["East made abondance 9 ♠: 10 tricks, 1 over."]);
    }

    #[test]
    fn a_match_has_winners() {
        let words = Words::from_language("en").unwrap();
        let speech = speech(&words, "luxembourg");
        assert_eq!(speech.winners(&BySeat([3, 3, 1, 2])), "North and East win the match.");
        assert_eq!(speech.winners(&BySeat([1, 3, 3, 2])), "You and East win the match.");
        assert_eq!(speech.winners(&BySeat([1, 3, 4, 2])), "You win the match.");
        assert_eq!(
            speech.points(&BySeat([0, -3, 12, 2]), true),
            "North 0  East −3  You +12  West +2"
        );
    }
}
