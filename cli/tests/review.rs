//! `troel review`: its rows agree with the search, the judge and the messages of a table, and the
//! worst comes first.

mod support;

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use support::{stderr_of, stdout_of};
use troel_agents::review::{self, Reviewer};
use troel_agents::{DecisionDetail, NamedBot, decide_one};
use troel_env::{Action, BySeat, Deals, Record, RuleSet, Seat, State};
use troel_protocol::{Responder, Table, private_table};
use troel_solver::Solver;

/// Returns a deal that this bot plays with itself; in card play `spoiler` plays its highest legal
/// card instead.
fn record(rules: &'static RuleSet, bot: &str, spoiler: Option<Seat>) -> Record {
    let deal = Deals::new(rules, 5).shuffled(2, Seat::North);
    let mut record = Record::new(rules, &deal);
    let mut player = NamedBot::find(bot, rules).expect("a bot").instantiate(1);
    let mut state = State::new(rules, &deal);
    while !state.is_done() {
        let obs = state.observe(state.turn(), BySeat::default());
        let chosen =
            decide_one(player.as_mut(), &obs, DecisionDetail::Action).expect("legal").action;
        let highest = state.legal_actions().cards.highest().map(Action::card);
        let spoils = spoiler == Some(state.turn()) && chosen.as_card().is_some();
        let action = highest.filter(|_| spoils).unwrap_or(chosen);
        state.apply(action).expect("legal");
        record.actions.push(action.to_string());
    }
    record
}

fn checkpoint(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../checkpoints").join(name)
}

/// Returns step, best action, the bot's choice, points given away, and points over the bot, of each
/// decision with a choice, directly from the bot and its search.
fn expected(
    record: &Record,
    rules: &'static RuleSet,
    judge: &str,
) -> Vec<(usize, String, String, f32, f32)> {
    let judge = NamedBot::find(judge, rules).expect("a bot");
    let (mut bot, mut advisor) = (judge.instantiate(1), judge.advisor(40, 1));
    let mut expected = Vec::new();
    let mut step = 0;
    let play = record.play(rules, |state, did| {
        step += 1;
        if state.legal_actions().len() < 2 {
            return;
        }
        let obs = state.observe(state.turn(), BySeat::default());
        let decision = decide_one(bot.as_mut(), &obs, DecisionDetail::Policy).expect("legal");
        let judged = advisor.action_values(&obs, &decision, Some(did)).expect("a world fits");
        let own = judged.iter().find(|one| one.action == did).expect("judged");
        let (best, would) = (judged[0].action.to_string(), decision.action.to_string());
        expected.push((step, best, would, own.loss.if_clear(), own.gain.if_clear()));
    });
    play.expect("a good record");
    expected
}

/// Every row equals the answers of the bot and its search: for a bot that made the decisions, and
/// for one that did not.
#[test]
fn each_row_says_what_judge_and_search_say() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("games.jsonl");
    let rules = RuleSet::built_in("luxembourg").expect("built in");
    let record = record(rules, "rules", Some(Seat::West));
    fs::write(&file, serde_json::to_string(&record).expect("JSON")).expect("written");
    for judge in ["rules", "expert"] {
        let args = ["review", file.to_str().expect("plain"), "--bot", judge];
        let output = support::run_with(&args, b"");
        let text = stdout_of(&output);
        let rows: Vec<Vec<&str>> = text
            .lines()
            .skip(3)
            .map(|line| line.split_whitespace().collect())
            .take_while(|row: &Vec<&str>| row.len() == 12)
            .collect();
        let expected = expected(&record, rules, judge);
        assert_eq!(rows.len(), expected.len(), "{text}");
        let (mut agreed, mut lost) = (0, 0);
        for (row, (step, best, would, points, over)) in rows.iter().zip(&expected) {
            assert_eq!((row[0], row[5], row[6]), (&*step.to_string(), &**best, &**would), "{text}");
            let shown = |cell: &str| -> f32 { cell.parse().expect("a number") };
            assert!((shown(row[8]) - points).abs() <= 0.051, "{row:?}: {points}");
            // A loss is shown if it is larger than two standard errors.
            assert!(*points == 0.0 || 2.0 * shown(row[9]) <= *points + 0.101, "{row:?}");
            assert!((shown(row[10]) - over).abs() <= 0.051, "{row:?}: {over}");
            agreed += u32::from(row[3] == row[6]);
            lost += u32::from(shown(row[8]) > 0.0);
        }
        assert!(agreed > 3 && (agreed as usize) < rows.len(), "{judge} agrees with {agreed}");
        assert!(lost > 0, "a seat that plays its highest cards gives something away: {text}");
    }
}

/// A single world gives no standard error.
#[test]
fn one_world_shows_a_dash_for_the_error() {
    let rules = RuleSet::built_in("luxembourg").expect("built in");
    let record = record(rules, "rules", Some(Seat::West));
    let record = serde_json::to_string(&record).expect("JSON");
    let args = ["review", "-", "--bot", "rules", "--worlds", "1"];
    let text = stdout_of(&support::succeed(&args, record.as_bytes()));
    let rows = text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
    let errors: Vec<&str> = rows.filter(|row| row.len() == 12).map(|row| row[9]).collect();
    assert!(errors.contains(&"–") && !errors.contains(&"inf"), "{text}");
}

/// A front end's table, hints and reviews included, through the messages of the protocol.
struct Desk {
    bot: Responder,
    table: Option<Table>,
}

impl Desk {
    /// The table of a bot, opened with these fields of `new` beside the rules of Luxembourg.
    fn open(bot: Responder, mut new: Value) -> (Desk, Value) {
        let mut desk = Desk { bot, table: None };
        new["type"] = json!("new");
        new["rules"] = json!("luxembourg");
        let shown = desk.ask(&new);
        (desk, shown)
    }

    /// The last message that answers a command, as text that was read: that rounds numbers.
    fn ask(&mut self, command: &Value) -> Value {
        let answers =
            private_table::handle(&mut self.table, command.to_string().as_bytes(), &self.bot);
        let last = answers.last().expect("an answer").to_string();
        serde_json::from_str(&last).expect("JSON")
    }

    fn act(&mut self, action: &Value) -> Value {
        let shown = self.ask(&json!({"type": "act", "action": action}));
        assert_eq!(shown["type"], "table", "{shown}");
        shown
    }

    /// The reviewed decisions of a deal that is over.
    fn review(&mut self) -> Vec<Value> {
        let ask = |from| self.ask(&json!({"type": "review", "from": from}))["decision"].clone();
        (0..).map(ask).take_while(|decision| !decision.is_null()).collect()
    }
}

/// A hint before a decision, the review of it, `troel review`, and the table's par say the same.
#[test]
fn program_hint_and_review_say_the_same() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("games.jsonl");
    let bot = Responder::load(&checkpoint("luxembourg-v5")).expect("loads");
    let (mut desk, mut shown) = Desk::open(bot, json!({"seat": "S", "seed": 11}));
    let mut hints = Vec::new();
    while shown["scores"].is_null() {
        let at = shown["history"].as_array().expect("a list").len() + 1;
        let hint = desk.ask(&json!({"type": "hint"}));
        hints.push((at, hint.clone()));
        // The second best, so that there is something to lose.
        let candidates = hint["candidates"].as_array().expect("a list");
        let action = candidates.get(1).map_or(&hint["action"], |second| &second["action"]);
        shown = desk.act(action);
    }
    let decisions = desk.review();
    assert!(decisions.len() > 5, "{decisions:?}");
    for decision in &decisions {
        let (_, hint) =
            hints.iter().find(|(at, _)| decision["at"] == *at).expect("asked before each");
        assert_eq!(hint["candidates"], decision["candidates"]);
        assert_eq!((&hint["action"], &hint["bot"]), (&decision["best"], &decision["bot"]));
    }
    assert!(decisions.iter().any(|decision| decision["points"].as_f64() > Some(0.0)));

    fs::write(&file, shown["record"].to_string()).expect("written");
    let file = file.to_str().expect("plain");
    let args = ["--bot", "luxembourg-v5", "--seat", "S", "--seed", "11", "--json"];
    let output = support::run_with(&[["review", file].as_slice(), &args].concat(), b"");
    let review: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    // The table leaves out what was played once the points were settled.
    let all = review["decisions"].as_array().expect("a list");
    assert_eq!(all[..decisions.len()], decisions);
    let mut par = desk.ask(&json!({"type": "par"}));
    par.as_object_mut().expect("an object").remove("type");
    assert_eq!(review["par"], par);
}

/// A hand of thirteen trumps: the bot asks for eight tricks. The hint and the review name the grand
/// slam, and the review says what the lower call cost, and that the slam was better than the bot's.
#[test]
fn a_hand_of_thirteen_trumps_is_a_grand_slam() {
    let deal = "S:AKQJT98765432... .AKQJT.9876.5432 .9876.5432.AKQJT .5432.AKQJT.9876";
    let record = json!({"rules": "luxembourg", "dealer": "E", "deal": deal, "actions": []});
    let best = Responder::load(&checkpoint("luxembourg-v5")).expect("loads");
    let hint = Desk::open(best, json!({"seat": "S", "seed": 1, "record": record}))
        .0
        .ask(&json!({"type": "hint"}));
    assert_eq!((&hint["action"], &hint["bot"]), (&json!("slam-S"), &json!("slam-S")), "{hint}");
    for call in ["8S", "slam-S"] {
        // A bot that does not bid what it holds.
        let bot = Responder::load(&checkpoint("luxembourg-v4")).expect("loads");
        let (mut desk, mut shown) =
            Desk::open(bot, json!({"seat": "S", "seed": 1, "record": record}));
        assert_eq!(shown["turn"], "S", "South is eldest hand: {shown}");
        let hint = desk.ask(&json!({"type": "hint"}));
        assert_eq!((&hint["action"], &hint["bot"]), (&json!("slam-S"), &json!("8S")), "{hint}");
        shown = desk.act(&json!(call));
        while shown["scores"].is_null() {
            let action = if shown["settled"] == true {
                shown["legal"][0].clone()
            } else {
                let legal = shown["legal"].as_array().expect("a list");
                legal.iter().find(|code| *code == "pass").unwrap_or(&legal[0]).clone()
            };
            shown = desk.act(&action);
        }
        let first = &desk.review()[0];
        assert_eq!((&first["did"], &first["best"]), (&json!(call), &json!("slam-S")), "{first}");
        let of = |field: &str| first[field].as_f64().expect("a number");
        assert!(of("bot_points") > 10.0, "{first}");
        match call {
            "slam-S" => {
                assert!(of("points") == 0.0 && of("over_bot") == of("bot_points"), "{first}");
                let par = desk.ask(&json!({"type": "par"}));
                assert_eq!(par["regret"]["S"], 0, "{par}");
            }
            _ => assert!(of("points") == of("bot_points") && of("over_bot") == 0.0, "{first}"),
        }
    }
}

#[test]
fn summaries_and_pages_follow_from_the_rows() {
    let folder = tempfile::tempdir().expect("a folder");
    let (file, page) = (folder.path().join("games.jsonl"), folder.path().join("review.html"));
    let rules = RuleSet::built_in("luxembourg").expect("built in");
    let (clean, spoilt) = (record(rules, "rules", None), record(rules, "rules", Some(Seat::South)));
    let lines: Vec<String> =
        [clean, spoilt].iter().map(|r| serde_json::to_string(r).expect("JSON")).collect();
    fs::write(&file, lines.join("\n")).expect("written");
    let path = |p: &std::path::Path| p.to_str().expect("plain").to_string();
    let (file, page) = (path(&file), path(&page));
    let output = support::succeed(&["review", &file, "--bot", "rules", "--html", &page], b"");
    let text = stdout_of(&output);
    let (clean, spoilt) = text.split_once("\n\n").expect("two tables");
    for seat in ["N", "E", "S", "W"] {
        let summary =
            clean.lines().find(|line| line.starts_with(&format!("{seat}: "))).expect("all");
        let words: Vec<&str> = summary.split(' ').collect();
        assert_eq!(words[1], words[3], "{summary}");
        assert!(summary.contains(" 0 better; "), "{summary}");
    }
    let lost = |table: &str| -> f32 {
        let summary = table.lines().find(|line| line.starts_with("S: ")).expect("there");
        let (_, rest) = summary.split_once("better; ").expect("points given away");
        rest.split(' ').next().and_then(|points| points.parse().ok()).expect("a number")
    };
    assert!(lost(spoilt) > lost(clean) + 1.0, "{clean}{spoilt}");
    assert!(clean.contains("Par, with all hands visible: "), "{clean}");
    assert!(clean.lines().nth(1).expect("a line").contains("dealer N · N:"), "{clean}");

    let html = fs::read_to_string(&page).expect("written");
    let points: Vec<f32> = html
        .rsplit("<section>")
        .next()
        .expect("two sections")
        .split("<tr")
        .skip(2)
        .map(|row| row.split("<td>").nth(9).expect("a column").parse().expect("a number"))
        .collect();
    assert!(points.is_sorted_by(|a, b| a >= b) && points[0] > 0.0, "worst first: {points:?}");

    let from_input =
        support::run_with(&["review", "-", "--bot", "rules"], lines.join("\n").as_bytes());
    assert_eq!(stdout_of(&from_input), text);

    let bad = support::run_with(&["review", "Cargo.toml"], b"");
    assert_eq!(bad.status.code(), Some(2));
    assert!(stderr_of(&bad).contains("Cargo.toml: line 1"));
    let bad = support::run_with(&["review", "-"], b"no record\n");
    assert!(stderr_of(&bad).contains("standard input: line 1"));
}

/// The summary has the decisions of the table that cost points, the worst first, and par as the
/// seat's own result.
#[test]
fn a_summary_is_in_a_language_and_has_the_worst_first() {
    let rules = RuleSet::built_in("luxembourg").expect("built in");
    let record = record(rules, "rules", Some(Seat::South));
    let record = serde_json::to_string(&record).expect("JSON");
    let args = ["review", "-", "--bot", "rules", "--seat", "S", "--language", "nl"];
    let text = stdout_of(&support::succeed(&args, record.as_bytes()));
    let json = support::succeed(&[&args[..6], &["--json"]].concat(), record.as_bytes());
    let review: Value = serde_json::from_slice(&json.stdout).expect("JSON");
    let decisions = review["decisions"].as_array().expect("a list");
    let mut costly: Vec<(usize, f64)> = decisions
        .iter()
        .map(|d| (d["at"].as_u64().expect("a number"), d["points"].as_f64().expect("a number")))
        .map(|(at, points)| (usize::try_from(at).expect("small"), points))
        .filter(|&(_, points)| points >= 0.05)
        .collect();
    costly.sort_by(|a, b| b.1.total_cmp(&a.1));
    assert!(costly.len() > 1, "{text}");
    let rows: Vec<&str> = text.lines().filter(|line| line.contains("verloren")).collect();
    assert!(rows.len() >= costly.len(), "{text}");
    for (row, (at, points)) in rows.iter().zip(&costly) {
        let shown = format!("{at}. Jij: ");
        let points = format!("{points:.1} punt").replace('.', ",");
        assert!(row.contains(&shown) && row.contains(&points), "{row}");
    }
    assert!(text.contains("  Jouw dure beslissingen, de slechtste eerst:\n"), "{text}");
    assert!(!text.contains("Noord\n") && text.contains("\nZuid\n"), "one seat: {text}");
    let own = review["par"]["points"]["S"].as_i64().expect("par");
    let own = format!(", {own:+} voor jou.").replace('-', "−");
    assert!(text.contains(&own), "{text}");
    match review["par"]["regret"]["S"].as_i64().expect("a finished deal") {
        0 => {}
        n @ 1.. => assert!(text.contains(&format!("{n} punten meer dan je kreeg")), "{text}"),
        n => assert!(text.contains(&format!("{} punten minder dan je kreeg", -n)), "{text}"),
    }
}

#[test]
fn a_file_without_records_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (empty, page) = (path("empty.jsonl"), path("page.html"));
    fs::write(&empty, "\n").expect("written");
    let output = support::run_with(&["review", &empty, "--html", &page], b"");
    assert!(!output.status.success());
    let refused = stderr_of(&output);
    assert!(refused.contains("empty.jsonl: holds no game records"), "{refused}");
    assert!(!Path::new(&page).exists());
}

/// A review takes minutes, so what cannot be written is found before the first record.
#[test]
fn a_page_that_cannot_be_written_is_refused_at_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let records = folder.path().join("deals.jsonl");
    let deals = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/deals.jsonl");
    fs::copy(deals, &records).expect("copied");
    let in_no_folder = folder.path().join("none/page.html");
    let own = folder.path().join("./deals.jsonl");
    let other = folder.path().join("notes.html");
    fs::write(&other, "mine").expect("written");
    for (page, reason) in [
        (folder.path(), "is a folder"),
        (&in_no_folder, "there is no folder"),
        (&own, "would overwrite the records"),
        (&other, "already exists"),
    ] {
        let args = ["review", records.to_str().expect("plain"), "--html"];
        let page = page.display().to_string();
        let output = support::run_with(&[args.as_slice(), &[&page]].concat(), b"");
        let refused = stderr_of(&output);
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{refused}");
        assert!(refused.contains(&page) && refused.contains(reason), "{refused}");
    }
}

/// The judge agrees with the points that `docs/deals.md` says were given away in five deals.
#[test]
fn the_five_deals_are_as_the_page_says() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let page = fs::read_to_string(root.join("docs/deals.md")).expect("there");
    let records = fs::read_to_string(root.join("docs/deals.jsonl")).expect("there");
    let records: Vec<Record> =
        records.lines().map(|line| serde_json::from_str(line).expect("a record")).collect();
    let rules = RuleSet::built_in("luxembourg").expect("built in");
    // Number of the record, step, and the points that the page names.
    let of_expert = [(5, 18, "17.1"), (6, 15, "1.1"), (7, 23, "2.3")];
    let of_network =
        [(1, 42, "4.5"), (3, 1, "13.9"), (3, 5, "28.0"), (4, 21, "31.0"), (4, 24, "26.8")];
    let network = checkpoint("luxembourg-v4").display().to_string();
    for (bot, rows) in
        [(network.as_str(), of_expert.as_slice()), ("pimc:worlds=100", of_network.as_slice())]
    {
        let bot = NamedBot::find(bot, rules).expect("a bot");
        let mut reviewer = Reviewer::new(&bot, 400, 1, Solver::default());
        for &(record, step, points) in rows {
            let (choices, _) =
                review::decision_points(rules, &records[record], None).expect("good");
            let choice = choices.iter().find(|choice| choice.number == step).expect("a choice");
            let decision = reviewer.review_decision(choice).expect("judged");
            let section = page.split("\n## ").nth(1 + record % 5).expect("one for each deal");
            let is_told = section.contains(&format!(" {points} "))
                || section.contains(&format!(" {points}\n"));
            let found = format!("{:.1}", decision.loss());
            assert!(found == points && is_told, "{record} {step}: {found}, the page: {points}");
        }
    }
}
