//! Input of a person at the terminal, and its help.

use troel_env::{Action, ActionSet, Card, RuleSet, Suit};
use troel_web::Words;

/// Returns actions in lines of a list. A line has the cards of a suit, the calls of a contract and
/// level that differ in trumps, or other calls.
pub fn lines(actions: ActionSet) -> Vec<Vec<Action>> {
    let suit = |action: Action| action.as_card().map(Card::suit);
    let contract = |action: Action| {
        let bid = action.as_bid().filter(|bid| bid.level > 0)?;
        Some((bid.kind, bid.level))
    };
    let actions: Vec<Action> = actions.into_iter().collect();
    let lines = actions.chunk_by(|&a, &b| suit(a) == suit(b) && contract(a) == contract(b));
    lines.map(<[Action]>::to_vec).collect()
}

/// Returns the action among these that was typed: a code, or a call as `words` name it. Case,
/// spaces and hyphens do not matter; suits may be letters or symbols, a ten `10` or `T`.
pub fn read(
    word: &str,
    actions: impl Iterator<Item = Action>,
    words: &Words,
    rules: &RuleSet,
) -> Option<Action> {
    let typed = plain(word);
    if typed.is_empty() {
        return None;
    }
    // `10H` is the code of a call, and the card `TH` otherwise; an exact match comes first.
    let card = typed.replacen("10", "t", 1);
    let actions: Vec<Action> = actions.collect();
    let find = |matches: &dyn Fn(Action) -> bool| actions.iter().copied().find(|&a| matches(a));
    find(&|action| plain(&action.to_string()) == typed)
        .or_else(|| find(&|action| plain(&words.call(&action.to_string(), rules)) == typed))
        .or_else(|| find(&|action| action.as_card().is_some_and(|c| plain(&c.to_string()) == card)))
}

/// Returns the actions whose code or name contains what was typed.
pub fn containing(word: &str, actions: ActionSet, words: &Words, rules: &RuleSet) -> ActionSet {
    let typed = plain(word);
    let contains = |text: &str| !typed.is_empty() && plain(text).contains(&typed);
    let matches = |action: &Action| {
        let code = action.to_string();
        contains(&code) || action.as_card().is_none() && contains(&words.call(&code, rules))
    };
    actions.into_iter().filter(matches).collect()
}

/// Returns the lower-case letters and digits of a text, with letters for suits.
fn plain(text: &str) -> String {
    let suit = |symbol: char| Suit::ALL.into_iter().find(|suit| suit.symbol() == symbol);
    let letters = text.chars().map(|c| suit(c).map_or(c, Suit::letter));
    letters.filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use troel_env::{N_ACTIONS, Phase};

    use super::*;

    #[test]
    fn parts_of_names_find_calls_and_cards() {
        let words = Words::from_language("nl").unwrap();
        let rules = RuleSet::built_in("wiezen").unwrap();
        let parse = |code| Action::parse(code, Phase::Auction).unwrap();
        let calls = ["pass", "8H", "solo-6S", "solo-6H", "abondance-9S", "misere", "slam-S"];
        let calls: ActionSet = calls.into_iter().map(parse).collect();
        let cards: ActionSet = ["2S", "2H", "TH"]
            .map(|code| Action::parse(code, Phase::Play).unwrap())
            .into_iter()
            .collect();
        let found = |word: &str, actions: ActionSet| {
            let found = containing(word, actions, &words, rules);
            found.into_iter().map(|action| action.to_string()).collect::<Vec<_>>()
        };
        assert_eq!(found("solo 6", calls), ["solo-6S", "solo-6H"]);
        assert_eq!(found("Abondance", calls), ["abondance-9S"]);
        assert_eq!(found("miserie", calls), ["misere"], "the name in Dutch");
        assert_eq!(found("2", cards), ["2S", "2H"]);
        for word in ["", "-", "vragen"] {
            assert!(containing(word, calls, &words, rules).is_empty(), "{word}");
        }
    }

    #[test]
    fn what_people_type_is_understood() {
        let words = Words::from_language("en").unwrap();
        let rules = RuleSet::built_in("luxembourg").unwrap();
        let all = || (0..N_ACTIONS).filter_map(Action::from_index);
        let cards = || all().filter(|a| a.as_card().is_some());
        let read = |word: &str, cards_only: bool| {
            let action = if cards_only {
                read(word, cards(), &words, rules)
            } else {
                read(word, all(), &words, rules)
            };
            action.map(|a| (a.to_string(), a.as_card().is_some()))
        };
        for word in ["10♥", "t♥", "TH", "10h"] {
            assert_eq!(read(word, true), Some(("TH".to_string(), true)), "{word}");
        }
        assert_eq!(read("10h", false), Some(("10H".to_string(), false)));
        assert_eq!(read("Abondance-10♣", false), Some(("abondance-10C".to_string(), false)));
        assert_eq!(read("Small-slam-nt", false), Some(("small-slam-NT".to_string(), false)));
        for (word, code) in
            [("misère", "misere"), ("abondance 9 ♠", "abondance-9S"), ("PASS", "pass")]
        {
            assert_eq!(read(word, false), Some((code.to_string(), false)), "{word}");
        }
        assert_eq!(read("11♥", true), None);
        for word in ["", "-", "♥♥", "…"] {
            assert_eq!(read(word, false), None, "{word}");
        }
    }
}
