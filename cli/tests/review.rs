//! `troel review`: its rows agree with the search and the judge, and the worst comes first.

mod support;

use std::fs;

use troel_agents::{Detail, Entry, Pimc, decide_one};
use troel_env::{Action, BySeat, Deals, Record, RuleSet, Seat, State};

/// A deal that this bot plays with itself; in the trick play one seat plays its highest legal card instead.
fn record(rules: &'static RuleSet, bot: &str, spoiler: Option<Seat>) -> Record {
    let deal = Deals::new(rules, 5).shuffled(2, Seat::North);
    let mut record = Record::new(rules, &deal);
    let mut player = Entry::find(bot, rules).expect("a bot").seat(1);
    let mut state = State::new(rules, &deal);
    while !state.is_done() {
        let view = state.observe(state.turn(), BySeat::default());
        let chosen = decide_one(player.as_mut(), &view, Detail::Action).expect("legal").action;
        let highest = state.legal_actions().cards.highest().map(Action::card);
        let spoils = spoiler == Some(state.turn()) && chosen.as_card().is_some();
        let action = highest.filter(|_| spoils).unwrap_or(chosen);
        state.apply(action).expect("legal");
        record.actions.push(action.to_string());
    }
    record
}

/// What a review must say of each decision with a choice: step, what was done, what the judge would do, and the points that
/// the choice gives away, by the judge and the search themselves.
fn expected(record: &Record, rules: &'static RuleSet, judge: &str) -> Vec<(usize, String, f32)> {
    let mut judge = Entry::find(judge, rules).expect("a bot").seat(1);
    let mut search = Pimc::new(40, 1);
    let mut expected = Vec::new();
    let mut step = 0;
    let play = record.play(rules, |state, did| {
        step += 1;
        if state.legal_actions().len() < 2 {
            return;
        }
        let view = state.observe(state.turn(), BySeat::default());
        let would = decide_one(judge.as_mut(), &view, Detail::Action).expect("legal").action;
        let values = search.expected_points(&view, &[did, would]).expect("a world fits");
        expected.push((step, would.to_string(), (values[1] - values[0]).max(0.0)));
    });
    play.expect("a good record");
    expected
}

/// Every row against judge and search asked directly: for a judge that made the decisions itself, and for one that did not.
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
        let text = String::from_utf8_lossy(&output.stdout);
        let rows: Vec<Vec<&str>> = text
            .lines()
            .skip(2)
            .map(|line| line.split_whitespace().collect())
            .take_while(|row: &Vec<&str>| row.len() == 9)
            .collect();
        let expected = expected(&record, rules, judge);
        assert_eq!(rows.len(), expected.len(), "{text}");
        let (mut agreed, mut lost) = (0, 0);
        for (row, (step, would, points)) in rows.iter().zip(&expected) {
            assert_eq!((row[0], row[5]), (step.to_string().as_str(), would.as_str()), "{text}");
            let shown: f32 = row[7].replace('−', "-").parse().expect("a number");
            assert!((-shown - points).abs() <= 0.051, "{row:?}: {points}");
            agreed += u32::from(row[3] == row[5]);
            lost += u32::from(shown < 0.0);
        }
        assert!(agreed > 3 && (agreed as usize) < rows.len(), "{judge} agrees with {agreed}");
        assert!(lost > 0, "a seat that plays its highest cards gives something away: {text}");
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
    let output = support::run_with(&["review", &file, "--bot", "rules", "--html", &page], b"");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8_lossy(&output.stdout);
    let (clean, spoilt) = text.split_once("\n\n").expect("two tables");
    for seat in ["N", "E", "S", "W"] {
        let summary =
            clean.lines().find(|line| line.starts_with(&format!("{seat}: "))).expect("all");
        let words: Vec<&str> = summary.split(' ').collect();
        assert_eq!(words[1], words[3], "{summary}");
        assert!(summary.contains("0.0 expected points"), "{summary}");
    }
    let summary = spoilt.lines().find(|line| line.starts_with("S: ")).expect("there");
    assert!(!summary.contains(" 0.0 expected points"), "{summary}");

    let html = fs::read_to_string(&page).expect("written");
    let points: Vec<f32> = html
        .rsplit("<section>")
        .next()
        .expect("two sections")
        .split("<tr")
        .skip(2)
        .map(|row| row.split("<td>").nth(8).expect("a column").replace('−', "-"))
        .map(|points| points.parse().expect("a number"))
        .collect();
    assert!(points.is_sorted() && points[0] < 0.0, "worst first: {points:?}");

    let bad = support::run_with(&["review", "Cargo.toml"], b"");
    assert_eq!(bad.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&bad.stderr).contains("Cargo.toml: line 1"));
}

/// `docs/deals.md` says of five deals what a choice gave away; its commands say the same.
#[test]
fn the_five_deals_are_as_the_page_says() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let page = fs::read_to_string(root.join("docs/deals.md")).expect("there");
    let records = root.join("docs/deals.jsonl");
    let review = |bot: &str| -> Vec<String> {
        let records = records.to_str().expect("plain");
        let output = support::run_with(&["review", records, "--bot", bot, "--worlds", "400"], b"");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let text = String::from_utf8_lossy(&output.stdout);
        text.trim().split("\n\n").map(str::to_string).collect()
    };
    // Number of the record, step, and the points that the page names.
    let of_expert = [(5, "18 E", "15.5"), (6, "15 W", "6.8"), (7, "23 S", "5.4")];
    let of_network = [
        (1, "42 W", "4.2"),
        (3, "1 W", "14.0"),
        (3, "5 W", "27.8"),
        (4, "21 W", "31.0"),
        (4, "24 W", "26.8"),
    ];
    for (bot, rows) in
        [("luxembourg-v4", of_expert.as_slice()), ("pimc:worlds=100", of_network.as_slice())]
    {
        let reviews = review(bot);
        for (record, step, points) in rows {
            let mut lines = reviews[*record].lines().map(str::trim);
            let row = lines.find(|line| line.starts_with(&format!("{step} "))).expect("the step");
            let section = page.split("\n## ").nth(1 + record % 5).expect("one for each deal");
            let is_told = section.contains(&format!(" {points} "))
                || section.contains(&format!(" {points}\n"));
            assert!(row.contains(&format!(" −{points} ")) && is_told, "{row}");
        }
    }
}
