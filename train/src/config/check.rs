//! Order of the checks of a recipe, and the rules that concern several of its sections. The ranges
//! of a section's keys are checked next to its fields.

use super::TrainConfig;
use crate::error::ConfigError;
use crate::reward::DealReward;

impl TrainConfig {
    /// Checks that all values are in range.
    ///
    /// # Errors
    /// A value is out of range; the message names its key.
    pub fn check(&self) -> Result<(), ConfigError> {
        self.check_sections().map_err(ConfigError)
    }

    fn check_sections(&self) -> Result<(), String> {
        self.check_own_keys()?;
        self.ppo.check_ranges()?;
        self.pool.check()?;
        self.eval.check_ranges()?;
        check_seed("seed", self.seed)?;
        check_seed("eval.seed", self.eval.seed)?;
        self.eval.suites()?;
        self.network.check().map_err(|error| error.to_string())?;
        self.check_reward()?;
        self.ppo.check_combinations()?;
        if let Some(critic) = &self.critic {
            self.check_critic_fits()?;
            critic.check()?;
        }
        if let Some(imitation) = &self.imitation {
            imitation.check()?;
        }
        if let Some(anchor) = &self.anchor {
            anchor.check()?;
        }
        if let Some(defence) = &self.defence {
            defence.check()?;
        }
        if let Some(sure_calls) = &self.sure_calls {
            sure_calls.check()?;
        }
        if let Some(vine) = &self.vine {
            vine.check()?;
        }
        if let Some(house_rules) = &self.house_rules {
            house_rules.check()?;
            self.check_house_rules_fit()?;
        }
        self.check_tables()?;
        self.scenario_shares().map(|_| ())
    }

    fn check_reward(&self) -> Result<(), String> {
        if self.reward == DealReward::MatchGain && self.random_totals == 0.0 {
            return Err("reward = \"match\" with random_totals = 0 learns nothing of totals: set it above 0, such as 0.9".into());
        }
        Ok(())
    }

    /// Checks that the other sections allow a critic.
    fn check_critic_fits(&self) -> Result<(), String> {
        if !self.ppo.baseline_bot.is_empty() {
            return Err("critic and ppo.baseline_bot exclude each other: remove one (ppo.baseline_bot = \"\" is none)".to_string());
        }
        Ok(())
    }

    /// Checks that the other sections allow house rules.
    fn check_house_rules_fit(&self) -> Result<(), String> {
        if !self.network.rule_features {
            return Err("house_rules needs network.rule_features = true: the network has to be told the rules".into());
        }
        if self.critic.is_some() {
            return Err(
                "critic and house_rules exclude each other: a critic is not told the rules".into(),
            );
        }
        if self.ppo.norm_adv_by_contract {
            return Err("ppo.norm_adv_by_contract and house_rules exclude each other: advantages are normalised under each rule set".into());
        }
        if self.reward == DealReward::MatchGain {
            return Err("reward = \"match\" and house_rules exclude each other: what a deal is worth for the match was fitted to the built-in rules".into());
        }
        Ok(())
    }

    /// Checks each kind of table, and that one is open in every PPO iteration.
    fn check_tables(&self) -> Result<(), String> {
        if self.tables.is_empty() {
            return Err("tables must list at least one kind of table".to_string());
        }
        for table in &self.tables {
            table.check()?;
        }
        // The set of open tables changes only where a kind begins or ends.
        let changes = self.tables.iter().flat_map(|t| [t.from, t.until]).chain([0]);
        let mut within = changes.filter(|&iteration| iteration < self.iterations);
        let none = within.find(|&at| !self.tables.iter().any(|table| table.is_open(at)));
        if let Some(iteration) = none {
            return Err(format!(
                "tables: none is open in PPO iteration {iteration}; see from and until"
            ));
        }
        Ok(())
    }
}

/// Refuses a seed that TOML, whose integers are signed, cannot hold.
fn check_seed(key: &str, seed: u64) -> Result<(), String> {
    match i64::try_from(seed) {
        Ok(_) => Ok(()),
        Err(_) => Err(format!("{key} = {seed} must be 0 to {}", i64::MAX)),
    }
}
