//! Advantage estimation: returns of decisions minus their baselines, as pure functions.

use troel_env::{BySeat, Seat};

/// A decision of a finished deal with its baseline: input of the estimator.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DecisionWithBaseline {
    /// The seat that decided.
    pub seat: Seat,
    /// Baseline of the advantage, in units of reward. It is a function of the state before the
    /// decision, and does not depend on the action taken.
    pub baseline: f32,
}

/// Training target of the value head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueTarget {
    /// The λ-return: baseline plus advantage.
    LambdaReturn,
    /// The return: the reward at the end of the deal.
    Return,
}

/// Advantage and value target of a decision.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AdvantageEstimate {
    /// Generalised advantage estimate, in units of reward.
    pub advantage: f32,
    /// Target of the value head, in units of reward.
    pub value_target: f32,
}

/// Returns the generalised advantage estimates (Schulman et al. 2016) of all decisions of a deal,
/// in order. γ is 1: a deal is short, and rewards come at its end.
///
/// The decisions of each seat are a separate trajectory: after a decision comes the seat's next
/// one, and after the last one the reward. With baselines b₀ … bₙ₋₁ of a seat and its reward bₙ =
/// R, the advantage of its decision i is Σₖ λᵏ (bᵢ₊ₖ₊₁ − bᵢ₊ₖ), k from 0 to n − i − 1. For λ = 1
/// that is R − bᵢ, which makes the policy gradient unbiased for any baselines. For λ < 1 it is
/// biased if a baseline is not the expected reward under the policy that is learnt.
pub fn estimate(
    decisions: &[DecisionWithBaseline],
    rewards: &BySeat<f32>,
    lambda: f32,
    target: ValueTarget,
) -> Vec<AdvantageEstimate> {
    let mut next_baseline = *rewards;
    let mut next_advantage = BySeat([0.0; 4]);
    let backwards = decisions.iter().rev().map(|decision| {
        let delta = next_baseline[decision.seat] - decision.baseline;
        let advantage = delta + lambda * next_advantage[decision.seat];
        next_baseline[decision.seat] = decision.baseline;
        next_advantage[decision.seat] = advantage;
        let value_target = match target {
            ValueTarget::LambdaReturn => advantage + decision.baseline,
            ValueTarget::Return => rewards[decision.seat],
        };
        AdvantageEstimate { advantage, value_target }
    });
    let mut estimates: Vec<AdvantageEstimate> = backwards.collect();
    estimates.reverse();
    estimates
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decision(seat: Seat, baseline: f32) -> DecisionWithBaseline {
        DecisionWithBaseline { seat, baseline }
    }

    fn advantages(decisions: &[DecisionWithBaseline], rewards: [f32; 4], lambda: f32) -> Vec<f32> {
        let estimates = estimate(decisions, &BySeat(rewards), lambda, ValueTarget::LambdaReturn);
        estimates.iter().map(|estimate| estimate.advantage).collect()
    }

    fn close(found: &[f32], wanted: &[f32]) {
        assert_eq!(found.len(), wanted.len());
        for (found, wanted) in found.iter().zip(wanted) {
            assert!((found - wanted).abs() < 1e-5, "{found} instead of {wanted}");
        }
    }

    /// One seat, baselines 1, 3, 2 and reward 5: differences 2, −1, 3.
    #[test]
    fn three_decisions_by_hand() {
        let decisions = [1.0, 3.0, 2.0].map(|b| decision(Seat::East, b));
        let rewards = [0.0, 5.0, 0.0, 0.0];
        // λ = 0: the differences themselves.
        close(&advantages(&decisions, rewards, 0.0), &[2.0, -1.0, 3.0]);
        // λ = 1: the reward less the baseline.
        close(&advantages(&decisions, rewards, 1.0), &[4.0, 2.0, 3.0]);
        // λ = 0.5: 3; −1 + 0.5 · 3 = 0.5; 2 + 0.5 · 0.5 = 2.25.
        close(&advantages(&decisions, rewards, 0.5), &[2.25, 0.5, 3.0]);
        let half = estimate(&decisions, &BySeat(rewards), 0.5, ValueTarget::LambdaReturn);
        close(&half.map_targets(), &[3.25, 3.5, 5.0]);
        let by_return = estimate(&decisions, &BySeat(rewards), 0.5, ValueTarget::Return);
        close(&by_return.map_targets(), &[5.0, 5.0, 5.0]);
    }

    /// Seats that take turns: each has its own decisions and its own reward.
    #[test]
    fn seats_do_not_mix() {
        let (north, south) = (Seat::North, Seat::South);
        let decisions = [
            decision(north, 1.0),
            decision(south, -2.0),
            decision(north, 2.0),
            decision(south, 0.0),
        ];
        let rewards = [4.0, 9.0, -1.0, 9.0];
        // North: differences 1, 2. South: 2, −1. λ = 0.9.
        close(&advantages(&decisions, rewards, 0.9), &[2.8, 1.1, 2.0, -1.0]);
        assert_eq!(advantages(&[], rewards, 0.9), Vec::<f32>::new());
    }

    trait Targets {
        fn map_targets(&self) -> Vec<f32>;
    }

    impl Targets for Vec<AdvantageEstimate> {
        fn map_targets(&self) -> Vec<f32> {
            self.iter().map(|estimate| estimate.value_target).collect()
        }
    }
}
