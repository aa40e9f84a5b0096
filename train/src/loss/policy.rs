//! Policy of a network at one decision: the softmax over the legal actions.

use troel_env::{Action, ActionSet};

/// Softmax over the legal actions of a decision, from logits that are not masked.
pub(super) struct LegalSoftmax<'a> {
    logits: &'a [f32],
    pub legal: ActionSet,
    /// Largest logit of a legal action.
    max_logit: f32,
    /// Logarithm of the sum of the exponentials of the legal logits.
    log_total: f32,
}

impl<'a> LegalSoftmax<'a> {
    /// Returns the policy with these logits of all actions, `[N_ACTIONS]`.
    pub fn new(logits: &'a [f32], legal: ActionSet) -> LegalSoftmax<'a> {
        let legal_logits = || legal.into_iter().map(|action| logits[action.index()]);
        let max_logit = legal_logits().fold(f32::NEG_INFINITY, f32::max);
        let total: f32 = legal_logits().map(|logit| (logit - max_logit).exp()).sum();
        LegalSoftmax { logits, legal, max_logit, log_total: max_logit + total.ln() }
    }

    /// Returns the log-probability of a legal action.
    pub fn log_prob(&self, action: Action) -> f32 {
        self.logits[action.index()] - self.log_total
    }

    /// Returns the log-probability of the likeliest action.
    pub fn max_log_prob(&self) -> f32 {
        self.max_logit - self.log_total
    }

    /// Returns the entropy over the legal actions, in nats.
    pub fn entropy(&self) -> f32 {
        let log_probs = self.legal.into_iter().map(|action| self.log_prob(action));
        -log_probs.map(|log_p| log_p.exp() * log_p).sum::<f32>()
    }

    /// Returns the logarithm of the total probability of some actions. Log-sum-exp: the
    /// probabilities may underflow an f32.
    pub fn log_prob_of_any(&self, actions: ActionSet) -> f32 {
        let log_probs = || actions.into_iter().map(|action| self.log_prob(action));
        let max = log_probs().fold(f32::NEG_INFINITY, f32::max);
        max + log_probs().map(|log_p| (log_p - max).exp()).sum::<f32>().ln()
    }
}
