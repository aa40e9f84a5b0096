//! Objectives of an update, and the weights of their losses.

/// Objective that an optimiser step minimises.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TrainingObjective {
    /// PPO: clipped surrogate, value loss and entropy bonus (Schulman et al. 2017), and the further
    /// losses of [`PpoLoss`].
    Ppo(PpoLoss),
    /// Cross-entropy with the recorded action, and value loss.
    Imitate {
        /// Share of the target probability spread over all legal actions.
        label_smoothing: f32,
        /// Weight of the value loss.
        vf_coef: f32,
    },
}

/// Settings of the PPO loss. The default is PPO alone, without an entropy bonus.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PpoLoss {
    /// Probability ratios are clipped to 1 ± this.
    pub clip_coef: f32,
    /// Weight of the entropy bonus.
    pub ent_coef: f32,
    /// Factor of the entropy bonus at calls.
    pub call_ent_factor: f32,
    /// Weight of the value loss.
    pub vf_coef: f32,
    /// Weight of policy loss and entropy bonus: 1, or 0 while only the value loss is used.
    pub policy_coef: f32,
    /// Weight of the cross-entropy with the call of the anchor.
    pub anchor_coef: f32,
    /// Weight of the cross-entropy with the cards that the solver teaches in defence of a misère.
    pub defence_coef: f32,
    /// Weight of the cross-entropy with the bids that strong hands are taught.
    pub bid_lesson_coef: f32,
    /// Weight of the Kullback–Leibler divergence from the policy that collected the samples.
    /// KL(π‖π_old) is estimated as ρ ln ρ − (ρ − 1) with ρ = π/π_old.
    pub kl_coef: f32,
    /// Weight of the loss on tried calls ([`Targets::vine`](crate::sample::Targets)).
    pub vine_coef: f32,
}

impl Default for PpoLoss {
    fn default() -> PpoLoss {
        PpoLoss {
            clip_coef: 0.2,
            ent_coef: 0.0,
            call_ent_factor: 1.0,
            vf_coef: 0.5,
            policy_coef: 1.0,
            anchor_coef: 0.0,
            defence_coef: 0.0,
            bid_lesson_coef: 0.0,
            kl_coef: 0.0,
            vine_coef: 0.0,
        }
    }
}
