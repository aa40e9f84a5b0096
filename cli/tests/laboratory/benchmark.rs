//! `troel benchmark`.

use serde_json::{Value, json};

use crate::support::{expect_error, expect_success, lines, run};

#[test]
fn a_trial_scores_bots_as_the_protocol_does() {
    let trial = |more: &[&str]| run(&[["benchmark"].as_slice(), more, &["--trial", "16"]].concat());
    let text = expect_success(&trial(&["bidding", "rules", "--rules", "wiezen"]));
    assert!(text.contains("benchmark 1 · bidding · wiezen · 16 deals each way"), "{text}");
    assert!(text.contains("trial: too few deals"), "{text}");
    assert!(text.contains("(95 % over deals)"), "{text}");
    // A trained bot is one training seed of its recipe.
    let result = trial(&["full", "wiezen-v5", "--json"]);
    let [result] = &lines(&result)[..] else { panic!("one line: {result:?}") };
    assert_eq!((&result["rules"], &result["trial"]), (&"wiezen".into(), &true.into()));
    for without in ["half_width", "class"] {
        assert_eq!(result.get(without), Some(&Value::Null), "{without}");
    }
    assert!(result["identities"][0].as_str().is_some_and(|id| !id.is_empty()), "{result}");
    assert!(result["decisions"].as_u64() > Some(100_000_000), "{result}");
    assert_eq!(result["by_rules"], json!([{"rules": "wiezen", "mean": result["mean"]}]));
    // The result does not depend on the number of threads.
    let play = |threads| {
        let args = ["play", "wiezen-v5", "--json", "--threads", threads];
        lines(&trial(&args))[0]["mean"].as_f64()
    };
    assert!(play("1").is_some());
    assert_eq!(play("1"), play("2"));
}

#[test]
fn what_the_protocol_does_not_define_is_refused() {
    for (args, needed) in [
        (&["full", "expert"][..], "opponent of the benchmark"),
        (&["full", "rules", "wiezen-v5"], "training seed"),
        (&["unseen-rules", "rules", "--rules", "wiezen"], "its own rule files"),
        (&["unseen-rules", "wiezen-v5"], "wiezen"),
        (&["full", "nobody"], "nobody"),
        (&["full", "rules", "--trial", "1"], "16"),
        (&["cards", "rules"], "unseen-rules"),
    ] {
        let refused = expect_error(&run(&[["benchmark"].as_slice(), args].concat()));
        assert!(refused.contains(needed), "{args:?}: {refused}");
    }
    // House rules are not part of the protocol.
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("club.toml");
    let rules = expect_success(&run(&["rules", "wiezen"]));
    std::fs::write(&file, rules.replace("id = \"wiezen\"", "id = \"club\"")).expect("written");
    let file = file.display().to_string();
    let refused = expect_error(&run(&["benchmark", "full", "rules", "--rules", &file]));
    assert!(refused.contains("built-in rule sets"), "{refused}");
}
