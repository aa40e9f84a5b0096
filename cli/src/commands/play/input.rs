//! Input of a person at the terminal, and its help.

use troel_env::{
    Action, ActionSet, Card, CardSet, ContractKind, Observation, Phase, RuleSet, Seat, Suit,
};
use troel_web::Words;

/// Small words of sentences such as "queen of hearts", "le roi de pique" or "meegaan met harten".
const FILLERS: [&str; 14] =
    ["of", "de", "le", "la", "l", "the", "with", "in", "met", "mit", "mat", "op", "auf", "an"];

/// Keys of the names of suits, in the order of [`Suit::ALL`].
const SUIT_KEYS: [&str; 4] = ["suits.S", "suits.C", "suits.D", "suits.H"];

/// Number of tricks for which a player asks first.
const LOWEST_LEVEL: u8 = 8;

/// Meaning of a suit call: `8H` asks for a partner, goes along or raises, depending on the auction.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Meaning {
    Ask,
    Along,
    Raise,
}

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

/// Returns the action among these that was typed: a code, or a call or card as `words` name it.
/// Case, accents, spaces and hyphens do not matter; suits may be letters or symbols, a ten `10` or
/// `T`.
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
    let named = with_letters(word, words);
    let actions: Vec<Action> = actions.collect();
    let find = |matches: &dyn Fn(Action) -> bool| actions.iter().copied().find(|&a| matches(a));
    let is_card = |action: Action, code: &str| {
        action.as_card().is_some_and(|c| plain(&c.to_string()) == code)
    };
    find(&|action| plain(&action.to_string()) == typed)
        .or_else(|| find(&|action| plain(&words.call(&action.to_string(), rules)) == typed))
        .or_else(|| find(&|action| is_card(action, &card)))
        .or_else(|| {
            named.as_ref().and_then(|named| find(&|action| is_named(action, named, words, rules)))
        })
}

/// Returns whether two texts differ only in case, accents, spaces or hyphens.
pub fn are_same(one: &str, other: &str) -> bool {
    plain(one) == plain(other)
}

/// Returns the cards among these that two letters or a letter and a symbol may mean: `KH` as a code
/// is the king of hearts, but in Dutch also the king of clubs (klaverenheer). Letters of the
/// language stand in either order.
pub fn cards_meant(word: &str, cards: CardSet, words: &Words) -> CardSet {
    let symbol = word.chars().find_map(suit_of);
    let typed = plain(&word.replace(|c| suit_of(c).is_some(), "")).replacen("10", "t", 1);
    let means = |card: &Card| {
        let (code, rank) = (plain(&card.to_string()), words.rank(*card).to_ascii_lowercase());
        match symbol {
            Some(suit) => suit == card.suit() && (typed == code[..1] || typed == rank.to_string()),
            None => {
                let suit = initial(card.suit(), words);
                [code, format!("{rank}{suit}"), format!("{suit}{rank}")].contains(&typed)
            }
        }
    };
    cards.iter().filter(means).collect()
}

/// Returns the calls among these whose code was typed with the language's letter for the suit:
/// `8K` is eight clubs in Dutch.
pub fn calls_meant(word: &str, actions: ActionSet, words: &Words) -> ActionSet {
    let typed = plain(word);
    let means = |action: &Action| {
        action.as_bid().and_then(|bid| bid.trump).is_some_and(|suit| {
            let code = plain(&action.to_string());
            code[..code.len() - 1].to_string() + &initial(suit, words) == typed
        })
    };
    actions.into_iter().filter(means).collect()
}

/// Returns the first letter of a suit's name.
fn initial(suit: Suit, words: &Words) -> String {
    let name = words.text(SUIT_KEYS[suit.index()]);
    plain(name).chars().take(1).collect()
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

/// A sentence of a player in the auction.
enum Sentence {
    Pass,
    /// A suit call with this meaning, in this suit and at this level if they were named.
    Call {
        meaning: Meaning,
        suit: Option<Suit>,
        level: Option<u8>,
    },
}

/// Returns the actions that a sentence of a player may mean: "I pass", "vraag harten", "ga mee".
/// A sentence without a suit means all suits.
pub fn said(word: &str, obs: &Observation, words: &Words) -> ActionSet {
    let legal = obs.legal_actions();
    if obs.public().phase() != Phase::Auction {
        return ActionSet::default();
    }
    let matches = |action: &Action| match sentence(word, words) {
        None => false,
        Some(Sentence::Pass) => action.to_string() == "pass",
        Some(Sentence::Call { meaning, suit: wanted, level }) => {
            suit_call(*action).is_some_and(|(suit, own_level)| {
                wanted.is_none_or(|wanted| wanted == suit)
                    && level.is_none_or(|level| level == own_level)
                    && meaning_of(obs, suit) == meaning
            })
        }
    };
    legal.into_iter().filter(matches).collect()
}

/// Returns the action that a sentence means, if it means only one. To ask for more than eight
/// tricks takes a level: "ask spades" must not become a call of nine.
pub fn said_exactly(word: &str, obs: &Observation, words: &Words) -> Option<Action> {
    let said = said(word, obs, words);
    let action = said.into_iter().next().filter(|_| said.len() == 1)?;
    let names_level = !matches!(sentence(word, words), Some(Sentence::Call { level: None, .. }));
    let is_higher_ask = suit_call(action)
        .is_some_and(|(suit, level)| level > LOWEST_LEVEL && meaning_of(obs, suit) == Meaning::Ask);
    (names_level || !is_higher_ask).then_some(action)
}

/// Returns whether a word is a sentence of an auction, legal or not.
pub fn is_sentence(word: &str, words: &Words) -> bool {
    sentence(word, words).is_some()
}

fn sentence(word: &str, words: &Words) -> Option<Sentence> {
    let typed = plain_words(word);
    if phrases("terminal.say.pass", words).any(|phrase| phrase == typed) {
        return Some(Sentence::Pass);
    }
    let meanings = [
        ("terminal.say.ask", Meaning::Ask),
        ("terminal.say.along", Meaning::Along),
        ("terminal.say.raise", Meaning::Raise),
    ];
    let sentence = with_letters(word, words).unwrap_or(typed);
    for (key, meaning) in meanings {
        // The longest phrase first: "meegaan" begins with "mee".
        let mut known: Vec<String> = phrases(key, words).collect();
        known.sort_by_key(|phrase| std::cmp::Reverse(phrase.len()));
        for phrase in known {
            let Some(rest) = without(&sentence, &phrase) else { continue };
            let suit = rest.trim_start_matches(|c: char| c.is_ascii_digit());
            let level = rest[..rest.len() - suit.len()].parse().ok();
            match suit.to_uppercase().chars().next().and_then(Suit::from_letter) {
                Some(wanted) if suit.len() == 1 => {
                    return Some(Sentence::Call { meaning, suit: Some(wanted), level });
                }
                None if suit.is_empty() => {
                    return Some(Sentence::Call { meaning, suit: None, level });
                }
                _ => {}
            }
        }
    }
    None
}

/// Returns a sentence without a phrase at its beginning or end.
fn without<'a>(sentence: &'a str, phrase: &str) -> Option<&'a str> {
    sentence.strip_prefix(phrase).or_else(|| sentence.strip_suffix(phrase))
}

/// Returns the phrases of a text, in the form of [`plain_words`].
fn phrases<'a>(key: &'a str, words: &'a Words) -> impl Iterator<Item = String> + 'a {
    words.text(key).split(", ").map(plain_words)
}

/// Returns the suit and the level of a suit call.
fn suit_call(action: Action) -> Option<(Suit, u8)> {
    let bid = action.as_bid().filter(|bid| bid.kind == ContractKind::Suit)?;
    bid.trump.map(|suit| (suit, bid.level))
}

/// Returns what a call of this suit means to the seat that observes.
fn meaning_of(obs: &Observation, suit: Suit) -> Meaning {
    let auction = obs.public().auction();
    let own = obs.seat();
    if auction.partner(own).is_some() && auction.suit(own) == Some(suit) {
        return Meaning::Raise;
    }
    let is_open = |seat: Seat| {
        seat != own && auction.suit(seat) == Some(suit) && auction.partner(seat).is_none()
    };
    if Seat::ALL.into_iter().any(is_open) { Meaning::Along } else { Meaning::Ask }
}

/// Returns whether a text with letters for the names of suits and ranks means this action: a card
/// as rank and suit or as suit and rank, or a call.
fn is_named(action: Action, named: &str, words: &Words, rules: &RuleSet) -> bool {
    match action.as_card() {
        Some(card) => {
            let code = plain(&card.to_string());
            named == code || named.chars().rev().eq(code.chars())
        }
        None => {
            let code = action.to_string();
            plain(&code) == named || plain_words(&words.call(&code, rules)) == named
        }
    }
}

/// Returns a text with letters in place of the names of suits and ranks. `None` if it has none.
fn with_letters(word: &str, words: &Words) -> Option<String> {
    let typed = plain_words(word);
    let mut text = typed.clone();
    for key in SUIT_KEYS.into_iter().chain(["ranks.A", "ranks.K", "ranks.Q", "ranks.J"]) {
        let letter = key.rsplit('.').next().unwrap_or_default().to_lowercase();
        text = text.replacen(&plain_words(words.text(key)), &letter, 1);
    }
    (text != typed).then(|| text.replacen("10", "t", 1))
}

/// Returns [`plain`] of a text without its [`FILLERS`].
fn plain_words(text: &str) -> String {
    let parts = text.split(|c: char| !c.is_alphanumeric() && suit_of(c).is_none()).map(plain);
    parts.filter(|part| !FILLERS.contains(&part.as_str())).collect()
}

/// Returns the lower-case letters and digits of a text, with letters for suits and without accents.
fn plain(text: &str) -> String {
    let letters = text.chars().map(|c| suit_of(c).map_or(c, Suit::letter));
    let lower = letters.filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase);
    lower.map(without_accent).collect::<String>().replace('œ', "oe")
}

fn suit_of(symbol: char) -> Option<Suit> {
    Suit::ALL.into_iter().find(|suit| suit.symbol() == symbol)
}

/// Returns the letter below an accent of the languages here.
fn without_accent(letter: char) -> char {
    match letter {
        'à' | 'â' | 'ä' => 'a',
        'ç' => 'c',
        'è' | 'é' | 'ê' | 'ë' => 'e',
        'î' | 'ï' => 'i',
        'ô' | 'ö' => 'o',
        'ù' | 'û' | 'ü' => 'u',
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use troel_env::{N_ACTIONS, Phase, Record, Session};

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
    fn names_in_the_language_are_understood() {
        let rules = RuleSet::built_in("wiezen").unwrap();
        let all = || (0..N_ACTIONS).filter_map(Action::from_index);
        for (language, typed, code) in [
            ("nl", "ruitenboer", "JD"),
            ("nl", "Harten Heer", "KH"),
            ("nl", "schoppen 10", "TS"),
            ("nl", "misère", "misere"),
            ("nl", "abondance 9 klaveren", "abondance-9C"),
            ("fr", "le roi de cœur", "KH"),
            ("fr", "dame de trefle", "QC"),
            ("de", "Herz-Dame", "QH"),
            ("de", "Pik König", "KS"),
            ("lb", "Kräiz-As", "AC"),
            ("en", "queen of hearts", "QH"),
            ("en", "the ace of spades", "AS"),
            ("en", "abondance 9 clubs", "abondance-9C"),
        ] {
            let words = Words::from_language(language).unwrap();
            let found = read(typed, all(), &words, rules).map(|action| action.to_string());
            assert_eq!(found.as_deref(), Some(code), "{language}: {typed}");
        }
        let words = Words::from_language("nl").unwrap();
        for typed in ["harten", "boer", "hartenhart"] {
            assert_eq!(read(typed, all(), &words, rules), None, "{typed}");
        }
    }

    #[test]
    fn letters_of_the_language_may_mean_several_cards() {
        let all: CardSet = Suit::ALL.into_iter().flat_map(|suit| suit.cards().iter()).collect();
        let mut ambiguous = Vec::new();
        for (language, typed, codes) in [
            ("nl", "HB", "JH"),
            ("nl", "bh", "JH"),
            ("nl", "H♥", "KH"),
            ("nl", "♥ 10", "TH"),
            ("nl", "r10", "TD"),
            ("nl", "KH", "KC KH"),
            ("nl", "HH", "KH"),
            ("nl", "Q♠", "QS"),
            ("fr", "RP", "KS"),
            ("fr", "AC", "AC AD AH"),
            ("fr", "V♦", "JD"),
            ("de", "KD", "QC QD KD"),
            ("de", "D♣", "QC"),
            ("lb", "HA", "AH"),
            ("en", "HA", "AH"),
            ("en", "KD", "KD"),
            ("en", "H", ""),
            ("nl", "♥", ""),
            ("nl", "11♥", ""),
            ("nl", "hartenboer", ""),
        ] {
            let words = Words::from_language(language).unwrap();
            let found = cards_meant(typed, all, &words);
            let found: Vec<String> = found.iter().map(|card| card.to_string()).collect();
            assert_eq!(found.join(" "), codes, "{language}: {typed}");
            ambiguous.extend((found.len() > 1).then_some(language));
        }
        assert_eq!(ambiguous, ["nl", "fr", "de"]);
        for language in troel_web::LANGUAGES {
            let words = Words::from_language(language).unwrap();
            for card in all.iter() {
                let shown = words.card(card);
                let found: Vec<Card> = cards_meant(&shown, all, &words).iter().collect();
                assert_eq!(found, [card], "{language}: what is shown can be typed: {shown}");
            }
        }
    }

    #[test]
    fn calls_may_end_in_the_first_letter_of_a_suit() {
        let parse = |code| Action::parse(code, Phase::Auction).unwrap();
        let calls: ActionSet =
            ["8S", "8C", "8D", "8H", "solo-6C", "pass"].into_iter().map(parse).collect();
        for (language, typed, codes) in [
            ("nl", "8K", "8C"),
            ("nl", "8♦", ""),
            ("nl", "solo 6 k", "solo-6C"),
            ("fr", "8c", "8D 8H"),
            ("fr", "8P", "8S"),
            ("de", "8K", "8C 8D"),
            ("nl", "k", ""),
        ] {
            let words = Words::from_language(language).unwrap();
            let found = calls_meant(typed, calls, &words).into_iter();
            let found: Vec<String> = found.map(|call| call.to_string()).collect();
            assert_eq!(found.join(" "), codes, "{language}: {typed}");
        }
    }

    #[test]
    fn sentences_of_the_auction_are_understood() {
        let rules = RuleSet::built_in("wiezen").unwrap();
        let said_after = |language: &str, calls: &[&str], typed: &str| {
            let record = r#"{"rules":"wiezen","dealer":"W","turn_up":"AH","actions":[],
                "deal":"N:AQJT.75.K8753.65 K876.KJ9.QT94.A9 932.86.J2.KJT432 54.AQT432.A6.Q87"}"#;
            let record: Record = serde_json::from_str(record).unwrap();
            let mut session = Session::from_deal(rules, &record.full_deal(rules).unwrap());
            for call in calls {
                session.apply(Action::parse(call, Phase::Auction).unwrap()).unwrap();
            }
            let words = Words::from_language(language).unwrap();
            let found = said(typed, &session.observe(), &words);
            found.into_iter().map(|action| action.to_string()).collect::<Vec<_>>()
        };
        for (language, typed, code) in [
            ("nl", "vraag", "8H"),
            ("nl", "ik vraag harten", "8H"),
            ("nl", "vragen 8♥", "8H"),
            ("nl", "pas", "pass"),
            ("en", "I ask", "8H"),
            ("en", "ask hearts", "8H"),
            ("fr", "je demande", "8H"),
            ("de", "ich frage", "8H"),
            ("lb", "proposéieren", "8H"),
        ] {
            assert_eq!(said_after(language, &[], typed), [code], "{language}: {typed}");
        }
        for (language, typed) in [
            ("nl", "ik ga mee"),
            ("nl", "meegaan met harten"),
            ("en", "I go along"),
            ("en", "go along with hearts"),
            ("fr", "je suis"),
            ("de", "ich gehe mit"),
            ("lb", "ech gi mat"),
        ] {
            assert_eq!(said_after(language, &["8H"], typed), ["8H"], "{language}: {typed}");
            assert!(said_after(language, &[], typed).is_empty(), "{typed}: nobody asked");
        }
        assert_eq!(
            said_after("nl", &["8H"], "harten vragen"),
            [""; 0],
            "that would be to go along"
        );
        let words = Words::from_language("nl").unwrap();
        let luxembourg = RuleSet::built_in("luxembourg").unwrap();
        let deal = troel_env::Deals::new(luxembourg, 4).shuffled(0, Seat::West);
        let mut session = Session::from_deal(luxembourg, &deal);
        for call in ["8S", "8S"] {
            session.apply(Action::parse(call, Phase::Auction).unwrap()).unwrap();
        }
        let obs = session.observe();
        for (typed, meant, played) in [
            ("ask spades", "9S", None),
            ("ask 9 spades", "9S", Some("9S")),
            ("ask 8 spades", "", None),
            ("ask hearts", "8H", Some("8H")),
        ] {
            let words = Words::from_language("en").unwrap();
            let found = said(typed, &obs, &words).into_iter();
            let found: Vec<String> = found.map(|action| action.to_string()).collect();
            assert_eq!(found.join(" "), meant, "{typed}");
            let exact = said_exactly(typed, &obs, &words).map(|action| action.to_string());
            assert_eq!(exact.as_deref(), played, "{typed}");
        }
        for (typed, known) in
            [("ik vraag schoppen", true), ("vraag iets", false), ("mee", true), ("ik", false)]
        {
            assert!(said_after("nl", &[], typed).is_empty(), "{typed}");
            assert_eq!(is_sentence(typed, &words), known, "{typed}");
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
