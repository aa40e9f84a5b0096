//! Rule sets that a run trains under in addition to the recipe's `rules`.

use std::collections::HashMap;

use troel_agents::find_rules;
use troel_env::RuleSet;
use troel_env::features::RuleView;
use troel_env::rng::Stream;

use crate::config::TrainConfig;
use crate::error::{ConfigError, TrainError};

/// Rule sets that tables draw from.
#[derive(Clone, Debug)]
pub struct RuleSetPool {
    /// The recipe's `rules` and the others that it names.
    named: Vec<&'static RuleSet>,
    /// Rule sets drawn around the named ones.
    drawn: Vec<&'static RuleSet>,
    /// Share of the tables under drawn ones, 0 to 1.
    share: f32,
    /// Numbers of named rule sets by hash ([`RuleView::hash`]). A rule set has the number of the
    /// one that it is, or was drawn around.
    families: HashMap<u64, usize>,
}

impl RuleSetPool {
    /// Creates a pool of these rule sets and `drawn` variants of each. `seed` determines the
    /// variants, and `share` is the share of the tables that play them.
    pub fn new(named: Vec<&'static RuleSet>, drawn: u64, share: f32, seed: u64) -> RuleSetPool {
        let mut families = HashMap::new();
        let mut variants = Vec::new();
        for (family, &rules) in named.iter().enumerate() {
            families.insert(RuleView::at_start(rules).hash(), family);
            for variant in (0..drawn).map(|number| rules.variant(seed, number)) {
                families.insert(RuleView::at_start(variant).hash(), family);
                variants.push(variant);
            }
        }
        RuleSetPool { named, drawn: variants, share, families }
    }

    /// Returns the rule sets of a recipe, if it has any in addition to `rules`.
    ///
    /// # Errors
    /// A name is neither a built-in rule set nor a readable, valid rule file, or there is none in
    /// addition to `rules`.
    pub fn from_recipe(
        config: &TrainConfig,
        rules: &'static RuleSet,
    ) -> Result<Option<RuleSetPool>, TrainError> {
        let Some(house) = &config.house_rules else { return Ok(None) };
        let mut named = vec![rules];
        for name in &house.others {
            let other = find_rules(name)?;
            // A rule set that is named twice is not drawn more often.
            if !named.contains(&other) {
                named.push(other);
            }
        }
        if named.len() == 1 && (house.drawn == 0 || house.share == 0.0) {
            let fault = "house_rules lists only the recipe's own rule set: name others, or set \
             drawn and share above 0";
            return Err(ConfigError::invalid(fault).into());
        }
        Ok(Some(RuleSetPool::new(named, house.drawn, house.share, config.seed)))
    }

    /// Returns the rule sets that are named.
    pub fn named(&self) -> &[&'static RuleSet] {
        &self.named
    }

    /// Returns the rule sets that were drawn around them.
    pub fn drawn(&self) -> &[&'static RuleSet] {
        &self.drawn
    }

    /// Returns the number of the named rule set that these rules are, or were drawn around.
    pub(crate) fn family(&self, rules: &RuleView) -> Option<usize> {
        self.families.get(&rules.hash()).copied()
    }

    /// Draws the rule set of the next tables.
    pub(crate) fn draw(&self, stream: &mut Stream) -> &'static RuleSet {
        let sets = if stream.unit() < self.share && !self.drawn.is_empty() {
            &self.drawn
        } else {
            &self.named
        };
        stream.pick(sets)
    }
}
