//! `troel problems` and `troel compare`, as the program.

mod support;

use serde_json::Value;
use support::{run_with, stderr_of, stdout_of, succeed};

#[test]
fn bots_are_asked_for_proved_decisions() {
    // A bot that was not taught these calls.
    let untaught = "checkpoints/wiezen-v4";
    let output =
        run_with(&["problems", "sure-contracts", untaught, "expert", "--problems", "40"], b"");
    let (out, told) = (stdout_of(&output), stderr_of(&output));
    assert!(output.status.success(), "{told}");
    assert!(told.contains("rules: wiezen"), "{told}");
    let solved = |bot: &str| -> f64 {
        let line = out.lines().find(|line| line.contains(bot) && line.contains(" % ")).expect(bot);
        let fields: Vec<&str> = line.split_whitespace().collect();
        fields[3].parse().expect("a percentage")
    };
    assert!(solved("expert") > solved(untaught) + 30.0, "{out}");
    assert!(out.contains("instead of"), "the worst decisions are listed: {out}");
}

#[test]
fn problems_are_written_and_read_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("problems.jsonl");
    let file = file.to_str().expect("text");
    let written = run_with(&["problems", "sure-miseres", "--rules", "iwwa", "--write", file], b"");
    let told = stderr_of(&written);
    assert!(written.status.success(), "{told}");
    assert!(told.contains(&format!("200 problems written to {file}")), "{told}");
    let output = succeed(&["problems", file, "rules", "--json"], b"");
    let sheet: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(
        (sheet["suite"].as_str(), sheet["bot"].as_str()),
        (Some("sure-miseres"), Some("rules"))
    );
    let lost = &sheet["lost"];
    assert_eq!(lost["n"], 200);
    let number = |value: &Value| value.as_f64().expect("a number");
    let (mean, ends) = (number(&lost["mean"]), [&lost["ci95"][0], &lost["ci95"][1]].map(number));
    assert!(ends[0] <= mean && mean <= ends[1], "{lost}");
    for (args, why) in [
        (vec!["problems", "sure-contracts"], "name a bot"),
        (vec!["problems", "nonesuch", "rules"], "neither a suite"),
        (vec!["problems", file, "nonesuch"], "nonesuch"),
        (vec!["problems", file, "rules", "--rules", "iwwa"], "--rules: "),
        (vec!["problems", file, "rules", "--problems", "20"], "remove --problems"),
        (vec!["problems", "sure-miseres", "--write", file], "already exists"),
        (vec!["problems", "sure-contracts", "wiezen-v5", "luxembourg-v5"], "rules"),
    ] {
        let output = run_with(&args, b"");
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(stderr_of(&output).contains(why), "{args:?}: {}", stderr_of(&output));
    }
}

/// The position of a decision is listed with the cards that are left, not with the deal.
#[test]
fn the_worst_decisions_are_listed_with_their_position() {
    let args = ["problems", "endings", "random", "--problems", "6", "--worst", "2", "--seed", "3"];
    let output = run_with(&args, b"");
    let out = stdout_of(&output);
    assert!(output.status.success(), "{}", stderr_of(&output));
    let line = out.lines().find(|line| line.contains(" to act  N:")).expect("a position");
    let (_, hands) = line.split_once("  N:").expect("hands");
    for hand in hands.split(' ') {
        let cards = hand.chars().filter(|&c| c != '.').count();
        assert!((2..=5).contains(&cards), "{line}");
    }
    assert_eq!(hands.split(' ').count(), 4, "{line}");
    assert!(out.contains("current trick: ") && out.contains("tricks taken: N "), "{out}");
    assert!(out.contains("        after "), "{out}");
}

#[test]
fn one_training_seed_is_no_finding() {
    let compare = |args: &[&str]| {
        let output = run_with(&[&["compare"], args].concat(), b"");
        (output.status.code(), stdout_of(&output), stderr_of(&output))
    };
    let (code, out, told) = compare(&["wiezen-v5", "--deals", "16", "--", "rules", "expert"]);
    assert_eq!(code, Some(0), "{told}");
    assert!(out.contains("no result") && !out.contains("over seeds and deals"), "{out}");
    let (code, _, told) = compare(&["wiezen-v5", "--", "rules", "--deals", "16"]);
    assert_eq!(code, Some(2));
    assert!(told.contains("--deals: options come before the bots"), "{told}");
    let two = ["wiezen-v5", "universal-v2", "--deals", "16", "--rules", "wiezen"];
    let (code, out, told) = compare(&[&two[..], &["--", "rules", "expert"]].concat());
    assert_eq!(code, Some(0), "{told}");
    assert!(out.contains("over seeds and deals") && out.contains("would be detected"), "{out}");
    // One training seed against a fixed bot is one seed, and fixed bots need no other.
    assert!(out.contains("2 training seeds against 2 fixed bots"), "{out}");
    let (code, out, told) = compare(&["rules", "--deals", "32", "--", "expert"]);
    assert_eq!(code, Some(0), "{told}");
    assert!(
        out.contains("fixed bot against fixed bot") && out.contains("95 % over deals"),
        "{out}"
    );
    assert!(!out.contains("no result"), "{out}");
    let (code, _, told) = compare(&["wiezen-v5", "rules", "--deals", "16", "--", "expert"]);
    assert_eq!(code, Some(2));
    assert!(told.contains("rules has no training seed"), "{told}");
    let (code, _, told) = compare(&["rules", "rules", "--deals", "16", "--", "expert"]);
    assert_eq!(code, Some(2));
    assert!(told.contains("listed twice"), "{told}");
    let (code, _, told) = compare(&["rules", "--deals", "16"]);
    assert_eq!(code, Some(2), "{told}");
}
