//! Rule sets by name or path.

use std::path::Path;

use troel_env::RuleSet;
use troel_env::error::RulesError;
use troel_nn::files;

/// The longest rule file that is read, in bytes.
const LONGEST_RULES: u64 = 1 << 20;

/// Finds a rule set by its built-in name, or reads the rule file at this path.
///
/// # Errors
/// The name is neither a built-in rule set nor a readable, valid rule file, or the file has the `id` of a built-in rule set
/// for other rules.
pub fn find_rules(name: &str) -> Result<&'static RuleSet, RulesError> {
    if let Some(rules) = RuleSet::built_in(name) {
        return Ok(rules);
    }
    let text = files::read_text(Path::new(name), LONGEST_RULES).map_err(|error| {
        let built_in: Vec<&str> = RuleSet::names().collect();
        let built_in = built_in.join(", ");
        let message = format!(
            "is neither a built-in rule set ({built_in}) nor a readable rule file: {error}"
        );
        RulesError { origin: format!("{name:?}"), message }
    })?;
    let rules = RuleSet::from_toml(&text, name)?;
    match RuleSet::built_in(rules.id()) {
        // Records name rule sets by their id alone.
        Some(other) if other.hash() != rules.hash() => Err(RulesError {
            origin: format!("{name:?}"),
            message: format!(
                "id = {:?} is that of a built-in rule set, but these rules are others: give them an id of their own",
                rules.id()
            ),
        }),
        _ => Ok(rules),
    }
}
