//! `frontends/web/assets/troel.wasm`, which is built by hand, behaves like the current program. The
//! page with bots inside works in Chromium from a file.

mod support;

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};
use support::{stderr_of, stdout_of};
use troel_protocol::{Responder, Table, private_table};

const BOTS: [&str; 5] = ["luxembourg-v5", "horesca-v5", "wiezen-v5", "iwwa-v5", "universal-v2"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().expect("is there")
}

/// Returns whether two values are equal up to the rounding of numbers.
fn alike(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => {
            let (a, b) = (a.as_f64().unwrap_or(0.0), b.as_f64().unwrap_or(0.0));
            (a - b).abs() <= 1e-4 * (1.0 + a.abs())
        }
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| alike(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| alike(a, b)))
        }
        _ => a == b,
    }
}

/// Returns a message without the parts that depend on rounding: the order of a hint's policy, and
/// the values of its search, in which a near tie can change the rest of a deal.
fn comparable(mut message: Value) -> Value {
    if message["type"] != "hint" {
        return message;
    }
    let by_action = |entries: &mut Value, key: fn(&Value) -> String| {
        entries.as_array_mut().expect("a list").sort_by_key(key);
    };
    by_action(&mut message["policy"], |entry| entry[0].to_string());
    by_action(&mut message["candidates"], |candidate| candidate["action"].to_string());
    for candidate in message["candidates"].as_array_mut().expect("a list") {
        for field in ["points", "error"] {
            assert!(candidate[field].is_number(), "{candidate}");
            candidate[field] = Value::Null;
        }
    }
    message["action"] = Value::Null;
    message
}

#[test]
fn webassembly_does_what_the_program_does() {
    if Command::new("node").arg("--version").output().is_err() {
        return support::tools::missing("node", "install Node.js");
    }
    compare(&root().join("frontends/web/assets/troel.wasm"));
    // One built just now, by `.ci/run`.
    let built = root().join("target/troel.wasm");
    if built.exists() {
        compare(&built);
    } else {
        support::tools::missing("wasm", "run frontends/capi/build-wasm target/troel.wasm");
    }
}

fn compare(wasm: &Path) {
    let root = root();
    // A released bot's weights as those of a network that reads suits as they are: no good player,
    // but it must play alike.
    let plain = tempfile::tempdir().expect("a folder");
    let released = root.join("checkpoints/wiezen-v5");
    let text = std::fs::read_to_string(released.join("bot.toml")).expect("there");
    let text = troel_nn::checksums::strip(&text).replace("format = 2", "format = 1");
    let network = text.find("[network]").expect("there");
    let (head, tail) = text.split_at(network);
    assert!(tail.contains("canonical_suits = true\n"), "{tail}");
    let text = head.to_string() + &tail.replacen("canonical_suits = true\n", "", 1);
    std::fs::write(plain.path().join("bot.toml"), text).expect("written");
    let weights = "model.safetensors";
    std::fs::copy(released.join(weights), plain.path().join(weights)).expect("copied");
    let output = Command::new("node")
        .arg(root.join("cli/tests/wasm.mjs"))
        .arg(root.join("frontends/web/assets/troel.mjs"))
        .arg(wasm)
        .arg("40")
        .args(BOTS.map(|name| root.join("checkpoints").join(name)))
        .arg(plain.path())
        .output()
        .expect("node runs");
    assert!(output.status.success(), "{}", stderr_of(&output));

    let mut at: Option<(String, Responder, Option<Table>)> = None;
    let mut compared = 0;
    for line in stdout_of(&output).lines() {
        let said: Value = serde_json::from_str(line).expect("JSON");
        let folder = said["folder"].as_str().expect("a folder");
        if at.as_ref().is_none_or(|(known, ..)| known != folder) {
            at = Some((
                folder.to_string(),
                Responder::load(Path::new(folder)).expect("loads"),
                None,
            ));
        }
        let (_, bot, at_table) = at.as_mut().expect("just set");
        let answers =
            private_table::handle(at_table, said["command"].to_string().as_bytes(), &*bot);
        let answers =
            Value::Array(answers.into_iter().map(|answer| comparable(json!(answer))).collect());
        let theirs = said["answers"].as_array().expect("a list").iter().cloned().map(comparable);
        let theirs = Value::Array(theirs.collect());
        assert!(
            alike(&answers, &theirs),
            "{} is not what the program is; run frontends/capi/build-wasm\n\
             program: {answers}\nwasm: {theirs}",
            wasm.display()
        );
        compared += 1;
    }
    assert!(compared > 4 * 40 * 10, "{compared} commands");
}

/// Needs Chromium, node and playwright-core, which `.ci/run` installs where it can.
#[test]
fn a_page_from_a_file_plays_in_a_browser() {
    let folder = tempfile::tempdir().expect("a folder");
    let page = folder.path().join("troel.html");
    let mut command = support::troel();
    let output = command.arg("page").arg(&page).output().expect("runs");
    assert!(output.status.success(), "{}", stderr_of(&output));
    support::browser(&format!("file://{}", page.display()), folder.path());
}
