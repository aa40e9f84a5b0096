//! What people type at the terminal.

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
    assert_eq!(found("abondance schoppen", calls), ["abondance-9S"], "without the level");
    assert_eq!(found("schoppen", calls), ["solo-6S", "abondance-9S", "slam-S"], "no misère");
    assert_eq!(found("tien", cards), ["TH"]);
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
        ("nl", "harten koning", "KH"),
        ("nl", "koekenzot", "JD"),
        ("nl", "ruitentien", "TD"),
        ("nl", "klavernegen", "9C"),
        ("nl", "miserie op tafel", "open-misere"),
        ("nl", "abondance negen klaveren", "abondance-9C"),
        ("fr", "le roi de cœur", "KH"),
        ("fr", "dix de pique", "TS"),
        ("fr", "dame de trefle", "QC"),
        ("de", "Herz-Dame", "QH"),
        ("de", "Pik König", "KS"),
        ("de", "Herz sieben", "7H"),
        ("lb", "Kräiz-As", "AC"),
        ("lb", "Kräiz-Ass", "AC"),
        ("en", "queen of hearts", "QH"),
        ("en", "the ace of spades", "AS"),
        ("en", "abondance 9 clubs", "abondance-9C"),
        ("en", "abondance 10 clubs", "abondance-10C"),
        ("en", "abondance ten clubs", "abondance-10C"),
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
    let all = CardSet::FULL;
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
    assert_eq!(said_after("nl", &["8H"], "harten vragen"), [""; 0], "that would be to go along");
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
    for (word, code) in [("misère", "misere"), ("abondance 9 ♠", "abondance-9S"), ("PASS", "pass")]
    {
        assert_eq!(read(word, false), Some((code.to_string(), false)), "{word}");
    }
    assert_eq!(read("11♥", true), None);
    for word in ["", "-", "♥♥", "…"] {
        assert_eq!(read(word, false), None, "{word}");
    }
}
