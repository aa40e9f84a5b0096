//! Inputs to begin with: what the repository has of each kind.

use std::fs;
use std::path::{Path, PathBuf};

use troel_env::RuleSet;
use troel_nn::{BotInfo, Bundle, NetworkConfig, Weights};

/// Inputs for the target of this name; none if there is no such target.
///
/// # Panics
/// A file of the repository is missing.
pub fn seeds(target: &str) -> Vec<Vec<u8>> {
    match target {
        "record" => RuleSet::names()
            .flat_map(|rules| lines(&format!("env/tests/golden/{rules}.jsonl"), 12))
            .map(|line| {
                let line: serde_json::Value = serde_json::from_slice(&line).expect("JSON");
                line.get("record").unwrap_or(&line).to_string().into_bytes()
            })
            .collect(),
        "rules" => files("configs/rules"),
        "recipe" => [files("configs"), files("configs/experiments")].concat(),
        "bundle" => RuleSet::names().map(small_bot).collect(),
        "protocol" => lines("docs/transcript.jsonl", usize::MAX),
        "table" => RuleSet::names().map(a_deal).collect(),
        "c_interface" => {
            let sized = |size: u8| move |seed: Vec<u8>| [vec![size], seed].concat();
            let requests = lines("docs/transcript.jsonl", usize::MAX).into_iter().map(sized(200));
            requests.chain(RuleSet::names().map(small_bot).map(sized(20))).collect()
        }
        _ => Vec::new(),
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The first lines of a file.
fn lines(file: &str, most: usize) -> Vec<Vec<u8>> {
    let bytes = fs::read(root().join(file)).unwrap_or_else(|error| panic!("{file}: {error}"));
    let lines = bytes.split(|&byte| byte == b'\n').filter(|line| !line.is_empty());
    lines.take(most).map(<[u8]>::to_vec).collect()
}

/// The TOML files of a folder, in the order of their names.
fn files(folder: &str) -> Vec<Vec<u8>> {
    let entries = fs::read_dir(root().join(folder));
    let entries = entries.unwrap_or_else(|error| panic!("{folder}: {error}"));
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let mut paths: Vec<PathBuf> = paths
        .filter(|path| path.extension().is_some_and(|extension| extension == "toml"))
        .collect();
    paths.sort();
    paths.iter().map(|path| fs::read(path).expect("a file")).collect()
}

/// The two files of a bot with one unit, of the format without checksums: a fuzzer finds none that fit.
fn small_bot(rules: &str) -> Vec<u8> {
    let rules = RuleSet::built_in(rules).expect("built in");
    let network = NetworkConfig { hidden: 1, blocks: 0, ..NetworkConfig::default() };
    let info = BotInfo { format: 1, ..BotInfo::new(rules, network, 10.0, 1) };
    let text = toml::to_string(&info).expect("plain data");
    let bundle = Bundle { weights: Weights::init(network, 1), info };
    let (_, weights) = bundle.contents(Path::new("seed")).expect("plain data");
    [text.as_bytes(), &weights].join(&0)
}

/// A match in which every legal action is tried.
fn a_deal(rules: &str) -> Vec<u8> {
    let new = format!(r#"{{"type":"new","rules":"{rules}","seat":"S","seed":7}}"#);
    let act = |code: &str| format!(r#"{{"type":"act","action":"{code}"}}"#);
    let mut commands = vec![new, r#"{"type":"hint"}"#.to_string(), act("pass"), act("keep")];
    for suit in "SHDC".chars() {
        commands.extend("AKQJT98765432".chars().map(|rank| act(&format!("{rank}{suit}"))));
    }
    commands.extend(["undo", "next"].map(|kind| format!(r#"{{"type":"{kind}"}}"#)));
    commands.join("\n").into_bytes()
}
