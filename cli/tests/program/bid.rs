//! `troel bid`: a hand of the player's choice.

use serde_json::{Value, json};

use crate::support::{lines, run, stderr_of, stdout_of};

/// Returns the JSON answer for a hand.
fn answer(args: &[&str]) -> Value {
    let output = run(&[&["bid", "--json"], args].concat());
    assert_eq!(output.status.code(), Some(0), "{args:?}: {}", stderr_of(&output));
    lines(&output).remove(0)
}

#[test]
fn a_sure_slam_is_opened() {
    // The ace of the void suit cannot stop thirteen tricks with spades as trumps.
    let answer = answer(&["AKQJT9876.AKQJ..", "--bot", "luxembourg-v5"]);
    let action = answer["action"].as_str().expect("a code");
    assert!(action.starts_with("slam-"), "{answer}");
    assert!(answer["probabilities"][action].as_f64().expect("a number") > 0.9, "{answer}");
    let told = [&answer["rules"], &answer["seat"], &answer["dealer"], &answer["turn_up"]];
    assert_eq!(told, [&json!("luxembourg"), &json!("N"), &json!("W"), &json!(null)]);
}

#[test]
fn forms_of_a_hand_get_the_same_answer() {
    let rules = ["--rules", "wiezen", "--turn-up"];
    let asked = |hand: &[&str], turn_up| answer(&[hand, &rules, &[turn_up]].concat());
    let wanted = asked(&["KQT63.A84.K92.A5"], "JH");
    assert_eq!(wanted["hand"], "KQT63.A84.K92.A5");
    assert_eq!(wanted["turn_up"], "JH");
    for hand in
        [&["kq1063 a84 k92 a5"][..], &["36TQK", "48A", "29K", "5A"], &["'KQT63.A84 K92 A5'"]]
    {
        assert_eq!(asked(hand, "j♥"), wanted, "{hand:?}");
    }
    let void = answer(&["- AKQJT98 A2 K432", "--bot", "rules"]);
    for hand in [&["-", "AKQJT98", "A2", "K432"][..], &[".AKQJT98.A2.K432"], &["-.AKQJT98.A2.K432"]]
    {
        assert_eq!(answer(&[hand, &["--bot", "rules"]].concat()), void, "{hand:?}");
    }
    // A bot without a policy has no probabilities.
    assert!(void.get("probabilities").is_none(), "{void}");
}

#[test]
fn the_seat_follows_from_the_calls() {
    let hand = "KQT63.A84.K92.A5";
    let answer = answer(&[hand, "--calls", "pass, 8h", "--bot", "expert"]);
    assert_eq!((&answer["seat"], &answer["calls"]), (&json!("S"), &json!(["pass", "8H"])));
    let dealer = ["--calls", "pass,pass,pass", "--rules", "wiezen", "--turn-up", "AH"];
    let text = stdout_of(&run(&[&["bid", hand][..], &dealer].concat()));
    assert!(
        text.starts_with("wiezen · wiezen-v5 · after pass, pass, pass · turn-up A♥\n"),
        "{text}"
    );
    assert!(text.contains("\n  ♠KQT63  ♥A84  ♦K92  ♣A5\n→ "), "{text}");
}

#[test]
fn house_rules_have_a_bot() {
    let rules = ["--rules", "examples/rules/club-luxembourg.toml"];
    let answer = answer(&[&["AKQJT9876.AKQJ.."][..], &rules].concat());
    assert_eq!(
        (&answer["rules"], &answer["bot"]),
        (&json!("club-luxembourg"), &json!("universal-v2"))
    );
}

/// Three aces are announced before the auction; with other hands four aces too.
#[test]
fn announced_aces_get_an_answer() {
    for rules in [
        &["luxembourg"][..],
        &["horesca"],
        &["wiezen", "--turn-up", "JH"],
        &["iwwa", "--turn-up", "JH"],
    ] {
        for hand in ["AKQ.A432.A432.32", "AKQ.A432.A432.A2", "A32.5432.5432.32"] {
            for calls in [&[][..], &["--calls", "pass"]] {
                for bot in ["rules", "expert"] {
                    let args = ["bid", hand, "--bot", bot, "--rules"];
                    let output = run(&[&args[..], rules, calls].concat());
                    // The announcer may have to speak first, which forbids the call before.
                    let (told, error) = (stdout_of(&output), stderr_of(&output));
                    match output.status.code() {
                        Some(0) => assert!(told.contains("\n→ "), "{rules:?} {hand}: {told}"),
                        _ => assert!(error.contains("--calls: "), "{rules:?} {hand}: {error}"),
                    }
                }
            }
        }
    }
    let text = stdout_of(&run(&["bid", "AKQ.A432.A432.32", "--bot", "luxembourg-v5"]));
    assert!(text.contains("  your aces announce trou\n"), "{text}");
}

#[test]
fn errors_name_the_place_and_the_remedy() {
    let hand = "KQT63.A84.K92.A5";
    for (args, words) in [
        (&["KQT6.A84.K92.A5"][..], "HAND: 12 cards: a hand has 13"),
        (&["KQT63.A84.K9X.A5"], "HAND: diamonds: \"X\" is not a rank; use A K Q J T (or 10) 9 … 2"),
        (&["KQT66.A84.K92.A5"], "HAND: 6S is there twice: write each card once"),
        (&["KQT63.A84.K92"], "HAND: 3 suits instead of 4: write spades, hearts"),
        (&[hand, "--rules", "wiezen"], "--turn-up is missing: wiezen turns up a card"),
        (&[hand, "--turn-up", "JH"], "--turn-up: luxembourg turns up no card; leave"),
        (&[hand, "--rules", "wiezen", "--turn-up", "J"], "--turn-up: \"J\" is not a card: write"),
        (&[hand, "--rules", "wiezen", "--turn-up", "AH"], "--turn-up AH: the dealer has this card"),
        (
            &[hand, "--rules", "wiezen", "--turn-up", "JH", "--calls", "pass,pass,pass"],
            "--turn-up JH: after these calls the hand is the dealer's; name a card of it",
        ),
        (&[hand, "--calls", "pass,9Z"], "--calls: call 2: \"9Z\" is not an action code"),
        (
            &[hand, "--calls", "slam-S,8H"],
            "call 2: E: 8H is not legal here (auction); allowed: pass",
        ),
        (&[hand, "--calls", "8S,pass,pass,8S,QD"], "--calls: "),
        (&[hand, "--calls", "slam-S,pass,pass,pass"], "--calls: the auction is over"),
        (&[hand, "--calls", "pass,pass,pass,pass"], "--calls: the auction is over"),
        (&[hand, "--bot", "nobody"], "nobody"),
        (&[hand, "--rules", "iwwa", "--turn-up", "JH", "--bot", "wiezen-v5"], "wiezen"),
    ] {
        let output = run(&[&["bid"], args].concat());
        let error = stderr_of(&output);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {error}");
        assert!(error.contains(words), "{args:?}: {error}");
    }
}
