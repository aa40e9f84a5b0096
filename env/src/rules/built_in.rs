//! The built-in rule sets, and those read from files.

use std::sync::{Mutex, PoisonError};

use super::compile::RuleSet;
use super::spec::Spec;
use crate::error::RulesError;

/// The rule sets that are built in: identifier and rule file.
const BUILT_IN: [(&str, &str); 4] = [
    ("luxembourg", include_str!("../../../configs/rules/luxembourg.toml")),
    ("horesca", include_str!("../../../configs/rules/horesca.toml")),
    ("wiezen", include_str!("../../../configs/rules/wiezen.toml")),
    ("iwwa", include_str!("../../../configs/rules/iwwa.toml")),
];

/// Every rule set of this process. A rule set is shared by all states that follow it and
/// lives as long as the program; equal ones are kept once.
static KNOWN: Mutex<Vec<&'static RuleSet>> = Mutex::new(Vec::new());

impl RuleSet {
    /// Names of the built-in rule sets.
    pub fn names() -> impl Iterator<Item = &'static str> {
        BUILT_IN.iter().map(|(name, _)| *name)
    }

    /// The built-in rule set of this name, if there is one.
    pub fn built_in(name: &str) -> Option<&'static RuleSet> {
        let (_, text) = BUILT_IN.iter().find(|(n, _)| *n == name)?;
        // The built-in files are part of the program and tested; none fails to compile.
        RuleSet::from_toml(text, name).ok()
    }

    /// Whether it is one of the built-in rule sets.
    pub fn is_built_in(&self) -> bool {
        RuleSet::built_in(self.id()).is_some_and(|rules| rules.hash() == self.hash())
    }

    /// Reads a rule file. `origin` (a path, say) is what errors call it.
    ///
    /// # Errors
    /// One sentence that names the key at fault.
    pub fn from_toml(text: &str, origin: &str) -> Result<&'static RuleSet, RulesError> {
        let fault = |message| RulesError { origin: origin.to_string(), message };
        RuleSet::from_spec(Spec::parse(text).map_err(fault)?, origin)
    }

    /// The rule set of a specification. Equal specifications give the same rule set. `origin` is what errors call it.
    ///
    /// # Errors
    /// One sentence that names the key at fault.
    pub fn from_spec(spec: Spec, origin: &str) -> Result<&'static RuleSet, RulesError> {
        let fault = |message| RulesError { origin: origin.to_string(), message };
        spec.validate().map_err(fault)?;
        let compiled = RuleSet::compile(spec);
        // A panic while the lock is held cannot leave the list half-written.
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(same) = known.iter().find(|r| r.spec == compiled.spec) {
            return Ok(same);
        }
        let rules: &'static RuleSet = Box::leak(Box::new(compiled));
        known.push(rules);
        Ok(rules)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn built_in_sets_compile_and_differ() {
        let sets: Vec<_> = RuleSet::names().map(|n| RuleSet::built_in(n).unwrap()).collect();
        assert_eq!(sets.len(), 4);
        for (i, a) in sets.iter().enumerate() {
            for b in &sets[..i] {
                assert_ne!(a.hash(), b.hash());
            }
        }
        assert!(std::ptr::eq(sets[0], RuleSet::built_in("luxembourg").unwrap()));
        assert!(RuleSet::built_in("bridge").is_none());
    }

    #[test]
    fn a_bad_file_is_refused_with_its_key() {
        let good = BUILT_IN[0].1;
        let cases = [
            (good.replace("family = \"proposals\"", "family = \"poker\""), "family"),
            (good.replace("stay = true", "stays = true"), "stays"),
            (good.replace("stay = true", "stay = 3"), "stay"),
            (good.replace("level = 9", "level = 19"), "level"),
            (good.replace("made = [100]", "made = []"), "made"),
            (good.replace("made = [100]", "made = [100000000]"), "made"),
            (good.replace("level = 9\n", "level = 8\n"), "listed twice"),
            (good.replace("id = \"luxembourg\"", "id = \"a b\""), "id"),
            (good.replace("kind = \"piccolo\"", "kind = \"solo-slim\""), "kind"),
            ("".to_string(), "id"),
            ("][".to_string(), "line 1"),
        ];
        for (text, key) in cases {
            assert_ne!(text, good, "the case changes nothing: {key}");
            let error = RuleSet::from_toml(&text, "club.toml").unwrap_err().to_string();
            assert!(error.starts_with("club.toml: ") && error.contains(key), "{key}: {error}");
            assert!(!error.contains('\n'), "one line: {error}");
        }
    }
}
