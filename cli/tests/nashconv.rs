//! `troel nashconv`, as the program: a bot that is trained on a small game comes closer to an
//! equilibrium.

mod support;

use serde_json::Value;
use support::{lines, succeed};

const RULES: &str = "examples/rules/small-8.toml";

fn json_lines(args: &[&str]) -> Vec<Value> {
    lines(&succeed(args, b""))
}

fn number(line: &Value, name: &str) -> f64 {
    line[name].as_f64().unwrap_or_else(|| panic!("{name}: {line}"))
}

#[test]
fn training_lowers_nash_conv() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = folder.path().join("run").display().to_string();
    let recipe = "configs/experiments/small.toml";
    let rules = format!("rules={RULES}");
    let train = ["train", recipe, "--run", &run, "--set", &rules, "--iterations", "30"];
    succeed(&train, b"");
    let (bot, kept) = (format!("{run}/bot"), format!("{run}/checkpoints/000030"));
    let curve = folder.path().join("curve.svg").display().to_string();
    let args = ["nashconv", "--each", "random", &kept, &bot, "--rules", RULES, "--json"];
    let found = json_lines(&[&args[..], &["--curve", &curve, "--threads", "2"]].concat());
    let [random, kept, bot] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!((number(random, "deals"), random["zero_sum"].as_bool()), (5040.0, Some(false)));
    assert!(number(random, "information_sets") > 100_000.0);
    assert!(number(bot, "nash_conv") < 0.9 * number(random, "nash_conv"), "{found:?}");
    assert!((number(bot, "exploitability") * 4.0 - number(bot, "nash_conv")).abs() < 1e-9);
    assert!(number(kept, "steps") > 0.0 && random["steps"].is_null());
    assert!(std::fs::read_to_string(curve).expect("a figure").contains("NashConv"));
    // The same with one thread; the likeliest actions are another policy.
    let one = ["nashconv", bot["bot"].as_str().expect("a name"), "--rules", RULES, "--json"];
    let again = json_lines(&[&one[..], &["--threads", "1"]].concat());
    assert_eq!(again[0]["seats"], bot["seats"]);
    let likeliest = json_lines(&[&one[..], &["--likeliest"]].concat());
    assert_ne!(likeliest[0]["nash_conv"], bot["nash_conv"]);
    let judged = [&likeliest[0]["likeliest"], &bot["likeliest"]].map(serde_json::Value::as_bool);
    assert_eq!(judged, [Some(true), Some(false)]);
}

#[test]
fn four_bots_are_seated_from_north_on() {
    let args = ["nashconv", "rules", "random", "rules", "random", "--rules", RULES, "--json"];
    let found = json_lines(&args);
    let seats = found[0]["seats"].as_array().expect("seats");
    let bots: Vec<_> = seats.iter().map(|seat| seat["bot"].as_str().expect("a name")).collect();
    assert_eq!(bots, ["rules", "random", "rules", "random"]);
    assert!(seats.iter().all(|seat| seat["gain"].as_f64().expect("a gain") >= 0.0));
    assert_eq!(found[0]["bot"], "rules,random,rules,random");
}
