//! Training samples: decisions with their targets.

use std::collections::HashMap;
use std::hash::Hash;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use troel_env::rng::Stream;
use troel_env::{Action, ActionSet, CardSet, ContractKind, Seat};
use troel_nn::Input;

use crate::house_rules::HouseRules;

/// A decision that the learner took. Moves with a single legal action are not recorded.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RecordedDecision {
    /// Features of the seat's observation, and its legal actions.
    pub input: Input,
    /// Cards of the seats after this one, in order of play: hidden from the learner, seen by a
    /// critic.
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
    /// Call of the anchor, if there is one and the decision is of the auction or the choice of
    /// trumps.
    #[serde(serialize_with = "write_anchor", deserialize_with = "read_anchor")]
    pub anchor: Option<Action>,
    /// Actions that are taught (`defence`, [`crate::config::SureCallsConfig`]); may be empty.
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
    /// Reward of the seat at the end of the deal, in units of reward until advantages are
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
    let index = usize::deserialize(from)?;
    Action::from_index(index).ok_or_else(|| de::Error::custom("there is no such action"))
}

fn write_anchor<S: Serializer>(anchor: &Option<Action>, to: S) -> Result<S::Ok, S::Error> {
    anchor.map(Action::index).serialize(to)
}

fn read_anchor<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Action>, D::Error> {
    let read = |index| {
        Action::from_index(index).ok_or_else(|| de::Error::custom("there is no such action"))
    };
    Option::<usize>::deserialize(from)?.map(read).transpose()
}

/// Returns the share of the variance of the value targets that the values explain (explained
/// variance): 1 for all of it, 0 for none, a negative number if the values are worse than the mean
/// of the targets. Targets without variance yield 0.
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

/// Keeps the share of the samples with the largest advantages, positive or negative, for the
/// policy, calls and cards separately, and a random share of the same size for the value head.
/// Drops the others, unless they are taught or have a vine. Samples that are not for the policy
/// leave their part of the share to others. If no more samples of a kind than the share are for
/// the policy, the value head keeps all samples of the kind.
pub fn select(samples: &mut Vec<Sample>, share: f32, stream: &mut Stream) {
    for is_call in [false, true] {
        let magnitude = |s: &Sample| s.targets.advantage.abs();
        let all = samples.iter().filter(|s| s.is_call() == is_call).count();
        let candidates = samples.iter().filter(|s| s.is_call() == is_call && s.targets.for_policy);
        let mut magnitudes: Vec<f32> = candidates.map(magnitude).collect();
        let kept = (all as f32 * share).ceil() as usize;
        if kept == 0 || kept >= magnitudes.len() {
            continue;
        }
        let (_, &mut min_magnitude, _) =
            magnitudes.select_nth_unstable_by(kept - 1, |a, b| b.total_cmp(a));
        for sample in samples.iter_mut().filter(|s| s.is_call() == is_call) {
            sample.targets.for_policy &= magnitude(sample) >= min_magnitude;
            sample.targets.for_value = stream.unit() < share;
        }
    }
    samples.retain(|Sample { targets, .. }| {
        let has_lesson = !targets.taught.is_empty() || !targets.vine.is_empty();
        targets.for_policy || targets.for_value || has_lesson
    });
}

/// Normalises advantages to mean 0 and standard deviation 1, and the rewards of vines by the same
/// standard deviation.
pub fn normalise_advantages(samples: &mut [Sample]) {
    normalise_advantages_by(samples, |_| ());
}

/// Normalises advantages before there is a contract, and under each kind of contract, to mean 0 and
/// standard deviation 1. A contract of many points then does not weigh more in the gradient than
/// one of few. Kinds with few samples are normalised like all samples together.
pub fn normalise_advantages_by_contract(samples: &mut [Sample]) {
    normalise_advantages_by(samples, |sample| sample.decision.contract);
}

/// Normalises advantages to mean 0 and standard deviation 1 under each rule set that is named,
/// together with those drawn around it, so that rules with larger points do not weigh more. A drawn
/// rule set alone has too few samples for a scale.
pub fn normalise_advantages_by_rules(samples: &mut [Sample], house: &HouseRules) {
    normalise_advantages_by(samples, |sample| house.family(&sample.decision.input.rules));
}

/// Smallest number of samples of a kind that are normalised separately.
const MIN_SAMPLES_OF_KIND: u32 = 200;

/// Number of samples, and sums over them.
#[derive(Clone, Copy, Default)]
struct Sums {
    n: u32,
    advantages: f64,
    squares: f64,
}

impl Sums {
    fn mean(&self) -> f64 {
        self.advantages / f64::from(self.n)
    }
}

fn normalise_advantages_by<K: Eq + Hash>(samples: &mut [Sample], kind: impl Fn(&Sample) -> K) {
    let (mut all, mut kinds) = (Sums::default(), HashMap::<K, Sums>::new());
    for sample in samples.iter() {
        for sums in [&mut all, kinds.entry(kind(sample)).or_default()] {
            sums.n += 1;
            sums.advantages += f64::from(sample.targets.advantage);
        }
    }
    // Differences from the mean, so that no digits are lost to its square.
    for sample in samples.iter() {
        for sums in [&mut all].into_iter().chain(kinds.get_mut(&kind(sample))) {
            sums.squares += (f64::from(sample.targets.advantage) - sums.mean()).powi(2);
        }
    }
    for sample in samples {
        let own =
            kinds.get(&kind(sample)).filter(|sums| sums.n >= MIN_SAMPLES_OF_KIND).unwrap_or(&all);
        let deviation = (own.squares / f64::from(own.n)).sqrt();
        let factor = 1.0 / (deviation + 1e-8);
        sample.targets.advantage =
            ((f64::from(sample.targets.advantage) - own.mean()) * factor) as f32;
        sample.targets.vine.iter_mut().for_each(|tried| tried.reward *= factor as f32);
    }
}

#[cfg(test)]
mod tests;
