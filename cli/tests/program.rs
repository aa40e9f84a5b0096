//! The program as users run it: real processes, good and bad input.

mod support;

use std::path::Path;
use std::process::{Output, Stdio};

use serde_json::Value;
use support::{lines, run_with, troel};
use troel_agents::registry::{self, ReleasedFor};

fn run(args: &[&str]) -> Output {
    troel().args(args).stdin(Stdio::null()).output().expect("the program starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

const GOOD: &str = r#"{"rules":"wiezen","dealer":"S","deal":"N:J73.Q.KT94.JT986 KQ98.J654.AJ8.Q2 A2.KT987.Q6.K754 T654.A32.7532.A3","turn_up":"KC","actions":["pass","pass","pass","8C","pass"],"note":"kept"}"#;

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
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
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

#[test]
fn bad_values_of_a_record_are_named() {
    for (from, to, wanted) in [
        ("\"wiezen\"", "7", "rules: found the number 7, but a string is needed"),
        ("\"dealer\":\"S\",", "", "the key \"dealer\" is missing"),
        ("[\"pass\"", "[1", "actions[0]: found the number 1, but a string is needed"),
        ("\"S\"", "7", "dealer: a value of another kind is needed"),
        ("{\"rules\"", "rules", "not JSON: "),
    ] {
        let output = run_with(&["replay", "-"], GOOD.replacen(from, to, 1).as_bytes());
        let error = lines(&output)[0]["error"].as_str().expect("an error").to_string();
        assert!(error.contains(wanted), "{wanted}: {error}");
        assert!(!error.contains("invalid type") && !error.contains("missing field"), "{error}");
    }
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
    assert!(text(&refused.stdout).contains("--rules-folder"), "{}", text(&refused.stdout));
    let there = folder.path().to_str().expect("plain");
    let replay = run_with(&["replay", "--rules-folder", there, "-"], &deal.stdout);
    let next = &lines(&replay)[0]["next"]["legal"];
    let legal = next.as_array().expect("a list");
    assert!(!legal.contains(&"misere".into()) && legal.contains(&"open-misere".into()), "{next}");
    let named = |rules: &str| text(&deal.stdout).replace("\"club\"", &format!("{rules:?}"));
    for rules in ["club.toml", path] {
        let by_path = named(rules);
        let by_path = run_with(&["replay", "--rules-folder", there, "-"], by_path.as_bytes());
        assert_eq!(by_path.stdout, replay.stdout, "{rules}");
    }
    for outside in ["/dev/zero", "/etc/passwd", "../../etc/passwd", "/dev/stdin"] {
        let foreign = named(outside);
        for folder in [["replay", "--rules-folder", there, "-"].as_slice(), &["replay", "-"]] {
            let told = text(&run_with(folder, foreign.as_bytes()).stdout);
            assert!(told.contains("\"error\":\"rules ") && !told.contains("root:"), "{told}");
        }
    }
    let eval = run(&["eval", "rules", "random", "--rules", path, "--deals", "20", "--json"]);
    assert_eq!(lines(&eval)[0]["rules"], "club", "{}", text(&eval.stderr));
    std::fs::write(path, rules.replace("made = [25]", "made = \"much\"")).expect("written");
    let bad = run(&["eval", "rules", "random", "--rules", path]);
    let error = text(&bad.stderr);
    assert!(!bad.status.success() && error.contains("made"), "{error}");
}

#[test]
fn evaluation_prints_what_the_format_says() {
    let args = ["eval", "rules", "random", "--rules", "iwwa", "--seed", "3", "--json"];
    let output = run(&[&args[..], &["--deals", "64"]].concat());
    let report = lines(&output).remove(0);
    assert_eq!(report["rules"], "iwwa");
    assert_eq!(report["rules_hash"].as_str().expect("a hash").len(), 16);
    assert_eq!((&report["deals"], &report["seed"]), (&64.into(), &3.into()));
    let m = &report["matches"][0];
    assert_eq!((&m["challenger"], &m["baseline"]), (&"rules".into(), &"random".into()));
    assert_eq!((&m["scope"], &m["deals"]), (&"full".into(), &64.into()));
    let low = m["ci95"][0].as_f64().expect("a number");
    let mean = m["points_per_deal"].as_f64().expect("a number");
    assert!(low < mean && low > 0.0);
    // Merged shards give the same result.
    let folder = tempfile::tempdir().expect("a folder");
    let mut files = Vec::new();
    for range in ["0..32", "32..64"] {
        let shard = run(&[&args[..], &["--deals", range]].concat());
        let file = folder.path().join(range);
        std::fs::write(&file, shard.stdout).expect("written");
        files.push(file.to_str().expect("plain").to_string());
    }
    let merged = run(&["merge", &files[0], &files[1], "--json"]);
    // The command of earlier versions.
    assert_eq!(run(&["eval", "merge", &files[0], &files[1], "--json"]).stdout, merged.stdout);
    let merged = lines(&merged).remove(0);
    assert_eq!(merged["matches"][0]["points_per_deal"], m["points_per_deal"]);
    let table = text(&run(&["merge", &files[0], &files[1], "--contracts"]).stdout);
    assert!(table.contains("points per deal") && table.contains("defender"), "{table}");
}

#[test]
fn negative_numbers_are_refused_by_their_option() {
    for (args, wanted) in [
        (&["deal", "--seed", "-1"][..], "write a whole number from 0 to"),
        (&["corpus", "make", "nowhere", "--seed", "-1"], "write a whole number from 0 to"),
        (&["deal", "--deals", "-1"], "500..1000 for deals 500 to 999"),
        (&["eval", "rules", "random", "--threads", "-1"], "-1 is not in 1..=1024"),
    ] {
        let output = run(args);
        let error = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {error}");
        assert!(error.contains(wanted) && !error.contains("tip:"), "{args:?}: {error}");
    }
}

#[test]
fn options_without_effect_are_refused() {
    let eval = ["eval", "rules", "random", "--deals", "2"];
    for (more, wanted) in [
        (&["--fixed", "expert"][..], "--fixed expert: the scope full"),
        (&["--regret", "--scope", "bidding"], "--regret: the scope bidding gives no data"),
    ] {
        let output = run(&[&eval[..], more].concat());
        let error = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{more:?}: {error}");
        assert!(error.contains(wanted), "{more:?}: {error}");
    }
    let fixed = run(&[&eval[..], &["--fixed", "expert", "--scope", "bidding", "--json"]].concat());
    assert_eq!(lines(&fixed)[0]["fixed"], "expert");
}

/// Advice names only options that the command has.
#[test]
fn a_bot_for_other_rules_is_refused_with_advice_that_fits() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    std::fs::write(path("game.jsonl"), GOOD).expect("written");
    let problems = ["problems", "sure-miseres", "--rules", "iwwa", "--problems", "2", "--write"];
    assert!(run(&[&problems[..], &[&path("problems.jsonl")]].concat()).status.success());
    for args in [
        vec!["review", &path("game.jsonl"), "--bot", "luxembourg-v5"],
        vec!["problems", &path("problems.jsonl"), "luxembourg-v5"],
    ] {
        let output = run(&args);
        let error = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {error}");
        assert!(error.contains("luxembourg-v5 was trained for rule set luxembourg"), "{error}");
        assert!(error.contains("name a bot for these rules"), "{error}");
        assert!(!error.contains("--rules") && !error.contains("--set"), "{args:?}: {error}");
    }
    let export = run(&["export", "wiezen-v5", &path("out"), "--rules", "luxembourg"]);
    let error = text(&export.stderr);
    assert!(error.contains("leave --rules out") && !error.contains("--set"), "{error}");
}

#[test]
fn bad_arguments_get_one_clear_sentence() {
    let huge = "18446744073709551615";
    let cases: [(&[&str], &str); 21] = [
        (&["eval", "rules", "random", "--deals", huge], huge),
        (&["eval", "rules", "random", "--deals", "1000000000000"], "at a time"),
        (
            &["eval", "rules", "random", "--deals", "18446744073709551614..18446744073709551615"],
            huge,
        ),
        (&["eval", "rules", "random", "--threads", "5000"], "5000"),
        (&["eval", "rules", "random", "--sprt", "nan", "1"], "NaN"),
        (&["eval", "pimc:worlds=99999999999", "random"], "worlds"),
        (&["serve", "--tables", huge], huge),
        (&["solve", "--memory", "99999999", "-"], "99999999"),
        (&["deal", "--deals", huge], huge),
        (&["behaviour", "rules", "--deals", huge], huge),
        (&["eval", "rules", "random", "--rules", "/dev/zero"], "not a regular file"),
        (&["train", "/dev/zero"], "not a regular file"),
        (&["eval", "rules"], "two bots"),
        (&["eval", "rules", "nobody"], "nobody"),
        (&["eval", "rules", "random", "--rules", "bridge"], "bridge"),
        (&["eval", "rules", "random", "--deals", "9..3"], "9..3"),
        (&["eval", "rules", "random", "--suite", "poker"], "poker"),
        (&["merge", "Cargo.toml"], "Cargo.toml"),
        (&["train", "no-such.toml"], "no-such.toml"),
        (&["train", "Cargo.toml"], "Cargo.toml"),
        (&["replay", "no-such.jsonl"], "no-such.jsonl"),
    ];
    for (args, what) in cases {
        let output = run(args);
        let error = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {error}");
        assert!(error.contains(what) && !error.contains("panicked"), "{args:?}: {error}");
    }
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

#[test]
fn a_recipe_that_runs_a_program_says_so() {
    let folder = tempfile::tempdir().expect("a folder");
    let run_folder = folder.path().join("run").display().to_string();
    let args = ["train", "champion", "--run", &run_folder, "--set"];
    let output = run(&[args.as_slice(), &["eval.baselines=['bot:true']"]].concat());
    let told = text(&output.stderr);
    assert!(told.contains("the recipe runs a program: \"true\""), "{told}");
}

#[test]
fn a_person_can_play_a_deal() {
    let args = ["play", "--rules", "luxembourg", "--seed", "4", "--deals", "1", "--bot", "rules"];
    // Nonsense, a question, then passes and any card: only legal ones are taken.
    let mut script = String::from("fish\n?\nh\n");
    for _ in 0..400 {
        script += "pass\nkeep\ntrump-H\n";
    }
    let ranks = "23456789TJQKA";
    for _ in 0..14 {
        for suit in "shdc".chars() {
            ranks.chars().for_each(|rank| script += &format!("{rank}{suit}\n"));
        }
    }
    let output = run_with(&args, script.as_bytes());
    let screen = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(screen.contains("neither a call nor a card"), "{screen}");
    for line in ["  8C 8D 8H", "  abondance-9S abondance-9C abondance-9D abondance-9H"] {
        assert!(screen.lines().any(|shown| shown == line), "{line}: {screen}");
    }
    assert!(screen.contains("(Bot: 100 %)"), "a hint: {screen}");
    assert!(screen.contains("Points  North"), "{screen}");
    assert!(!screen.contains('\x1b'), "no colours where it is no terminal");
    // Taking back is refused without a decision. Suits may be signs, letters any case.
    let output = run_with(&args, "u\n9♠\nu\nl\np\nSLAM-nt\nfish\n".as_bytes());
    let screen = text(&output.stdout);
    for shown in [
        "That is not possible now",
        "You: 9 ♠",
        "Taken back",
        "Last trick  –",
        "Total",
        "You: slam no trumps",
    ] {
        assert!(screen.contains(shown), "{shown}: {screen}");
    }
    // The prompts are in the language, too.
    let german = run_with(&[&args[..], &["--language", "de"]].concat(), b"u\nSLAM-nt\n");
    let screen = text(&german.stdout);
    assert!(screen.contains("Ansagen> ") && screen.contains("Du bist dran> "), "{screen}");
    assert!(screen.contains("Das geht jetzt nicht."), "{screen}");
    assert!(!screen.contains("auction") && !screen.contains("play>"), "{screen}");
    // In another language, with a record of the deal that can be reviewed.
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("played.jsonl").display().to_string();
    let more = ["--language", "lb", "--records", &file];
    let output = run_with(&[args.as_slice(), &more].concat(), format!("8C\n{script}").as_bytes());
    let screen = text(&output.stdout);
    assert!(screen.contains("Deng Hand") && screen.contains("Nord: "), "{screen}");
    assert!(screen.contains("Däi Streech (") && !screen.contains("fir Du"), "{screen}");
    let reviewed = run(&["review", &file, "--seat", "S", "--worlds", "5"]);
    assert!(text(&reviewed.stdout).contains("decisions as the bot"), "{}", text(&reviewed.stderr));
    // The end of input, or q, ends the game.
    assert_eq!(run(&args).status.code(), Some(0));
    assert_eq!(run_with(&args, b"q\n").status.code(), Some(0));
}

#[test]
fn a_run_trains_resumes_and_leaves_a_bot() {
    let folder = tempfile::tempdir().expect("a folder");
    let recipe = folder.path().join("tiny.toml");
    let run_folder = folder.path().join("run");
    let text_of = format!(
        "rules = \"wiezen\"\nrun = {run_folder:?}\niterations = 2\ndeals = 64\n\
         network = {{ hidden = 8, blocks = 0 }}\n\
         tables = [{{ opponent = \"random\", weight = 1.0, learners = 1 }}]\n\
         [eval]\nbaselines = [\"random\"]\nfinal_deals = 16\n"
    );
    std::fs::write(&recipe, text_of).expect("written");
    let recipe = recipe.to_str().expect("plain");
    let first = troel().args(["train", recipe]).env("TROEL_PROGRESS_SECONDS", "0").output();
    let first = first.expect("the program starts");
    let told = text(&first.stderr);
    assert_eq!(first.status.code(), Some(0), "{told}");
    assert!(text(&first.stdout).contains("points per deal"));
    // The text names the seats of the points, and has those of the other seats.
    assert!(told.contains("points per deal: learning seats ") && told.contains(", other seats "));
    let again = run(&["train", recipe]);
    assert!(text(&again.stderr).contains("--resume"));
    let resumed = run(&["train", recipe, "--resume"]);
    assert_eq!(resumed.status.code(), Some(0), "{}", text(&resumed.stderr));
    let metrics = std::fs::read_to_string(run_folder.join("metrics.jsonl")).expect("metrics");
    let last: Value = serde_json::from_str(metrics.lines().last().expect("lines")).expect("JSON");
    assert_eq!(last["iteration"], 2);
    for key in
        ["losses/approx_kl", "charts/others_return", "losses/explained_variance", "bids/suit"]
    {
        assert!(last[key].is_number(), "{key} in {last}");
    }
    assert!(run_folder.join("tensorboard/0").is_dir());
    let bot = run_folder.join("bot");
    let bot = bot.to_str().expect("plain");
    let eval = run(&["eval", bot, "random", "--rules", "wiezen", "--deals", "8"]);
    assert_eq!(eval.status.code(), Some(0), "{}", text(&eval.stderr));
    let whole = run_folder.to_str().expect("plain");
    // The folder of the run is its bot.
    let of_run = run(&["eval", whole, bot, "--rules", "wiezen", "--deals", "8"]);
    assert_eq!(of_run.status.code(), Some(0), "{}", text(&of_run.stderr));
    assert!(text(&of_run.stdout).contains("all deals gave the same"), "{}", text(&of_run.stdout));
    let unfinished = folder.path().join("unfinished");
    std::fs::create_dir_all(unfinished.join("checkpoint")).expect("a folder");
    let unfinished = unfinished.to_str().expect("plain");
    let refused = run(&["eval", unfinished, "random", "--rules", "wiezen", "--deals", "8"]);
    assert_eq!(refused.status.code(), Some(2));
    let told = text(&refused.stderr);
    assert!(told.contains("without a finished bot") && told.contains("--resume"), "{told}");
    let wrong = run(&["eval", bot, "random", "--rules", "iwwa", "--deals", "8"]);
    assert!(text(&wrong.stderr).contains("trained for rule set wiezen"));
}

#[test]
fn a_killed_run_resumes_to_the_same_bot() {
    let folder = tempfile::tempdir().expect("a folder");
    let recipe = |name: &str| {
        let path = folder.path().join(format!("{name}.toml"));
        let text = format!(
            "rules = \"luxembourg\"\nrun = {:?}\niterations = 40\ndeals = 64\n\
             checkpoint_every = 1\ntensorboard = false\n\
             network = {{ hidden = 8, blocks = 0 }}\n\
             [pool]\nevery = 5\n[eval]\nevery = 0\nfinal_deals = 0\n",
            folder.path().join(name)
        );
        std::fs::write(&path, text).expect("written");
        path.to_str().expect("plain").to_string()
    };
    let (whole, killed) = (recipe("whole"), recipe("killed"));
    assert_eq!(run(&["train", &whole, "--workers", "1"]).status.code(), Some(0));
    let run_folder = folder.path().join("killed");
    let mut child = troel()
        .args(["train", &killed])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts");
    support::wait_for("the first checkpoint, or the end of the training", || {
        let is_saved = run_folder.join("checkpoint/00000001").exists();
        (is_saved || child.try_wait().expect("a child").is_some()).then_some(())
    });
    child.kill().expect("killed");
    child.wait().expect("ended");
    let resumed = run(&["train", &killed, "--resume"]);
    assert_eq!(resumed.status.code(), Some(0), "{}", text(&resumed.stderr));
    let weights = |name: &str| {
        std::fs::read(folder.path().join(name).join("bot/model.safetensors")).expect("weights")
    };
    assert_eq!(weights("whole"), weights("killed"));
}

#[test]
fn help_and_completions_are_there() {
    let help = text(&run(&["--help"]).stdout);
    assert!(help.contains("\nEvaluate:\n") && help.contains("\n  merge  "), "{help}");
    for command in ["train", "eval", "play", "replay", "deal"] {
        let help = text(&run(&[command, "--help"]).stdout);
        assert!(help.contains("Example"), "{command}: {help}");
        assert!(!help.contains("without b"), "{command}: {help}");
    }
    for shell in ["bash", "zsh", "fish"] {
        let output = run(&["completions", shell]);
        assert!(text(&output.stdout).contains("replay"), "{shell}");
    }
}

#[test]
fn a_closed_pipe_is_no_error() {
    let mut child = troel()
        .args(["deal", "--deals", "100000"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    drop(child.stdout.take());
    let _deadline = support::deadline(&child, "a program whose output nobody reads to end");
    let output = child.wait_with_output().expect("the program ends");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
}

/// Bots, recipes and rules are part of the program and work in any folder, as the README says.
#[test]
fn bots_and_recipes_are_found_in_any_folder() {
    let folder = tempfile::tempdir().expect("a folder");
    let run_there = |args: &[&str]| {
        let mut command = troel();
        command.current_dir(folder.path()).env_remove("TROEL_CHECKPOINTS").args(args);
        command.stdin(Stdio::null()).output().expect("the program starts")
    };
    for rules in ["luxembourg", "horesca", "wiezen", "iwwa"] {
        let bot = registry::released_for(ReleasedFor::Points(rules)).expect("one for each");
        let output = run_there(&["eval", bot, "rules", "--rules", rules, "--deals", "4"]);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    }
    assert_eq!(run_there(&["page", "troel.html"]).status.code(), Some(0));
    assert_eq!(run_there(&["export", "iwwa-v5", "my-bot"]).status.code(), Some(0));
    // The recipe is found, and refused for its number of iterations.
    let refused = text(
        &run_there(&["train", "quickstart", "--seed", "1", "--iterations", "9999999999"]).stderr,
    );
    assert!(refused.contains("iterations"), "{refused}");
    let unknown = run_there(&["train", "slowstart"]);
    assert!(text(&unknown.stderr).contains("quickstart, champion"), "{}", text(&unknown.stderr));
    // The folder of TROEL_CHECKPOINTS comes first.
    let own = folder.path().join("mine");
    std::fs::create_dir_all(own.join("luxembourg-v5")).expect("a folder");
    let ask = || {
        let mut command = troel();
        command.current_dir(folder.path()).env("TROEL_CHECKPOINTS", &own);
        let args = ["eval", "luxembourg-v5", "rules", "--deals", "2"];
        command.args(args).output().expect("starts")
    };
    assert_eq!(ask().status.code(), Some(0), "a folder that is no checkpoint hides nothing");
    std::fs::write(own.join("luxembourg-v5/bot.toml"), "nonsense").expect("written");
    let output = ask();
    assert!(text(&output.stderr).contains("mine"), "{}", text(&output.stderr));
}

/// Deals against the control are timed apart from those of the match. Their time is unknown before
/// the first of them was played.
#[test]
fn deals_of_a_control_are_timed_apart() {
    let output = troel()
        .args(["eval", "rules", "expert", "--control", "luxembourg-v5", "--deals", "150"])
        .env("TROEL_PROGRESS_SECONDS", "0.02")
        .stdin(Stdio::null())
        .output()
        .expect("the program starts");
    let told = text(&output.stderr);
    let (mut of_match, mut of_control) = (0, 0);
    for (before, message) in told.lines().filter_map(|line| line.split_once(" left  ")) {
        // No time is printed for the last second, so the match has to be long.
        match message {
            "rules against expert" => {
                of_match += 1;
                assert!(before.contains(", at least "), "{before}");
            }
            "rules against luxembourg-v5" => {
                of_control += 1;
                assert!(!before.contains("at least"), "{before}");
            }
            other => panic!("{other}"),
        }
    }
    assert!(of_match > 0 && of_control > 0, "{told}");
}

/// A folder with the name of a released bot is used before it, and said to be another bot if it is
/// one.
#[test]
fn a_bot_in_the_place_of_a_released_one_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let checkpoints = Path::new(env!("CARGO_MANIFEST_DIR")).join("../checkpoints");
    let there = folder.path().join("checkpoints/luxembourg-v5");
    std::fs::create_dir_all(&there).expect("a folder");
    for (bot, is_other) in [("luxembourg-match-v1", true), ("luxembourg-v5", false)] {
        for file in ["bot.toml", "model.safetensors"] {
            std::fs::copy(checkpoints.join(bot).join(file), there.join(file)).expect("copied");
        }
        let mut command = troel();
        command.current_dir(folder.path()).env_remove("TROEL_CHECKPOINTS");
        command.args(["eval", "luxembourg-v5", "rules", "--deals", "2"]).stdin(Stdio::null());
        let output = command.output().expect("the program starts");
        let told = text(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{told}");
        let wanted = if is_other { 1 } else { 0 };
        assert_eq!(
            told.matches("checkpoints/luxembourg-v5, which is not").count(),
            wanted,
            "{told}"
        );
    }
}

#[test]
fn progress_is_printed_without_a_terminal() {
    let output = troel()
        .args(["eval", "expert", "rules", "--rules", "wiezen", "--deals", "40"])
        .env("TROEL_PROGRESS_SECONDS", "0.02")
        .stdin(Stdio::null())
        .output()
        .expect("the program starts");
    let told = text(&output.stderr);
    let lines: Vec<&str> = told.lines().collect();
    assert!(lines.len() > 2, "{told}");
    assert!(
        lines.iter().all(|line| line.contains(" of 40 deals, ") && line.contains("/s")),
        "{told}"
    );
    assert!(lines.iter().any(|line| line.contains(" left  expert against rules")), "{told}");
    let done = |line: &str| line.split(' ').next().and_then(|n| n.parse::<u64>().ok());
    assert!(lines.iter().map(|line| done(line).expect("a number")).is_sorted(), "{told}");
}
