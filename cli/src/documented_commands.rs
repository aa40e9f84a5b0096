//! Test: the program accepts the commands of the documentation, with their options.

use std::fs;
use std::path::{Path, PathBuf};

/// Pages outside `docs` with commands.
const PAGES: [&str; 7] = [
    "README.md",
    "CONTRIBUTING.md",
    "RELIABILITY.md",
    "RESULTS.md",
    "configs/README.md",
    "examples/README.md",
    "frontends/python/README.md",
];

#[test]
fn commands_of_the_documentation_are_accepted() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut pages: Vec<PathBuf> = PAGES.iter().map(|page| root.join(page)).collect();
    let mut folders = vec![root.join("docs")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("a file").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "md") {
                pages.push(path);
            }
        }
    }
    let mut refused = String::new();
    let mut checked = 0;
    for page in pages {
        let text = fs::read_to_string(&page).expect("a page");
        for (line, command) in commands(&text) {
            checked += 1;
            let Err(error) = crate::command_line().try_get_matches_from(&command) else { continue };
            if error.use_stderr() {
                let place = page.strip_prefix(&root).unwrap_or(&page).display();
                refused += &format!("{place}:{line}: {}\n{error}\n", command.join(" "));
            }
        }
    }
    assert!(refused.is_empty(), "the program refuses commands of the documentation:\n{refused}");
    assert!(checked >= 30, "only {checked} commands were found");
}

/// Returns the calls of `troel` in the `sh` blocks of a page, with the number of the last line of
/// each.
fn commands(text: &str) -> Vec<(usize, Vec<String>)> {
    let mut found = Vec::new();
    let mut language: Option<&str> = None;
    let mut command = String::new();
    let is_troel = |word: &String| Path::new(word).file_name().is_some_and(|name| name == "troel");
    for (number, line) in (1..).zip(text.lines()) {
        if let Some(name) = line.trim_start().strip_prefix("```") {
            language = if language.is_some() { None } else { Some(name.trim()) };
        } else if language == Some("sh") {
            if let Some(part) = line.strip_suffix('\\') {
                command += part;
                continue;
            }
            command += line;
            for mut words in split(&command) {
                if words.starts_with(&["cargo", "run", "--release", "--"].map(String::from)) {
                    words.splice(..4, ["troel".into()]);
                } else if words.first().is_some_and(|program| program == "mpirun") {
                    words.drain(..words.iter().position(is_troel).unwrap_or(0));
                }
                if words.first().is_some_and(is_troel) {
                    found.push((number, words));
                }
            }
            command.clear();
        }
    }
    found
}

/// Splits a line of a shell into its commands and their words, without comments and redirections.
fn split(line: &str) -> Vec<Vec<String>> {
    let mut commands = vec![Vec::new()];
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut is_redirected = false;
    for c in line.chars().chain([' ']) {
        match (quote, c) {
            (Some(open), _) if c == open => quote = None,
            (None, '"' | '\'') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (Some(_), _) => word.get_or_insert_default().push(c),
            (None, '#') if word.is_none() => break,
            (None, ' ' | '|' | '&' | ';' | '<' | '>' | '(' | ')') => {
                let word = word.take().filter(|_| !is_redirected);
                commands.last_mut().expect("never empty").extend(word);
                match c {
                    ' ' => {}
                    '<' | '>' => is_redirected = true,
                    _ => {
                        commands.push(Vec::new());
                        is_redirected = false;
                    }
                }
            }
            (None, _) => word.get_or_insert_default().push(c),
        }
    }
    commands
}

#[test]
fn commands_are_found_in_shell_blocks() {
    let page = "`troel no`\n```text\ntroel no\n```\n```sh\n\
                A=1 b | troel deal > out.jsonl  # troel no\n\
                troel eval \"bot:python3 mine.py\" \\\n  rules\n\
                cargo run --release -- bench && c\n\
                mpirun -n 2 target/release/troel train r\nx=$(troel hello)\n```\n";
    let found = commands(page);
    let found = found.into_iter().map(|(line, words)| format!("{line} {}", words.join("|")));
    let wanted = ["6 troel|deal", "8 troel|eval|bot:python3 mine.py|rules", "9 troel|bench"];
    let wanted = [&wanted[..], &["10 target/release/troel|train|r", "11 troel|hello"]].concat();
    assert_eq!(found.collect::<Vec<_>>(), wanted);
}
