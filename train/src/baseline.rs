//! Baselines: what the advantage of a decision is measured against, so that gradients are less noisy.

use troel_agents::{BotError, Decision, Entry};
use troel_env::Session;
use troel_eval::driver::play_on;

use crate::advantage::ValueTarget;

/// Gives each decision a baseline: a number that depends on the state before the decision, not on the action taken.
pub trait Baseline: Send {
    /// Baselines of some decisions in units of reward, in order. The sessions stand as they did before the decisions.
    ///
    /// # Errors
    /// A bot that gives the baselines failed.
    fn estimate(&mut self, decisions: &[(&Session, &Decision)]) -> Result<Vec<f32>, BotError>;

    /// What the value head learns beside it.
    fn value_target(&self) -> ValueTarget;
}

/// The estimate of the learner's own value head, as in PPO. Zero for a learner that has none.
#[derive(Clone, Copy, Debug)]
pub struct ValueHead {
    /// Points that make up one unit of reward.
    pub reward_scale: f32,
}

impl Baseline for ValueHead {
    fn estimate(&mut self, decisions: &[(&Session, &Decision)]) -> Result<Vec<f32>, BotError> {
        Ok(decisions.iter().map(|(_, d)| d.value.unwrap_or(0.0) / self.reward_scale).collect())
    }

    fn value_target(&self) -> ValueTarget {
        ValueTarget::LambdaReturn
    }
}

/// What the seat would get if a bot played the deal on from the decision for all seats, with the cards as they lie and at
/// the match totals of the table.
///
/// It sees hidden cards and depends on the state alone, not on the action taken: with λ = 1 the policy gradient is unbiased. With
/// λ < 1 the reward itself weighs λᵏ for a decision k decisions before the seat's last, and the rest of the estimate
/// is what the bot makes of the states that follow: the policy is improved against the bot's continuation, not its own.
pub struct PlayOn {
    entry: Entry,
    seed: u64,
    reward_scale: f32,
}

impl PlayOn {
    /// Deals are played on by this bot; whatever it draws comes from the seed.
    pub fn new(entry: Entry, seed: u64, reward_scale: f32) -> PlayOn {
        PlayOn { entry, seed, reward_scale }
    }
}

impl Baseline for PlayOn {
    fn estimate(&mut self, decisions: &[(&Session, &Decision)]) -> Result<Vec<f32>, BotError> {
        let sessions = decisions.iter().map(|(session, _)| *session);
        let ends = play_on(sessions, self.entry.seat(self.seed).as_mut())?;
        let value = |(end, (session, _)): (&Session, &(&Session, &Decision))| {
            let rewards = end.outcome().map(|outcome| outcome.rewards).unwrap_or_default();
            rewards[session.turn()] / self.reward_scale
        };
        Ok(ends.iter().zip(decisions).map(value).collect())
    }

    fn value_target(&self) -> ValueTarget {
        ValueTarget::Outcome
    }
}

/// None: rewards are measured against nothing. For imitation, which has no use for advantages.
#[derive(Clone, Copy, Debug)]
pub struct NoBaseline;

impl Baseline for NoBaseline {
    fn estimate(&mut self, decisions: &[(&Session, &Decision)]) -> Result<Vec<f32>, BotError> {
        Ok(vec![0.0; decisions.len()])
    }

    fn value_target(&self) -> ValueTarget {
        ValueTarget::Outcome
    }
}
