//! The texts of the page, for other front ends.

use serde_json::Value;
use troel_env::{Card, Contract, RuleSet, Suit};

/// The languages, by their codes.
pub const LANGUAGES: [&str; 5] = ["en", "lb", "nl", "de", "fr"];

const TEXTS: [&str; 5] = [
    include_str!("../words/en.json"),
    include_str!("../words/lb.json"),
    include_str!("../words/nl.json"),
    include_str!("../words/de.json"),
    include_str!("../words/fr.json"),
];

/// The texts of a language.
pub struct Words(Value);

impl Words {
    /// Returns the texts of the language with a code such as `lb`. `None` if it is not among
    /// [`LANGUAGES`].
    pub fn from_language(language: &str) -> Option<Words> {
        let at = LANGUAGES.iter().position(|&known| known == language)?;
        // The files are part of the program; a test reads them all.
        serde_json::from_str(TEXTS[at]).ok().map(Words)
    }

    /// Returns the text of a key such as `calls.pass`; the key itself if there is none.
    pub fn text<'a>(&'a self, key: &'a str) -> &'a str {
        let found = key.split('.').try_fold(&self.0, |value, part| value.get(part));
        found.and_then(Value::as_str).unwrap_or(key)
    }

    /// Returns the plural form of `key` for `n`, with `shown` in place of the number.
    pub fn count(&self, key: &str, n: f64, shown: &str) -> String {
        // French counts 1.5 as one; of the languages here no other does.
        let is_one = match self.text("locale") {
            "fr" => n.abs() < 2.0,
            _ => n.abs() == 1.0,
        };
        let form = format!("{key}.{}", if is_one { "one" } else { "other" });
        self.text(&form).replace("{n}", shown)
    }

    /// Returns the name of a contract's kind or of a call under a rule set. Examples of codes are
    /// `8H`, `abondance-9S` and `misere`.
    pub fn call(&self, code: &str, rules: &RuleSet) -> String {
        let strain = |text: &str| match text {
            "NT" => self.text("noTrumps").to_string(),
            suit => match suit.chars().next().and_then(Suit::from_letter) {
                Some(suit) => suit.symbol().to_string(),
                None => suit.to_string(),
            },
        };
        let split = |text: &str| -> Option<(String, String)> {
            let digits = text.chars().take_while(char::is_ascii_digit).count();
            let (level, rest) = text.split_at(digits);
            ["S", "C", "D", "H", "NT"].contains(&rest).then(|| {
                (level.to_string(), format!("{level} {}", strain(rest)).trim().to_string())
            })
        };
        if let Some((_, text)) = split(code).filter(|(level, _)| !level.is_empty()) {
            return text;
        }
        match code.rsplit_once('-').and_then(|(kind, rest)| Some((kind, split(rest)?))) {
            Some((kind, (level, text))) => {
                let kind = if kind == "solo" && level == "5" { "alone" } else { kind };
                self.kind(kind, rules).replace("{}", &text)
            }
            None => self.kind(code, rules).replace("{}", "").trim().to_string(),
        }
    }

    /// Returns the name of a contract with its tricks and trumps, such as `abondance 9 ♠`.
    pub fn contract(&self, contract: &Contract, rules: &RuleSet) -> String {
        let level = if contract.goal > 0 { contract.goal.to_string() } else { String::new() };
        let trump = contract.trump.map(|suit| suit.symbol().to_string()).unwrap_or_default();
        let parts = [self.call(contract.kind.name(), rules), level, trump];
        let parts: Vec<&str> = parts.iter().map(String::as_str).filter(|s| !s.is_empty()).collect();
        parts.join(" ")
    }

    /// Returns a card with the letter of its rank in the language, such as `H♥` in Dutch.
    pub fn card(&self, card: Card) -> String {
        format!("{}{}", self.rank(card), card.suit().symbol())
    }

    /// Returns the letter of a card's rank in the language, such as `H` for a king in Dutch.
    pub fn rank(&self, card: Card) -> char {
        let letter = card.to_string().chars().next().unwrap_or_default();
        let at = "AKQJ".find(letter);
        at.and_then(|at| self.text("letters").chars().nth(at)).unwrap_or(letter)
    }

    /// Returns the name of a kind, with `{}` in place of level and suit.
    fn kind(&self, kind: &str, rules: &RuleSet) -> &str {
        let of = |group: &str| self.0.get(group)?.get(kind)?.as_str();
        let flanders = rules.has_turn_up().then(|| of("callsFlanders")).flatten();
        let iwwa = (rules.id() == "iwwa").then(|| of("callsIwwa")).flatten();
        // A test checks that each call has a name.
        iwwa.or(flanders).or_else(|| of("calls")).unwrap_or("?")
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use troel_env::{Action, N_ACTIONS};

    use super::*;

    fn rules(name: &str) -> &'static RuleSet {
        RuleSet::built_in(name).unwrap()
    }

    fn keys(value: &Value, at: &str, found: &mut BTreeSet<String>) {
        match value {
            // Names that differ by region are not in all languages.
            Value::Object(_)
                if at.starts_with(".callsFlanders") || at.starts_with(".callsIwwa") => {}
            Value::Object(fields) => {
                fields.iter().for_each(|(key, value)| keys(value, &format!("{at}.{key}"), found));
            }
            Value::Array(items) => {
                found.insert(format!("{at}[{}]", items.len()));
            }
            Value::String(text) => {
                let gaps = text.matches('{').count();
                assert!(!text.is_empty() && gaps == text.matches('}').count(), "{at}: {text}");
                found.insert(at.to_string());
            }
            _ => panic!("{at}: {value}"),
        }
    }

    #[test]
    fn all_languages_say_the_same() {
        let all = LANGUAGES.map(|language| {
            let mut found = BTreeSet::new();
            keys(&Words::from_language(language).unwrap().0, "", &mut found);
            found
        });
        for (language, found) in LANGUAGES.iter().zip(&all) {
            let differs: Vec<_> = found.symmetric_difference(&all[0]).collect();
            assert!(differs.is_empty(), "{language}: {differs:?}");
        }
        assert!(Words::from_language("xx").is_none());
    }

    #[test]
    fn all_calls_have_names() {
        for language in LANGUAGES {
            let words = Words::from_language(language).unwrap();
            for action in (52..N_ACTIONS).filter_map(Action::from_index) {
                let name = words.call(&action.to_string(), rules("wiezen"));
                assert!(!name.is_empty() && !name.contains(['?', '{', '-']), "{action}: {name}");
            }
        }
        let words = Words::from_language("de").unwrap();
        assert_eq!(words.call("slam-NT", rules("luxembourg")), "Chelem ohne Trumpf");
        assert_eq!(words.call("slam-H", rules("iwwa")), "Solo ♥");
        assert_eq!(words.call("solo-5H", rules("iwwa")), "allein 5 ♥");
        assert_eq!(words.call("10C", rules("luxembourg")), "10 ♣");
    }
}
