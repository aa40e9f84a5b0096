//! Names that complete an argument: bots, recipes, rule sets, suites of problems.

use std::path::{Path, PathBuf};

use troel_agents::registry;
use troel_env::RuleSet;
use troel_eval::problems::Suite;

/// Prefix of bots that look ahead with a trained bot.
const SEARCH: &str = "search:";

/// Largest number of files and folders that complete a path.
const MAX_PATHS: usize = 1000;

/// Kind of name that an argument takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Any bot.
    Bot,
    /// A trained bot.
    TrainedBot,
    /// A training recipe.
    Recipe,
    /// A rule set.
    Rules,
    /// A suite of problems.
    Suite,
}

/// Identifiers of the arguments that take names, with the kind of name.
const KINDS: [(&str, Kind); 16] = [
    ("bot", Kind::Bot),
    ("bots", Kind::Bot),
    ("first", Kind::Bot),
    ("second", Kind::Bot),
    ("control", Kind::Bot),
    ("fixed", Kind::Bot),
    ("anchor", Kind::Bot),
    ("against", Kind::Bot),
    ("player", Kind::Bot),
    ("exploit", Kind::Bot),
    ("checkpoint", Kind::TrainedBot),
    ("exploiter", Kind::TrainedBot),
    ("config", Kind::Recipe),
    ("rules", Kind::Rules),
    ("other_rules", Kind::Rules),
    ("suite", Kind::Suite),
];

impl Kind {
    /// Returns the kind of name that an argument takes; `None` if it takes no name. Arguments with
    /// the same identifier take the same names in all commands.
    pub fn of(arg: &clap::Arg) -> Option<Kind> {
        let found = KINDS.into_iter().find(|&(id, _)| arg.get_id() == id);
        found.map(|(_, kind)| kind)
    }
}

/// Returns the names of a kind that begin with a text: known names, then files and folders.
pub fn beginning_with(kind: Kind, begun: &str) -> Vec<String> {
    let known: Vec<String> = match kind {
        Kind::Bot => bots(begun),
        Kind::TrainedBot => trained_bots(),
        Kind::Recipe => troel_configs::RECIPES.iter().map(|(name, _)| name.to_string()).collect(),
        Kind::Rules => RuleSet::built_in_names().map(String::from).collect(),
        Kind::Suite => Suite::ALL.into_iter().map(|suite| suite.name().to_string()).collect(),
    };
    let mut found: Vec<String> = known.into_iter().filter(|name| name.starts_with(begun)).collect();
    let (prefix, path) = match begun.strip_prefix(SEARCH) {
        Some(path) if kind == Kind::Bot => (SEARCH, path),
        _ => ("", begun),
    };
    let ending = match kind {
        Kind::Bot | Kind::TrainedBot => None,
        Kind::Recipe | Kind::Rules => Some("toml"),
        Kind::Suite => Some("jsonl"),
    };
    for path in paths(path, ending) {
        let name = format!("{prefix}{path}");
        if !found.contains(&name) {
            found.push(name);
        }
    }
    found
}

/// Returns the names of all bots, with bots that look ahead only if `begun` has their prefix.
fn bots(begun: &str) -> Vec<String> {
    let own = ["random", "rules", "expert", "pimc:worlds=", SEARCH].map(String::from);
    let trained = trained_bots();
    let ahead: Vec<String> = match begun.starts_with(SEARCH) {
        true => trained.iter().map(|name| format!("{SEARCH}{name}")).collect(),
        false => Vec::new(),
    };
    own.into_iter().chain(trained).chain(ahead).collect()
}

/// Returns the names of the released bots, and of the bots in the folders of named bots.
fn trained_bots() -> Vec<String> {
    let mut names: Vec<String> = registry::all_released().into_iter().map(String::from).collect();
    for folder in registry::folders_of_named_bots() {
        let own = folders(&folder).into_iter().filter(|name| {
            folder.join(name).join(troel_nn::bundle::INFO_FILE).exists() && !names.contains(name)
        });
        let own: Vec<String> = own.collect();
        names.extend(own);
    }
    names
}

/// Returns the names of the folders in a folder, in order.
fn folders(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().take(MAX_PATHS);
    let folders = entries.filter(|entry| entry.path().is_dir());
    let mut names: Vec<String> =
        folders.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.sort();
    names
}

/// Returns the folders and files whose path begins with `begun`. Folders end with a slash; files
/// have the extension `ending`.
fn paths(begun: &str, ending: Option<&str>) -> Vec<String> {
    let (parent, start) = begun.rfind('/').map_or(("", begun), |at| begun.split_at(at + 1));
    let folder = if parent.is_empty() { PathBuf::from(".") } else { PathBuf::from(parent) };
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut found = Vec::new();
    for entry in entries {
        let Ok(name) = entry.file_name().into_string() else { continue };
        if !name.starts_with(start) || name.starts_with('.') && start.is_empty() {
            continue;
        }
        let path = entry.path();
        if path.is_dir() {
            found.push(format!("{parent}{name}/"));
        } else if ending.is_some() && path.extension().and_then(|own| own.to_str()) == ending {
            found.push(format!("{parent}{name}"));
        }
        if found.len() == MAX_PATHS {
            break;
        }
    }
    found.sort();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Adds the identifiers of all arguments of a command and its subcommands that take values.
    fn add_ids(command: &clap::Command, ids: &mut Vec<String>) {
        let with_value = command.get_arguments().filter(|arg| arg.get_action().takes_values());
        ids.extend(with_value.map(|arg| arg.get_id().to_string()));
        command.get_subcommands().for_each(|below| add_ids(below, ids));
    }

    #[test]
    fn every_identifier_belongs_to_an_argument() {
        let mut ids = Vec::new();
        add_ids(&crate::command_line(), &mut ids);
        for (known, _) in KINDS {
            assert!(ids.iter().any(|id| id == known), "no command has an argument {known:?}");
        }
    }

    /// An argument whose placeholder names a kind completes names of that kind.
    #[test]
    fn arguments_that_are_called_bots_complete_bots() {
        let command = crate::command_line();
        let commands = command.get_subcommands();
        for arg in commands.flat_map(clap::Command::get_arguments) {
            let placeholder = arg.get_value_names().and_then(|names| names.first());
            if placeholder.is_some_and(|name| matches!(name.as_str(), "BOT" | "BOTS")) {
                let is_bot = matches!(Kind::of(arg), Some(Kind::Bot | Kind::TrainedBot));
                assert!(is_bot, "{}", arg.get_id());
            }
        }
    }
}
