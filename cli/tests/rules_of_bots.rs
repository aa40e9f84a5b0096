//! Without `--rules`, commands take the rule set that the named bots were trained for.

mod support;

use std::process::Output;

use support::{expect_success, lines, run, run_with, stderr_of, stdout_of};

/// Asserts that the program succeeded, and returns its standard error.
fn stderr_of_success(output: &Output) -> String {
    expect_success(output);
    stderr_of(output)
}

#[test]
fn a_match_is_under_the_rules_of_its_bots() {
    let cases: [(&[&str], &str, &str); 5] = [
        (&["iwwa-v5", "rules"], "iwwa", "iwwa-v5"),
        (&["rules", "wiezen-v5:sample"], "wiezen", "wiezen-v5:sample"),
        // A bot for any rules plays under those of a bot that was trained for one rule set.
        (&["universal-v2", "wiezen-v5"], "wiezen", "wiezen-v5"),
        (&["universal-v2", "rules"], "luxembourg", "universal-v2"),
        (&["rules", "random", "--control", "horesca-v5", "--deals", "32"], "horesca", "horesca-v5"),
    ];
    for (args, rules, bot) in cases {
        let deals: &[&str] = if args.contains(&"--deals") { &[] } else { &["--deals", "8"] };
        let output = run(&[&["eval", "--json"], args, deals].concat());
        let told = stderr_of_success(&output);
        assert!(told.contains(&format!("rules: {rules} (from {bot};")), "{args:?}: {told}");
        assert_eq!(lines(&output)[0]["rules"], rules, "{args:?}");
    }
    let untrained = run(&["eval", "rules", "random", "--deals", "8", "--json"]);
    assert!(!stderr_of_success(&untrained).contains("rules:"));
    assert_eq!(lines(&untrained)[0]["rules"], "luxembourg");
    let named = run(&["eval", "iwwa-v5", "rules", "--deals", "8", "--rules", "iwwa"]);
    assert!(!stderr_of_success(&named).contains("rules:"));
}

#[test]
fn bots_for_different_rules_are_refused() {
    for args in [
        &["eval", "iwwa-v5", "wiezen-v5", "--deals", "8"][..],
        &["behaviour", "iwwa-v5", "rules", "search:wiezen-v5", "--deals", "8"],
        &["ladder", "no-such.jsonl", "iwwa-v5", "rules", "--against", "wiezen-v5"],
    ] {
        let output = run(args);
        let error = stderr_of(&output);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {error}");
        assert!(error.contains("iwwa-v5 was trained for rule set iwwa"), "{error}");
        assert!(error.contains("wiezen-v5 for wiezen"), "{error}");
        assert!(error.contains("universal-v2"), "what to do: {error}");
    }
}

#[test]
fn other_commands_take_the_rules_of_their_bots() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let note = "rules: wiezen (from wiezen-v5;";

    let sheet = run(&["behaviour", "rules", "wiezen-v5", "--deals", "8", "--json"]);
    assert!(stderr_of_success(&sheet).contains(note));

    let person = run_with(&["play", "--bot", "wiezen-v5", "--seed", "1"], b"q\n");
    assert!(stderr_of_success(&person).contains(note));

    let corpus = path("corpus");
    let few = ["--deals", "1", "--worlds", "1", "--per-deal", "1"];
    let make = ["corpus", "make", &corpus, "--player", "wiezen-v5"];
    assert!(stderr_of_success(&run(&[&make[..], &few].concat())).contains(note));
    stderr_of_success(&run(&["corpus", "judge", &corpus, "wiezen-v5"]));

    // A ladder without bots has the rules of the results in its file.
    let ladder = path("ladder.jsonl");
    let played = run(&["ladder", &ladder, "rules", "wiezen-v5", "--deals", "16"]);
    assert!(stderr_of_success(&played).contains(note));
    let again = run(&["ladder", &ladder]);
    assert_eq!(stderr_of_success(&again), "");
    assert!(stdout_of(&again).starts_with("wiezen · points per deal"), "{}", stdout_of(&again));
    assert_eq!(stdout_of(&again), stdout_of(&played));
}
