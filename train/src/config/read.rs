//! Reads recipes: files, built-in ones, and keys set from outside.

use std::path::Path;
use std::slice;

use troel_agents::registry;
use troel_configs::RECIPES;
use troel_env::plain_message;

use super::TrainConfig;
use super::start::describe_network;
use crate::error::{ConfigError, TrainError};
use crate::run_folder::START_FOLDER;

/// The longest recipe that is read, in bytes.
const MAX_RECIPE_BYTES: u64 = 1 << 20;

/// Returns the message of an error in one line, in the words of a recipe.
fn message(error: &toml::de::Error) -> String {
    plain_message(&without_old_keys(&error.message().replace('\n', " ")))
}

impl TrainConfig {
    /// Reads and checks a recipe: a file, or a built-in recipe. `path` is that of the file or, if
    /// there is none, the name of a built-in recipe, such as `quickstart`.
    ///
    /// # Errors
    /// The file cannot be read, or the recipe is invalid; the message names the file and the key.
    pub fn load(path: &Path) -> Result<TrainConfig, TrainError> {
        TrainConfig::load_with(path, &[])
    }

    /// Reads and checks a recipe like [`TrainConfig::load`], with keys set to other values. Each
    /// setting is `key=value`, such as `ppo.clip_coef=0.1` or `scenarios=[]`. The value is TOML, or
    /// else a string. `key=` removes the key or the whole table, so that the default holds:
    /// `defence=` trains without it.
    ///
    /// # Errors
    /// The file cannot be read, a setting has no `=` or its key does not lead to a value, or the
    /// recipe is invalid; the message names the file and the key.
    pub fn load_with(path: &Path, settings: &[String]) -> Result<TrainConfig, TrainError> {
        let origin = format!("{}: ", path.display());
        let text = match troel_files::read_text(path, MAX_RECIPE_BYTES) {
            Ok(text) => text,
            Err(error) => match built_in(path) {
                Some(text) => text.to_string(),
                None => {
                    let built_in: Vec<&str> = TrainConfig::built_in_names().collect();
                    let typed = path.to_string_lossy();
                    return Err(TrainError::NoRecipe {
                        path: path.to_path_buf(),
                        error,
                        suggestion: registry::suggestion(&typed, built_in.iter().copied()),
                        built_in: built_in.join(", "),
                    });
                }
            },
        };
        let parsed = match settings {
            [] => TrainConfig::parse(&text),
            settings => TrainConfig::parse(&text).and_then(|config| config.set(settings)),
        };
        parsed.map_err(|error| TrainError::Config { origin, error })
    }

    fn set(self, settings: &[String]) -> Result<TrainConfig, ConfigError> {
        let table = self.to_table().map_err(|error| ConfigError::invalid(error.to_string()))?;
        let read = |table: toml::Table| {
            let read = table.try_into::<TrainConfig>();
            read.map_err(|error| ConfigError::invalid(message(&error)))
        };
        let mut changed = table.clone();
        for setting in settings {
            set_key(&mut changed, setting)?;
        }
        let config = read(changed).map_err(|error| {
            // The message names the first setting that is wrong when it is the only one.
            let is_wrong = |setting: &&String| {
                let mut alone = table.clone();
                set_key(&mut alone, setting).and_then(|()| read(alone)).is_err()
            };
            let wrong = settings.iter().find(is_wrong);
            wrong.map_or(error.clone(), |setting| {
                ConfigError::invalid(format!("{setting}: {error}"))
            })
        })?;
        config.check()?;
        Ok(config)
    }

    /// Returns the first of these settings that no longer holds, because the key was changed later.
    /// If two settings have the same key, the later one counts.
    pub fn overridden<'a>(&self, settings: &'a [String]) -> Option<&'a str> {
        let mut now = self.clone();
        let mut first = None;
        for setting in settings {
            match now.clone().set(slice::from_ref(setting)) {
                Ok(config) => {
                    first = first.or_else(|| (config != now).then_some(setting));
                    now = config;
                }
                // There is nothing left to remove.
                Err(_) if setting.trim_end().ends_with('=') => (),
                Err(_) => return Some(setting),
            }
        }
        first.filter(|_| now != *self).map(String::as_str)
    }

    /// Returns the names of the built-in recipes.
    pub fn built_in_names() -> impl Iterator<Item = &'static str> {
        RECIPES.iter().map(|(name, _)| *name)
    }

    /// Parses and checks a recipe, as TOML.
    ///
    /// # Errors
    /// The recipe is not valid TOML, or a key is unknown, missing or out of range; the message
    /// names it.
    pub fn parse(text: &str) -> Result<TrainConfig, ConfigError> {
        let config: TrainConfig = toml::from_str(text).map_err(|e| {
            let line = e.span().map(|s| text[..s.start.min(text.len())].matches('\n').count() + 1);
            let place = line.map(|l| format!("line {l}: ")).unwrap_or_default();
            ConfigError::invalid(format!("{place}{}", message(&e)))
        })?;
        config.check()?;
        Ok(config)
    }
}

impl TrainConfig {
    /// Returns the recipe that `start` names. Returns `None` without one, or if `init` is set.
    ///
    /// That recipe is trained first. The bot in its run's folder is then the `init` of this one.
    ///
    /// # Errors
    /// That recipe cannot be read, is invalid, or trains another network.
    pub fn start_recipe(&self) -> Result<Option<TrainConfig>, TrainError> {
        let Some(start) = self.start.as_ref().filter(|_| self.init.is_none()) else {
            return Ok(None);
        };
        let refuse = |error| TrainError::Config { origin: "start: ".to_string(), error };
        let mut recipe = TrainConfig::load_with(Path::new(&start.recipe), &start.set)?;
        recipe.rules.clone_from(&self.rules);
        recipe.house_rules.clone_from(&self.house_rules);
        recipe.network.rule_features = self.network.rule_features;
        recipe.device.clone_from(&self.device);
        recipe.seed = self.seed;
        recipe.run = Path::new(&self.run).join(START_FOLDER).display().to_string();
        // Only the bot that continues from it has a final evaluation.
        recipe.eval.final_deals = 0;
        if recipe.network != self.network {
            let error = format!(
                "{} trains another network ({}) than this recipe ({}); make [network] equal in \
                 both",
                start.recipe,
                describe_network(&recipe.network),
                describe_network(&self.network)
            );
            return Err(refuse(ConfigError::invalid(error)));
        }
        if recipe.start.is_some() && recipe.init.is_none() {
            let error = format!(
                "{} has a [start] table itself, and only one is possible; name a recipe without it",
                start.recipe
            );
            return Err(refuse(ConfigError::invalid(error)));
        }
        Ok(Some(recipe))
    }
}

/// Keys and tables of earlier versions, and their new names.
///
/// The last part of each old key is also the `alias` of its field, as serde needs a literal there;
/// a test compares the two.
const RENAMED_KEYS: [(&str, &str); 7] = [
    ("ppo.critic", "ppo.baseline_bot"),
    ("ppo.critic_iterations", "ppo.baseline_iterations"),
    ("ppo.critic_lambda", "ppo.baseline_lambda"),
    ("ppo.critic_warmup", "ppo.value_warmup"),
    ("scenarios.suite", "scenarios.scenario"),
    ("suites", "scenarios"),
    ("sure_calls", "bid_lessons"),
];

/// Returns the current name of a key. The key may be of an earlier version, or lie in a table of an
/// earlier version.
fn current_name(key: &str) -> String {
    let renamed = RENAMED_KEYS.iter().find_map(|(old, new)| {
        let rest = key.strip_prefix(old)?;
        (rest.is_empty() || rest.starts_with('.')).then(|| format!("{new}{rest}"))
    });
    renamed.unwrap_or_else(|| key.to_string())
}

/// Returns the last part of a key, its name within its table.
fn last_name(key: &str) -> &str {
    key.rsplit('.').next().unwrap_or(key)
}

/// Returns serde's message without the old keys in its list of known keys. An old key is in the
/// list together with its new name.
fn without_old_keys(message: &str) -> String {
    const LIST: &str = ", expected one of ";
    let unknown = message.strip_prefix("unknown field ").and_then(|rest| rest.split_once(LIST));
    let Some((name, known)) = unknown else { return message.to_string() };
    let known: Vec<&str> = known.split(", ").map(|name| name.trim_matches('`')).collect();
    let is_old = |name: &str| {
        let mut renamed = RENAMED_KEYS.iter().filter(|(_, new)| known.contains(&last_name(new)));
        renamed.any(|(old, _)| last_name(old) == name)
    };
    let current: Vec<&str> = known.iter().copied().filter(|name| !is_old(name)).collect();
    format!("unknown field {name}{LIST}{}", current.join(", "))
}

/// Sets a key of a recipe, or removes it. `setting` is `key=value` or `key=`, the key with dots
/// between the names of tables.
fn set_key(table: &mut toml::Table, setting: &str) -> Result<(), ConfigError> {
    let refuse = |fault: &str| ConfigError::invalid(format!("{setting}: {fault}"));
    let (key, value) = setting
        .split_once('=')
        .ok_or_else(|| refuse("write KEY=VALUE, such as ppo.update_epochs=1"))?;
    let key = current_name(key.trim());
    let removes = value.trim().is_empty();
    // A value that is not TOML is a string. A line break would begin another key.
    let parsed = format!("value = {value}").parse::<toml::Table>().ok();
    let parsed = parsed.filter(|parsed| parsed.len() == 1).and_then(|mut p| p.remove("value"));
    let value = parsed.unwrap_or_else(|| toml::Value::String(value.trim().to_string()));
    let mut names: Vec<&str> = key.split('.').map(str::trim).collect();
    let last = names.pop().filter(|last| !last.is_empty());
    let last = last.ok_or_else(|| refuse("the key has no name"))?;
    let mut place = table;
    for name in names {
        let inner = place.entry(name).or_insert_with(|| toml::Table::new().into());
        place = inner.as_table_mut().ok_or_else(|| refuse(&format!("{name} is not a table")))?;
    }
    if removes {
        return match place.remove(last) {
            Some(_) => Ok(()),
            None => Err(refuse("the recipe does not set this key; leave the setting out")),
        };
    }
    place.insert(last.to_string(), value);
    Ok(())
}

/// Returns the built-in recipe of a path: `NAME`, `NAME.toml` or `configs/NAME.toml`.
fn built_in(path: &Path) -> Option<&'static str> {
    let name = path.strip_prefix("configs").unwrap_or(path).to_str()?;
    let name = name.strip_suffix(".toml").unwrap_or(name);
    RECIPES.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A value of each old key: the value, and a recipe with `KEY = VALUE` in the place of the key.
    const EXAMPLES: [(&str, &str); RENAMED_KEYS.len()] = [
        ("'expert'", "[ppo]\nKEY = VALUE"),
        ("3", "[ppo]\nbaseline_bot = 'rules'\nKEY = VALUE"),
        ("0.5", "[ppo]\nbaseline_bot = 'rules'\nKEY = VALUE"),
        ("2", "[ppo]\nKEY = VALUE"),
        ("'misere'", "[[scenarios]]\nKEY = VALUE\nshare = 0.1"),
        ("[{ scenario = 'misere', share = 0.1 }]", "KEY = VALUE"),
        ("{ worlds = 4 }", "KEY = VALUE"),
    ];

    /// Recipes, saved runs and released bots of earlier versions have the old keys.
    #[test]
    fn old_keys_are_read_and_set_as_the_new_ones() {
        let parse = |keys: &str| {
            let required = "rules = 'wiezen'\nrun = 'r'\niterations = 1";
            TrainConfig::parse(&format!("{required}\n{keys}")).expect("valid")
        };
        let plain = parse("[ppo]\nbaseline_bot = 'rules'");
        for ((old, new), (value, example)) in RENAMED_KEYS.into_iter().zip(EXAMPLES) {
            let recipe =
                |key| parse(&example.replace("KEY", last_name(key)).replace("VALUE", value));
            let config = recipe(new);
            assert_eq!(recipe(old), config, "{old}");
            let written = config.to_table().expect("TOML").to_string();
            let names = written.lines().map(|line| line.split(" = ").next().unwrap_or(line));
            let mut names = names.map(|name| name.trim_matches(['[', ']']));
            assert!(names.all(|name| name != last_name(old)), "{old}: {written}");
            // A list of tables is set as a whole: the message for a key within it is the same.
            let set = |config: &TrainConfig, key: &str, value: &str| {
                let changed = config.clone().set(&[format!("{key}={value}")]);
                changed.map_err(|error| error.to_string().replace(key, "KEY"))
            };
            assert_eq!(set(&plain, old, value), set(&plain, new, value), "{old}");
            assert_eq!(set(&config, old, ""), set(&config, new, ""), "{old}");
            assert_ne!(set(&plain, new, value), Ok(plain.clone()), "{new}");
        }
        let set = |setting: &str| parse("[bid_lessons]\nworlds = 4").set(&[setting.to_string()]);
        let changed = set("sure_calls.worlds=24").expect("valid");
        assert_eq!(changed.bid_lessons.map(|lessons| lessons.worlds), Some(24));
    }

    #[test]
    fn only_current_keys_are_offered() {
        let offered = |text: &str| {
            let error = TrainConfig::parse(text).expect_err("an unknown key").to_string();
            let (_, keys) = error.split_once("is unknown; use ").expect("a list of keys");
            keys.split(", ").map(String::from).collect::<Vec<_>>()
        };
        let (recipe, ppo) = (offered("rewrad = 'points'"), offered("[ppo]\nclip = 0.1"));
        for (old, new) in RENAMED_KEYS {
            if new.starts_with("ppo.") {
                assert!(!ppo.iter().any(|key| key == last_name(old)), "{old}: {ppo:?}");
                assert!(ppo.iter().any(|key| key == last_name(new)), "{new}: {ppo:?}");
            } else if !new.contains('.') {
                assert!(!recipe.iter().any(|key| key == old), "{old}: {recipe:?}");
                assert!(recipe.iter().any(|key| key == new), "{new}: {recipe:?}");
            }
        }
        assert!(recipe.iter().any(|key| key == "critic"), "a table of the same name: {recipe:?}");
    }

    #[test]
    fn every_alias_of_a_field_is_a_renamed_key() {
        let sources = [
            include_str!("anchor.rs"),
            include_str!("bid_lessons.rs"),
            include_str!("critic.rs"),
            include_str!("defence.rs"),
            include_str!("eval.rs"),
            include_str!("imitation.rs"),
            include_str!("mod.rs"),
            include_str!("ppo.rs"),
            include_str!("start.rs"),
            include_str!("tables.rs"),
            include_str!("vine.rs"),
        ];
        let aliases = sources.iter().flat_map(|source| source.split("alias = \"").skip(1));
        let mut aliases: Vec<&str> = aliases.filter_map(|rest| rest.split('"').next()).collect();
        let mut old_names = RENAMED_KEYS.map(|(old, _)| last_name(old));
        aliases.sort_unstable();
        old_names.sort_unstable();
        assert_eq!(aliases, old_names);
    }
}
