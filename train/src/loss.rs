//! Training objectives: losses and their gradients with respect to a network's outputs, sample by
//! sample.

use std::ops::{Index, IndexMut};

use troel_env::{Action, ActionSet, N_ACTIONS};

use crate::sample::{Sample, Tried};

/// Objective that an optimiser step minimises.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Objective {
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
    /// Weight of the cross-entropy with the cards that the solver teaches.
    pub taught_coef: f32,
    /// Weight of the cross-entropy with calls that the hand is certain to make.
    pub sure_call_coef: f32,
    /// Weight of the Kullback–Leibler divergence KL(π‖π_old) from the policy that collected the
    /// samples, estimated as ρ ln ρ − (ρ − 1) with ρ = π/π_old.
    pub kl_coef: f32,
    /// Weight of the loss on tried calls (`Sample::vine`).
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
            taught_coef: 0.0,
            sure_call_coef: 0.0,
            kl_coef: 0.0,
            vine_coef: 0.0,
        }
    }
}

/// Quantity that an update sums over its samples.
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
    /// Number of samples from which the policy deviates: its ratio is outside 1 ± `clip_coef`, or
    /// in imitation, its likeliest action is not the recorded one.
    Deviating,
    /// Cross-entropy with the call of the anchor.
    AnchorLoss,
    /// Number of samples with a call of the anchor.
    Anchored,
    /// Minus the logarithm of the total probability of the taught actions.
    TaughtLoss,
    /// Number of samples with taught actions.
    Taught,
    /// Entropy of the policy at calls.
    CallEntropy,
    /// Number of samples that are calls.
    Calls,
    /// Number of calls that vines tried.
    Tried,
    /// Number of tried calls with a probability below `DEAD_CALL_PROBABILITY`.
    Dead,
}

impl LossTerm {
    /// Number of terms: the index of the last one, plus 1.
    pub const COUNT: usize = LossTerm::Dead as usize + 1;

    /// Returns the term that counts the samples or calls of this term's mean. Returns `None` if the
    /// mean is over all samples.
    fn counted_by(self) -> Option<LossTerm> {
        match self {
            LossTerm::AnchorLoss => Some(LossTerm::Anchored),
            LossTerm::TaughtLoss => Some(LossTerm::Taught),
            LossTerm::CallEntropy => Some(LossTerm::Calls),
            LossTerm::Dead => Some(LossTerm::Tried),
            _ => None,
        }
    }
}

/// Sums over samples, one per [`LossTerm`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LossSums(pub(crate) [f64; LossTerm::COUNT]);

impl LossSums {
    /// Returns sums with these values. The length of the array makes sure that no term is
    /// forgotten.
    pub(crate) fn new(terms: [(LossTerm, f64); LossTerm::COUNT]) -> LossSums {
        let mut sums = LossSums::default();
        for (term, value) in terms {
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
        let cards = self.samples.max(1) as f64 - self.sums[LossTerm::Calls];
        (self.sums[LossTerm::Entropy] - self.sums[LossTerm::CallEntropy]) / cards.max(1.0)
    }
}

/// Probability below which a vine does not lower a call further, so that sampling still finds it.
pub(crate) const MIN_CALL_PROBABILITY: f32 = 1e-3;

/// Largest size of a vine's advantage, in standard deviations of advantages: a slam is worth many.
pub(crate) const MAX_VINE_ADVANTAGE: f32 = 10.0;

/// Probability below which a tried call counts as dead: sampling will hardly find it again.
pub(crate) const DEAD_CALL_PROBABILITY: f32 = 1e-6;

/// Policy of a network at one decision, from logits that are not masked.
struct Policy<'a> {
    logits: &'a [f32],
    legal: ActionSet,
    /// Largest logit of a legal action.
    max_logit: f32,
    /// Logarithm of the sum of the exponentials of the legal logits.
    log_total: f32,
}

impl<'a> Policy<'a> {
    fn new(logits: &'a [f32], legal: ActionSet) -> Policy<'a> {
        let legal_logits = || legal.into_iter().map(|action| logits[action.index()]);
        let max_logit = legal_logits().fold(f32::NEG_INFINITY, f32::max);
        let total: f32 = legal_logits().map(|logit| (logit - max_logit).exp()).sum();
        Policy { logits, legal, max_logit, log_total: max_logit + total.ln() }
    }

    fn log_prob(&self, action: Action) -> f32 {
        self.logits[action.index()] - self.log_total
    }

    /// Returns the log-probability of the likeliest action.
    fn max_log_prob(&self) -> f32 {
        self.max_logit - self.log_total
    }

    fn entropy(&self) -> f32 {
        let log_probs = self.legal.into_iter().map(|action| self.log_prob(action));
        -log_probs.map(|log_p| log_p.exp() * log_p).sum::<f32>()
    }

    /// Returns the logarithm of the total probability of some actions. Log-sum-exp: the
    /// probabilities may underflow an f32.
    fn log_prob_of_any(&self, actions: ActionSet) -> f32 {
        let log_probs = || actions.into_iter().map(|action| self.log_prob(action));
        let max = log_probs().fold(f32::NEG_INFINITY, f32::max);
        max + log_probs().map(|log_p| (log_p - max).exp()).sum::<f32>().ln()
    }
}

/// Terms of the loss of a sample that depend on the objective.
struct ObjectiveTerms {
    policy_loss: f32,
    approx_kl: f32,
    /// See [`LossTerm::Deviating`].
    is_deviating: bool,
    /// Number of dead calls.
    dead: u32,
}

/// Replaces a sample's logits and value by the gradients of its loss with respect to them, times
/// `scale`, and returns the terms of the loss. Gradients of illegal actions are zero.
///
/// `logits` has one entry per action, `[N_ACTIONS]`, not masked.
pub fn differentiate(
    objective: Objective,
    scale: f32,
    sample: &Sample,
    logits: &mut [f32],
    value: &mut f32,
) -> LossSums {
    let policy = Policy::new(logits, sample.input.legal);
    let entropy = policy.entropy();
    let error = *value - sample.value_target;
    let anchor_loss = sample.anchor.map_or(0.0, |anchor| -policy.log_prob(anchor));
    let log_taught = policy.log_prob_of_any(sample.taught);
    let taught_loss = if sample.taught.is_empty() { 0.0 } else { -log_taught };
    let mut gradients = [0.0; N_ACTIONS];
    let (terms, vf_coef) = match objective {
        Objective::Ppo(ppo) => (
            differentiate_ppo(&ppo, sample, &policy, entropy, log_taught, &mut gradients),
            if sample.for_value { ppo.vf_coef } else { 0.0 },
        ),
        Objective::Imitate { label_smoothing, vf_coef } => {
            (differentiate_imitation(label_smoothing, sample, &policy, &mut gradients), vf_coef)
        }
    };
    logits.iter_mut().zip(gradients).for_each(|(logit, g)| *logit = g * scale);
    *value = vf_coef * error * scale;
    let count = |is_counted: bool| f64::from(u8::from(is_counted));
    LossSums::new([
        (LossTerm::PolicyLoss, terms.policy_loss.into()),
        (LossTerm::ValueLoss, (0.5 * error * error).into()),
        (LossTerm::Entropy, entropy.into()),
        (LossTerm::ApproxKl, terms.approx_kl.into()),
        (LossTerm::Deviating, count(terms.is_deviating)),
        (LossTerm::AnchorLoss, anchor_loss.into()),
        (LossTerm::Anchored, count(sample.anchor.is_some())),
        (LossTerm::TaughtLoss, taught_loss.into()),
        (LossTerm::Taught, count(!sample.taught.is_empty())),
        (LossTerm::CallEntropy, if sample.is_call() { entropy.into() } else { 0.0 }),
        (LossTerm::Calls, count(sample.is_call())),
        (LossTerm::Tried, sample.vine.len() as f64),
        (LossTerm::Dead, f64::from(terms.dead)),
    ])
}

/// Writes the gradients of the PPO loss with respect to the logits. `log_taught` is the logarithm
/// of the total probability of the taught actions.
fn differentiate_ppo(
    ppo: &PpoLoss,
    sample: &Sample,
    policy: &Policy<'_>,
    entropy: f32,
    log_taught: f32,
    gradients: &mut [f32; N_ACTIONS],
) -> ObjectiveTerms {
    let taught_coef = if sample.is_call() { ppo.sure_call_coef } else { ppo.taught_coef };
    let taught_coef = if sample.taught.is_empty() { 0.0 } else { taught_coef };
    let has_anchor = sample.anchor.is_some() && sample.for_value;
    let anchor_coef = if has_anchor { ppo.anchor_coef } else { 0.0 };
    let policy_coef = if sample.for_policy { ppo.policy_coef } else { 0.0 };
    let ent_coef = if sample.is_call() { ppo.ent_coef * ppo.call_ent_factor } else { ppo.ent_coef };
    let log_ratio = policy.log_prob(sample.action) - sample.log_prob;
    let ratio = log_ratio.exp();
    let surrogate = ratio * sample.advantage;
    let bounded = ratio.clamp(1.0 - ppo.clip_coef, 1.0 + ppo.clip_coef) * sample.advantage;
    // Clipped samples contribute no policy gradient.
    let weight = if surrogate <= bounded { surrogate } else { 0.0 };
    // The derivative of ρ ln ρ − (ρ − 1) with respect to the chosen action's log-probability is
    // ρ ln ρ.
    let weight = if ppo.kl_coef > 0.0 { weight - ppo.kl_coef * ratio * log_ratio } else { weight };
    for action in policy.legal {
        let log_p = policy.log_prob(action);
        let p = log_p.exp();
        // Derivative of the chosen action's log-probability with respect to this logit.
        let score = f32::from(u8::from(action == sample.action)) - p;
        let entropy_gradient = ent_coef * p * (log_p + entropy);
        let is_anchor = f32::from(u8::from(sample.anchor == Some(action)));
        let is_taught = sample.taught.has(action);
        let among_taught = if is_taught { (log_p - log_taught).exp() } else { 0.0 };
        gradients[action.index()] = policy_coef * (entropy_gradient - weight * score)
            + anchor_coef * (p - is_anchor)
            + taught_coef * (p - among_taught);
    }
    let dead = if ppo.vine_coef > 0.0 {
        differentiate_vine(ppo.vine_coef, &sample.vine, policy, gradients)
    } else {
        0
    };
    ObjectiveTerms {
        policy_loss: -surrogate.min(bounded),
        approx_kl: (ratio - 1.0) - log_ratio,
        is_deviating: (ratio - 1.0).abs() > ppo.clip_coef,
        dead,
    }
}

/// Adds the gradients of the calls that a vine tried, times `coef`; returns the number of dead
/// calls.
///
/// A call's advantage is its reward less the mean reward of the tried calls under the policy. The
/// loss is −Σ advantage × log-probability: a call with a positive advantage is raised even if it is
/// improbable.
fn differentiate_vine(
    coef: f32,
    vine: &[Tried],
    policy: &Policy<'_>,
    gradients: &mut [f32; N_ACTIONS],
) -> u32 {
    let probability = |tried: &Tried| policy.log_prob(tried.call).exp().max(f32::MIN_POSITIVE);
    let total: f32 = vine.iter().map(probability).sum();
    let mean = vine.iter().map(|tried| probability(tried) / total * tried.reward).sum::<f32>();
    let mut sum = 0.0;
    for tried in vine {
        let advantage = (tried.reward - mean).clamp(-MAX_VINE_ADVANTAGE, MAX_VINE_ADVANTAGE);
        if advantage > 0.0 || probability(tried) >= MIN_CALL_PROBABILITY {
            gradients[tried.call.index()] -= coef * advantage;
            sum += advantage;
        }
    }
    // The softmax takes the sum from all legal actions by their probabilities.
    for action in policy.legal {
        gradients[action.index()] += coef * sum * policy.log_prob(action).exp();
    }
    vine.iter().filter(|tried| probability(tried) < DEAD_CALL_PROBABILITY).count() as u32
}

/// Writes the gradients of the cross-entropy with the recorded action with respect to the logits.
fn differentiate_imitation(
    label_smoothing: f32,
    sample: &Sample,
    policy: &Policy<'_>,
    gradients: &mut [f32; N_ACTIONS],
) -> ObjectiveTerms {
    let share = label_smoothing / policy.legal.len() as f32;
    let log_chosen = policy.log_prob(sample.action);
    let mut policy_loss = -(1.0 - label_smoothing) * log_chosen;
    for action in policy.legal {
        let log_p = policy.log_prob(action);
        let is_chosen = f32::from(u8::from(action == sample.action));
        gradients[action.index()] = log_p.exp() - (1.0 - label_smoothing) * is_chosen - share;
        policy_loss -= share * log_p;
    }
    let is_deviating = log_chosen < policy.max_log_prob();
    ObjectiveTerms { policy_loss, approx_kl: 0.0, is_deviating, dead: 0 }
}

#[cfg(test)]
mod tests {
    use troel_agents::network::Evaluator;
    use troel_env::RuleSet;
    use troel_env::rng::{Purpose, Stream};
    use troel_nn::{NetworkConfig, Weights};

    use super::*;
    use crate::rollout::{Plan, collect};

    /// Returns samples of two deals of self-play.
    fn samples() -> Vec<Sample> {
        let config = NetworkConfig { hidden: 8, blocks: 0, ..NetworkConfig::default() };
        let weights = Weights::init(config, 3);
        let rules = RuleSet::built_in("luxembourg").expect("rules");
        let evaluator = Evaluator::new(&weights);
        collect(&Plan::self_play(rules, &evaluator, 0, 2)).expect("no bot fails").samples
    }

    /// Returns the log-softmax of these logits.
    fn log_softmax(logits: &[f64]) -> Vec<f64> {
        let total: f64 = logits.iter().map(|x| x.exp()).sum();
        logits.iter().map(|x| x - total.ln()).collect()
    }

    /// Returns KL(π‖π_old) of two vectors of logits.
    fn divergence(logits: &[f64], old: &[f64]) -> f64 {
        let (new, old) = (log_softmax(logits), log_softmax(old));
        new.iter().zip(&old).map(|(new, old)| new.exp() * (new - old)).sum()
    }

    /// A call with a positive advantage is raised even if it is improbable. A call with a negative
    /// advantage is lowered only down to a small probability.
    #[test]
    fn vines_raise_improbable_calls() {
        let samples = samples();
        let objective =
            Objective::Ppo(PpoLoss { policy_coef: 0.0, vine_coef: 0.5, ..PpoLoss::default() });
        let sample = samples.iter().find(|s| s.is_call() && s.input.legal.len() > 3).expect("one");
        let calls: Vec<Action> = sample.input.legal.into_iter().collect();
        // The first call has nearly all of the probability and no advantage.
        let gradient = |logit: f32, reward: f32| {
            let tried = [(calls[0], 1.0), (calls[1], reward)];
            let vine = tried.map(|(call, reward)| Tried { call, reward }).to_vec();
            let sample = Sample { vine, ..sample.clone() };
            let mut logits = [0.0; N_ACTIONS];
            (logits[calls[0].index()], logits[calls[1].index()]) = (40.0, logit);
            differentiate(objective, 1.0, &sample, &mut logits, &mut 0.0);
            logits[calls[1].index()]
        };
        // A step goes against the gradient.
        assert!((gradient(0.0, 3.0) + 0.5 * 2.0).abs() < 1e-4);
        assert!(gradient(0.0, -3.0).abs() < 1e-4);
        assert!(gradient(39.0, -3.0) > 0.1 && gradient(39.0, 3.0) < -0.1);
    }

    /// The gradient of a lesson does not vanish for improbable calls.
    #[test]
    fn lessons_raise_improbable_calls() {
        let samples = samples();
        let objective = Objective::Ppo(PpoLoss {
            vf_coef: 0.0,
            policy_coef: 0.0,
            sure_call_coef: 0.5,
            ..PpoLoss::default()
        });
        let sample = samples.iter().find(|s| s.is_call() && s.input.legal.len() > 3).expect("one");
        let calls: Vec<usize> = sample.input.legal.into_iter().map(Action::index).collect();
        let mut sample = sample.clone();
        sample.taught = sample.input.legal.into_iter().skip(1).take(2).collect();
        for logit in [1.0, 20.0, 80.0, 300.0] {
            let mut logits = [0.0; N_ACTIONS];
            logits[calls[0]] = logit;
            let sums = differentiate(objective, 1.0, &sample, &mut logits, &mut 0.0);
            let others = calls.len() as f64 - 1.0;
            let wanted = (f64::from(logit).exp() + others).ln() - 2.0f64.ln();
            assert!((sums[LossTerm::TaughtLoss] - wanted).abs() < 1e-4 * wanted, "{logit}");
            let p = 1.0 / (f64::from(logit).exp() + others);
            for taught in [calls[1], calls[2]] {
                assert!((f64::from(logits[taught]) - 0.5 * (p - 0.5)).abs() < 1e-5, "{logit}");
            }
        }
    }

    /// The mean gradient over actions drawn from the old policy is that of KL(π‖π_old), by
    /// differences.
    #[test]
    fn the_estimate_of_the_divergence_has_its_gradient() {
        let samples = samples();
        let objective = Objective::Ppo(PpoLoss {
            clip_coef: 1e6,
            vf_coef: 0.0,
            kl_coef: 0.7,
            ..PpoLoss::default()
        });
        let mut stream = Stream::new(9, Purpose::Action, 0);
        let mut tried = 0;
        for sample in samples.iter().filter(|sample| sample.input.legal.len() > 2).take(20) {
            let legal: Vec<usize> = sample.input.legal.into_iter().map(Action::index).collect();
            let mut draw = || legal.iter().map(|_| f64::from(stream.unit()) * 3.0).collect();
            let (new, old): (Vec<f64>, Vec<f64>) = (draw(), draw());
            let mut mean = vec![0.0; N_ACTIONS];
            for (action, log_prob) in sample.input.legal.into_iter().zip(log_softmax(&old)) {
                let sample = Sample {
                    action,
                    log_prob: log_prob as f32,
                    advantage: 0.0,
                    for_policy: true,
                    ..sample.clone()
                };
                let mut logits = [0.0; N_ACTIONS];
                legal.iter().zip(&new).for_each(|(&place, &x)| logits[place] = x as f32);
                differentiate(objective, 1.0, &sample, &mut logits, &mut 0.0);
                let weight = log_prob.exp();
                mean.iter_mut().zip(logits).for_each(|(sum, g)| *sum += weight * f64::from(g));
            }
            for (nth, &place) in legal.iter().enumerate() {
                let [above, below] = [1e-5, -1e-5].map(|step| {
                    let mut moved = new.clone();
                    moved[nth] += step;
                    divergence(&moved, &old)
                });
                let wanted = 0.7 * (above - below) / 2e-5;
                assert!((mean[place] - wanted).abs() < 1e-4, "{} {wanted}", mean[place]);
                tried += usize::from(wanted.abs() > 0.01);
            }
        }
        assert!(tried > 20, "only {tried} gradients are not zero");
    }
}
