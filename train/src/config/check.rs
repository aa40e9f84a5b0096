//! Order of the checks of a recipe, and the rules that concern several of its sections. The ranges
//! of a section's keys are checked next to its fields.

use super::{
    AnchorBot, AnchorConfig, BidLessonsConfig, DefenceConfig, ImitationConfig, TrainConfig,
    VineConfig,
};
use crate::error::ConfigError;
use crate::reward::DealReward;

impl TrainConfig {
    /// Checks that all values are in range.
    ///
    /// # Errors
    /// A value is out of range; the message names its key.
    pub fn check(&self) -> Result<(), ConfigError> {
        self.check_own_keys()?;
        self.ppo.check_ranges()?;
        self.pool.check()?;
        self.eval.check_ranges()?;
        check_seed("seed", self.seed)?;
        check_seed("eval.seed", self.eval.seed)?;
        self.eval.suites()?;
        self.network.check()?;
        self.check_reward()?;
        self.ppo.check_combinations()?;
        if let Some(critic) = &self.critic {
            self.check_critic_fits()?;
            critic.check()?;
        }
        self.imitation.iter().try_for_each(ImitationConfig::check)?;
        if let Some(anchor) = &self.anchor {
            anchor.check()?;
            self.check_anchor_fits(anchor)?;
        }
        self.defence.iter().try_for_each(DefenceConfig::check)?;
        self.bid_lessons.iter().try_for_each(BidLessonsConfig::check)?;
        self.vine.iter().try_for_each(VineConfig::check)?;
        if let Some(house_rules) = &self.house_rules {
            house_rules.check()?;
            self.check_house_rules_fit()?;
        }
        self.check_tables()?;
        self.scenario_shares().map(|_| ())
    }

    fn check_reward(&self) -> Result<(), ConfigError> {
        if self.reward == DealReward::MatchGain && self.random_totals == 0.0 {
            return Err(ConfigError::invalid(
                "reward = \"match-gain\" with random_totals = 0 learns nothing about match totals: \
                 set random_totals above 0, such as 0.9",
            ));
        }
        Ok(())
    }

    /// Checks that the run has the bot that the anchor names.
    fn check_anchor_fits(&self, anchor: &AnchorConfig) -> Result<(), ConfigError> {
        if anchor.bot == AnchorBot::Init && self.init.is_none() && self.start.is_none() {
            return Err(ConfigError::invalid(
                "anchor.bot = \"init\": the run does not start from a bot; set init or \
                 [start], or remove [anchor] (--set anchor=)",
            ));
        }
        Ok(())
    }

    /// Checks that the other sections allow a critic.
    fn check_critic_fits(&self) -> Result<(), ConfigError> {
        if self.ppo.baseline_bot.is_some() {
            return Err(ConfigError::invalid(
                "critic and ppo.baseline_bot exclude each other: remove one (ppo.baseline_bot = \
                 \"\" is none)",
            ));
        }
        Ok(())
    }

    /// Checks that the other sections allow house rules.
    fn check_house_rules_fit(&self) -> Result<(), ConfigError> {
        if !self.network.rule_features {
            return Err(ConfigError::invalid(
                "house_rules needs network.rule_features = true, so that the network sees the \
                 rules",
            ));
        }
        if self.critic.is_some() {
            return Err(ConfigError::invalid(
                "critic and house_rules exclude each other, because a critic does not see the \
                 rules: remove one",
            ));
        }
        if self.ppo.norm_adv_by_contract {
            return Err(ConfigError::invalid(
                "ppo.norm_adv_by_contract and house_rules exclude each other, because house_rules \
                 normalises advantages under each rule set: remove one",
            ));
        }
        if self.reward == DealReward::MatchGain {
            return Err(ConfigError::invalid(
                "reward = \"match-gain\" and house_rules exclude each other, because that reward \
                 was fitted to the built-in rules: remove one",
            ));
        }
        Ok(())
    }

    /// Checks each kind of table, and that at least one is open in every PPO iteration.
    fn check_tables(&self) -> Result<(), ConfigError> {
        if self.tables.is_empty() {
            return Err(ConfigError::invalid("tables must list at least one kind of table"));
        }
        for table in &self.tables {
            table.check()?;
        }
        // The set of open tables changes only where a kind begins or ends.
        let changes = self.tables.iter().flat_map(|t| [t.from, t.until.unwrap_or(0)]).chain([0]);
        let mut changes_in_run = changes.filter(|&iteration| iteration < self.iterations);
        let is_closed = |&iteration: &u64| !self.tables.iter().any(|t| t.is_open(iteration));
        match changes_in_run.find(is_closed) {
            Some(iteration) => Err(ConfigError::invalid(format!(
                "tables: no table is open in PPO iteration {iteration}; change `from` or `until`"
            ))),
            None => Ok(()),
        }
    }
}

/// Refuses a seed that TOML, whose integers are signed, cannot hold.
fn check_seed(key: &'static str, seed: u64) -> Result<(), ConfigError> {
    match i64::try_from(seed) {
        Ok(_) => Ok(()),
        Err(_) => Err(ConfigError::Seed { key, seed }),
    }
}
