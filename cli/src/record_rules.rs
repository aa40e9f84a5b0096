//! Rule sets that game records name: built-in ones, and those of files in one folder.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use troel_env::{RuleSet, excerpt};

use crate::lines::BadLine;

/// Folder in which records may name rule files.
#[derive(clap::Args)]
pub struct RulesFolder {
    /// Folder of rule files that records may name; without it, they may name only built-in rule
    /// sets
    #[arg(long, value_name = "DIR")]
    rules_folder: Option<PathBuf>,
}

impl RulesFolder {
    /// Returns the rule sets that records may name.
    pub fn rule_sets(&self) -> RuleSets {
        RuleSets { folder: self.rules_folder.clone(), known: HashMap::new() }
    }
}

/// Rule sets that records name, each read once.
pub struct RuleSets {
    folder: Option<PathBuf>,
    known: HashMap<String, Result<&'static RuleSet, BadLine>>,
}

impl RuleSets {
    /// Returns the rule set that a record names. It is a built-in one, or one of a file in the
    /// folder for them, by its path or its `id`. A record may come from anywhere; it opens no other
    /// file.
    pub fn find(&mut self, name: &str) -> Result<&'static RuleSet, BadLine> {
        if let Some(rules) = RuleSet::built_in(name) {
            return Ok(rules);
        }
        match self.known.get(name) {
            Some(known) => known.clone(),
            None => {
                let found = self.read(name);
                self.known.insert(name.to_string(), found.clone());
                found
            }
        }
    }

    fn read(&self, name: &str) -> Result<&'static RuleSet, BadLine> {
        let shown = excerpt(name, 100);
        let Some(folder) = &self.folder else {
            let built_in: Vec<&str> = RuleSet::built_in_names().collect();
            return Err(BadLine::new(format!(
                "rules {shown:?}: not a built-in rule set ({}); for a rule file, name its folder \
                 with --rules-folder",
                built_in.join(", ")
            )));
        };
        let outside = || {
            BadLine::new(format!(
                "rules {shown:?}: no rule file in {} has this name or id; add one, or correct \
                 `rules` in the record",
                folder.display()
            ))
        };
        let within = |path: PathBuf| {
            let path = path.canonicalize().ok()?;
            let folder = folder.canonicalize().ok()?;
            path.starts_with(folder).then_some(path)
        };
        let read = |path: &Path| {
            troel_agents::find_rules(&path.display().to_string())
                .map_err(|error| BadLine::new(error.to_string()))
        };
        if let Some(path) = within(folder.join(name)).or_else(|| within(PathBuf::from(name))) {
            return read(&path);
        }
        let files = std::fs::read_dir(folder).map_err(|_| outside())?.flatten();
        let files =
            files.map(|file| file.path()).filter(|p| p.extension() == Some("toml".as_ref()));
        let mut named: Vec<_> =
            files.filter_map(|file| read(&file).ok()).filter(|rules| rules.id() == name).collect();
        named.dedup_by_key(|rules| rules.hash());
        match named[..] {
            [] => Err(outside()),
            [rules] => Ok(rules),
            _ => Err(BadLine::new(format!(
                "rules {shown:?}: several files in {} have this id; keep one of them",
                folder.display()
            ))),
        }
    }
}
