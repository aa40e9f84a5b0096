//! Checks after each update.

use super::Trainer;
use crate::error::TrainError;
use crate::loss::{LossTerm, Losses};
use crate::optimiser::Adam;
use crate::train_state::TrainState;

impl Trainer {
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
        let TrainState { weights, adam, critic: critic_state, .. } = &self.state.train_state;
        let critic_is_finite =
            critic_state.as_ref().is_none_or(|(c, adam)| all(&c.values) && moments(adam));
        let places = [
            ("the loss or its gradient", is_finite(losses)),
            ("a weight of the network", all(&weights.values) && moments(adam)),
            ("the critic's loss or its gradient", critic.is_none_or(is_finite)),
            ("a weight of the critic", critic_is_finite),
        ];
        match places.into_iter().find(|(_, is_finite)| !is_finite) {
            None => Ok(()),
            Some((what, _)) => Err(TrainError::Diverged { iteration: self.iteration() + 1, what }),
        }
    }
}
