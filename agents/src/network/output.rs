//! Outputs of a network.

/// Outputs of a network for one observation.
#[derive(Clone, Copy, Debug)]
pub struct NetworkOutput<'a> {
    /// Logits of all actions, `[N_ACTIONS]`; illegal ones at [`troel_nn::ILLEGAL_LOGIT`].
    pub logits: &'a [f32],
    /// Value, in the unit of training (points / reward scale).
    pub value: f32,
}
