//! Services with scripted bots, for tests.

use std::sync::Arc;

use troel_agents::{Bot, BotError, Decision, DecisionDetail, NamedBot};
use troel_env::{Observation, RuleSet};

use crate::compute::Compute;
use crate::services::{OfferedRules, Services};

/// Function that is called before a bot decides, with the number of legal actions.
type Before = dyn Fn(u32) + Send + Sync;

/// Bot that takes the last legal action: calls high, so that cards are played.
struct Last(Arc<Before>);

impl Bot for Last {
    fn decide(
        &mut self,
        all: &[Observation],
        detail: DecisionDetail,
    ) -> Result<Vec<Decision>, BotError> {
        let decide = |obs: &Observation| {
            let legal = obs.legal_actions();
            (self.0)(legal.len());
            Decision::sure(legal.nth_action(legal.len() - 1).expect("there is one"), detail)
        };
        Ok(all.iter().map(decide).collect())
    }
}

/// Returns services whose only rule set is `wiezen`. Bots call `before` before they decide.
pub fn services(before: impl Fn(u32) + Send + Sync + 'static) -> Arc<Services> {
    let before: Arc<Before> = Arc::new(before);
    let bot = NamedBot::new("last", move |_| Box::new(Last(Arc::clone(&before))));
    let rules = RuleSet::built_in("wiezen").expect("built in");
    Arc::new(Services {
        bots: Vec::new(),
        rule_sets: vec![OfferedRules { rules, bot: Some(bot) }],
        compute: Compute::new(),
        records: None,
    })
}
