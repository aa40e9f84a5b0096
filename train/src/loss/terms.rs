//! Sums of losses and counts over samples, and their means.

use std::ops::{Index, IndexMut};

/// Loss or count that an update sums over its samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LossTerm {
    /// Policy loss, or cross-entropy in imitation.
    PolicyLoss,
    /// Value loss: half the squared error.
    ValueLoss,
    /// Entropy of the policy over the legal actions.
    Entropy,
    /// Approximate KL divergence from the old policy, (r − 1) − ln r.
    ApproxKl,
    /// Number of samples from which the policy deviates. The ratio of such a sample is outside 1 ±
    /// `clip_coef`, or in imitation, its likeliest action is not the recorded one.
    DeviatingSamples,
    /// Cross-entropy with the call of the anchor.
    AnchorLoss,
    /// Number of samples with a call of the anchor.
    AnchoredSamples,
    /// Minus the logarithm of the total probability of the taught actions.
    TaughtLoss,
    /// Number of samples with taught actions.
    TaughtSamples,
    /// Entropy of the policy at calls.
    CallEntropy,
    /// Number of samples that are calls.
    CallSamples,
    /// Number of calls that vines tried.
    TriedCalls,
    /// Number of tried calls with a probability below 10⁻⁶.
    DeadCalls,
}

impl LossTerm {
    /// Number of terms: the index of the last one, plus 1.
    pub const COUNT: usize = LossTerm::DeadCalls as usize + 1;

    /// Returns the term that counts the samples or calls of this term's mean. Returns `None` if the
    /// mean is over all samples.
    fn counted_by(self) -> Option<LossTerm> {
        match self {
            LossTerm::AnchorLoss => Some(LossTerm::AnchoredSamples),
            LossTerm::TaughtLoss => Some(LossTerm::TaughtSamples),
            LossTerm::CallEntropy => Some(LossTerm::CallSamples),
            LossTerm::DeadCalls => Some(LossTerm::TriedCalls),
            _ => None,
        }
    }
}

/// Sums over samples, one per [`LossTerm`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LossSums(pub(crate) [f64; LossTerm::COUNT]);

impl LossSums {
    /// Returns sums with these values, in the order of the enum. The order and the length of the
    /// array make sure that no term is forgotten.
    pub(crate) fn new(terms: [(LossTerm, f64); LossTerm::COUNT]) -> LossSums {
        let mut sums = LossSums::default();
        for (index, (term, value)) in terms.into_iter().enumerate() {
            assert_eq!(term as usize, index, "{term:?} is out of order");
            sums[term] = value;
        }
        sums
    }

    /// Adds the sums of other samples.
    pub fn add(&mut self, other: &LossSums) {
        self.0.iter_mut().zip(other.0).for_each(|(sum, added)| *sum += added);
    }
}

impl Index<LossTerm> for LossSums {
    type Output = f64;

    fn index(&self, term: LossTerm) -> &f64 {
        &self.0[term as usize]
    }
}

impl IndexMut<LossTerm> for LossSums {
    fn index_mut(&mut self, term: LossTerm) -> &mut f64 {
        &mut self.0[term as usize]
    }
}

/// Losses of an update's last epoch.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Losses {
    /// Sums over the samples of the epoch.
    pub sums: LossSums,
    /// Number of samples of the epoch.
    pub samples: usize,
    /// Mean norm of the gradient before clipping.
    pub grad_norm: f64,
    /// Number of epochs run.
    pub epochs: u32,
}

impl Losses {
    /// Returns the mean of a term over the samples or calls that have it, and 0 without any.
    pub fn mean(&self, term: LossTerm) -> f64 {
        let count = match term.counted_by() {
            Some(count) => self.sums[count],
            None => self.samples as f64,
        };
        self.sums[term] / count.max(1.0)
    }

    /// Returns the mean entropy of the policy at cards, and 0 without cards.
    pub fn mean_card_entropy(&self) -> f64 {
        let cards = self.samples.max(1) as f64 - self.sums[LossTerm::CallSamples];
        (self.sums[LossTerm::Entropy] - self.sums[LossTerm::CallEntropy]) / cards.max(1.0)
    }
}

/// Terms of the loss of a sample that depend on the objective.
pub(super) struct ObjectiveTerms {
    pub policy_loss: f32,
    pub approx_kl: f32,
    /// See [`LossTerm::DeviatingSamples`].
    pub is_deviating: bool,
    /// Number of dead calls.
    pub dead_calls: u32,
}
