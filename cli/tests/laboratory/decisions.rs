//! Behaviour sheets and corpora of judged decisions.

use serde_json::{Value, json};

use crate::support::{expect_error, expect_success, lines, run};

#[test]
fn a_behaviour_sheet_adds_up() {
    let args = ["behaviour", "rules", "random", "--rules", "luxembourg", "--deals", "300"];
    let sheets = lines(&run(&[args.as_slice(), &["--json"]].concat())).remove(0);
    for bot in ["rules", "random"] {
        let sheet = &sheets[bot];
        assert_eq!(
            [&sheet["rules"], &sheet["scenario"], &sheet["range"], &sheet["seed"]],
            [&json!("luxembourg"), &json!("any"), &json!([0, 300]), &json!(1)]
        );
        let number = |value: &Value| value.as_u64().expect("a number");
        let contracts = sheet["contracts"].as_object().expect("by kind");
        let declared: u64 = contracts.values().map(|c| number(&c["deals"])).sum();
        assert_eq!(declared + number(&sheet["passed_out"]), 300, "{bot}");
        for (kind, contract) in contracts {
            assert!(number(&contract["made"]) <= number(&contract["deals"]), "{kind}");
            let positions = contract["positions"].as_array().expect("four");
            let seats: u64 = positions.iter().map(number).sum();
            assert!(seats >= number(&contract["deals"]), "{kind}");
            assert!(number(&contract["beaten"]) <= number(&contract["beatable"]), "{kind}");
        }
        let leads = sheet["leads"].as_object().expect("by class").values().map(number).sum::<u64>();
        let negative = ["small-misere", "misere", "open-misere", "piccolo"];
        let tricks = contracts.iter().filter(|(kind, _)| !negative.contains(&kind.as_str()));
        assert_eq!(leads, tricks.map(|(_, c)| number(&c["deals"])).sum::<u64>(), "{bot}");
    }
    // A bot that values its hand proposes and goes along more often with a strong one.
    for decision in ["proposed", "went_along"] {
        let numbers = &sheets["rules"]["proposals"][decision];
        let share = |class: usize| {
            let count = |key: &str| numbers[key][class].as_f64().expect("a number");
            assert!(count("hands") > 10.0 && count("calls") <= count("hands"), "{numbers}");
            count("calls") / count("hands")
        };
        assert!(share(3) > 1.2 * share(1), "{decision}: {numbers}");
    }
    // Misères bid at random can nearly always be beaten, and a random bot defends by chance.
    let misere = &sheets["random"]["contracts"]["open-misere"];
    assert!(misere["beatable"].as_u64() > Some(2), "{misere}");
    let table = expect_success(&run(&args));
    assert!(table.contains("beat open-misere"), "{table}");
    assert!(table.contains("passed out") && table.contains("lead singleton"), "{table}");
    assert!(expect_error(&run(&["behaviour", "nobody"])).contains("nobody"));
}

#[test]
fn a_behaviour_sheet_of_a_scenario_shows_its_contract() {
    let abondances = |more: &[&str]| {
        let args = ["behaviour", "rules", "--rules", "luxembourg", "--deals", "200", "--json"];
        let sheet = lines(&run(&[args.as_slice(), more].concat())).remove(0);
        sheet["rules"]["contracts"]["abondance"]["deals"].as_u64().unwrap_or(0)
    };
    assert!(abondances(&["--scenario", "abondance"]) > 40 + 10 * abondances(&[]));
    let refused = |rules, scenario| {
        expect_error(&run(&["behaviour", "rules", "--rules", rules, "--scenario", scenario]))
    };
    let unknown = refused("luxembourg", "abundance");
    assert!(unknown.contains("\"abundance\" is not a scenario of luxembourg"), "{unknown}");
    let elsewhere = refused("wiezen", "piccolo");
    assert!(elsewhere.contains("not a scenario of wiezen; use one of any, aces,"), "{elsewhere}");
}

#[test]
fn a_corpus_judges_bots() {
    let folder = tempfile::tempdir().expect("a folder");
    let dir = folder.path().join("corpus").display().to_string();
    let make = |more: &[&str]| {
        let args = ["corpus", "make", &dir, "--rules", "wiezen", "--player", "rules"];
        run(&[args.as_slice(), more].concat())
    };
    let small = ["--worlds", "8", "--deals"];
    let told = expect_success(&make(&[small.as_slice(), &["70"]].concat()));
    assert!(told.contains("corpus: 2") && told.contains(" decisions"), "{told}");
    let names = |dir: &str| {
        let mut names: Vec<_> = std::fs::read_dir(dir)
            .expect("there")
            .map(|f| f.expect("a file").file_name())
            .collect();
        names.sort();
        names
    };
    assert_eq!(names(&dir), ["00000000-00000064.safetensors", "00000064-00000070.safetensors"]);
    let more = expect_success(&make(&[small.as_slice(), &["80", "--threads", "3"]].concat()));
    assert_ne!(more, told);
    assert_eq!(names(&dir).len(), 3);
    let judge = |bots: &[&str]| run(&[["corpus", "judge", &dir].as_slice(), bots].concat());
    let table = expect_success(&judge(&["rules", "wiezen-v5", "random"]));
    assert!(table.starts_with("wiezen · 1") && table.contains("two sets of 8 worlds"), "{table}");
    let found = lines(&judge(&["rules", "random", "--json"])).remove(0);
    let beyond = &found[1]["beyond_first"]["calls"];
    assert!(beyond["points"].as_f64() > beyond["half_width"].as_f64(), "{found}");
    assert_eq!(found[0]["beyond_first"]["cards"]["points"], 0.0);

    let other = expect_error(&make(&["--worlds", "9", "--deals", "80"]));
    assert!(other.contains("worlds: 8, not 9"), "{other}");
    let empty = folder.path().display().to_string();
    assert!(expect_error(&run(&["corpus", "judge", &empty, "rules"])).contains("no shards"));
    assert!(expect_error(&judge(&["luxembourg-v5"])).contains("luxembourg"));
    let shard = folder.path().join("corpus/00000000-00000064.safetensors");
    std::fs::write(&shard, "no shard").expect("written");
    assert!(expect_error(&judge(&["rules"])).contains("00000064.safetensors"));
    let foreign = expect_error(&run(&["corpus", "make", "checkpoints/wiezen-v5", "--deals", "1"]));
    assert!(foreign.contains("another folder") && !foreign.contains("remove"), "{foreign}");
}
