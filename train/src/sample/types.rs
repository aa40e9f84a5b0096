//! Types of samples.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use troel_env::{Action, ActionSet, CardSet, ContractKind, Seat};
use troel_nn::NetworkInput;

/// A decision that the learner took. Moves with a single legal action are not recorded.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RecordedDecision {
    /// Features of the seat's observation, and its legal actions.
    pub input: NetworkInput,
    /// Cards of the seats after this one, in order of play. They are hidden from the learner, and
    /// seen by a critic.
    pub hidden_hands: [CardSet; 3],
    /// The seat that decided.
    pub seat: Seat,
    /// Kind of the contract that is played, if there is one yet.
    pub contract: Option<ContractKind>,
    /// The action taken.
    #[serde(serialize_with = "write_action", deserialize_with = "read_action")]
    pub action: Action,
    /// Log-probability of the action under the policy that took it.
    pub log_prob: f32,
    /// Estimate of the value head, in units of reward.
    pub value: f32,
}

/// Training targets of a decision. They are known when its deal is over.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Targets {
    /// Generalised advantage estimate, in units of reward until it is normalised.
    pub advantage: f32,
    /// Target of the value head, in units of reward.
    pub value_target: f32,
    /// Return: reward of the seat at the end of the deal (γ is 1), in units of reward.
    pub deal_return: f32,
    /// Call of the anchor. `None` without one, and outside the auction and the choice of trumps.
    #[serde(serialize_with = "write_anchor", deserialize_with = "read_anchor")]
    pub anchor: Option<Action>,
    /// Actions that are taught; may be empty. See `rollout::defence` and
    /// [`crate::config::BidLessonsConfig`].
    pub taught: ActionSet,
    /// Rewards of the plausible calls, if they were tried; otherwise empty.
    pub vine: Vec<TriedCall>,
    /// Whether the policy learns from the advantage.
    pub for_policy: bool,
    /// Whether the value head learns from the decision, and the policy from the anchor.
    pub for_value: bool,
}

/// A decision with its training targets.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    /// The decision.
    pub decision: RecordedDecision,
    /// Its targets.
    pub targets: Targets,
}

/// A call that a vine tried (`vine`), and the seat's reward after it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct TriedCall {
    /// The call.
    #[serde(serialize_with = "write_action", deserialize_with = "read_action")]
    pub call: Action,
    /// Reward of the seat at the end of the deal. It is in units of reward until advantages are
    /// normalised.
    pub reward: f32,
}

impl Sample {
    /// Returns whether the decision is a call: bid, answer or choice of trumps, not a card.
    pub fn is_call(&self) -> bool {
        self.decision.action.as_card().is_none()
    }
}

// Actions are written as indices, because codes are ambiguous: `8S` is a call and a card.

fn write_action<S: Serializer>(action: &Action, to: S) -> Result<S::Ok, S::Error> {
    action.index().serialize(to)
}

fn read_action<'de, D: Deserializer<'de>>(from: D) -> Result<Action, D::Error> {
    action_at(usize::deserialize(from)?)
}

fn action_at<E: de::Error>(index: usize) -> Result<Action, E> {
    Action::from_index(index).ok_or_else(|| E::custom(format!("there is no action {index}")))
}

fn write_anchor<S: Serializer>(anchor: &Option<Action>, to: S) -> Result<S::Ok, S::Error> {
    anchor.map(Action::index).serialize(to)
}

fn read_anchor<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Action>, D::Error> {
    Option::<usize>::deserialize(from)?.map(action_at).transpose()
}

/// Returns the share of the variance of the value targets that the values explain.
///
/// It is 1 for exact values, and negative if the values are worse than the mean of the targets.
/// Targets without variance yield 0.
pub fn explained_variance(samples: &[Sample]) -> f64 {
    let n = samples.len().max(1) as f64;
    let variance = |value: &dyn Fn(&Sample) -> f64| {
        let mean = samples.iter().map(value).sum::<f64>() / n;
        samples.iter().map(|s| (value(s) - mean).powi(2)).sum::<f64>() / n
    };
    let total = variance(&|s| f64::from(s.targets.value_target));
    let unexplained = variance(&|s| f64::from(s.targets.value_target - s.decision.value));
    if total == 0.0 { 0.0 } else { 1.0 - unexplained / total }
}
