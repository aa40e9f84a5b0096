//! Checks after each update.

use super::Trainer;
use crate::collective::CollectiveError;
use crate::error::TrainError;
use crate::loss::{LossTerm, Losses};
use crate::optimiser::Adam;

impl Trainer {
    /// Checks that all processes have the same weights.
    pub(super) fn check_agreement(&self) -> Result<(), CollectiveError> {
        if self.collective.size() == 1 {
            return Ok(());
        }
        let mut hasher = blake3::Hasher::new();
        self.train_state.weights.values.iter().for_each(|weight| {
            hasher.update(&weight.to_le_bytes());
        });
        self.collective.agree("network", hasher.finalize())
    }

    /// Checks that losses, gradients, weights and optimiser states are finite after an update.
    pub(super) fn check_finite(
        &self,
        losses: &Losses,
        critic: Option<&Losses>,
    ) -> Result<(), TrainError> {
        let all = |values: &[f32]| values.iter().all(|value| value.is_finite());
        let is_finite = |losses: &Losses| {
            let [policy_loss, value_loss] =
                [LossTerm::PolicyLoss, LossTerm::ValueLoss].map(|term| losses.mean(term));
            (policy_loss + value_loss + losses.grad_norm).is_finite()
        };
        let moments = |adam: &Adam| all(&adam.mean) && all(&adam.square);
        let critic_is_finite = self
            .train_state
            .critic
            .as_ref()
            .is_none_or(|(c, adam)| all(&c.values) && moments(adam));
        let places = [
            ("the loss or its gradient", is_finite(losses)),
            (
                "a weight of the network",
                all(&self.train_state.weights.values) && moments(&self.train_state.adam),
            ),
            ("the critic's loss or its gradient", critic.is_none_or(is_finite)),
            ("a weight of the critic", critic_is_finite),
        ];
        match places.into_iter().find(|(_, is_finite)| !is_finite) {
            None => Ok(()),
            Some((what, _)) => {
                Err(TrainError::Diverged { iteration: self.progress.iteration + 1, what })
            }
        }
    }
}
