//! Rule sets of a run.

use troel_agents::find_rules;
use troel_env::RuleSet;

use crate::config::TrainConfig;
use crate::error::TrainError;
use crate::rule_set_pool::RuleSetPool;

/// Rule sets of a run.
pub(super) struct RunRules {
    /// The recipe's `rules`, which evaluations are under.
    pub main: &'static RuleSet,
    /// Rule sets that tables draw theirs from, if the recipe has any in addition to `rules`.
    pub rule_set_pool: Option<RuleSetPool>,
}

impl RunRules {
    /// Finds the rule sets of a recipe.
    ///
    /// # Errors
    /// A name is neither a built-in rule set nor a readable, valid rule file, or `house_rules` has
    /// only the recipe's own rule set.
    pub fn from_recipe(config: &TrainConfig) -> Result<RunRules, TrainError> {
        let main = find_rules(&config.rules)?;
        Ok(RunRules { main, rule_set_pool: RuleSetPool::from_recipe(config, main)? })
    }

    /// Returns the rule sets that the recipe names.
    pub fn named(&self) -> &[&'static RuleSet] {
        self.rule_set_pool.as_ref().map_or(std::slice::from_ref(&self.main), RuleSetPool::named)
    }

    /// Returns a hash of all rule sets: 16 hexadecimal digits.
    pub fn hash(&self) -> String {
        let others =
            self.rule_set_pool.iter().flat_map(|pool| pool.named().iter().chain(pool.drawn()));
        let hashes: Vec<&str> =
            [self.main.hash()].into_iter().chain(others.map(|rules| rules.hash())).collect();
        blake3::hash(hashes.concat().as_bytes()).to_hex()[..16].to_string()
    }
}
