//! The rule sets of a training beside its own.

use troel_agents::find_rules;
use troel_env::RuleSet;
use troel_env::rng::Stream;

use crate::config::TrainConfig;
use crate::error::TrainError;

/// Rule sets that tables draw from.
#[derive(Clone, Debug)]
pub struct HouseRules {
    /// The recipe's own and the others that it names.
    pub named: Vec<&'static RuleSet>,
    /// Those drawn around them.
    pub drawn: Vec<&'static RuleSet>,
    /// Share of the tables under drawn ones, 0 to 1.
    pub share: f32,
}

impl HouseRules {
    /// The rule sets of a recipe, if it has any beside `rules`.
    ///
    /// # Errors
    /// A name is neither a built-in rule set nor a readable, valid rule file.
    pub fn of(
        config: &TrainConfig,
        rules: &'static RuleSet,
    ) -> Result<Option<HouseRules>, TrainError> {
        let Some(house) = &config.house_rules else { return Ok(None) };
        let mut named = vec![rules];
        for name in &house.others {
            let other = find_rules(name)?;
            // One that is named twice is no likelier.
            if !named.contains(&other) {
                named.push(other);
            }
        }
        let around = |&rules: &&'static RuleSet| {
            (0..house.drawn).map(move |number| rules.variant(config.seed, number))
        };
        let drawn = named.iter().flat_map(around).collect();
        Ok(Some(HouseRules { named, drawn, share: house.share }))
    }

    /// The rule set of a table.
    pub(crate) fn draw(&self, stream: &mut Stream) -> &'static RuleSet {
        let among = match stream.unit() < self.share && !self.drawn.is_empty() {
            true => &self.drawn,
            false => &self.named,
        };
        among[stream.below(among.len() as u32) as usize]
    }
}
