//! `troel solve`, `troel deal --par`, `troel eval --regret` and `troel bench` as users run them.

mod support;

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use support::{lines, run_with, stdout_of, succeed};

fn ending(goal: &str, declarers: &str, trump: Value, actions: &[&str]) -> String {
    json!({
        "deal": "N:AK.2.. QJ.3.. 32.4.. T9.5..",
        "contract": {"declarers": declarers, "trump": trump, "goal": goal, "leader": "N"},
        "actions": actions,
        "note": "kept and ignored",
    })
    .to_string()
}

#[test]
fn solve_values_every_legal_card() {
    let input = [
        ending("most", "NS", Value::Null, &[]),
        ending("most", "EW", json!("H"), &["AS"]),
        ending("fewest", "N", Value::Null, &[]),
        ending("one", "N", Value::Null, &[]),
        ending("most", "NS", Value::Null, &["2H", "3H", "4H", "5H"]),
        ending(
            "most",
            "NS",
            Value::Null,
            &["AS", "JS", "2S", "9S", "KS", "QS", "3S", "TS", "2H", "3H", "4H", "5H"],
        ),
    ];
    let output = succeed(&["solve", "-"], input.join("\n").as_bytes());
    let answers = lines(&output);
    // North cashes two spades, or leads a heart, which West wins: then West's spades lose to the
    // ace.
    assert_eq!(answers[0], json!({"seat":"N","cards":{"AS":2,"KS":2,"2H":2},"value":2}));
    // East must follow suit.
    assert_eq!(answers[1], json!({"seat":"E","cards":{"JS":1,"QS":1},"value":1}));
    // Nothing beats North's spades.
    assert_eq!(answers[2]["value"], 2);
    assert_eq!(answers[3]["value"], 0);
    assert_eq!(answers[4]["seat"], "W");
    assert_eq!(answers[5], json!({"seat":null,"cards":{},"value":2}));
}

/// Solves a full deal within a budget. An answer without proof is an interval that holds the exact
/// value, also if the solver has solved other deals before.
#[test]
fn solve_keeps_to_a_budget() {
    let deal = json!({
        "deal": "N:QJ6.K652.J85.T98 873.J97.AT764.Q4 K5.T83.KQ9.A7652 AT942.AQ4.32.KJ3",
        "contract": {"declarers": "EW", "trump": "S", "goal": "most", "leader": "N"},
    })
    .to_string();
    let solve = |nodes: &str, times: usize| -> Value {
        let input = vec![deal.as_str(); times].join("\n");
        let output = run_with(&["solve", "--nodes", nodes, "-"], input.as_bytes());
        lines(&output).pop().expect("an answer")
    };
    let whole = solve("10000000000", 1);
    assert_eq!(whole["value"], 8);
    let part = solve("20000", 1);
    assert_eq!(part, solve("20000", 3));
    let mut intervals = 0;
    for (card, value) in whole["cards"].as_object().expect("cards") {
        let value = value.as_u64().expect("exact");
        match &part["cards"][card] {
            Value::Array(bounds) => {
                let bounds: Vec<u64> = bounds.iter().filter_map(Value::as_u64).collect();
                assert!(bounds[0] <= value && value <= bounds[1] && bounds[0] < bounds[1]);
                intervals += 1;
            }
            exact => assert_eq!(exact.as_u64(), Some(value)),
        }
    }
    assert!(intervals > 0, "{part}");
}

#[test]
fn solve_names_what_is_wrong() {
    let input = [
        "nonsense".to_string(),
        ending("most", "NX", Value::Null, &[]),
        ending("most", "NESW", Value::Null, &[]),
        ending("most", "", Value::Null, &[]),
        ending("some", "N", Value::Null, &[]),
        ending("most", "N", json!("Z"), &[]),
        ending("most", "N", Value::Null, &["QS"]),
        ending("most", "N", Value::Null, &["AS", "3H"]),
        ending("most", "N", Value::Null, &["AS", "x"]),
        ending("most", "N", Value::Null, &[]).replace("QJ.3..", "Q.3.."),
        ending("most", "N", Value::Null, &[]).replace("QJ.3..", "AJ.3.."),
        ending("most", "N", Value::Null, &[]).replace("QJ.3..", "-"),
        r#"{"contract":{"declarers":"N","goal":"most","leader":"N"},"deal":"N:A... K... Q... J..."}"#.into(),
        r#"{"contract":null,"deal":7}"#.into(),
        ending("most", "NS", Value::Null, &[]),
    ];
    let output = run_with(&["solve", "-"], input.join("\n").as_bytes());
    assert_eq!(output.status.code(), Some(1));
    let answers = lines(&output);
    assert_eq!(answers.len(), input.len());
    for (n, answer) in answers.iter().enumerate() {
        if n + 1 == input.len() {
            assert_eq!(answer["value"], 2);
        } else {
            assert_eq!(answer["line"], n + 1, "{answer}");
            assert!(answer["error"].as_str().is_some_and(|e| !e.is_empty()), "{answer}");
        }
    }
    assert_eq!(answers[7]["at"], 1);
}

/// In records of every rule set, cut off at every card: the solver's best card costs nothing.
#[test]
fn solve_takes_records_of_every_rule_set() {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("../env/tests/golden");
    let mut input = Vec::new();
    for file in ["luxembourg", "horesca", "wiezen", "iwwa"] {
        let text = std::fs::read_to_string(golden.join(format!("{file}.jsonl"))).expect("golden");
        for line in text.lines().step_by(4) {
            let mut record: Value = serde_json::from_str(line).expect("JSON");
            let actions = record["actions"].as_array().expect("a list").clone();
            // The last seven tricks, from where the deal was complete.
            if record["expect"]["void"] == true || actions.len() < 52 {
                continue;
            }
            for cut in [actions.len() - 28, actions.len() - 13, actions.len()] {
                record["actions"] = actions[..cut].to_vec().into();
                input.push(record.to_string());
            }
        }
    }
    let output = run_with(&["solve", "-"], input.join("\n").as_bytes());
    let answers = lines(&output);
    assert_eq!(output.status.code(), Some(0), "{answers:?}");
    assert_eq!(answers.len(), input.len());
    assert!(answers.len() > 100);
    for answer in &answers {
        let values: Vec<u64> = answer["cards"]
            .as_object()
            .expect("cards")
            .values()
            .map(|v| v.as_u64().expect("a number"))
            .collect();
        let value = answer["value"].as_u64().expect("a number");
        assert!(values.is_empty() || values.contains(&value), "{answer}");
    }
}

#[test]
fn unfinished_auctions_have_nothing_to_solve() {
    let record = json!({
        "rules": "luxembourg", "dealer": "N", "actions": [],
        "deal": "N:752.7.AQT7.AT976 AJ984.AK9.2.KQ83 QT6.QT854.K83.J2 K3.J632.J9654.54",
    });
    let output = run_with(&["solve", "-"], record.to_string().as_bytes());
    assert_eq!(output.status.code(), Some(1));
    assert!(lines(&output)[0]["error"].as_str().expect("text").contains("auction"));
}

#[test]
fn deals_carry_par() {
    let output = succeed(&["deal", "--rules", "wiezen", "--par"], b"");
    let par = &lines(&output)[0]["par"];
    assert_eq!(par["points"].as_array().map(Vec::len), Some(4));
    let total: i64 = par["points"].as_array().unwrap().iter().map(|p| p.as_i64().unwrap()).sum();
    assert_eq!(total, 0);
}

/// Deals in their order, however many are solved at once; a par that takes too long is null.
#[test]
fn par_on_several_threads_and_within_a_budget() {
    let deal = |args: &[&str]| -> Vec<Value> {
        let output =
            succeed(&[&["deal", "--rules", "wiezen", "--deals", "3", "--par"], args].concat(), b"");
        lines(&output)
    };
    let one = deal(&["--threads", "1"]);
    assert_eq!(one.len(), 3);
    assert_eq!(one, deal(&["--threads", "2"]));
    for line in deal(&["--nodes", "100"]) {
        assert_eq!(line["par"], Value::Null);
    }
}

/// Answers come in the order of the lines, bad ones included, with any number of threads. The
/// answer to a line comes before the next line is sent.
#[test]
fn solve_on_several_threads() {
    let mut input = Vec::new();
    for n in 0..40 {
        let goal = ["most", "fewest", "one"][n % 3];
        input.push(if n % 7 == 5 { "{".to_string() } else { ending(goal, "NS", json!("H"), &[]) });
    }
    let solve = |threads: &str| {
        let output = run_with(&["solve", "--threads", threads, "-"], input.join("\n").as_bytes());
        assert_eq!(output.status.code(), Some(1));
        lines(&output)
    };
    let one = solve("1");
    assert_eq!(one.len(), 40);
    for (n, answer) in one.iter().enumerate() {
        let line = answer.get("error").is_some().then_some(n as u64 + 1);
        assert_eq!(answer["line"].as_u64(), line, "{answer}");
        assert_eq!(line.is_some(), n % 7 == 5);
    }
    assert_eq!(one, solve("3"));

    let mut child = Command::new(env!("CARGO_BIN_EXE_troel"))
        .args(["solve", "--threads", "2", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("starts");
    let _deadline = support::deadline(&child, "an answer for each line");
    let mut stdin = child.stdin.take().expect("piped");
    let mut stdout = BufReader::new(child.stdout.take().expect("piped"));
    for _ in 0..3 {
        writeln!(stdin, "{}", ending("most", "NS", Value::Null, &[])).expect("reads");
        let mut answer = String::new();
        stdout.read_line(&mut answer).expect("answers");
        assert!(answer.contains("\"value\":2"), "{answer}");
    }
    drop(stdin);
    assert!(child.wait().expect("ends").success());
}

#[test]
fn evaluation_reports_regret() {
    let args = ["eval", "rules", "random", "--rules", "iwwa", "--deals", "2", "--scope", "play"];
    let output = succeed(&[&args[..], &["--regret", "--json"]].concat(), b"");
    let regret = &lines(&output)[0]["matches"][0]["detail"]["regret"];
    assert_eq!(regret[0]["tricks"].as_array().map(Vec::len), Some(13));
    let output = run_with(&[&args[..], &["--regret"]].concat(), b"");
    assert!(stdout_of(&output).contains("regret"));
}

#[test]
fn bench_prints_rows() {
    let args = ["bench", "--only", "solve/opposite-5", "--seconds", "0.05", "--json"];
    let bench = lines(&run_with(&args, b"")).remove(0);
    for field in ["machine", "commit", "threads"] {
        assert!(!bench[field].is_null(), "{field}");
    }
    let row = &bench["rows"][0];
    assert_eq!(row["name"], "solve/opposite-5");
    assert!(row["value"].as_f64().is_some_and(|v| v > 0.0));
    assert_eq!(row["better"], "higher");
    assert_eq!(run_with(&["bench", "--only", "nothing"], b"").status.code(), Some(2));
}

#[test]
fn bench_compares_with_peers() {
    let args = ["bench", "--only", "solve/opposite-5", "--seconds", "0.05", "--table", "--peer"];
    let with = |command: &str| run_with(&[&args[..], &[command]].concat(), b"");
    let row = r#"{"name": "peer", "beside": "solve/opposite-5", "value": 2, "unit": "solves/s"}"#;
    let table = stdout_of(&with(&format!("echo '{row}'"))).to_string();
    assert!(
        table.contains("| measurement | value | beside | Troel's speed over this |"),
        "{table}"
    );
    let line = table.lines().find(|line| line.starts_with("| `peer` ")).expect("a row");
    assert!(line.starts_with("| `peer` | 2.000 solves/s | `solve/opposite-5` | "), "{line}");
    for (command, fault) in [
        ("exit 3", "failed: exit status: 3"),
        ("echo fast", "a line must be a JSON object"),
        (&format!("echo '{}'", row.replace(": 2,", ": 0,")), "a value must be above 0"),
        (&format!("echo '{}'", row.replace("solve/", "play/")), "widen --only"),
        (&format!("echo '{}'", row.replace("solves/s", "ms")), "print the same unit"),
    ] {
        let output = with(command);
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && error.contains(fault), "{command}: {error}");
        assert!(stdout_of(&output).contains("| `solve/opposite-5` |"), "{command}: no results");
    }
}

#[test]
fn searching_bots_are_named_with_care() {
    let names = [
        "pimc:worlds=0",
        "pimc:worlds=x",
        "pimc:",
        "pimc:worlds=99999999",
        "pimc:worlds=2,solve=12",
        "pimc:solve=-1",
        "pimc:worlds=2,worlds=3",
        "pimc:worlds=2,depth=3",
        "experts",
    ];
    for name in names {
        let output = run_with(&["eval", name, "rules", "--deals", "1"], b"");
        assert_eq!(output.status.code(), Some(2), "{name}");
        assert!(!output.stderr.is_empty());
    }
    let args = [
        "eval",
        "pimc:worlds=1,solve=5",
        "pimc:solve=4,worlds=1",
        "--rules",
        "horesca",
        "--deals",
        "1",
        "--json",
    ];
    assert_eq!(run_with(&args, b"").status.code(), Some(0));
}
