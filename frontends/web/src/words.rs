//! The texts of the page, for other front ends.

use serde_json::Value;
use troel_env::{Card, Contract, ContractKind, RuleSet, Suit};

/// The languages, by their codes.
pub const LANGUAGES: [&str; 5] = ["en", "lb", "nl", "de", "fr"];

const TEXTS: [&str; 5] = [
    include_str!("../words/en.json"),
    include_str!("../words/lb.json"),
    include_str!("../words/nl.json"),
    include_str!("../words/de.json"),
    include_str!("../words/fr.json"),
];

/// First sounds, also of spoken numbers, before which a Luxembourgish word keeps its final n.
const KEEPS_FINAL_N: &str = "aeiouyäëéèêöüœhndtz12389";

/// The texts of a language.
pub struct Words(Value);

/// Fills the gaps `{}` and `{name}` of a text. An n in brackets before a gap stays only if the
/// value of the gap needs it, as Luxembourgish spelling demands.
pub fn fill(text: &str, gaps: &[(&str, &str)]) -> String {
    let mut filled = text.to_string();
    for (name, value) in gaps {
        let first = value.to_lowercase().chars().next();
        let keeps_n = first.is_some_and(|first| KEEPS_FINAL_N.contains(first));
        for n in ["n", "nn"] {
            let kept = if keeps_n { n } else { "" };
            filled = filled.replace(&format!("({n}) {{{name}}}"), &format!("{kept} {value}"));
        }
        filled = filled.replace(&format!("{{{name}}}"), value);
    }
    filled
}

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
        use ContractKind::*;
        let kind = contract.kind;
        let strain = match contract.trump {
            Some(suit) => suit.symbol().to_string(),
            None if matches!(kind, SmallSlam | Slam) => self.text("noTrumps").to_string(),
            None => String::new(),
        };
        let has_level = matches!(kind, Suit | Solo | Alone | Abondance | Trou | Troel);
        let level = if has_level { contract.goal.to_string() } else { String::new() };
        let gap = format!("{level} {strain}");
        let gap = gap.trim();
        let name = self.kind(kind.name(), rules);
        let text =
            if name.contains("{}") { fill(name, &[("", gap)]) } else { format!("{name} {gap}") };
        text.trim().to_string()
    }

    /// Returns a card as its rank in the language and its suit, such as `H♥` in Dutch.
    pub fn card(&self, card: Card) -> String {
        format!("{}{}", self.rank(card), card.suit().symbol())
    }

    /// Returns the rank on a card in the language, such as `H` for a king in Dutch, and `10`.
    pub fn rank(&self, card: Card) -> String {
        let code = card.to_string();
        let letter = code.chars().next().unwrap_or_default();
        let at = "AKQJ".find(letter);
        match at.and_then(|at| self.text("letters").chars().nth(at)) {
            Some(local) => local.to_string(),
            None => letter.to_string().replace('T', "10"),
        }
    }

    /// Formats a number with the decimal sign of the language and a minus sign.
    pub fn number(&self, value: f64, digits: usize) -> String {
        let text = format!("{:.digits$}", value.abs());
        let is_zero = text.chars().all(|c| matches!(c, '0' | '.'));
        let decimal = if self.text("locale") == "en" { "." } else { "," };
        let sign = if value < 0.0 && !is_zero { "−" } else { "" };
        sign.to_string() + &text.replace('.', decimal)
    }

    /// Formats a number as [`Words::number`] does, with a plus sign before positive ones.
    pub fn signed(&self, value: f64, digits: usize) -> String {
        let text = self.number(value, digits);
        let is_positive = text.contains(|c| matches!(c, '1'..='9')) && !text.starts_with('−');
        if is_positive { format!("+{text}") } else { text }
    }

    /// Joins names, for example "You, North and East".
    pub fn list(&self, names: &[&str]) -> String {
        match names.split_last() {
            Some((last, first)) if !first.is_empty() => {
                fill(self.text("and"), &[("first", &first.join(", ")), ("last", last)])
            }
            _ => names.concat(),
        }
    }

    /// Returns the forms of what a player says with a call: of the person, and of another seat.
    /// `None` if the language has no sentence for the call.
    pub fn says<'a>(&'a self, call: &str) -> Option<[&'a str; 2]> {
        let forms = self.0.get("says")?.get(call)?;
        Some([forms.get(0)?.as_str()?, forms.get(1)?.as_str()?])
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

    use troel_env::{Action, N_ACTIONS, Seat, SeatSet};

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
    fn gaps_are_filled() {
        assert_eq!(fill("{name} asks {}", &[("name", "North"), ("", "8 ♠")]), "North asks 8 ♠");
        assert_eq!(fill("vu(n) {}", &[("", "Anna")]), "vun Anna");
        assert_eq!(fill("vu(n) {}", &[("", "Marc")]), "vu Marc");
        assert_eq!(fill("hu(nn) {}", &[("", "8 ♠")]), "hunn 8 ♠");
    }

    #[test]
    fn numbers_have_the_signs_of_the_language() {
        let [english, german] =
            ["en", "de"].map(|language| Words::from_language(language).unwrap());
        assert_eq!(english.signed(12.0, 0), "+12");
        assert_eq!(english.signed(-1.26, 1), "−1.3");
        assert_eq!(english.signed(-0.04, 1), "0.0");
        assert_eq!(english.signed(0.04, 1), "0.0");
        assert_eq!(english.number(7.0, 0), "7");
        assert_eq!(german.signed(-1.5, 1), "−1,5");
        assert_eq!(english.list(&["You"]), "You");
        assert_eq!(english.list(&["You", "North", "East"]), "You, North and East");
    }

    #[test]
    fn contracts_have_level_and_suit() {
        let words = Words::from_language("en").unwrap();
        let name = |kind, goal, trump| {
            let contract =
                Contract { kind, goal, trump, declarers: SeatSet::single(Seat::South), row: 0 };
            words.contract(&contract, rules("luxembourg"))
        };
        assert_eq!(name(ContractKind::Suit, 8, Some(Suit::Hearts)), "8 ♥");
        assert_eq!(name(ContractKind::Abondance, 9, Some(Suit::Spades)), "abondance 9 ♠");
        assert_eq!(name(ContractKind::Trou, 9, Some(Suit::Hearts)), "trou 9 ♥");
        assert_eq!(name(ContractKind::Slam, 13, None), "slam no trumps");
        assert_eq!(name(ContractKind::Misere, 0, None), "misère");
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
