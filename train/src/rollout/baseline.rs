//! Baselines: reference values that advantages are measured against. They reduce the variance of
//! policy gradients.

use std::sync::Arc;

use troel_agents::driver::roll_out;
use troel_agents::{BotError, Decision, NamedBot};
use troel_env::{BySeat, CardSet, Seat, Session};
use troel_nn::{CpuCritic, SparseBatch};

use super::advantage::ValueTarget;
use crate::reward::DealReward;

/// Estimates a baseline for each decision. It is a number that depends on the state before the
/// decision, not on the action taken.
pub trait Baseline: Send {
    /// Returns the baselines of these decisions in units of reward, in order. Each session is in
    /// its state before the decision.
    ///
    /// # Errors
    /// A bot that the baseline uses failed.
    fn estimate(&mut self, decisions: &[(&Session, &Decision)]) -> Result<Vec<f32>, BotError>;

    /// Returns the training target of the value head with this baseline.
    fn value_target(&self) -> ValueTarget;
}

/// The learner's value head, as in PPO.
#[derive(Clone, Copy, Debug)]
pub struct ValueHead {
    /// Points per unit of reward.
    pub reward_scale: f32,
}

impl Baseline for ValueHead {
    fn estimate(&mut self, decisions: &[(&Session, &Decision)]) -> Result<Vec<f32>, BotError> {
        let value = |(_, decision): &(&Session, &Decision)| {
            decision.value.expect("the learner has a value head") / self.reward_scale
        };
        Ok(decisions.iter().map(value).collect())
    }

    fn value_target(&self) -> ValueTarget {
        ValueTarget::LambdaReturn
    }
}

/// Baseline from a rollout by a bot.
///
/// It is the reward of the seat if the bot plays the deal to its end from the decision, for all
/// seats. The rollout has the actual hidden cards and the match totals of the table.
///
/// It uses hidden cards and depends on the state alone, not on the action taken: with λ = 1 the
/// policy gradient is unbiased. With λ < 1 the reward itself has weight λᵏ for a decision k
/// decisions before the seat's last. The rest of the estimate is the bot's value of the states that
/// follow. The policy is then improved against the bot's continuation, not its own.
pub struct RolloutBaseline {
    bot: NamedBot,
    seed: u64,
    reward: DealReward,
    reward_scale: f32,
}

impl RolloutBaseline {
    /// Returns a baseline that plays deals on with this bot. `seed` determines the bot's random
    /// draws; `reward_scale` is the number of points per unit of reward.
    pub fn new(bot: NamedBot, seed: u64, reward: DealReward, reward_scale: f32) -> RolloutBaseline {
        RolloutBaseline { bot, seed, reward, reward_scale }
    }
}

impl Baseline for RolloutBaseline {
    fn estimate(&mut self, decisions: &[(&Session, &Decision)]) -> Result<Vec<f32>, BotError> {
        let sessions = decisions.iter().map(|(session, _)| *session);
        let ends = roll_out(sessions, self.bot.instantiate(self.seed).as_mut())?;
        let value = |(end, (session, _)): (&Session, &(&Session, &Decision))| {
            let rewards = self.reward.of_deal(end).expect("the deal was played to its end");
            rewards[session.turn()] / self.reward_scale
        };
        Ok(ends.iter().zip(decisions).map(value).collect())
    }

    fn value_target(&self) -> ValueTarget {
        ValueTarget::Return
    }
}

/// A critic that sees all four hands and the seat's observation, history included. It learns the
/// returns of the policy that plays: V(history, state). It is an unbiased baseline, unlike V(state)
/// alone (Baisero and Amato 2022). The acting network never sees the hidden hands.
pub struct FullCritic {
    critic: Arc<CpuCritic>,
    rows: SparseBatch,
}

impl FullCritic {
    /// Returns a baseline by this critic.
    pub fn new(critic: Arc<CpuCritic>) -> FullCritic {
        FullCritic { critic, rows: SparseBatch::default() }
    }
}

/// Returns the hands of the seats after `seat`, in order of play.
pub(crate) fn hidden_hands(hands: &BySeat<CardSet>, seat: Seat) -> [CardSet; 3] {
    std::array::from_fn(|i| hands[seat.plus(i + 1)])
}

impl Baseline for FullCritic {
    fn estimate(&mut self, decisions: &[(&Session, &Decision)]) -> Result<Vec<f32>, BotError> {
        self.rows.clear();
        for (session, _) in decisions {
            let hidden_hands = hidden_hands(session.state().hands(), session.turn());
            self.rows.push_full(&session.observe().pack(), &hidden_hands);
        }
        Ok(self.critic.values(&self.rows))
    }

    fn value_target(&self) -> ValueTarget {
        ValueTarget::Return
    }
}

/// The zero baseline, for imitation, which does not use advantages.
#[derive(Clone, Copy, Debug)]
pub struct NoBaseline;

impl Baseline for NoBaseline {
    fn estimate(&mut self, decisions: &[(&Session, &Decision)]) -> Result<Vec<f32>, BotError> {
        Ok(vec![0.0; decisions.len()])
    }

    fn value_target(&self) -> ValueTarget {
        ValueTarget::Return
    }
}
