//! Checks that outputs quoted in the documentation match the program.
#![cfg(unix)]

use std::path::Path;
use std::process::Command;

/// Pages with the beginnings of commands whose outputs they quote, and the lines that a person
/// types. Each command takes a few seconds at most.
const QUOTES: [(&str, &str, &[&str]); 12] = [
    ("docs/concepts/duplicate.md", "troel eval rules random", &[]),
    ("docs/concepts/features.md", "record=$(troel deal", &[]),
    ("docs/concepts/observation.md", "troel deal", &[]),
    ("docs/concepts/seeds.md", "troel deal", &[]),
    ("docs/evaluate.md", "troel problems top-cards", &[]),
    ("docs/export.md", "echo '{\"id\":1,\"cmd\":\"hello\"}' | troel bot", &[]),
    (
        "docs/play.md",
        "troel play --rules wiezen --records games.jsonl",
        &[
            "h", "pass", "JD", "6H", "8H", "2D", "3S", "2C", "3C", "2S", "4C", "9S", "10C", "JC",
            "KC", "q",
        ],
    ),
    ("docs/play.md", "troel review games.jsonl", &[]),
    ("docs/play.md", "troel bid", &[]),
    ("docs/play.md", "troel play --rules wiezen --language nl", &["ik ga mee", "ruitenboer"]),
    ("docs/protocol.md", "echo '{\"id\":1,\"cmd\":\"act\"", &[]),
    ("docs/rules/first-deal.md", "printf", &[]),
];

/// Prompts of `troel play`. A page has what was typed after them; an output has the answer.
const PROMPTS: [&str; 4] = ["Auction> ", "Your turn> ", "Bieding> ", "Jij bent aan de beurt> "];

/// Returns the code blocks of a page as language and text.
fn blocks(page: &str) -> Vec<(String, String)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(page);
    let text = std::fs::read_to_string(path).expect("a page");
    let block = |part: &str| part.split_once('\n').map(|(a, b)| (a.to_string(), b.to_string()));
    text.split("```").skip(1).step_by(2).filter_map(block).collect()
}

/// Runs a command of a page in a folder and returns what it prints.
fn output_of(command: &str, typed: &[&str], folder: &Path) -> String {
    let program = Path::new(env!("CARGO_BIN_EXE_troel")).parent().expect("a folder");
    let path = std::env::var("PATH").unwrap_or_default();
    let lines: Vec<String> = typed.iter().map(|line| format!("'{line}'")).collect();
    let command = match lines.as_slice() {
        [] => command.to_string(),
        lines => format!("printf '%s\\n' {} | {command}", lines.join(" ")),
    };
    let output = Command::new("sh")
        .args(["-c", &command])
        .current_dir(folder)
        .env("PATH", format!("{}:{path}", program.display()))
        .output()
        .expect("a shell");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command}: {errors}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// Returns a text without white space.
fn compact(text: &str) -> String {
    text.split_whitespace().collect()
}

/// Returns the lines of a quoted output, or their parts between `…`, without the lines that a
/// person types. A page may leave lines out.
fn quoted_parts(text: &str) -> Vec<String> {
    let is_typed = |line: &str| PROMPTS.iter().any(|prompt| line.contains(prompt));
    let printed = text.lines().filter(|line| !is_typed(line));
    printed.flat_map(|line| line.split('…')).map(compact).filter(|part| !part.is_empty()).collect()
}

#[test]
fn pages_quote_what_the_program_prints() {
    // In one folder: docs/play.md reviews the deal that it plays.
    let folder = tempfile::tempdir().expect("a folder");
    for (page, command, typed) in QUOTES {
        let mut blocks = blocks(page).into_iter();
        let is_command = |text: &str| text.starts_with(command);
        let (_, first) = blocks
            .by_ref()
            .find(|(language, text)| language == "sh" && is_command(text))
            .unwrap_or_else(|| panic!("{page} does not quote {command}"));
        let printed = output_of(&first, typed, folder.path());
        let without_prompts =
            PROMPTS.iter().fold(printed.clone(), |text, prompt| text.replace(prompt, ""));
        let mut rest = &compact(&without_prompts)[..];
        let mut n_parts = 0;
        let quoted = blocks.take_while(|(language, _)| language != "sh");
        for (_, text) in quoted.filter(|(language, _)| language == "text") {
            for part in quoted_parts(&text) {
                let at = rest.find(&part).unwrap_or_else(|| {
                    panic!("{page} quotes this of {command}:\n{text}\nbut it prints\n{printed}")
                });
                rest = &rest[at + part.len()..];
                n_parts += 1;
            }
        }
        assert!(n_parts > 0, "{page} quotes no output of {command}");
    }
}
