//! Game records: dealt, replayed and solved, under house rules, with any bytes as input.

use std::path::Path;
use std::process::Stdio;

use serde_json::Value;

use super::GOOD;
use crate::support::{self, lines, run, run_with, stderr_of, stdout_of, troel};

#[test]
fn replay_answers_line_by_line() {
    let unfinished = GOOD.replace(r#","8C","pass"]"#, r#","8C"]"#);
    let output =
        run_with(&["replay", "--legal", "-"], format!("{GOOD}\n\n{unfinished}\n").as_bytes());
    assert_eq!(output.status.code(), Some(0));
    let answers = lines(&output);
    assert_eq!(answers.len(), 2);
    assert_eq!(answers[0]["void"], true);
    assert_eq!(answers[0]["scores"], serde_json::json!([0, 0, 0, 0]));
    assert_eq!(answers[0]["seats"], "WNESS");
    assert_eq!(answers[0]["next"], Value::Null);
    assert_eq!(answers[1]["scores"], Value::Null);
    assert_eq!(answers[1]["next"]["seat"], "S");
    assert_eq!(answers[1]["next"]["phase"], "auction");
    assert!(answers[1]["next"]["legal"].as_array().expect("a list").contains(&"solo-5C".into()));
}

#[test]
fn replay_survives_any_bytes() {
    let long = format!("{{\"rules\":\"{}\"}}", "x".repeat(2 << 20));
    let bad: Vec<Vec<u8>> = vec![
        b"not json".to_vec(),
        b"[]".to_vec(),
        b"{}".to_vec(),
        b"\xff\xfe\x00{}".to_vec(),
        b"{\"rules\":".to_vec(),
        "[".repeat(100_000).into_bytes(),
        long.into_bytes(),
        GOOD.replace("wiezen", "bridge").into_bytes(),
        GOOD.replace("wiezen", "../../etc/passwd").into_bytes(),
        GOOD.replace("\"S\"", "\"X\"").into_bytes(),
        GOOD.replace("J73.Q", "J73.Q9").into_bytes(),
        GOOD.replace("J73.Q", "K73.Q").into_bytes(),
        GOOD.replace("N:J73", "N:37J").into_bytes(),
        GOOD.replace("J73.Q.KT94.JT986", "-").into_bytes(),
        GOOD.replace("\"turn_up\":\"KC\",", "").into_bytes(),
        GOOD.replace("\"KC\"", "\"2C\"").into_bytes(),
        GOOD.replace("\"KC\"", "\"é\"").into_bytes(),
        GOOD.replace("\"KC\"", "7").into_bytes(),
        GOOD.replace("\"8C\"", "\"9C\"").into_bytes(),
        GOOD.replace("\"8C\"", "\"\"").into_bytes(),
        GOOD.replace("\"8C\",", "").into_bytes(),
        GOOD.replace("\"pass\"]", "\"pass\",\"pass\"]").into_bytes(),
        GOOD.replace("[\"pass\"", "[1").into_bytes(),
    ];
    let mut input = Vec::new();
    for line in &bad {
        input.extend_from_slice(line);
        input.push(b'\n');
    }
    input.extend_from_slice(GOOD.as_bytes());
    let output = run_with(&["replay", "-"], &input);
    assert_eq!(output.status.code(), Some(1), "{}", stderr_of(&output));
    let answers = lines(&output);
    assert_eq!(answers.len(), bad.len() + 1);
    for (i, answer) in answers[..bad.len()].iter().enumerate() {
        // The record with one call left out is merely unfinished.
        if String::from_utf8_lossy(&bad[i]) == GOOD.replace("\"8C\",", "") {
            assert_eq!(answer["error"], Value::Null);
            continue;
        }
        assert_eq!(answer["line"], i + 1, "{answer}");
        assert!(answer["error"].as_str().is_some_and(|e| !e.is_empty()), "{answer}");
        assert!(answer.get("at").is_some(), "{answer}");
    }
    assert_eq!(answers[18]["at"], 3);
    assert_eq!(answers[bad.len()]["void"], true);
}

/// Some editors begin a file with a byte order mark.
#[test]
fn a_byte_order_mark_is_skipped() {
    let output = run_with(&["replay", "-"], format!("\u{feff}{GOOD}").as_bytes());
    assert_eq!(lines(&output)[0]["void"], true);
}

#[test]
fn bad_values_of_a_record_are_named() {
    for (from, to, wanted) in [
        ("\"wiezen\"", "7", "rules: found the number 7, but a string is needed"),
        ("\"dealer\":\"S\",", "", "the key \"dealer\" is missing"),
        ("[\"pass\"", "[1", "actions[0]: found the number 1, but a string is needed"),
        ("\"S\"", "7", "dealer: a value of another kind is needed"),
        ("\"8C\"", "\"8Z\"", "action 3: \"8Z\" is not an action code: write a call such as pass,"),
        ("{\"rules\"", "rules", "not JSON: "),
    ] {
        let output = run_with(&["replay", "-"], GOOD.replacen(from, to, 1).as_bytes());
        let error = lines(&output)[0]["error"].as_str().expect("an error").to_string();
        assert!(error.contains(wanted), "{wanted}: {error}");
        assert!(!error.contains("invalid type") && !error.contains("missing field"), "{error}");
    }
}

/// Unknown keys are kept and ignored, so that a misspelt one is only a warning.
#[test]
fn a_misspelt_key_is_named() {
    let record = GOOD.replace("\"actions\"", "\"action\"");
    let output = run_with(&["replay", "-"], format!("\n{record}\n").as_bytes());
    let place = "standard input: line 2: ";
    let warning = format!("{place}the key \"action\" is ignored; did you mean \"actions\"?\n");
    assert_eq!((output.status.code(), stderr_of(&output)), (Some(0), warning.clone()));
    let output = run_with(&["solve", "-"], format!("\n{record}\n").as_bytes());
    assert_eq!((output.status.code(), stderr_of(&output)), (Some(1), warning), "no auction");
    assert_eq!(stderr_of(&run_with(&["replay", "-"], GOOD.as_bytes())), "", "a note is no mistake");
    let unused = GOOD.replace("\"wiezen\"", "\"luxembourg\"");
    let warning = stderr_of(&run_with(&["replay", "-"], unused.as_bytes()));
    assert!(warning.contains("the key \"turn_up\" is ignored; luxembourg has no"), "{warning}");
}

#[test]
fn deals_are_repeatable_and_replayable() {
    for rules in ["luxembourg", "horesca", "wiezen", "iwwa"] {
        let all = run(&["deal", "--rules", rules, "--seed", "5", "--deals", "6"]);
        let part = run(&["deal", "--rules", rules, "--seed", "5", "--deals", "2..4"]);
        assert_eq!(lines(&all)[2..4], lines(&part)[..]);
        let replayed = run_with(&["replay", "-"], &all.stdout);
        assert_eq!(replayed.status.code(), Some(0));
        assert_eq!(lines(&replayed).len(), 6);
    }
}

#[test]
fn a_house_rule_file_works_everywhere() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("club.toml");
    let built_in = Path::new(env!("CARGO_MANIFEST_DIR")).join("../configs/rules/wiezen.toml");
    let rules = std::fs::read_to_string(built_in).expect("part of the repository");
    // A club that pays 50 for a solo slim and plays no misère.
    let misere = "[[contract]]\nkind = \"misere\"\nmade = [7]\nfailed = 7\n\n";
    let house = rules.replace("id = \"wiezen\"", "id = \"club\"").replace("[30]", "[50]");
    assert!(house.contains(misere));
    std::fs::write(&path, house.replace(misere, "")).expect("written");
    let path = path.to_str().expect("plain");
    let deal = run(&["deal", "--rules", path]);
    let record = lines(&deal).remove(0);
    assert_eq!(
        record["rules"], "club",
        "the id, as tables write it: a path means nothing elsewhere"
    );
    // A record is untrusted: it may name a rule file only in a folder that the user gives.
    let refused = run_with(&["replay", "-"], &deal.stdout);
    assert!(stdout_of(&refused).contains("--rules-folder"), "{}", stdout_of(&refused));
    let there = folder.path().to_str().expect("plain");
    let replay = run_with(&["replay", "--rules-folder", there, "-"], &deal.stdout);
    let next = &lines(&replay)[0]["next"]["legal"];
    let legal = next.as_array().expect("a list");
    assert!(!legal.contains(&"misere".into()) && legal.contains(&"open-misere".into()), "{next}");
    let named = |rules: &str| stdout_of(&deal).replace("\"club\"", &format!("{rules:?}"));
    for rules in ["club.toml", path] {
        let by_path = named(rules);
        let by_path = run_with(&["replay", "--rules-folder", there, "-"], by_path.as_bytes());
        assert_eq!(by_path.stdout, replay.stdout, "{rules}");
    }
    for outside in ["/dev/zero", "/etc/passwd", "../../etc/passwd", "/dev/stdin"] {
        let foreign = named(outside);
        for folder in [["replay", "--rules-folder", there, "-"].as_slice(), &["replay", "-"]] {
            let told = stdout_of(&run_with(folder, foreign.as_bytes()));
            assert!(told.contains("\"error\":\"rules ") && !told.contains("root:"), "{told}");
        }
    }
    let eval = run(&["eval", "rules", "random", "--rules", path, "--deals", "20", "--json"]);
    assert_eq!(lines(&eval)[0]["rules"], "club", "{}", stderr_of(&eval));
    std::fs::write(path, rules.replace("made = [25]", "made = \"much\"")).expect("written");
    let bad = run(&["eval", "rules", "random", "--rules", path]);
    let error = stderr_of(&bad);
    assert!(!bad.status.success() && error.contains("made"), "{error}");
}

/// Each line is answered before the next is read: a hard one delays no earlier answer.
#[test]
fn replay_and_solve_answer_at_once() {
    use std::io::{BufRead, BufReader, Write};
    for command in ["replay", "solve"] {
        let mut child = troel()
            .args([command, "-"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let _deadline = support::deadline(&child, "a line for each line");
        let mut input = child.stdin.take().expect("piped");
        let mut output = BufReader::new(child.stdout.take().expect("piped"));
        for _ in 0..3 {
            writeln!(input, "{GOOD}").expect("written");
            let mut line = String::new();
            output.read_line(&mut line).expect("an answer");
            assert!(line.starts_with('{'), "{line}");
        }
        drop(input);
        child.wait().expect("ends");
    }
}
