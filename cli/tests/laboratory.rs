//! The tools that judge bots, as users run them: sequential matches, ladders, behaviour sheets.

mod support;

use std::process::{Output, Stdio};

use serde_json::{Value, json};
use support::{lines, troel};

fn run(args: &[&str]) -> Output {
    troel().args(args).stdin(Stdio::null()).output().expect("the program starts")
}

fn text(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout.clone()).expect("UTF-8")
}

fn error(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(2), "{}", String::from_utf8_lossy(&output.stdout));
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!text.contains("panicked"), "{text}");
    text
}

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

    let told = text(&run(&["eval", "random", "rules", "--sprt", "-1", "0", "--deals", "500"]));
    assert!(told.contains("sequential test: -1 accepted, +0 rejected"), "{told}");
    // A bot is as strong as itself: 64 deals decide the test.
    let same = text(&run(&["eval", "rules", "rules", "--sprt", "0", "0.2"]));
    assert!(same.contains("+0 accepted, +0.2 rejected") && same.contains("64 deals"), "{same}");
    // Nearly equal bots and few deals: the limit on deals ends the match.
    let open =
        text(&run(&["eval", "luxembourg-v5", "rules", "--sprt", "0.6", "0.8", "--deals", "64"]));
    assert!(open.contains("undecided between +0.6 and +0.8"), "{open}");
    assert!(open.contains("no verdict yet") && !open.contains("stopped by"), "{open}");

    // Series of eight deals from one deck are no independent samples.
    let series =
        ["eval", "random", "rules", "--rules", "iwwa", "--sprt", "-5", "5", "--deals", "64"];
    let few = text(&run(&series));
    assert!(few.contains("undecided") && few.contains("before 40"), "{few}");

    let wrong = error(&run(&["eval", "random", "rules", "--sprt", "0.2", "0"]));
    assert!(wrong.contains("the lower first"), "{wrong}");
    let many = error(&run(&["eval", "random", "rules", "expert", "--sprt", "0", "1"]));
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
    let same = text(&run(&["eval", "rules", "rules", "--rules", "horesca", "--matches", "16"]));
    assert!(same.contains("wins 25.00 % of 16 matches"), "{same}");
    let endless = error(&run(&["eval", "rules", "random", "--rules", "iwwa", "--matches", "16"]));
    assert!(endless.contains("iwwa has no target"), "{endless}");
    let word = error(&run(&["eval", "rules", "random", "--matches", "15"]));
    assert!(word.contains("--matches"), "{word}");
    let both = error(&run(&["eval", "rules", "random", "--matches", "16", "--deals", "4"]));
    assert!(both.contains("cannot be used with"), "{both}");
}

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
    let bidding = text(&ladder(&["--scope", "bidding"]));
    assert!(bidding.starts_with("wiezen · bidding alone, points per deal"), "{bidding}");
    assert_eq!(scopes(), ["bidding", "bidding"]);
    let all = text(&ladder(&["--scope", "all"]));
    let heads: Vec<&str> = all.lines().filter(|line| line.starts_with("wiezen")).collect();
    assert!(heads.len() == 3 && heads[2].contains("card play alone"), "{all}");
    assert!(all.ends_with(&text(&ladder(&["--play"]))), "{all}");
    let named = lines(&ladder(&["--scope", "all", "--json"]));
    let scope = |nth: usize| (&named[nth]["rules"], &named[nth]["scope"]);
    assert_eq!(scope(1), (&json!("wiezen"), &json!("bidding")));
    let kept = std::fs::read_to_string(&file).expect("written");
    let other = format!("{file}.bidding");
    std::fs::write(&other, kept.lines().take(2).collect::<Vec<_>>().join("\n")).expect("written");
    let some = text(&run(&["ladder", &other, "--rules", "wiezen", "--scope", "all"]));
    assert_eq!(some, bidding, "scopes without results are left out");
    let none = error(&run(&["ladder", &other, "--rules", "wiezen", "--scope", "play"]));
    assert!(none.contains("no results of wiezen in the scope play"), "{none}");
    assert_eq!(scopes().len(), 6, "each scope is played once");
    let figure = error(&ladder(&["--scope", "all", "--svg", &format!("{file}.svg")]));
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
    let first = text(&ladder(&["rules", "wiezen-v5"]));
    assert_eq!(count(), 2, "each against the other");
    let rows: Vec<&str> = first.lines().collect();
    assert_eq!(rows[0], "wiezen · points per deal beyond rules");
    assert!(rows[1].contains("misfit (s.e.)") && rows[1].contains("α-Rank"), "{first}");
    assert!(rows[2].starts_with("wiezen-v5") && rows[2].contains("100.0 %"), "{first}");
    assert!(rows[3].starts_with("rules") && rows[3].contains("+0.00  "), "{first}");
    // A repeated command plays nothing. Another bot plays only its own matches.
    assert_eq!(text(&ladder(&["rules", "wiezen-v5"])), first);
    assert_eq!(count(), 2);
    let second = text(&ladder(&["random", "--against", "rules"]));
    assert_eq!(count(), 3);
    assert!(second.lines().nth(4).expect("rows").starts_with("random"), "{second}");
    assert_eq!(text(&ladder(&[])), second, "without bots the file is shown");
    for (file, word) in [(&svg, "random"), (&curve, "millions")] {
        let figure = std::fs::read_to_string(file).expect("drawn");
        assert!(figure.starts_with("<svg") && figure.contains(word), "{figure}");
    }
    // A line that a kill cut off is played again. A whole line without a line end is kept.
    let whole = std::fs::read_to_string(&file).expect("written");
    for cut in [whole.len() - 1, whole.len() - 40] {
        std::fs::write(&file, &whole[..cut]).expect("written");
        assert_eq!(text(&ladder(&["random", "--against", "rules"])), second);
        assert_eq!(std::fs::read_to_string(&file).expect("written").trim(), whole.trim());
    }
    // The cross table of the rules and the scope that the file has.
    let cross = text(&run(&["ladder", &file, "--cross"]));
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
    text(&ladder(&["rules", "wiezen-v5"]));
    assert_eq!(count(), 5);
    // Deals that are stored already would count twice.
    let args = ["ladder", &file, "rules", "random", "--rules", "wiezen", "--deals"];
    let twice = error(&run(&[args.as_slice(), &["256..768"]].concat()));
    assert!(twice.contains("the deals 0..512 of random against rules (seed 1)"), "{twice}");
    let lines = std::fs::read_to_string(&file).expect("written");
    // A longer range that begins with the stored deals is accepted.
    text(&run(&[args.as_slice(), &["600", "--against", "rules"]].concat()));
    std::fs::write(&file, format!("{lines}{}", lines.replace("[0,512]", "[511,1000]")))
        .expect("written");
    let twice = error(&ladder(&[]));
    assert!(
        twice.contains("the deals 0..512 and 511..1000 of") && twice.contains("count twice"),
        "{twice}"
    );
    std::fs::write(&file, format!("{lines}{}", lines.replace("[0,512]", "[512,1000]")))
        .expect("written");
    text(&ladder(&[]));

    let lost = error(&ladder(&["random", "--against", "random", "--anchor", "expert"]));
    assert!(lost.contains("--anchor"), "{lost}");
    let few = error(&run(&["ladder", &file, "rules", "random", "--deals", "8"]));
    assert!(few.contains("at least 16"), "{few}");
    let nothing = error(&run(&["ladder", &path("none.jsonl")]));
    assert!(nothing.contains("does not exist, so there are no results"), "{nothing}");
    std::fs::write(&file, "{\"rules\":1}\n").expect("written");
    let damaged = error(&ladder(&[]));
    assert!(damaged.contains("line 1"), "{damaged}");
}

#[test]
fn two_bots_sit_at_tables_of_every_composition() {
    let args = ["tables", "--rules", "wiezen", "--deals", "64"];
    let table = text(&run(&[&args[..], &["wiezen-v5", "rules", "random"]].concat()));
    assert!(table.starts_with("wiezen · 64 deals a pair"), "{table}");
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
        let refused = error(&run(&[&args[..], bots].concat()));
        assert!(refused.contains(words), "{refused}");
    }
    let few = error(&run(&["tables", "--rules", "iwwa", "--deals", "15", "rules", "random"]));
    assert!(few.contains("--deals 15: too few"), "{few}");
}

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
    let table = text(&run(&args));
    assert!(table.contains("beat open-misere"), "{table}");
    assert!(table.contains("passed out") && table.contains("lead singleton"), "{table}");
    assert!(error(&run(&["behaviour", "nobody"])).contains("nobody"));
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
        error(&run(&["behaviour", "rules", "--rules", rules, "--scenario", scenario]))
    };
    let unknown = refused("luxembourg", "abundance");
    assert!(unknown.contains("\"abundance\" is not a scenario of luxembourg"), "{unknown}");
    let elsewhere = refused("wiezen", "piccolo");
    assert!(elsewhere.contains("not a scenario of wiezen; use one of any, aces,"), "{elsewhere}");
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
    let told = text(&run(&args));
    assert!(told.contains("corrected by 640 more deals against random"), "{told}");

    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("part.json").display().to_string();
    std::fs::write(&path, report.to_string()).expect("written");
    let refused = error(&run(&["merge", &path, &path]));
    assert!(refused.contains("--control cannot be merged"), "{refused}");
    let few = error(&run(&["eval", "random", "rules", "--deals", "29", "--control", "expert"]));
    assert!(few.contains("30 deals or more"), "{few}");
    let itself = error(&run(&["eval", "random", "rules", "--control", "random"]));
    assert!(itself.contains("a control is a third bot"), "{itself}");
    let both = error(&run(&[args.as_slice(), &["--sprt", "0", "1"]].concat()));
    assert!(both.contains("cannot be used with"), "{both}");
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
    let told = text(&make(&[small.as_slice(), &["70"]].concat()));
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
    let more = text(&make(&[small.as_slice(), &["80", "--threads", "3"]].concat()));
    assert_ne!(more, told);
    assert_eq!(names(&dir).len(), 3);
    let judge = |bots: &[&str]| run(&[["corpus", "judge", &dir].as_slice(), bots].concat());
    let table = text(&judge(&["rules", "wiezen-v5", "random"]));
    assert!(table.starts_with("wiezen · 1") && table.contains("two sets of 8 worlds"), "{table}");
    let found = lines(&judge(&["rules", "random", "--json"])).remove(0);
    let beyond = &found[1]["beyond_first"]["calls"];
    assert!(beyond["points"].as_f64() > beyond["half_width"].as_f64(), "{found}");
    assert_eq!(found[0]["beyond_first"]["cards"]["points"], 0.0);

    let other = error(&make(&["--worlds", "9", "--deals", "80"]));
    assert!(other.contains("worlds: 8, not 9"), "{other}");
    let empty = folder.path().display().to_string();
    assert!(error(&run(&["corpus", "judge", &empty, "rules"])).contains("no shards"));
    assert!(error(&judge(&["luxembourg-v5"])).contains("luxembourg"));
    let shard = folder.path().join("corpus/00000000-00000064.safetensors");
    std::fs::write(&shard, "no shard").expect("written");
    assert!(error(&judge(&["rules"])).contains("00000064.safetensors"));
    let foreign = error(&run(&["corpus", "make", "checkpoints/wiezen-v5", "--deals", "1"]));
    assert!(foreign.contains("another folder") && !foreign.contains("remove"), "{foreign}");
}

#[test]
fn an_exploiter_learns_against_one_bot() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let small = [
        "--iterations",
        "2",
        "--set",
        "checkpoint_keep_every=1",
        "--set",
        "deals=16",
        "--set",
        "eval.final_deals=32",
        "--set",
        "eval.every=0",
    ];
    let train = |more: &[&str]| run(&[["train", "quickstart"].as_slice(), &small, more].concat());
    for (seed, name) in [("1", "runs/a-1"), ("2", "runs/a-2")] {
        let run = path(name);
        // The later of two settings counts, and an absent key may be removed.
        let more = ["--set", "deals=32", "--set", "deals=16", "--set", "imitation=", "--run", &run];
        let args = ["--exploit", "luxembourg-v5", "--seed", seed];
        let told = text(&train(&[args.as_slice(), &more].concat()));
        assert!(told.contains("trained     luxembourg-v5") && !told.contains("random"), "{told}");
        let info = std::fs::read_to_string(format!("{run}/bot/bot.toml")).expect("written");
        assert!(
            info.contains("opponent = \"luxembourg-v5\"") && info.contains("--exploit"),
            "{info}"
        );
        assert!(info.contains("init = \"luxembourg-v5\""), "{info}");
    }
    // Two seeds of a recipe are one line of a curve, with the interval of their mean as a band.
    let kept = |seed: u32, n: u32| path(&format!("runs/a-{seed}/checkpoints/{n:06}"));
    let bots = [kept(1, 1), kept(1, 2), kept(2, 1), kept(2, 2)];
    let bots = bots.each_ref().map(String::as_str);
    let (file, svg) = (path("ladder.jsonl"), path("curve.svg"));
    let draw = |bots: &[&str], over: &str| {
        let args = ["ladder", &file, "--against", "rules", "--deals", "32"];
        text(&run(&[args.as_slice(), bots, &["--curve", &svg, "--over", over]].concat()));
        std::fs::read_to_string(&svg).expect("drawn")
    };
    let figure = draw(&bots, "decisions");
    assert!(figure.contains("runs/a-1 (mean of 2 seeds, 95 % interval)"), "{figure}");
    assert!(figure.contains("millions"), "{figure}");
    let band = figure.split("<polygon").nth(1).expect("a band");
    let points = band.split("points=\"").nth(1).and_then(|rest| rest.split('"').next());
    assert!(points.is_some_and(|points| points.matches(',').count() >= 4), "{band}");
    assert!(draw(&[], "hours").contains("hours of the run"));

    let nobody = error(&train(&["--exploit", "nobody", "--run", &path("runs/b")]));
    assert!(nobody.contains("nobody"), "{nobody}");
    // Keys that --exploit sets cannot be set to something else.
    for setting in [
        "init=universal-v2",
        "eval={baselines=['rules'],final_deals=32,every=0}",
        "network.hidden=64",
        "imitation.iterations=5",
        "tables=[{opponent='rules',weight=1,learners=1}]",
    ] {
        let other = ["--exploit", "luxembourg-v5", "--set", setting, "--run", &path("runs/b")];
        let refused = error(&train(&other));
        assert!(refused.contains(&format!("--set {setting}: --exploit")), "{refused}");
    }
}

#[test]
fn a_recipe_begins_with_another() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join("run").join(name);
    let dir = path("").display().to_string();
    let train = |more: &[&str]| {
        let first = "start.set=['iterations=1','deals=16','imitation.iterations=1','eval.every=0']";
        let args = ["train", "champion", "--set", "rules=wiezen", "--run", &dir, "--seed", "3"];
        let small = [
            "--iterations",
            "2",
            "--set",
            "deals=16",
            "--set",
            "eval.final_deals=32",
            "--set",
            first,
        ];
        run(&[args.as_slice(), &small, more].concat())
    };
    let told = text(&train(&[]));
    assert_eq!(told.matches("bot: ").count(), 1, "{told}");
    let info = |name: &str| std::fs::read_to_string(path(name).join("bot.toml")).expect("written");
    assert!(
        info("start/bot").contains("rules = \"wiezen\"") && info("start/bot").contains("seed = 3")
    );
    assert!(
        info("bot").contains("init = ") && info("bot").contains("start/bot"),
        "{}",
        info("bot")
    );
    let weights = || std::fs::read(path("bot/model.safetensors")).expect("written");
    let whole = weights();
    assert!(error(&train(&[])).contains("--resume"));
    // An error in the second recipe is reported before the first is trained.
    let elsewhere = folder.path().join("other").display().to_string();
    let wrong = ["train", "champion", "--run", &elsewhere, "--set", "eval.baselines=['nobody']"];
    assert!(error(&run(&wrong)).contains("nobody"));
    assert!(!folder.path().join("other").exists());
    // A kill between two renames leaves the checkpoint under another name: it is found, and the run
    // may have moved.
    std::fs::rename(path("checkpoint/00000002"), path("checkpoint/00000002.old")).expect("there");
    assert!(error(&train(&[])).contains("--resume"));
    let moved = format!("{}/./run", folder.path().display());
    let told = text(&run(&[
        "train",
        "champion",
        "--resume",
        "--run",
        &moved,
        "--seed",
        "3",
        "--set",
        "rules=wiezen",
        "--iterations",
        "2",
        "--set",
        "deals=16",
        "--set",
        "eval.final_deals=0",
        "--set",
        "start.set=['iterations=1','deals=16','imitation.iterations=1','eval.every=0']",
    ]));
    assert!(told.contains("bot: "), "{told}");
    assert_eq!(weights(), whole);
    // Killed before the second recipe had a checkpoint, then before the first had a bot: the
    // resumed run ends in the same bot.
    for lost in [["bot", "checkpoint", "best"].as_slice(), &["bot", "checkpoint", "start/bot"]] {
        for name in lost.iter().filter(|name| path(name).exists()) {
            std::fs::remove_dir_all(path(name)).expect("there");
        }
        assert!(error(&train(&[])).contains("--resume"), "{lost:?}");
        text(&train(&["--resume"]));
        assert_eq!(weights(), whole, "{lost:?}");
    }
    // Another recipe is refused before anything is trained.
    let wrong = error(&train(&["--resume", "--set", "ppo.clip_coef=0.3"]));
    assert!(wrong.contains("ppo.clip_coef (was") && !wrong.contains("begins with"), "{wrong}");
    // The bot of the first recipe is another's.
    std::fs::remove_dir_all(path("bot")).expect("there");
    std::fs::remove_dir_all(path("checkpoint")).expect("there");
    let other = error(&train(&[
        "--resume",
        "--set",
        "start.set=['iterations=2','deals=16','imitation.iterations=1','eval.every=0']",
    ]));
    assert!(other.contains("iterations (was 1, is 2)"), "{other}");
    let wide = error(&train(&["--set", "network.hidden=64"]));
    assert!(wide.contains("start: quickstart trains another network"), "{wide}");
}

/// The page of results shows what its command prints of the stored matches.
#[test]
fn the_page_of_results_is_made_by_one_command() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let (page, stored) = (root.join("RESULTS.md"), root.join("docs/results.jsonl"));
    let cross = text(&run(&["ladder", &stored.display().to_string(), "--cross"]));
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
