//! The built-in rule sets, and those read from files.

use std::sync::{LazyLock, Mutex, PoisonError};

use troel_configs::RULE_SETS;

use super::compile::RuleSet;
use super::spec::Spec;
use crate::error::RulesError;

/// Every rule set of this process. A rule set is shared by all states that follow it and
/// lives as long as the program; equal ones are kept once.
static INTERNED_RULE_SETS: Mutex<Vec<&'static RuleSet>> = Mutex::new(Vec::new());

/// The built-in rule sets by name. The files are part of the program and tested; none fails to
/// compile.
static BUILT_IN_RULE_SETS: LazyLock<Vec<(&'static str, &'static RuleSet)>> = LazyLock::new(|| {
    let compiled = |&(name, text)| Some((name, RuleSet::from_toml(text, name).ok()?));
    RULE_SETS.iter().filter_map(compiled).collect()
});

impl RuleSet {
    /// Returns the names of the built-in rule sets.
    pub fn built_in_names() -> impl Iterator<Item = &'static str> {
        RULE_SETS.iter().map(|(name, _)| *name)
    }

    /// Returns the built-in rule sets.
    pub fn all_built_in() -> Vec<&'static RuleSet> {
        BUILT_IN_RULE_SETS.iter().map(|(_, rules)| *rules).collect()
    }

    /// Returns the built-in rule set of this name, if there is one.
    pub fn built_in(name: &str) -> Option<&'static RuleSet> {
        BUILT_IN_RULE_SETS.iter().find(|(known, _)| *known == name).map(|(_, rules)| *rules)
    }

    /// Returns the rule set with this hash, if this process has used it.
    pub(crate) fn from_hash(hash: u64) -> Option<&'static RuleSet> {
        let known = INTERNED_RULE_SETS.lock().unwrap_or_else(PoisonError::into_inner);
        known.iter().find(|rules| rules.hash_number == hash).copied()
    }

    /// Returns whether it is one of the built-in rule sets.
    pub fn is_built_in(&self) -> bool {
        RuleSet::built_in(self.id()).is_some_and(|rules| rules.hash() == self.hash())
    }

    /// Returns the rule file, unless the rule set is built in.
    pub fn custom_spec(&self) -> Option<&Spec> {
        (!self.is_built_in()).then(|| self.spec())
    }

    /// Reads a rule file. `origin` (such as a path) is its name in errors.
    ///
    /// # Errors
    /// One sentence that names the key at fault.
    pub fn from_toml(text: &str, origin: &str) -> Result<&'static RuleSet, RulesError> {
        let fault = |message| RulesError { origin: origin.to_string(), message };
        RuleSet::from_spec(Spec::parse(text).map_err(fault)?, origin)
    }

    /// Returns the rule set of a specification. Equal specifications give the same rule set.
    /// `origin` is its name in errors.
    ///
    /// # Errors
    /// One sentence that names the key at fault.
    pub fn from_spec(spec: Spec, origin: &str) -> Result<&'static RuleSet, RulesError> {
        let fault = |message| RulesError { origin: origin.to_string(), message };
        spec.validate().map_err(fault)?;
        let compiled = RuleSet::compile(spec);
        // A panic while the lock is held cannot leave the list half-written.
        let mut known = INTERNED_RULE_SETS.lock().unwrap_or_else(PoisonError::into_inner);
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
        let sets = RuleSet::all_built_in();
        assert_eq!(sets.len(), 4);
        for (i, a) in sets.iter().enumerate() {
            for b in &sets[..i] {
                assert_ne!(a.hash(), b.hash());
            }
        }
        assert!(std::ptr::eq(sets[0], RuleSet::built_in("luxembourg").unwrap()));
        assert!(RuleSet::built_in("bridge").is_none());
    }

    /// Checks that no sum wraps at the largest figures that a rule file may have. Tries every
    /// number of tricks and the largest number of declarers.
    #[test]
    fn extreme_points_do_not_wrap() {
        use crate::scoring::score;
        use crate::seat::{BySeat, Seat, SeatSet};
        for scoring in ["table", "settlement"] {
            let text: String = RULE_SETS[0]
                .1
                .lines()
                .map(|line| match line.split_once(" = ") {
                    Some((
                        key @ ("failed" | "undertrick" | "opponents" | "opponents_undertrick"),
                        _,
                    )) => {
                        format!("{key} = 10000\n")
                    }
                    Some(("made", _)) => {
                        "made = [10000]\novertrick = 10000\nall_tricks_factor = 100\n".to_string()
                    }
                    Some(("scoring", _)) => format!("scoring = {scoring:?}\n"),
                    Some(("overtrick" | "all_tricks_factor" | "opponents_several", _)) => {
                        String::new()
                    }
                    _ => format!("{line}\n"),
                })
                .collect();
            let rules = RuleSet::from_toml(&text, "extreme").expect("within the ranges");
            for (row, spec) in (0..).zip(rules.rows()) {
                for n in 1..=3 {
                    let declarers: SeatSet = Seat::ALL[..n].iter().copied().collect();
                    let contract = rules.contract_of_row(row, None, declarers);
                    for taken in 0..=13u8 {
                        let mut tricks = BySeat([0; 4]);
                        tricks[Seat::North] = taken;
                        tricks[Seat::West] = 13 - taken;
                        let points = score(rules, &contract, &tricks);
                        let exact = |p: i32| (-30_000_000..=30_000_000).contains(&p);
                        assert!(points.0.into_iter().all(exact), "{spec:?} {taken}: {points:?}");
                        let sign = if spec.level > 0 && taken >= spec.level { 1 } else { 0 };
                        assert!(points[Seat::North] * sign >= 0, "{spec:?} {taken}: {points:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_bad_file_is_refused_with_its_key() {
        let good = RULE_SETS[0].1;
        let cases = [
            (good.replace("family = \"proposals\"", "family = \"poker\""), "family"),
            (good.replace("stay = true", "stays = true"), "stays"),
            (good.replace("stay = true", "stay = 3"), "stay"),
            (good.replace("stay = true", "stay = yes"), "(`stay = yes`): a word without quotes"),
            (good.replace("level = 9", "level = 19"), "level"),
            (good.replace("made = [100]", "made = []"), "made"),
            (good.replace("made = [100]", "made = [100000000]"), "made"),
            (
                good.replace("[7, 10, 13, 16, 19, 30]", "[7, 10, 13, 16, 19, 30, 40]"),
                "(suit 8): made has 7 figures; it must have 1 to 6 figures",
            ),
            (
                good.replace("made = [36]", "made = [36, 37]"),
                "(misere 0): made has 2 figures; it must have 1 figure,",
            ),
            (
                good.replace("made = [200]", "made = [200, 300]"),
                "(slam 13): made has 2 figures; it must have 1 figure, for no overtricks",
            ),
            (good.replace("level = 9\n", "level = 9\nall_tricks_factor = 101\n"), "factor"),
            (good.replace("level = 9\n", "level = 8\n"), "listed twice"),
            (good.replace("id = \"luxembourg\"", "id = \"a b\""), "id"),
            (good.replace("id = \"luxembourg\"", "id = \"__proto__\""), "id \"__proto__\""),
            (good.replace("description = \"", "description = \"\\u001b[2J"), "description"),
            (good.replace("description = \"", "description = \"a\\nb"), "description"),
            (
                good.replace("description = \"", &format!("description = \"{}", "x".repeat(300))),
                "description",
            ),
            (good.replace("kind = \"piccolo\"", "kind = \"solo-slim\""), "kind"),
            (good.replace("id = \"luxembourg\"\n", ""), "club.toml: the key \"id\" is missing"),
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
    /// Puts every number of a rule file, one after the other, out of range.
    #[test]
    fn every_number_of_a_rule_file_has_a_range() {
        for (name, text) in RULE_SETS {
            let mut tried = 0;
            for (i, line) in text.lines().enumerate() {
                let Some((key, value)) = line.split_once(" = ") else { continue };
                let digits = value.find(|c: char| c.is_ascii_digit());
                let (Some(at), false) = (digits, value.starts_with('"')) else { continue };
                let rest = value[at..].trim_start_matches(|c: char| c.is_ascii_digit());
                for bad in ["-1", "1000001", "9223372036854775807", "9e99", "nan", "inf", "1.5"] {
                    let changed = format!("{key} = {}{bad}{rest}", &value[..at]);
                    let lines = text.lines().enumerate();
                    let lines = lines.map(|(j, line)| if i == j { &changed } else { line });
                    let file = lines.collect::<Vec<&str>>().join("\n");
                    let error = RuleSet::from_toml(&file, name).expect_err(&changed).to_string();
                    assert!(error.contains(key) && !error.contains('\n'), "{changed}: {error}");
                    tried += 1;
                }
            }
            assert!(tried > 200, "{name}: {tried}");
        }
    }
}
