//! Seeds: inputs of each kind from the repository.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use troel_env::RuleSet;
use troel_nn::{BotInfo, Bundle, NetworkConfig, Weights, checksums};
use troel_protocol::private_table;

use crate::responder::responder;
use crate::shared_table::VisitedTable;

/// Returns the seeds of the target with this name; none if there is no such target.
///
/// # Panics
/// A file of the repository is missing.
pub fn seeds(target: &str) -> Vec<Vec<u8>> {
    match target {
        "record" => RuleSet::built_in_names()
            .flat_map(|rules| lines(&format!("env/tests/golden/{rules}.jsonl"), 12))
            .map(|line| {
                let mut line: Value = serde_json::from_slice(&line).expect("JSON");
                line.as_object_mut().expect("an object").remove("expect");
                line.to_string().into_bytes()
            })
            .collect(),
        "rules" => files("configs/rules"),
        "recipe" => [files("configs"), files("configs/experiments")].concat(),
        "bundle" => RuleSet::built_in_names()
            .flat_map(|rules| [small_bot(rules, 1), small_bot(rules, 2)])
            .collect(),
        "protocol" => lines("docs/transcript.jsonl", usize::MAX),
        "table" => RuleSet::built_in_names().map(deal_commands).collect(),
        "shared_table" => RuleSet::built_in_names().map(shared_deal_events).collect(),
        "c_interface" => {
            let sized = |size: u8| move |seed: Vec<u8>| [vec![size], seed].concat();
            let requests = lines("docs/transcript.jsonl", usize::MAX).into_iter().map(sized(200));
            let bots = RuleSet::built_in_names().map(|rules| small_bot(rules, 1)).map(sized(20));
            let deals = RuleSet::built_in_names().map(deal_commands).map(sized(0));
            requests.chain(bots).chain(deals).collect()
        }
        _ => Vec::new(),
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Returns the first `max` lines of a file.
fn lines(file: &str, max: usize) -> Vec<Vec<u8>> {
    let bytes = fs::read(root().join(file)).unwrap_or_else(|error| panic!("{file}: {error}"));
    let lines = bytes.split(|&byte| byte == b'\n').filter(|line| !line.is_empty());
    lines.take(max).map(<[u8]>::to_vec).collect()
}

/// Returns the TOML files of a folder, sorted by name.
fn files(folder: &str) -> Vec<Vec<u8>> {
    let entries = fs::read_dir(root().join(folder));
    let entries = entries.unwrap_or_else(|error| panic!("{folder}: {error}"));
    let paths = entries.map(|entry| entry.expect("an entry").path());
    // The manifest is that of the crate `troel-configs`.
    let mut paths: Vec<PathBuf> = paths
        .filter(|path| path.extension().is_some_and(|extension| extension == "toml"))
        .filter(|path| !path.ends_with("Cargo.toml"))
        .collect();
    paths.sort();
    paths.iter().map(|path| fs::read(path).expect("a file")).collect()
}

/// Returns the two files of a bot with one hidden unit, in this format. Format 1 has no checksums,
/// which a fuzzer could not guess.
fn small_bot(rules: &str, format: u32) -> Vec<u8> {
    let rules = RuleSet::built_in(rules).expect("built in");
    let network = NetworkConfig { hidden: 1, blocks: 0, ..NetworkConfig::default() };
    let info = BotInfo::new(rules, network, 10.0, 1);
    let bundle = Bundle { weights: Weights::init(network, 1), info };
    let (mut text, weights) = bundle.contents(Path::new("seed")).expect("plain data");
    if format == 1 {
        text = checksums::strip(&text).replace("format = 2", "format = 1");
    }
    [text.as_bytes(), &weights].join(&0)
}

/// JSON values that are not commands.
const INVALID_COMMANDS: [&str; 6] = ["[]", "1", "\"x\"", "true", "[\"next\"]", "{}"];

/// Returns the commands of a person who follows every hint in one deal and the beginning of the
/// next, and takes one decision back.
fn deal_commands(rules: &str) -> Vec<u8> {
    let mut commands = vec![format!(r#"{{"type":"new","rules":"{rules}","seat":"S","seed":7}}"#)];
    let mut table = None;
    let mut send =
        |command: &str| json!(private_table::handle(&mut table, command.as_bytes(), responder()));
    send(&commands[0]);
    for _ in 0..20 {
        let hint = send(r#"{"type":"hint"}"#);
        let command = match hint[0]["action"].as_str() {
            Some(action) => format!(r#"{{"type":"act","action":"{action}"}}"#),
            None => r#"{"type":"next"}"#.to_string(),
        };
        send(&command);
        commands.push(command);
        if commands.len() == 4 {
            commands.extend([r#"{"type":"undo"}"#.to_string(), commands[3].clone()]);
            commands.extend(INVALID_COMMANDS.map(String::from));
        }
    }
    commands.join("\n").into_bytes()
}

/// Returns the events of three persons in one deal and the beginning of the next. One of them sends
/// invalid commands, loses the connection and comes back.
fn shared_deal_events(rules: &str) -> Vec<u8> {
    let mut visited = VisitedTable::default();
    let mut events = Vec::new();
    let mut take = |visited: &mut VisitedTable, event: String| {
        visited.take(event.as_bytes());
        events.push(event);
    };
    let enters = |kind: &str, letter: char| {
        format!(
            r#"{letter}{{"type":"{kind}","table":"0123456789abcdef","key":"{letter}123456789abcdef","rules":"{rules}","seat":"S"}}"#
        )
    };
    take(&mut visited, enters("share", 'a'));
    take(&mut visited, enters("join", 'b'));
    INVALID_COMMANDS.into_iter().for_each(|said| take(&mut visited, format!("b{said}")));
    take(&mut visited, enters("join", 'c'));
    for _ in 0..60 {
        let seen: Vec<_> = visited.seen().collect();
        let to_act = seen.iter().find(|(_, shown)| shown["turn"] == shown["you"]);
        match to_act {
            Some((letter, shown)) => {
                let action = &shown["legal"][0];
                take(&mut visited, format!(r#"{letter}{{"type":"act","action":{action}}}"#));
            }
            None => {
                for (letter, _) in seen {
                    take(&mut visited, format!(r#"{letter}{{"type":"next"}}"#));
                }
            }
        }
    }
    take(&mut visited, "b".to_string());
    take(&mut visited, "b-".to_string());
    take(&mut visited, enters("join", 'b'));
    take(&mut visited, r#"c{"type":"leave"}"#.to_string());
    events.join("\n").into_bytes()
}
