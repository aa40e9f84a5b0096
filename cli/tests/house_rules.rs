//! A bot for house rules carries the rules: in an export, in the protocol and on the page.

mod support;

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::json;
use support::{stderr_of, stdout_of, succeed};
use troel_env::features::N_RULE_FEATURES;
use troel_env::{N_FEATURES, RuleSet};

/// Trains a bot briefly under wiezen with this identifier and target; returns its folder.
fn house_bot(folder: &Path, id: &str, target: u32) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let wiezen = fs::read_to_string(root.join("configs/rules/wiezen.toml")).expect("there");
    let rules = folder.join(format!("{id}-rules.toml"));
    let house = wiezen.replace("id = \"wiezen\"", &format!("id = \"{id}\""));
    let house = house.replace("match_target = 0", &format!("match_target = {target}"));
    assert_ne!(house, wiezen);
    fs::write(&rules, house).expect("written");
    let run = folder.join(id);
    let recipe = folder.join(format!("{id}.toml"));
    let text = format!(
        "rules = {rules:?}\nrun = {run:?}\niterations = 1\ndeals = 32\n\
         network = {{ hidden = 8, blocks = 0 }}\n[eval]\nbaselines = []\n"
    );
    fs::write(&recipe, text).expect("written");
    succeed(&["train", recipe.to_str().expect("plain")], b"");
    run.join("bot")
}

/// A bot trained under several rule sets plays under a club's rules that it was not trained on. An
/// export for these rules carries them.
#[test]
fn one_bot_plays_under_any_rules() {
    let folder = tempfile::tempdir().expect("a folder");
    let [run, club, exported] =
        ["run", "club.toml", "exported"].map(|name| folder.path().join(name).display().to_string());
    let recipe = folder.path().join("recipe.toml");
    let text = format!(
        "rules = \"luxembourg\"\nrun = {run:?}\niterations = 1\ndeals = 64\n\
         network = {{ hidden = 8, blocks = 0, canonical_suits = true, rule_features = true }}\n\
         house_rules = {{ others = [\"iwwa\"], drawn = 2 }}\n[eval]\nbaselines = []\n"
    );
    fs::write(&recipe, text).expect("written");
    succeed(&["train", recipe.to_str().expect("plain")], b"");
    let bot = format!("{run}/bot");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let wiezen = fs::read_to_string(root.join("configs/rules/wiezen.toml")).expect("there");
    let text = wiezen.replace("id = \"wiezen\"", "id = \"club\"");
    fs::write(&club, text.replace("match_target = 0", "match_target = 30")).expect("written");

    succeed(&["eval", &bot, "random", "--rules", &club, "--deals", "16"], b"");
    let hello = support::lines(&succeed(&["bot", &bot], br#"{"id":1,"cmd":"hello"}"#));
    assert_eq!(hello[0]["rules"], json!(["horesca", "iwwa", "luxembourg", "wiezen"]));
    succeed(&["export", &bot, &exported, "--rules", &club], b"");
    let requests = br#"{"id":1,"cmd":"hello"}
{"id":2,"cmd":"act","record":{"rules":"club","dealer":"E","deal":"N:- - T942.KJ5.Q83.A76 -","turn_up":"3H","actions":[]},"seat":"S"}
{"id":3,"cmd":"features","record":{"rules":"club","dealer":"E","deal":"N:- - T942.KJ5.Q83.A76 -","turn_up":"3H","actions":[]},"seat":"S"}"#;
    let answers = support::lines(&succeed(&["bot", &exported], requests));
    assert_eq!(answers[0]["rules"], json!(["club", "horesca", "iwwa", "luxembourg", "wiezen"]));
    assert!(answers[1]["action"].is_string());
    let features = answers[2]["features"].as_array().expect("a list");
    assert_eq!(features.len(), N_FEATURES + N_RULE_FEATURES);
    assert!(features[N_FEATURES..].iter().any(|x| x != 0.0));
    let page = fs::read_to_string(Path::new(&exported).join("play.html")).expect("there");
    assert!(page.contains("id=\"house-rules\">{\"club\":"));

    // Results are stored with the name of the rules, because the rule file may be absent later.
    let kept = folder.path().join("kept.jsonl").display().to_string();
    succeed(&["ladder", &kept, &bot, "rules", "--rules", &club, "--deals", "16"], b"");
    let cross = succeed(&["ladder", &kept, "--cross"], b"");
    assert!(stdout_of(&cross).contains("**club**"), "{cross:?}");
    // Different rules of the same name are kept apart.
    let text = fs::read_to_string(&club).expect("there");
    let dearer = folder.path().join("dearer.toml").display().to_string();
    fs::write(&dearer, text.replace("match_target = 30", "match_target = 40")).expect("written");
    succeed(&["ladder", &kept, &bot, "rules", "--rules", &dearer, "--deals", "16"], b"");
    let cross = succeed(&["ladder", &kept, "--cross"], b"");
    let headings = stdout_of(&cross).matches("**club (").count();
    assert_eq!(headings, 2, "{cross:?}");

    // A bot for one rule set is still refused.
    for args in [
        ["eval", "wiezen-v5", "random", "--deals", "16", "--rules", &club].as_slice(),
        &["bot", "wiezen-v5", "--rules", &club],
    ] {
        let output = support::run_with(args, b"");
        let error = stderr_of(&output);
        assert!(
            output.status.code() == Some(2)
                && error.contains("a bot for any rules, such as universal-v2"),
            "{error}"
        );
    }
}

/// The printed file of each built-in rule set has its rules, and a copy with another `id` is a rule
/// file.
#[test]
fn a_built_in_rule_set_is_a_start_for_house_rules() {
    let folder = tempfile::tempdir().expect("a folder");
    let club = folder.path().join("club.toml").display().to_string();
    for built_in in RuleSet::all_built_in() {
        let printed = stdout_of(&succeed(&["rules", built_in.id()], b""));
        let read = RuleSet::from_toml(&printed, "printed").expect("a rule file");
        assert_eq!(read.hash(), built_in.hash(), "{}", built_in.id());
        let copy = printed.replace(&format!("id = \"{}\"", built_in.id()), "id = \"club\"");
        fs::write(&club, copy).expect("written");
        let deal = stdout_of(&succeed(&["deal", "--rules", &club], b""));
        assert!(deal.contains(r#""rules":"club""#), "{deal}");
    }
    let refused = support::run_with(&["rules", &club], b"");
    let error = stderr_of(&refused);
    assert!(refused.status.code() == Some(2) && error.contains("Add --explain"), "{error}");
    let refused = support::run_with(&["rules", "wizen"], b"");
    let error = stderr_of(&refused);
    assert!(refused.status.code() == Some(2) && error.contains("Did you mean wiezen"), "{error}");

    // In words, a file is explained like the built-in rules, and compared with them.
    let explained = stdout_of(&succeed(&["rules", &club, "--explain"], b""));
    assert!(explained.starts_with("Rules of club\n") && explained.contains("\nAUCTION\n"));
    let same = stdout_of(&succeed(&["rules", &club, "--against", "iwwa"], b""));
    assert!(same.contains("The rules are the same"), "{same}");
    let other = stdout_of(&succeed(&["rules", &club, "--against", "wiezen"], b""));
    assert!(other.contains("\n− ") && other.contains("\n+ "), "{other}");
}

#[test]
fn a_bot_takes_its_rules_along() {
    let folder = tempfile::tempdir().expect("a folder");
    let bot = house_bot(folder.path(), "house", 30);
    let exported = folder.path().join("exported");
    let [bot, name] = [&bot, &exported].map(|path| path.to_str().expect("plain"));
    succeed(&["export", bot, name], b"");

    let hello = support::lines(&succeed(&["bot", name], br#"{"id":1,"cmd":"hello"}"#));
    assert_eq!(hello[0]["rules"], json!(["house"]));
    let act = br#"{"id":1,"cmd":"act","record":{"rules":"house","dealer":"E","deal":"N:- - T942.KJ5.Q83.A76 -","turn_up":"3H","actions":[]},"seat":"S"}"#;
    assert!(support::lines(&succeed(&["bot", name], act))[0]["action"].is_string());

    let page = exported.join("play.html");
    assert!(fs::read_to_string(&page).expect("there").contains("id=\"house-rules\">{\"house\":"));
    support::browser(&format!("file://{}", page.display()), folder.path());

    // Two rule sets with one identifier make requests ambiguous, and a bot is required.
    let house = folder.path().join("house-rules.toml").display().to_string();
    let elsewhere = tempfile::tempdir().expect("a folder");
    let other = house_bot(elsewhere.path(), "house", 40).display().to_string();
    let wiezen = folder.path().join("wiezen.toml").display().to_string();
    let text = fs::read_to_string(&house).expect("there");
    fs::write(&wiezen, text.replace("id = \"house\"", "id = \"wiezen\"")).expect("written");
    for (args, said) in [
        (["--rules", &house, "--bot", &other].as_slice(), "give them another id"),
        (&["--rules", &wiezen], "Give this file another id"),
        (&["--rules", &house, "--bot", "wiezen-v5"], "no bot here plays \"house\""),
    ] {
        let output = support::run_with(&[&["serve", "--port", "0"], args].concat(), b"");
        let error = stderr_of(&output);
        assert!(output.status.code() == Some(2) && error.contains(said), "{said}: {error}");
    }
    // Edited rules are not those that the bot was trained for.
    let info = exported.join("bot.toml");
    let text = fs::read_to_string(&info).expect("there");
    for (from, to, said) in [
        ("match_target = 30", "match_target = 40", "trained for rule set house"),
        ("family = \"turn-up\"", "family = \"poker\"", "family"),
    ] {
        let text = troel_nn::checksums::strip(&text).replace("format = 2", "format = 1");
        fs::write(&info, text.replace(from, to)).expect("written");
        let output = support::run_with(&["bot", name], b"");
        let error = stderr_of(&output);
        assert!(output.status.code() == Some(2) && error.contains(said), "{said}: {error}");
    }
}

/// Returns the cells of the rows of a table that begins with this header.
fn table<'a>(page: &'a str, header: &str) -> Vec<Vec<&'a str>> {
    let (_, below) = page.split_once(header).expect("the table is on the page");
    let rows = below.lines().skip(2).take_while(|line| line.starts_with('|'));
    rows.map(|row| row.trim_matches('|').split('|').map(str::trim).collect()).collect()
}

/// Writes a line `key = value` into lines of a rule file: in the place of the key, or at their end.
fn with_line(lines: &[&str], line: &str) -> Vec<String> {
    let key = line.split(' ').next().expect("a key");
    let is_key = |old: &&str| old.split(' ').next() == Some(key);
    let mut changed: Vec<String> =
        lines.iter().filter(|old| !is_key(old)).map(|old| old.to_string()).collect();
    changed.push(line.to_string());
    changed
}

/// Each variation on the page of house rules is a rule file that differs from its start.
#[test]
fn the_variations_on_the_page_are_rule_files() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let page = fs::read_to_string(root.join("docs/rules/house-rules.md")).expect("there");
    let of_rules = table(&page, "| your sheet says | write | start from |");
    let of_contracts = table(&page, "| your sheet says | contract | write | start from |");
    assert!(of_rules.len() >= 10 && of_contracts.len() >= 10);
    let code = |cell: &str| cell.trim_matches('`').to_string();
    for row in of_rules.iter().chain(&of_contracts) {
        let [line, start] = [row[row.len() - 2], row[row.len() - 1]].map(code);
        let path = root.join(format!("configs/rules/{start}.toml"));
        let file = fs::read_to_string(path).expect("a built-in rule set");
        let file = file.replace(&format!("id = \"{start}\""), "id = \"club\"");
        let contract = if row.len() == 4 { row[1] } else { "" };
        let parts: Vec<Vec<String>> = file
            .split("[[contract]]\n")
            .enumerate()
            .map(|(nth, part)| {
                let lines: Vec<&str> = part.lines().filter(|line| !line.is_empty()).collect();
                let has = |key: &str, value: &str| lines.contains(&&*format!("{key} = {value}"));
                let is_changed = match contract.split_once("` ") {
                    _ if contract.is_empty() => nth == 0,
                    Some((kind, level)) => {
                        has("kind", &format!("{:?}", kind.trim_matches('`'))) && has("level", level)
                    }
                    None => has("kind", &format!("{:?}", contract.trim_matches('`'))),
                };
                if is_changed {
                    with_line(&lines, &line)
                } else {
                    lines.iter().map(|line| line.to_string()).collect()
                }
            })
            .collect();
        let changed: Vec<String> = parts.iter().map(|part| part.join("\n") + "\n").collect();
        let changed = changed.join("[[contract]]\n");
        let rules = RuleSet::from_toml(&changed, "club.toml");
        let rules = rules.unwrap_or_else(|error| panic!("{row:?}: {error}"));
        let before = RuleSet::built_in(&start).expect("built in");
        let mut spec = rules.spec().clone();
        spec.id = before.id().into();
        assert!(spec != *before.spec(), "{row:?} changes nothing");
    }
}
