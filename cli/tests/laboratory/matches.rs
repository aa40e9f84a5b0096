//! Sequential matches, whole matches, controls, tables of every composition.

use serde_json::Value;

use crate::support::{expect_error, expect_success, lines, run};

#[test]
fn a_sequential_match_ends_when_it_is_decided() {
    let json = |threads: &str| {
        let args =
            ["eval", "random", "rules", "--rules", "wiezen", "--sprt", "-0.5", "0.5", "--json"];
        let output = run(&[args.as_slice(), &["--threads", threads]].concat());
        lines(&output).remove(0)
    };
    let report = json("1");
    assert_eq!(report, json("3"), "where it ends does not depend on the threads");
    let deals = report["deals"].as_u64().expect("a number");
    assert_eq!(report["matches"][0]["deals"], deals);
    assert_eq!(report["ranges"], serde_json::json!([[0, deals]]));
    assert!((40..2000).contains(&deals), "{deals}");
    assert_eq!(report["matches"][0]["sprt"]["verdict"], "low");
    // The same deals as a match of fixed length.
    let fixed = ["eval", "random", "rules", "--rules", "wiezen", "--json", "--deals"];
    let fixed = lines(&run(&[fixed.as_slice(), &[&deals.to_string()]].concat())).remove(0);
    assert_eq!(fixed["matches"][0]["points_per_deal"], report["matches"][0]["points_per_deal"]);

    let told =
        expect_success(&run(&["eval", "random", "rules", "--sprt", "-1", "0", "--deals", "500"]));
    assert!(told.contains("sequential test: -1 accepted, +0 rejected"), "{told}");
    // A bot is as strong as itself: 64 deals decide the test.
    let same = expect_success(&run(&["eval", "rules", "rules", "--sprt", "0", "0.2"]));
    assert!(same.contains("+0 accepted, +0.2 rejected") && same.contains("64 deals"), "{same}");
    // Nearly equal bots and few deals: the limit on deals ends the match.
    let equal = ["eval", "luxembourg-v5", "rules", "--sprt", "0.6", "0.8", "--deals", "64"];
    let open = expect_success(&run(&equal));
    assert!(open.contains("undecided between +0.6 and +0.8"), "{open}");
    assert!(open.contains("no verdict yet") && !open.contains("stopped by"), "{open}");

    // Series of eight deals from one deck are no independent samples.
    let series =
        ["eval", "random", "rules", "--rules", "iwwa", "--sprt", "-5", "5", "--deals", "64"];
    let few = expect_success(&run(&series));
    assert!(few.contains("undecided") && few.contains("before 40"), "{few}");

    let wrong = expect_error(&run(&["eval", "random", "rules", "--sprt", "0.2", "0"]));
    assert!(wrong.contains("the lower first"), "{wrong}");
    let many = expect_error(&run(&["eval", "random", "rules", "expert", "--sprt", "0", "1"]));
    assert!(many.contains("two bots"), "{many}");
}

#[test]
fn whole_matches_are_counted() {
    let json = |threads: &str| {
        let args = ["eval", "rules", "random", "--rules", "horesca", "--matches", "40", "--json"];
        lines(&run(&[args.as_slice(), &["--threads", threads]].concat())).remove(0)
    };
    let report = json("1");
    assert_eq!(report, json("3"), "who wins does not depend on the threads");
    assert_eq!((&report["matches"], &report["forfeits"]), (&40.into(), &serde_json::json!([0, 0])));
    // The challenger wins more than a quarter of the matches against random bids.
    let won = report["won"].as_f64().expect("a share");
    let low = report["ci95"][0].as_f64().expect("a share");
    assert!(low > 0.25 && low < won && won < 1.0, "{report}");
    assert!(report["deals_per_match"].as_f64().expect("a number") >= 1.0);
    let same =
        expect_success(&run(&["eval", "rules", "rules", "--rules", "horesca", "--matches", "16"]));
    assert!(same.contains("wins 25.00 % of 16 matches"), "{same}");
    let endless =
        expect_error(&run(&["eval", "rules", "random", "--rules", "iwwa", "--matches", "16"]));
    assert!(endless.contains("iwwa has no target"), "{endless}");
    let word = expect_error(&run(&["eval", "rules", "random", "--matches", "15"]));
    assert!(word.contains("--matches"), "{word}");
    let both = expect_error(&run(&["eval", "rules", "random", "--matches", "16", "--deals", "4"]));
    assert!(both.contains("cannot be used with"), "{both}");
}

#[test]
fn two_bots_sit_at_tables_of_every_composition() {
    let args = ["tables", "--rules", "wiezen", "--deals", "64"];
    let table = expect_success(&run(&[&args[..], &["wiezen-v5", "rules", "random"]].concat()));
    assert!(table.starts_with("wiezen · 64 deals per pair"), "{table}");
    assert_eq!(table.matches("\nA: ").count(), 3, "every pair once: {table}");
    let row = |name: &str| {
        let row = table.lines().find(|line| line.starts_with(name)).expect("there");
        row.split("  ").filter(|cell| !cell.trim().is_empty()).count()
    };
    assert_eq!(["4 A", "3 A + 1 B", "2 A + 2 B, opp", "4 B"].map(row), [2, 4, 4, 2], "{table}");
    assert!(table.contains("these bots, not their recipes"), "{table}");
    let groups = ["--json", "wiezen-v5", "universal-v2", "--", "rules", "random"];
    let json = lines(&run(&[&args[..], &groups].concat())).remove(0);
    let names: Vec<&Value> =
        json["compositions"].as_array().expect("six").iter().map(|at| &at["composition"]).collect();
    assert_eq!(names.len(), 6);
    assert_eq!(names[1], "one-first");
    assert_eq!(json["first"][1], "universal-v2");
    assert!(json["strangers"]["half_width"].is_number(), "over seeds and deals: {json}");
    assert!(json["compositions"][0]["first"].is_null() && json["alone"][1]["mean"].is_number());
    for (bots, words) in [
        (&["rules"][..], "two bots"),
        (&["rules", "rules"], "listed twice"),
        (&["rules", "nobody"], "nobody"),
        (&["rules", "--", "nobody"], "nobody"),
    ] {
        let refused = expect_error(&run(&[&args[..], bots].concat()));
        assert!(refused.contains(words), "{refused}");
    }
    let few =
        expect_error(&run(&["tables", "--rules", "iwwa", "--deals", "15", "rules", "random"]));
    assert!(few.contains("--deals 15: too few"), "{few}");
}

#[test]
fn a_control_narrows_a_match() {
    let args = ["eval", "luxembourg-v5", "rules", "--deals", "64", "--control", "random"];
    let report = lines(&run(&[args.as_slice(), &["--json"]].concat())).remove(0);
    let found = &report["matches"][0];
    let control = &found["control"];
    assert_eq!(control["more_deals"], 640);
    let width = |ends: &Value| {
        let end = |i: usize| ends[i].as_f64().expect("a number");
        end(1) - end(0)
    };
    assert!(width(&control["ci95"]) < width(&found["ci95"]), "{found}");
    // The match itself is the same without a control.
    let plain =
        lines(&run(&["eval", "luxembourg-v5", "rules", "--deals", "64", "--json"])).remove(0);
    assert_eq!(plain["matches"][0]["detail"], found["detail"]);
    let told = expect_success(&run(&args));
    assert!(told.contains("corrected by 640 more deals against random"), "{told}");

    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("part.json").display().to_string();
    std::fs::write(&path, report.to_string()).expect("written");
    let refused = expect_error(&run(&["merge", &path, &path]));
    assert!(refused.contains("--control cannot be merged"), "{refused}");
    let few =
        expect_error(&run(&["eval", "random", "rules", "--deals", "29", "--control", "expert"]));
    assert!(few.contains("use at least 30"), "{few}");
    let itself = expect_error(&run(&["eval", "random", "rules", "--control", "random"]));
    assert!(itself.contains("name a third bot"), "{itself}");
    let both = expect_error(&run(&[args.as_slice(), &["--sprt", "0", "1"]].concat()));
    assert!(both.contains("cannot be used with"), "{both}");
}
