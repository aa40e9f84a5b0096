//! Input of a person at the terminal, and its help.

use troel_env::auction::Auction;
use troel_env::{
    Action, ActionSet, Card, CardSet, ContractKind, Observation, Phase, RuleSet, Seat, Suit,
};
use troel_web::Words;

/// Small words of sentences such as "queen of hearts", "le roi de pique" or "meegaan met harten".
const FILLERS: [&str; 14] =
    ["of", "de", "le", "la", "l", "the", "with", "in", "met", "mit", "mat", "op", "auf", "an"];

/// Keys of the names of suits, in the order of [`Suit::ALL`].
const SUIT_KEYS: [&str; 4] = ["suits.S", "suits.C", "suits.D", "suits.H"];

/// Keys of the names of ranks.
const RANK_KEYS: [&str; 4] = ["ranks.A", "ranks.K", "ranks.Q", "ranks.J"];

/// Number of tricks for which a player asks first.
const LOWEST_LEVEL: u8 = 8;

/// Meaning of a suit call: `8H` asks for a partner, goes along or raises, depending on the auction.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Meaning {
    /// Proposes a partnership.
    Ask,
    /// Accepts a proposal.
    Along,
    /// Raises the level of the caller's own pair.
    Raise,
}

impl Meaning {
    /// Returns the key of its texts.
    pub fn form(self) -> &'static str {
        match self {
            Meaning::Ask => "ask",
            Meaning::Along => "along",
            Meaning::Raise => "raise",
        }
    }
}

/// Returns actions in lines of a list. A line has the cards of a suit, the calls of a contract and
/// level that differ in trumps and mean the same, or one other call.
pub fn lines(actions: ActionSet, obs: &Observation) -> Vec<Vec<Action>> {
    let suit = |action: Action| action.as_card().map(Card::suit);
    let contract = |action: Action| {
        let bid = action.as_bid().filter(|bid| bid.level > 0)?;
        Some((bid.kind, bid.level, meaning(action, obs)))
    };
    let is_one_line = |&a: &Action, &b: &Action| match (suit(a), suit(b)) {
        (None, None) => contract(a).is_some() && contract(a) == contract(b),
        (a, b) => a == b,
    };
    let mut actions: Vec<Action> = actions.into_iter().collect();
    // Suit calls of a level that mean the same follow each other.
    actions.sort_by_key(|&action| match suit_call(action) {
        Some((suit, level)) => {
            let first = Action::suit_call(LOWEST_LEVEL, Suit::ALL[0]);
            (first, level, Some(own_meaning(obs, suit)))
        }
        None => (action, 0, None),
    });
    actions.chunk_by(is_one_line).map(<[Action]>::to_vec).collect()
}

/// Returns what an action of the observer means, if it is a suit call.
pub fn meaning(action: Action, obs: &Observation) -> Option<Meaning> {
    suit_call(action).map(|(suit, _)| own_meaning(obs, suit))
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

/// Returns the legal action that was typed as a code, as a name, or as a sentence that means only
/// one action. `None` for letters that mean several cards.
pub fn understood(word: &str, obs: &Observation, words: &Words, rules: &RuleSet) -> Option<Action> {
    let legal = obs.legal_actions();
    let cards = cards_meant(word, legal.cards, words);
    if cards.len() > 1 {
        return None;
    }
    let call = || {
        let calls = calls_meant(word, legal, words);
        calls.into_iter().next().filter(|_| calls.len() == 1)
    };
    let card = cards.iter().next().map(Action::card);
    card.or_else(|| read(word, legal.into_iter(), words, rules))
        .or_else(|| said_exactly(word, obs, words))
        .or_else(call)
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
        let code = plain(&card.to_string());
        let rank = plain(&words.rank(*card)).replacen("10", "t", 1);
        match symbol {
            Some(suit) => suit == card.suit() && (typed == code[..1] || typed == rank),
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

/// Returns the actions whose code or name contains the typed text. The level may be missing:
/// "abondance clubs" finds abondances of all levels.
pub fn containing(word: &str, actions: ActionSet, words: &Words, rules: &RuleSet) -> ActionSet {
    let typed = plain(word);
    let named = with_letters(word, words);
    let suit_or_rank = named.as_deref().map(|named| named.replacen("10", "t", 1));
    let suit_or_rank = suit_or_rank.filter(|named| named.len() == 1);
    let without_level = |text: &str| plain(text).replace(|c: char| c.is_ascii_digit(), "");
    let contains = |text: &str| {
        let has = |part: &str| plain(text).contains(part);
        let named = named.as_deref();
        has(&typed) || named.is_some_and(has) || named == Some(&without_level(text))
    };
    let matches = |action: &Action| {
        let code = action.to_string();
        if action.as_card().is_some() {
            return plain(&code).contains(suit_or_rank.as_ref().unwrap_or(&typed));
        }
        match &suit_or_rank {
            // The s of spades must not find misères.
            Some(letter) if letter.starts_with(char::is_alphabetic) => {
                let trump = action.as_bid().and_then(|bid| bid.trump);
                trump.is_some_and(|trump| plain(&trump.letter().to_string()) == *letter)
            }
            _ => contains(&code) || contains(&words.call(&code, rules)),
        }
    };
    if typed.is_empty() {
        return ActionSet::default();
    }
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
    let Some(sentence) = sentence(word, words) else { return ActionSet::default() };
    let matches = |action: &Action| match sentence {
        Sentence::Pass => action.to_string() == "pass",
        Sentence::Call { meaning, suit: wanted, level } => {
            suit_call(*action).is_some_and(|(suit, own_level)| {
                wanted.is_none_or(|wanted| wanted == suit)
                    && level.is_none_or(|level| level == own_level)
                    && own_meaning(obs, suit) == meaning
            })
        }
    };
    legal.into_iter().filter(matches).collect()
}

/// Returns the action that a sentence means, if it means only one. To ask for more than eight
/// tricks takes a level: "ask spades" must not become a call of nine.
fn said_exactly(word: &str, obs: &Observation, words: &Words) -> Option<Action> {
    let said = said(word, obs, words);
    let action = said.into_iter().next().filter(|_| said.len() == 1)?;
    let names_level = !matches!(sentence(word, words), Some(Sentence::Call { level: None, .. }));
    let is_higher_ask = suit_call(action).is_some_and(|(suit, level)| {
        level > LOWEST_LEVEL && own_meaning(obs, suit) == Meaning::Ask
    });
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
pub fn suit_call(action: Action) -> Option<(Suit, u8)> {
    let bid = action.as_bid().filter(|bid| bid.kind == ContractKind::Suit)?;
    bid.trump.map(|suit| (suit, bid.level))
}

/// Returns what a call of this suit by this seat means.
pub fn meaning_of(auction: &Auction, seat: Seat, suit: Suit) -> Meaning {
    if auction.partner(seat).is_some() && auction.suit(seat) == Some(suit) {
        return Meaning::Raise;
    }
    let is_open = |other: Seat| {
        other != seat && auction.suit(other) == Some(suit) && auction.partner(other).is_none()
    };
    if Seat::ALL.into_iter().any(is_open) { Meaning::Along } else { Meaning::Ask }
}

/// Returns what a call of this suit by the observer means.
fn own_meaning(obs: &Observation, suit: Suit) -> Meaning {
    meaning_of(obs.public().auction(), obs.seat(), suit)
}

/// Returns whether a text with letters for the names of suits and ranks means this action: a card
/// as rank and suit or as suit and rank, or a call.
fn is_named(action: Action, named: &str, words: &Words, rules: &RuleSet) -> bool {
    match action.as_card() {
        Some(card) => {
            let code = plain(&card.to_string());
            let named = named.replacen("10", "t", 1);
            named == code || named.chars().rev().eq(code.chars())
        }
        None => {
            let code = action.to_string();
            plain(&code) == named || plain_words(&words.call(&code, rules)) == named
        }
    }
}

/// Returns a text with letters and digits in place of the names of suits and ranks, and with codes
/// in place of other names of calls. `None` if it has none.
fn with_letters(word: &str, words: &Words) -> Option<String> {
    let typed = plain_words(word);
    let name = |key: &'static str| {
        let letter = key.rsplit('.').next().unwrap_or_default();
        (plain_words(words.text(key)), plain(letter))
    };
    let names = SUIT_KEYS.into_iter().chain(RANK_KEYS).map(name);
    let other = words.text("terminal.also").split(", ").filter_map(|names| names.split_once(" = "));
    let others = other.map(|(name, code)| (plain_words(name), plain(code)));
    let mut all: Vec<(String, String)> = names.chain(others).collect();
    // The longest name first: "schoppen" begins with "schop".
    all.sort_by_key(|(name, _)| std::cmp::Reverse(name.len()));
    let replace = |text: String, (name, code): &(String, String)| text.replacen(name, code, 1);
    let text = all.iter().fold(typed.clone(), replace);
    (text != typed).then_some(text)
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
mod tests;
