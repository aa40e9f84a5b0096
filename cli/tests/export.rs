//! `troel export`: the exported files are complete and play like the bot.

mod support;

use std::fs;
use std::path::Path;

use serde_json::Value;
use sha2::{Digest, Sha256};
use support::{stderr_of, stdout_of};

/// Checks the sums of an export as `sha256sum -c` does, and returns the names of its files.
fn checked_sums(folder: &Path) -> Vec<String> {
    let sums = fs::read_to_string(folder.join("SHA256SUMS")).expect("there");
    let check = |line: &str| {
        let (sum, name) = line.split_once("  ").expect("sum and name");
        let digest = Sha256::digest(fs::read(folder.join(name)).expect("there"));
        let digest: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(digest, sum, "{name}");
        name.to_string()
    };
    sums.lines().map(check).collect()
}

#[test]
fn all_damaged_files_are_listed_and_accepted_with_their_sums() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("bot");
    let name = path.to_str().expect("plain");
    assert!(support::run_with(&["export", "wiezen-v5", name], b"").status.success());
    for file in ["MODEL_CARD.md", "golden.json"] {
        fs::write(path.join(file), "changed").expect("written");
    }
    fs::remove_file(path.join("troel.mjs")).expect("removed");
    let verify = |args: &[&str]| {
        let output = support::run_with(&[&["verify"], args, &[name]].concat(), b"");
        (output.status.code(), stdout_of(&output))
    };
    let (code, told) = verify(&[]);
    assert_eq!(code, Some(1), "{told}");
    let damaged: Vec<&str> = told.lines().filter(|line| line.starts_with("DAMAGED")).collect();
    assert_eq!(damaged.len(), 3, "{told}");
    for (line, file) in damaged.iter().zip(["MODEL_CARD.md", "golden.json", "troel.mjs"]) {
        assert!(line.contains(file), "{told}");
    }
    let (code, told) = verify(&["--accept"]);
    assert_eq!(code, Some(0), "{told}");
    for file in ["MODEL_CARD.md", "golden.json", "SHA256SUMS", "SHA256SUMS without troel.mjs"] {
        assert!(told.contains(&format!("accepted  {name}/{file}\n")), "{told}");
    }
    assert_eq!(checked_sums(&path).len(), 7);
    assert_eq!(verify(&[]).0, Some(0));
}

#[test]
fn an_exported_bot_is_whole() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("bot");
    let name = path.to_str().expect("plain");
    support::succeed(&["export", "wiezen-v5", name], b"");

    let names = checked_sums(&path);
    let wanted = [
        "MODEL_CARD.md",
        "bot.toml",
        "golden.json",
        "model.onnx",
        "model.safetensors",
        "play.html",
        "troel.mjs",
        "troel.wasm",
    ];
    assert_eq!(names, wanted);
    support::browser(&format!("file://{}", path.join("play.html").display()), folder.path());

    let golden: Value =
        serde_json::from_slice(&fs::read(path.join("golden.json")).expect("there")).expect("JSON");
    assert_eq!(golden["rows"].as_array().expect("rows").len(), 64);
    let card = fs::read_to_string(path.join("MODEL_CARD.md")).expect("there");
    assert!(card.contains("trained for rule set `wiezen`") && card.contains("| `rules` | full |"));

    // The folder is a checkpoint like the one it came from: the same bot.
    let request = br#"{"id":1,"cmd":"act","record":{"rules":"wiezen","dealer":"E","deal":"N:- - T942.KJ5.Q83.A76 -","turn_up":"3H","actions":[]},"seat":"S"}"#;
    let ask = |bot: &str| support::lines(&support::run_with(&["bot", bot], request));
    let answer = ask(name);
    assert!(answer[0]["policy"].as_object().is_some_and(|policy| policy.len() > 1), "{answer:?}");
    assert_eq!(answer, ask("wiezen-v5"));

    // Nothing is overwritten.
    let output = support::run_with(&["export", "wiezen-v5", name], b"");
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr_of(&output).contains("already exists"));
    let output = support::run_with(&["export", "nobody", "elsewhere"], b"");
    assert!(stderr_of(&output).contains("is not a trained bot"));
}
