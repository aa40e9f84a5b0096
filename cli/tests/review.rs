//! `troel review`: who plays like the judge gives nothing away, who does not is shown, worst first.

mod support;

use std::fs;

use troel_agents::Entry;
use troel_env::{Action, BySeat, Deals, Record, RuleSet, Seat, State};

/// A deal that this bot plays with itself; in the trick play one seat plays its highest legal card instead.
fn record(rules: &'static RuleSet, bot: &str, spoiler: Option<Seat>) -> Record {
    let deal = Deals::new(rules, 5).shuffled(2, Seat::North);
    let mut record = Record::new(rules, &deal);
    let mut agent = Entry::find(bot, rules).expect("a bot").seat(1);
    let mut state = State::new(rules, &deal);
    while !state.is_done() {
        let mut action = [Action::PASS];
        agent.act(&[state.observe(state.turn(), BySeat::default())], &mut action);
        let highest = state.legal_actions().cards.highest().map(Action::card);
        let spoils = spoiler == Some(state.turn()) && action[0].as_card().is_some();
        let action = highest.filter(|_| spoils).unwrap_or(action[0]);
        state.apply(action).expect("legal");
        record.actions.push(action.to_string());
    }
    record
}

#[test]
fn the_judge_finds_no_fault_with_itself() {
    let folder = tempfile::tempdir().expect("a folder");
    let (file, page) = (folder.path().join("games.jsonl"), folder.path().join("review.html"));
    let rules = RuleSet::built_in("luxembourg").expect("built in");
    let (clean, spoilt) = (record(rules, "rules", None), record(rules, "rules", Some(Seat::South)));
    let lines: Vec<String> =
        [clean, spoilt].iter().map(|r| serde_json::to_string(r).expect("JSON")).collect();
    fs::write(&file, lines.join("\n")).expect("written");
    let path = |p: &std::path::Path| p.to_str().expect("plain").to_string();
    let (file, page) = (path(&file), path(&page));
    let output = support::run_with(&["review", &file, "--bot", "rules", "--html", &page], b"");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8_lossy(&output.stdout);
    let (clean, spoilt) = text.split_once("\n\n").expect("two tables");
    for seat in ["N", "E", "S", "W"] {
        let summary =
            clean.lines().find(|line| line.starts_with(&format!("{seat}: "))).expect("all");
        let words: Vec<&str> = summary.split(' ').collect();
        assert_eq!(words[1], words[3], "{summary}");
        assert!(summary.contains("0.0 expected points"), "{summary}");
    }
    let summary = spoilt.lines().find(|line| line.starts_with("S: ")).expect("there");
    assert!(!summary.contains(" 0.0 expected points"), "{summary}");

    let html = fs::read_to_string(&page).expect("written");
    let points: Vec<f32> = html
        .rsplit("<section>")
        .next()
        .expect("two sections")
        .split("<tr")
        .skip(2)
        .map(|row| row.split("<td>").nth(8).expect("a column").replace('−', "-"))
        .map(|points| points.parse().expect("a number"))
        .collect();
    assert!(points.is_sorted() && points[0] < 0.0, "worst first: {points:?}");

    let bad = support::run_with(&["review", "Cargo.toml"], b"");
    assert_eq!(bad.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&bad.stderr).contains("Cargo.toml: line 1"));
}
