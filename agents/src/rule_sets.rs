//! Rule sets by name or path, and those of bots.

use std::path::Path;

use troel_env::{RuleSet, RulesError};

use crate::registry::{RegistryError, find_bundle_of_bot, suggestion};

/// Largest rule file, in bytes.
const MAX_RULES_BYTES: u64 = 1 << 20;

/// Finds a rule set by its built-in name, or reads the rule file at this path.
///
/// # Errors
/// The name is neither a built-in rule set nor a readable, valid rule file. It is also an error if
/// the file has other rules under the `id` of a built-in rule set.
pub fn find_rules(name: &str) -> Result<&'static RuleSet, RulesError> {
    if let Some(rules) = RuleSet::built_in(name) {
        return Ok(rules);
    }
    let text = troel_files::read_text(Path::new(name), MAX_RULES_BYTES).map_err(|error| {
        let built_in: Vec<&str> = RuleSet::built_in_names().collect();
        let suggestion = suggestion(name, built_in.iter().copied());
        let built_in = built_in.join(", ");
        let message = format!(
            "not a rule set ({error}).{suggestion} Use {built_in}, or the path of a rule file"
        );
        RulesError { origin: format!("{name:?}"), message }
    })?;
    let rules = RuleSet::from_toml(&text, name)?;
    match RuleSet::built_in(rules.id()) {
        // Records name rule sets by their id alone.
        Some(other) if other.hash() != rules.hash() => Err(RulesError {
            origin: format!("{name:?}"),
            message: format!(
                "id = {:?} belongs to a built-in rule set with other rules. Give this file another \
                 id",
                rules.id()
            ),
        }),
        _ => Ok(rules),
    }
}

/// Returns the default rule set for bots of these names, and the name of the bot that decides it.
///
/// The first bot that was trained for a single rule set decides, or else the first bot that was
/// trained. The result is `None` if no bot was trained.
///
/// # Errors
/// A bundle cannot be used, or two bots were trained for different single rule sets.
pub fn rules_of_bots<'a>(
    names: &[&'a str],
) -> Result<Option<(&'static RuleSet, &'a str)>, RegistryError> {
    let (mut single, mut any) = (None, None);
    for &name in names {
        let Some((path, trained)) = find_bundle_of_bot(name)? else { continue };
        let (info, rules) = (trained.info(), trained.info().rule_set(&path)?);
        let decided: &mut Option<(&RuleSet, &str)> =
            if info.any_rules { &mut any } else { &mut single };
        match *decided {
            Some((other, bot)) if !info.any_rules && other.hash() != rules.hash() => {
                return Err(RegistryError::DifferentRules {
                    bots: [bot, name].map(str::to_string),
                    rules: [other, rules].map(|rules| rules.id().to_string()),
                });
            }
            _ => decided.get_or_insert((rules, name)),
        };
    }
    Ok(single.or(any))
}
