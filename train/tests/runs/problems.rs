//! Problems with known answers at the evaluations of a run.

use std::path::Path;

use serde_json::Value;
use troel_nn::Bundle;
use troel_train::{Event, TrainConfig};

use super::{all_weights, recipe, start};

/// A run that is evaluated once; returns its metrics, the suites that it reported, and its weights.
fn trained(config: TrainConfig) -> (Vec<Value>, Vec<String>, Vec<f32>) {
    let run = config.run.clone();
    let mut trainer = start(config).expect("starts");
    let mut reported = Vec::new();
    let watch = |event: &Event| {
        if let Event::Problems(report) = event {
            reported.push(report.suite.clone());
        }
    };
    trainer.train(u64::MAX, watch).expect("trains");
    let sheets = trainer.answer_problems().expect("judged");
    trainer.add_answers(&sheets);
    let bundle = Bundle::load(&trainer.save_bot().expect("saved")).expect("loaded");
    let kept = bundle.info.problems.iter().map(|found| (found.suite.clone(), found.problems));
    let judged = sheets.iter().map(|sheet| (sheet.suite.to_string(), sheet.lost.n));
    assert!(kept.eq(judged), "{:?}", bundle.info.problems);
    let text = std::fs::read_to_string(Path::new(&run).join("metrics.jsonl")).expect("metrics");
    let lines = text.lines().map(|line| serde_json::from_str(line).expect("JSON"));
    (lines.collect(), reported, all_weights(&trainer))
}

#[test]
fn each_evaluation_asks_problems_and_changes_no_weight() {
    let folder = tempfile::tempdir().expect("a folder");
    let config = |name: &str, problems: &[&str]| {
        let mut config = recipe(&folder.path().join(name), "wiezen");
        config.eval.problems = problems.iter().map(ToString::to_string).collect();
        config.eval.problems_per_suite = 20;
        config
    };
    let (lines, reported, weights) = trained(config("a", &["sure-contracts", "sure-miseres"]));
    assert_eq!(reported, ["sure-contracts", "sure-miseres"]);
    let evaluated: Vec<&Value> = lines.iter().filter(|line| line["eval/rules"].is_f64()).collect();
    assert_eq!(evaluated.len(), 1);
    for suite in reported {
        let solved = evaluated[0][format!("problems/{suite}")].as_f64().expect("a share");
        assert!((0.0..=1.0).contains(&solved), "{suite}: {solved}");
        assert!(evaluated[0][format!("problems/{suite}_lost")].is_f64());
    }
    let asked = lines.iter().filter(|line| line["problems/sure-miseres"].is_f64()).count();
    assert_eq!(asked, 1, "only evaluations ask problems");
    let (lines, reported, without) = trained(config("b", &[]));
    assert!(reported.is_empty());
    assert!(lines.iter().all(|line| !line.to_string().contains("problems/")));
    assert_eq!(weights, without);
}

#[test]
fn suites_that_the_rules_lack_are_skipped() {
    let folder = tempfile::tempdir().expect("a folder");
    let rules = std::fs::read_to_string("../configs/rules/wiezen.toml").expect("rules");
    // The rule set without its misères.
    let parts: Vec<&str> = rules.split("[[contract]]").collect();
    let parts: Vec<&str> = parts.into_iter().filter(|part| !part.contains("misere\"")).collect();
    let file = folder.path().join("no-misere.toml");
    let text = parts.join("[[contract]]").replace("id = \"wiezen\"", "id = \"no-misere\"");
    std::fs::write(&file, text).expect("written");
    let mut config = recipe(&folder.path().join("run"), "wiezen");
    config.rules = file.display().to_string();
    config.scenarios.clear();
    config.defence = None;
    config.eval.problems_per_suite = 20;
    let (_, reported, _) = trained(config);
    assert_eq!(reported, ["sure-contracts"]);
}
