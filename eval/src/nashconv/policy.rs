//! Policies of bots at many observations, and the bot of a best response.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use troel_agents::{Bot, BotError, Decision, DecisionDetail, NamedBot, decide};
use troel_env::{Action, BySeat, Observation, Seat};

use super::error::NashConvError;

/// Output of a bot to evaluate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BotOutput {
    /// Its policy: the probabilities that a bot samples from. Bots without a policy: the action
    /// that they play.
    #[default]
    Policy,
    /// The action that it plays.
    Action,
}

/// The bots of the seats; threads take instances and put them back.
pub(super) struct Policies<'a> {
    bots: &'a BySeat<NamedBot>,
    output: BotOutput,
    seed: u64,
    idle: BySeat<Mutex<Vec<Box<dyn Bot>>>>,
}

impl Policies<'_> {
    pub(super) fn new(bots: &BySeat<NamedBot>, output: BotOutput, seed: u64) -> Policies<'_> {
        Policies { bots, output, seed, idle: BySeat::from_fn(|_| Mutex::default()) }
    }

    /// Returns the probabilities of the actions at each observation, all of one seat. They add up
    /// to 1.
    pub(super) fn at(
        &self,
        seat: Seat,
        observations: &[Observation],
    ) -> Result<Vec<Vec<(Action, f64)>>, NashConvError> {
        if observations.is_empty() {
            return Ok(Vec::new());
        }
        let idle = &self.idle[seat];
        let taken = idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut bot = taken.unwrap_or_else(|| self.bots[seat].instantiate(self.seed));
        let detail = match self.output {
            BotOutput::Policy => DecisionDetail::Policy,
            BotOutput::Action => DecisionDetail::Action,
        };
        let failed = |error| NashConvError::Bot { bot: self.bots[seat].name().into(), error };
        let decisions = decide(bot.as_mut(), observations, detail).map_err(failed)?;
        idle.lock().unwrap_or_else(PoisonError::into_inner).push(bot);
        decisions.iter().map(|decision| probabilities(decision).map_err(failed)).collect()
    }
}

fn probabilities(decision: &Decision) -> Result<Vec<(Action, f64)>, BotError> {
    if decision.policy.is_empty() {
        return Ok(vec![(decision.action, 1.0)]);
    }
    let sum: f64 = decision.policy.iter().map(|&(_, p)| f64::from(p)).sum();
    if sum.partial_cmp(&0.0) != Some(std::cmp::Ordering::Greater)
        || decision.policy.iter().any(|&(_, p)| p < 0.0)
    {
        return Err(BotError::Failed(
            "the probabilities of its policy are negative, not numbers, or all zero".to_string(),
        ));
    }
    // Networks compute in single precision; the rest is exact to the last digits.
    Ok(decision.policy.iter().map(|&(action, p)| (action, f64::from(p) / sum)).collect())
}

/// A bot that plays the best response of one seat, by observation. At other observations it plays
/// the first legal action.
#[derive(Clone, Debug)]
pub struct BestResponse(Arc<HashMap<u64, Action>>);

impl BestResponse {
    pub(super) fn new(actions: HashMap<u64, Action>) -> BestResponse {
        BestResponse(actions.into())
    }

    /// Returns the bot under a name.
    pub fn named(&self, name: &str) -> NamedBot {
        let bot = self.clone();
        NamedBot::new(name, move |_| Box::new(bot.clone()))
    }
}

impl Bot for BestResponse {
    fn decide(
        &mut self,
        observations: &[Observation],
        detail: DecisionDetail,
    ) -> Result<Vec<Decision>, BotError> {
        let one = |obs: &Observation| {
            let known = self.0.get(&obs.fingerprint()).copied();
            let action = known.or_else(|| obs.legal_actions().into_iter().next());
            Decision::sure(action.expect("a seat to act has a legal action"), detail)
        };
        Ok(observations.iter().map(one).collect())
    }
}
