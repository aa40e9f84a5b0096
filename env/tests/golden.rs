//! Replays the golden records: 120 games per rule set with the right answers from an
//! independent implementation.

use std::collections::BTreeSet;

use serde_json::Value;
use troel_env::{Record, RuleSet};

/// Asserts that every record of a file has the expected answers.
fn check(name: &str) {
    let path = format!("{}/tests/golden/{name}.jsonl", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).expect("the golden file is part of the repository");
    let rules = RuleSet::built_in(name).expect("built in");
    let mut games = 0;
    for (n, line) in text.lines().enumerate() {
        let record: Record = serde_json::from_str(line).expect("a record");
        let want = &record.extra["expect"];
        let replay = record.replay(rules, true).unwrap_or_else(|e| panic!("{name}:{}: {e}", n + 1));
        let got = serde_json::to_value(&replay).expect("serialises");
        for key in ["seats", "phases", "contract", "tricks", "scores", "void"] {
            assert_eq!(got[key], want[key], "{name}:{}: {key}", n + 1);
        }
        for (step, legal) in want["legal"].as_array().expect("a list").iter().enumerate() {
            let set = |v: &Value| -> BTreeSet<String> {
                serde_json::from_value(v.clone()).expect("a list of codes")
            };
            let (have, want) = (set(&got["legal"][step]), set(legal));
            assert_eq!(
                (have.difference(&want).collect::<Vec<_>>(), want.difference(&have).collect()),
                (vec![], Vec::<&String>::new()),
                "{name}:{} step {step}: (extra, missing)",
                n + 1
            );
        }
        games += 1;
    }
    assert_eq!(games, 120);
}

#[test]
fn luxembourg_agrees() {
    check("luxembourg");
}

#[test]
fn horesca_agrees() {
    check("horesca");
}

#[test]
fn wiezen_agrees() {
    check("wiezen");
}

#[test]
fn iwwa_agrees() {
    check("iwwa");
}
