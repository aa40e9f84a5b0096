//! Folders with an ONNX model are bots wherever a command plays.

mod support;

use std::path::Path;

use serde_json::{Value, json};
use support::{expect_error, expect_success, lines, run, run_with};
use troel_nn::{BotInfo, Bundle, OnnxBundle, onnx};

/// Writes the exported model of a released bot as an ONNX bundle.
fn onnx_bot(name: &str, folder: &Path) -> String {
    let checkpoint = Path::new(env!("CARGO_MANIFEST_DIR")).join("../checkpoints").join(name);
    let bundle = Bundle::load(&checkpoint).expect("released");
    let mut info = BotInfo { reward_scale: 1.0, ..bundle.info.clone() };
    info.network.canonical_suits = false;
    let path = folder.join("transformer");
    OnnxBundle::new(info, onnx::model(&bundle)).save(&path).expect("saved");
    path.display().to_string()
}

#[test]
fn an_onnx_bot_plays_like_the_bot_that_it_was_exported_from() {
    let folder = tempfile::tempdir().expect("a folder");
    let bot = onnx_bot("wiezen-v5", folder.path());
    let matches = |bot: &str, threads: &str| -> Value {
        let args = ["eval", bot, "rules", "--deals", "130", "--seed", "3", "--json"];
        let output = run(&[&args[..], &["--threads", threads]].concat());
        expect_success(&output);
        let report = lines(&output).remove(0);
        assert_eq!(report["rules"], "wiezen");
        let figures = |row: &Value| json!([row["points_per_deal"], row["ci95"]]);
        report["matches"].as_array().expect("matches").iter().map(figures).collect()
    };
    let one = matches(&bot, "1");
    assert_eq!(one, matches(&bot, "3"), "the same for any number of threads");
    assert_eq!(one, matches("wiezen-v5", "1"), "the same as the original");
}

#[test]
fn commands_that_play_take_onnx_bots_and_the_others_say_why_not() {
    let folder = tempfile::tempdir().expect("a folder");
    let bot = &onnx_bot("wiezen-v5", folder.path());
    let path = |name: &str| folder.path().join(name).display().to_string();
    let search = &format!("search:{bot}:worlds=2");
    for args in [
        &["verify", bot][..],
        &["eval", search, "rules", "--deals", "1"],
        &["ladder", &path("ladder.jsonl"), bot, "rules", "random", "--deals", "16"],
        &["behaviour", bot, "--deals", "8"],
        &["problems", "sure-contracts", bot],
    ] {
        let output = run(args);
        assert!(output.status.success(), "{args:?}: {}", support::stderr_of(&output));
    }
    let hello = run_with(&["bot", bot], b"{\"id\":1,\"cmd\":\"hello\"}\n");
    assert_eq!(lines(&hello)[0]["name"], bot.as_str());
    for args in [&["export", bot, &path("export")][..], &["page", &path("page.html"), "--bot", bot]]
    {
        let error = expect_error(&run(args));
        assert!(error.contains("holds an ONNX model"), "{args:?}: {error}");
    }
}
