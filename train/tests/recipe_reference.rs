//! `configs/recipe.md`, which `troel train --keys` prints, has the documentation of every key in
//! the sources.

use std::collections::HashMap;
use std::fmt::Write;
use std::path::Path;

use toml::{Table, Value};
use troel_train::TrainConfig;
use troel_train::config::HouseRulesConfig;

/// The tables of a recipe: name, struct, and an example that sets only the keys without a default.
const SECTIONS: [(&str, &str, &str); 15] = [
    ("", "TrainConfig", ""),
    ("start", "StartConfig", "recipe = 'quickstart'"),
    ("network", "NetworkConfig", "rule_features = true"),
    ("house_rules", "HouseRulesConfig", ""),
    ("imitation", "ImitationConfig", "bot = 'rules'\niterations = 25"),
    ("ppo", "PpoConfig", ""),
    ("critic", "CriticConfig", ""),
    ("anchor", "AnchorConfig", "bot = 'rules'"),
    ("defence", "DefenceConfig", ""),
    ("bid_lessons", "BidLessonsConfig", ""),
    ("vine", "VineConfig", ""),
    ("[tables]", "TableConfig", "opponent = 'self'\nweight = 1.0"),
    ("pool", "PoolConfig", ""),
    ("[scenarios]", "ScenarioConfig", "scenario = 'misere'\nshare = 0.02"),
    ("eval", "EvalConfig", ""),
];

/// Public fields of a struct in a source file, each with its documentation.
fn fields(source: &str, name: &str) -> Vec<(String, String)> {
    let start = source.find(&format!("pub struct {name} {{")).expect("the struct");
    let (mut fields, mut docs) = (Vec::new(), Vec::new());
    for line in source[start..].lines().skip(1).take_while(|line| *line != "}").map(str::trim) {
        if let Some(doc) = line.strip_prefix("/// ") {
            docs.push(doc);
        } else if let Some(field) = line.strip_prefix("pub ") {
            let key = field.split(':').next().expect("a name").to_string();
            fields.push((key, std::mem::take(&mut docs).join(" ")));
        }
    }
    fields
}

/// Returns a recipe with all defaults.
fn defaults() -> Table {
    let mut text = "rules = 'wiezen'\nrun = 'r'\niterations = 1\n".to_string();
    for (section, _, example) in SECTIONS[1..].iter().filter(|s| s.0 != "house_rules") {
        let _ = writeln!(text, "[{section}]\n{example}");
    }
    let mut config = TrainConfig::parse(&text).expect("valid");
    // A critic and house rules exclude each other.
    config.house_rules = Some(HouseRulesConfig::default());
    Table::try_from(config).expect("a table")
}

fn reference() -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let read = |path: &str| std::fs::read_to_string(folder.join(path)).expect("a source file");
    let sources = [
        "src/config/mod.rs",
        "src/config/eval.rs",
        "src/config/start.rs",
        "src/config/ppo.rs",
        "src/config/critic.rs",
        "src/config/imitation.rs",
        "src/config/anchor.rs",
        "src/config/defence.rs",
        "src/config/bid_lessons.rs",
        "src/config/vine.rs",
        "src/config/tables.rs",
        "../agents/nn/src/weights.rs",
    ];
    let sources = sources.map(read).concat();
    let defaults = defaults();
    let names: HashMap<&str, &str> = SECTIONS.iter().map(|(name, of, _)| (*of, *name)).collect();
    let mut text = "# Keys of a recipe\n\n\
        A recipe is a TOML file with the keys that differ from the defaults. `troel train --keys` \
        prints this page. A key without a default is required if its table is there.\n"
        .to_string();
    for (section, name, example) in SECTIONS {
        let inner = match section {
            "" => Some(&defaults),
            _ => defaults.get(section.trim_matches(['[', ']'])).and_then(|value| match value {
                Value::Array(tables) => tables.first()?.as_table(),
                value => value.as_table(),
            }),
        };
        let inner = inner.expect("every table is in the example");
        if !section.is_empty() {
            let _ = write!(text, "\n## [{section}]\n");
        }
        text += "\n| key | default | |\n|---|---|---|\n";
        for (key, doc) in fields(&sources, name) {
            let given =
                ["rules", "run", "iterations"].contains(&key.as_str()) && section.is_empty();
            let set = example.parse::<Table>().expect("TOML").contains_key(&key);
            let is_table = SECTIONS.iter().any(|s| s.0.trim_matches(['[', ']']) == key);
            let default = match inner.get(&key) {
                // Only written for networks that see the rules, which is not the default.
                _ if key == "rule_features" => "false".to_string(),
                Some(_) if given || set => String::new(),
                Some(_) if is_table && section.is_empty() => "see below".to_string(),
                Some(Value::String(text)) if text.is_empty() => "none".to_string(),
                Some(Value::Float(value)) => format!("{}", *value as f32),
                Some(value) => value.to_string(),
                // Left out if it is false.
                None if key == "canonical_suits" => "false".to_string(),
                None => "none".to_string(),
            };
            let doc = plain(&doc, &names);
            let _ = writeln!(text, "| `{key}` | {default} | {doc} |");
        }
    }
    text
}

/// Removes the links of rustdoc, which do not work on the page.
fn plain(doc: &str, names: &HashMap<&str, &str>) -> String {
    let mut doc = doc.replace("[`", "`").replace("`]", "`").replace('|', "\\|");
    for (name, section) in names {
        doc = doc.replace(&format!("`{name}`"), &format!("`{section}`"));
    }
    doc
}

#[test]
fn the_reference_says_what_the_sources_say() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../configs/recipe.md");
    let wanted = reference();
    assert!(wanted.contains("| `clip_coef` | 0.2 | Probability ratios"), "{wanted}");
    if std::env::var_os("TROEL_WRITE_REFERENCE").is_some() {
        std::fs::write(&path, &wanted).expect("written");
    }
    let is = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(is == wanted, "configs/recipe.md is old: run this test with TROEL_WRITE_REFERENCE=1");
}

/// Sets every number within a value to `to`, one at a time, and calls `found` with the key and the
/// result.
fn each_number(value: &Value, key: &str, to: &Value, found: &mut dyn FnMut(&str, Value)) {
    match value {
        Value::Integer(_) | Value::Float(_) => found(key, to.clone()),
        Value::Table(table) => {
            for (name, inner) in table {
                each_number(inner, name, to, &mut |key, changed| {
                    let mut table = table.clone();
                    table.insert(name.clone(), changed);
                    found(key, table.into());
                });
            }
        }
        Value::Array(items) => {
            for (i, inner) in items.iter().enumerate() {
                each_number(inner, key, to, &mut |key, changed| {
                    let mut items = items.clone();
                    items[i] = changed;
                    found(key, items.into());
                });
            }
        }
        _ => {}
    }
}

#[test]
fn every_number_of_a_recipe_has_a_range() {
    let mut recipe = defaults();
    recipe.remove("house_rules");
    let house =
        "rules = 'wiezen'\nrun = 'r'\niterations = 1\nnetwork.rule_features = true\n[house_rules]";
    let house = Table::try_from(TrainConfig::parse(house).expect("valid")).expect("a table");
    let bad = [
        Value::Integer(-1),
        Value::Integer(i64::MAX),
        Value::Float(1e300),
        Value::Float(-1e300),
        Value::Float(f64::NAN),
        Value::Float(f64::INFINITY),
    ];
    let mut tried = 0;
    for (recipe, to) in [recipe, house].iter().flat_map(|r| bad.iter().map(move |to| (r, to))) {
        each_number(&recipe.clone().into(), "", to, &mut |key, changed| {
            // Any seed is one, and tables may stay open for ever.
            if *to == Value::Integer(i64::MAX) && ["seed", "until"].contains(&key) {
                return;
            }
            tried += 1;
            let text = toml::to_string(&changed).expect("TOML");
            let error = TrainConfig::parse(&text).expect_err(&format!("{key} = {to}")).to_string();
            // The message for a value of the wrong type names its line.
            assert!(error.contains(key) || error.starts_with("line "), "{key} = {to}: {error}");
        });
    }
    assert!(tried > 300, "{tried}");
}
