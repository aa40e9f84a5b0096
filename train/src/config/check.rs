//! Checks that the values of a recipe are in range and fit together.

use troel_env::Scenario;
use troel_eval::problems::Suite;

use super::TrainConfig;
use crate::error::ConfigError;
use crate::reward::DealReward;

/// Largest weight of a kind of tables. The sum of the weights is finite.
const MAX_WEIGHT: f32 = 1e6;

impl TrainConfig {
    /// Checks that all values are in range.
    ///
    /// # Errors
    /// A value is out of range; the message names its key.
    pub fn check(&self) -> Result<(), ConfigError> {
        self.check_values().map_err(ConfigError)
    }

    fn check_values(&self) -> Result<(), String> {
        if self.run.trim().is_empty() {
            return Err("run is empty: name the folder of the run".to_string());
        }
        let p = &self.ppo;
        let ranges = [
            ("iterations", self.iterations as f64, 0.0, 1e9),
            ("deals", self.deals as f64, 1.0, 1e6),
            ("series", self.series as f64, 1.0, 1e3),
            ("reward_scale", self.reward_scale.into(), 1e-3, 1e6),
            ("checkpoint_every", self.checkpoint_every as f64, 1.0, 1e9),
            ("checkpoint_keep_every", self.checkpoint_keep_every as f64, 0.0, 1e9),
            ("random_totals", self.random_totals.into(), 0.0, 1.0),
            ("ppo.learning_rate", p.learning_rate.into(), 0.0, 1.0),
            ("ppo.learning_rate_end", p.learning_rate_end.into(), 0.0, 1.0),
            ("ppo.gae_lambda", p.gae_lambda.into(), 0.0, 1.0),
            ("ppo.baseline_lambda", p.baseline_lambda.unwrap_or(0.0).into(), 0.0, 1.0),
            ("ppo.baseline_iterations", p.baseline_iterations as f64, 0.0, 1e9),
            ("ppo.value_warmup", p.value_warmup as f64, 0.0, 1e9),
            ("ppo.update_epochs", p.update_epochs.into(), 1.0, 100.0),
            ("ppo.minibatch_size", p.minibatch_size as f64, 1.0, 1e6),
            ("ppo.shards", p.shards as f64, 1.0, 1024.0),
            ("ppo.clip_coef", p.clip_coef.into(), 1e-3, 1e6),
            ("ppo.kl_coef", p.kl_coef.into(), 0.0, 1e3),
            ("ppo.ent_coef", p.ent_coef.into(), 0.0, 10.0),
            ("ppo.ent_coef_end", p.ent_coef_end.into(), 0.0, 10.0),
            ("ppo.call_ent_factor", p.call_ent_factor.into(), 0.0, 1e3),
            ("ppo.vf_coef", p.vf_coef.into(), 0.0, 100.0),
            ("ppo.max_grad_norm", p.max_grad_norm.into(), 1e-6, 1e6),
            ("ppo.target_kl", p.target_kl.into(), 1e-6, 1e6),
            ("ppo.policy_share", p.policy_share.into(), 1e-3, 1.0),
            ("ppo.ema_decay", p.ema_decay.into(), 0.0, 0.999_999),
            ("pool.every", self.pool.every as f64, 1.0, 1e9),
            ("pool.size", self.pool.size as f64, 1.0, 256.0),
            ("eval.every", self.eval.every as f64, 0.0, 1e9),
            ("eval.deals", self.eval.deals as f64, 1.0, 1e7),
            ("eval.problems_per_suite", self.eval.problems_per_suite as f64, 1.0, 1e4),
            ("eval.final_deals", self.eval.final_deals as f64, 0.0, 1e7),
        ];
        check_ranges(&ranges)?;
        for (key, seed) in [("seed", self.seed), ("eval.seed", self.eval.seed)] {
            if i64::try_from(seed).is_err() {
                return Err(format!("{key} = {seed} must be 0 to {}", i64::MAX));
            }
        }
        for name in &self.eval.problems {
            if Suite::parse(name).is_none() {
                let all: Vec<&str> = Suite::ALL.into_iter().map(Suite::name).collect();
                let all = all.join(", ");
                return Err(format!("eval.problems: {name:?} is no suite; use {all}"));
            }
        }
        self.network.check().map_err(|error| error.to_string())?;
        if self.reward == DealReward::MatchGain && self.random_totals == 0.0 {
            return Err("reward = \"match\" with random_totals = 0 learns nothing of totals: set it above 0, such as 0.9".into());
        }
        if p.norm_adv_by_contract && !p.norm_adv {
            return Err("ppo.norm_adv_by_contract needs ppo.norm_adv = true".to_string());
        }
        if p.baseline_bot.is_empty() && (p.baseline_iterations > 0 || p.baseline_lambda.is_some()) {
            return Err(
                "ppo.baseline_iterations and ppo.baseline_lambda need ppo.baseline_bot".to_string()
            );
        }
        if let Some(critic) = &self.critic {
            if !p.baseline_bot.is_empty() {
                return Err("critic and ppo.baseline_bot exclude each other: remove one (ppo.baseline_bot = \"\" is none)".to_string());
            }
            let ranges = [
                ("critic.hidden", critic.hidden as f64, 1.0, 4096.0),
                ("critic.blocks", critic.blocks as f64, 0.0, 64.0),
                ("critic.learning_rate", critic.learning_rate.into(), 0.0, 1.0),
                ("critic.learning_rate_end", critic.learning_rate_end.into(), 0.0, 1.0),
                ("critic.update_epochs", critic.update_epochs.into(), 1.0, 100.0),
            ];
            check_ranges(&ranges)?;
        }
        if let Some(imitation) = &self.imitation {
            let ranges = [
                ("imitation.iterations", imitation.iterations as f64, 0.0, 1e9),
                ("imitation.update_epochs", imitation.update_epochs.into(), 1.0, 100.0),
                ("imitation.learning_rate", imitation.learning_rate.into(), 0.0, 1.0),
                (
                    "imitation.learning_rate_end",
                    imitation.learning_rate_end.unwrap_or(0.0).into(),
                    0.0,
                    1.0,
                ),
                (
                    "imitation.minibatch_size",
                    imitation.minibatch_size.unwrap_or(1) as f64,
                    1.0,
                    1e6,
                ),
                ("imitation.label_smoothing", imitation.label_smoothing.into(), 0.0, 0.999),
            ];
            check_ranges(&ranges)?;
        }
        if let Some(anchor) = &self.anchor {
            let ranges = [
                ("anchor.coef", anchor.coef.into(), 0.0, 100.0),
                ("anchor.coef_end", anchor.coef_end.into(), 0.0, 100.0),
            ];
            check_ranges(&ranges)?;
        }
        if let Some(defence) = &self.defence {
            let ranges = [
                ("defence.nodes", defence.nodes as f64, 1.0, 1e9),
                ("defence.coef", defence.coef.into(), 0.0, 100.0),
                ("defence.coef_end", defence.coef_end.into(), 0.0, 100.0),
            ];
            check_ranges(&ranges)?;
        }
        if let Some(sure_calls) = &self.sure_calls
            && !(sure_calls.coef > 0.0 && sure_calls.coef <= 100.0)
        {
            return Err(format!(
                "sure_calls.coef = {} must be above 0 and at most 100; sure_calls= trains without it",
                sure_calls.coef
            ));
        }
        if let Some(vine) = &self.vine {
            let ranges = [
                ("vine.share", vine.share.into(), 0.0, 1.0),
                ("vine.scenario_share", vine.scenario_share.into(), 0.0, 1.0),
                ("vine.coef", vine.coef.into(), 0.0, 100.0),
            ];
            check_ranges(&ranges)?;
        }
        if let Some(house) = &self.house_rules {
            let ranges = [
                ("house_rules.drawn", house.drawn as f64, 0.0, 1024.0),
                ("house_rules.share", house.share.into(), 0.0, 1.0),
            ];
            check_ranges(&ranges)?;
            if !self.network.rule_features {
                return Err("house_rules needs network.rule_features = true: the network has to be told the rules".into());
            }
            if self.critic.is_some() {
                return Err(
                    "critic and house_rules exclude each other: a critic is not told the rules"
                        .into(),
                );
            }
            if p.norm_adv_by_contract {
                return Err("ppo.norm_adv_by_contract and house_rules exclude each other: advantages are normalised under each rule set".into());
            }
            if self.reward == DealReward::MatchGain {
                return Err("reward = \"match\" and house_rules exclude each other: what a deal is worth for the match was fitted to the built-in rules".into());
            }
        }
        if self.tables.is_empty() {
            return Err("tables must list at least one kind of table".to_string());
        }
        for table in &self.tables {
            if !(table.weight > 0.0 && table.weight <= MAX_WEIGHT) {
                return Err(format!(
                    "tables: weight of {} must be above 0 and at most {MAX_WEIGHT}",
                    table.opponent
                ));
            }
            if table.until > 0 && table.until <= table.from {
                return Err(format!("tables: {} has until before from", table.opponent));
            }
            if !(1..=4).contains(&table.learners) {
                return Err(format!("tables: learners of {} must be 1 to 4", table.opponent));
            }
        }
        // Whether there are tables changes only where a kind begins or ends.
        let changes = self.tables.iter().flat_map(|t| [t.from, t.until]).chain([0]);
        let mut within = changes.filter(|&iteration| iteration < self.iterations);
        let none = within.find(|&at| !self.tables.iter().any(|table| table.is_open(at)));
        if let Some(iteration) = none {
            return Err(format!(
                "tables: none is open in PPO iteration {iteration}; see from and until"
            ));
        }
        let mut shares = 0.0;
        for entry in &self.scenarios {
            if Scenario::parse(&entry.scenario).is_none() {
                return Err(format!(
                    "scenarios: {:?} is not a scenario; use aces or a kind of contract such as misere",
                    entry.scenario
                ));
            }
            if !(0.0..=1.0).contains(&entry.share) {
                return Err(format!("scenarios: share of {} must be 0 to 1", entry.scenario));
            }
            shares += entry.share;
        }
        if shares > 1.0 {
            return Err("scenarios: the shares add up to more than 1".to_string());
        }
        Ok(())
    }
}

/// Refuses values out of range: key, value, least, most.
fn check_ranges(ranges: &[(&str, f64, f64, f64)]) -> Result<(), String> {
    let bad = ranges.iter().find(|(_, value, low, high)| !(low..=high).contains(&value));
    match bad {
        Some((key, value, low, high)) => Err(format!("{key} = {value} must be {low} to {high}")),
        None => Ok(()),
    }
}
