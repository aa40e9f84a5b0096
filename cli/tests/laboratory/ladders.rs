//! Ladders and the page of results.

use serde_json::{Value, json};

use crate::support::{expect_error, expect_success, lines, run};

#[test]
fn a_ladder_has_the_scopes_of_eval() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("ladder.jsonl").display().to_string();
    let args = ["ladder", &file, "rules", "random", "--rules", "wiezen", "--deals", "16"];
    let ladder = |more: &[&str]| run(&[args.as_slice(), more].concat());
    let scopes = || {
        let kept = std::fs::read_to_string(&file).expect("written");
        let scope =
            |line: &str| serde_json::from_str::<Value>(line).expect("JSON")["scope"].clone();
        kept.lines().map(scope).collect::<Vec<Value>>()
    };
    let bidding = expect_success(&ladder(&["--scope", "bidding"]));
    assert!(bidding.starts_with("wiezen · bidding alone, points per deal"), "{bidding}");
    assert_eq!(scopes(), ["bidding", "bidding"]);
    let all = expect_success(&ladder(&["--scope", "all"]));
    let heads: Vec<&str> = all.lines().filter(|line| line.starts_with("wiezen")).collect();
    assert!(heads.len() == 3 && heads[2].contains("card play alone"), "{all}");
    assert!(all.ends_with(&expect_success(&ladder(&["--play"]))), "{all}");
    let named = lines(&ladder(&["--scope", "all", "--json"]));
    let scope = |nth: usize| (&named[nth]["rules"], &named[nth]["scope"]);
    assert_eq!(scope(1), (&json!("wiezen"), &json!("bidding")));
    let kept = std::fs::read_to_string(&file).expect("written");
    let other = format!("{file}.bidding");
    std::fs::write(&other, kept.lines().take(2).collect::<Vec<_>>().join("\n")).expect("written");
    let some = expect_success(&run(&["ladder", &other, "--rules", "wiezen", "--scope", "all"]));
    assert_eq!(some, bidding, "scopes without results are left out");
    let none = expect_error(&run(&["ladder", &other, "--rules", "wiezen", "--scope", "play"]));
    assert!(none.contains("no results of wiezen in the scope play"), "{none}");
    assert_eq!(scopes().len(), 6, "each scope is played once");
    let figure = expect_error(&ladder(&["--scope", "all", "--svg", &format!("{file}.svg")]));
    assert!(figure.contains("a figure shows one scope"), "{figure}");
}

#[test]
fn a_ladder_is_kept_in_its_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (file, svg, curve) = (path("ladder.jsonl"), path("ladder.svg"), path("curve.svg"));
    let ladder = |bots: &[&str]| {
        let args = ["ladder", &file, "--rules", "wiezen", "--deals", "512", "--svg", &svg];
        run(&[args.as_slice(), &["--curve", &curve], bots].concat())
    };
    let count = || std::fs::read_to_string(&file).expect("written").lines().count();
    let first = expect_success(&ladder(&["rules", "wiezen-v5"]));
    assert_eq!(count(), 2, "each against the other");
    let rows: Vec<&str> = first.lines().collect();
    assert_eq!(rows[0], "wiezen · points per deal beyond rules");
    assert!(rows[1].contains("misfit (s.e.)") && rows[1].contains("α-Rank"), "{first}");
    assert!(rows[2].starts_with("wiezen-v5") && rows[2].contains("100.0 %"), "{first}");
    assert!(rows[3].starts_with("rules") && rows[3].contains("+0.00  "), "{first}");
    // A repeated command plays nothing. Another bot plays only its own matches.
    assert_eq!(expect_success(&ladder(&["rules", "wiezen-v5"])), first);
    assert_eq!(count(), 2);
    let second = expect_success(&ladder(&["random", "--against", "rules"]));
    assert_eq!(count(), 3);
    assert!(second.lines().nth(4).expect("rows").starts_with("random"), "{second}");
    assert_eq!(expect_success(&ladder(&[])), second, "without bots the file is shown");
    for (file, word) in [(&svg, "random"), (&curve, "millions")] {
        let figure = std::fs::read_to_string(file).expect("drawn");
        assert!(figure.starts_with("<svg") && figure.contains(word), "{figure}");
    }
    // A line that a kill cut off is played again. A whole line without a line end is kept.
    let whole = std::fs::read_to_string(&file).expect("written");
    for cut in [whole.len() - 1, whole.len() - 40] {
        std::fs::write(&file, &whole[..cut]).expect("written");
        assert_eq!(expect_success(&ladder(&["random", "--against", "rules"])), second);
        assert_eq!(std::fs::read_to_string(&file).expect("written").trim(), whole.trim());
    }
    // The cross table of the rules and the scope that the file has.
    let cross = expect_success(&run(&["ladder", &file, "--cross"]));
    let rows: Vec<&str> = cross.lines().collect();
    assert_eq!(rows[0], "**wiezen**");
    assert_eq!(rows[2], "| one among three | `wiezen-v5` | `rules` |");
    assert!(rows[4].starts_with("| `wiezen-v5` |  | +") && rows[4].ends_with("(512) |"), "{cross}");
    assert!(rows[6].starts_with("| `random` | · | −"), "{cross}");
    assert_eq!(
        rows[8],
        "| single strength | points per deal | misfit, points | misfit, standard errors | α-Rank |"
    );
    assert!(rows[12].starts_with("| `random` | −") && rows[12].ends_with("· | · | · |"), "{cross}");
    // One name, other weights: another bot.
    let results: Vec<Value> = std::fs::read_to_string(&file)
        .expect("written")
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    let other: Vec<String> = results
        .iter()
        .map(|line| line.to_string().replace("\"wiezen-v5\",\"id\":\"", "\"wiezen-v5\",\"id\":\"0"))
        .collect();
    std::fs::write(&file, other.join("\n") + "\n").expect("written");
    expect_success(&ladder(&["rules", "wiezen-v5"]));
    assert_eq!(count(), 5);
    // Deals that are stored already would count twice.
    let args = ["ladder", &file, "rules", "random", "--rules", "wiezen", "--deals"];
    let twice = expect_error(&run(&[args.as_slice(), &["256..768"]].concat()));
    assert!(twice.contains("the deals 0..512 of random against rules (seed 1)"), "{twice}");
    let lines = std::fs::read_to_string(&file).expect("written");
    // A longer range that begins with the stored deals is accepted.
    expect_success(&run(&[args.as_slice(), &["600", "--against", "rules"]].concat()));
    std::fs::write(&file, format!("{lines}{}", lines.replace("[0,512]", "[511,1000]")))
        .expect("written");
    let twice = expect_error(&ladder(&[]));
    assert!(
        twice.contains("the deals 0..512 and 511..1000 of") && twice.contains("count twice"),
        "{twice}"
    );
    std::fs::write(&file, format!("{lines}{}", lines.replace("[0,512]", "[512,1000]")))
        .expect("written");
    expect_success(&ladder(&[]));

    let lost = expect_error(&ladder(&["random", "--against", "random", "--anchor", "expert"]));
    assert!(lost.contains("--anchor"), "{lost}");
    let few = expect_error(&run(&["ladder", &file, "rules", "random", "--deals", "8"]));
    assert!(few.contains("at least 16"), "{few}");
    let nothing = expect_error(&run(&["ladder", &path("none.jsonl")]));
    assert!(nothing.contains("does not exist, so there are no results"), "{nothing}");
    std::fs::write(&file, "{\"rules\":1}\n").expect("written");
    let damaged = expect_error(&ladder(&[]));
    assert!(damaged.contains("line 1"), "{damaged}");
}

/// The page of results shows what its command prints of the stored matches.
#[test]
fn the_page_of_results_is_made_by_one_command() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let (page, stored) = (root.join("RESULTS.md"), root.join("docs/results.jsonl"));
    let cross = expect_success(&run(&["ladder", &stored.display().to_string(), "--cross"]));
    let is = std::fs::read_to_string(&page).expect("there");
    let (before, rest) = is.split_once("<!-- cross -->\n").expect("where tables begin");
    let (_, after) = rest.split_once("<!-- end of cross -->").expect("where tables end");
    let wanted = format!("{before}<!-- cross -->\n\n{cross}\n<!-- end of cross -->{after}");
    if std::env::var_os("TROEL_WRITE_REFERENCE").is_some() {
        std::fs::write(&page, wanted).expect("written");
        return;
    }
    assert!(is == wanted, "RESULTS.md is old: run this test with TROEL_WRITE_REFERENCE=1");
}
