//! A shard on the processor: the first layer over the few features that are not zero, the loss over the few actions
//! that are legal, and what lies between by burn. The same gradients as on any device, several times as fast.

use burn::tensor::{Tensor, TensorData};
use troel_agents::network::{Trunk, Weights, default_device};
use troel_env::{N_ACTIONS, N_FEATURES};
use troel_infer::Rows;

use super::{Objective, Shard};
use crate::rollout::Sample;

/// Samples that go through the network together: what lies between layers stays in the cache.
const ROWS: usize = 256;

/// Loss and gradients of some samples; the loss is their sum times `scale`.
pub(super) fn run_shard(
    weights: &Weights,
    samples: &[&Sample],
    objective: Objective,
    scale: f32,
) -> Shard {
    let trunk = Trunk::new(weights, &default_device().autodiff());
    let first = (N_FEATURES + 1) * weights.config.hidden;
    let mut flat = vec![0.0; weights.values.len()];
    let (input_sum, trunk_sum) = flat.split_at_mut(first);
    let mut loss = Loss { objective, scale, sums: [0.0; 5] };
    let mut rows = Rows::default();
    let mut part = Vec::new();
    for samples in samples.chunks(ROWS) {
        rows.clear();
        for sample in samples {
            rows.push(&sample.input.features);
        }
        part.clear();
        let input = &weights.values[..first];
        back_propagate(input, &trunk, &rows, samples, &mut loss, input_sum, &mut part);
        trunk_sum.iter_mut().zip(&part).for_each(|(sum, g)| *sum += g);
    }
    Shard { gradients: flat, sums: loss.sums }
}

/// Adds the gradients of the first layer, given its weights, to `input_sum`, and appends those of the others to `rest`.
fn back_propagate(
    input: &[f32],
    trunk: &Trunk,
    rows: &Rows,
    samples: &[&Sample],
    loss: &mut Loss,
    input_sum: &mut [f32],
    rest: &mut Vec<f32>,
) {
    let device = &default_device().autodiff();
    let (n, hidden) = (rows.len(), input.len() / (N_FEATURES + 1));
    let (matrix, bias) = input.split_at(N_FEATURES * hidden);
    let mut products = vec![0.0; n * hidden];
    rows.times(matrix, bias, &mut products, hidden);
    let products = Tensor::<2>::from_data(TensorData::new(products, [n, hidden]), device);
    let products = products.require_grad();
    let (logits, values) = trunk.heads(products.clone());

    let mut logit_gradients = numbers(logits.clone());
    let mut value_gradients = numbers(values.clone());
    let outputs = logit_gradients.chunks_mut(N_ACTIONS).zip(&mut value_gradients);
    for (sample, (logits, value)) in samples.iter().zip(outputs) {
        loss.differentiate(sample, logits, value);
    }
    // The sum of outputs times their gradients has, as far as the weights go, the gradients of the loss.
    let logit_gradients = TensorData::new(logit_gradients, [n, N_ACTIONS]);
    let value_gradients = TensorData::new(value_gradients, [n, 1]);
    let stand_in = (logits * Tensor::from_data(logit_gradients, device)).sum()
        + (values * Tensor::from_data(value_gradients, device)).sum();
    let gradients = stand_in.backward();

    let (matrix, bias) = input_sum.split_at_mut(N_FEATURES * hidden);
    if let Some(products) = products.grad(&gradients) {
        let products = numbers(products);
        rows.add_gradient(&products, hidden, matrix);
        for row in products.chunks(hidden) {
            bias.iter_mut().zip(row).for_each(|(sum, g)| *sum += g);
        }
    }
    trunk.push_gradients(&gradients, rest);
}

fn numbers(tensor: Tensor<2>) -> Vec<f32> {
    tensor.into_data().try_into_vec::<f32>().expect("the processor computes with f32")
}

/// The loss of one sample after another.
struct Loss {
    objective: Objective,
    scale: f32,
    sums: [f64; 5],
}

impl Loss {
    /// Puts the gradients of the loss in the place of a sample's logits and value, and adds to the sums.
    fn differentiate(&mut self, sample: &Sample, logits: &mut [f32], value: &mut f32) {
        let legal = sample.input.legal;
        let chosen = sample.action.index();
        // Logits of the legal actions become log-probabilities; the others do not count.
        let top = legal.into_iter().map(|a| logits[a.index()]).fold(f32::NEG_INFINITY, f32::max);
        let total: f32 = legal.into_iter().map(|a| (logits[a.index()] - top).exp()).sum();
        let shift = top + total.ln();
        let log_prob = |a: usize, logits: &[f32]| logits[a] - shift;
        let entropy: f32 = -legal
            .into_iter()
            .map(|a| log_prob(a.index(), logits))
            .map(|log_p| log_p.exp() * log_p)
            .sum::<f32>();
        let error = *value - sample.ret;
        let log_chosen = log_prob(chosen, logits);
        let missed = log_chosen < top - shift;
        let mut gradients = [0.0; N_ACTIONS];
        let (policy_loss, kl, clipped, vf_coef) = match self.objective {
            Objective::Ppo { clip_coef, ent_coef, vf_coef, policy_coef } => {
                let log_ratio = log_chosen - sample.log_prob;
                let ratio = log_ratio.exp();
                let gain = ratio * sample.advantage;
                let bounded = ratio.clamp(1.0 - clip_coef, 1.0 + clip_coef) * sample.advantage;
                // Beyond the clip nothing pulls any more.
                let pull = if gain <= bounded { gain } else { 0.0 };
                for action in legal {
                    let i = action.index();
                    let log_p = log_prob(i, logits);
                    let p = log_p.exp();
                    let towards = f32::from(u8::from(i == chosen)) - p;
                    let spread = ent_coef * p * (log_p + entropy);
                    gradients[i] = policy_coef * (spread - pull * towards);
                }
                let clipped = (ratio - 1.0).abs() > clip_coef;
                (-gain.min(bounded), (ratio - 1.0) - log_ratio, clipped, vf_coef)
            }
            Objective::Imitate { label_smoothing, vf_coef } => {
                let share = label_smoothing / legal.len() as f32;
                let mut policy_loss = -(1.0 - label_smoothing) * log_chosen;
                for action in legal {
                    let i = action.index();
                    let log_p = log_prob(i, logits);
                    let is_chosen = f32::from(u8::from(i == chosen));
                    gradients[i] = log_p.exp() - (1.0 - label_smoothing) * is_chosen - share;
                    policy_loss -= share * log_p;
                }
                (policy_loss, 0.0, missed, vf_coef)
            }
        };
        logits.iter_mut().zip(gradients).for_each(|(logit, g)| *logit = g * self.scale);
        *value = vf_coef * error * self.scale;
        let parts = [policy_loss, 0.5 * error * error, entropy, kl, f32::from(u8::from(clipped))];
        self.sums.iter_mut().zip(parts).for_each(|(sum, part)| *sum += f64::from(part));
    }
}

#[cfg(test)]
mod tests {
    use troel_agents::network::{Evaluator, NetworkConfig};
    use troel_env::RuleSet;

    use super::*;
    use crate::learner::device;
    use crate::rollout::{Plan, collect};

    #[test]
    fn gradients_agree_with_those_of_tensors() {
        let config = NetworkConfig { hidden: 75, blocks: 2 };
        let mut weights = Weights::init(config, 3);
        let evaluator = Evaluator::new(&weights);
        let rules = RuleSet::built_in("wiezen").unwrap();
        let rollout = collect(&Plan::self_play(rules, &evaluator, 0, 20));
        // Other weights than those that played, so that ratios are clipped on both sides.
        let heads = config.tensors().iter().find(|t| t.name == "policy.weight").unwrap().offset;
        weights.values[heads..].iter_mut().for_each(|w| *w *= 60.0);
        let samples: Vec<&Sample> = rollout.samples.iter().collect();
        let ppo = |policy_coef| Objective::Ppo {
            clip_coef: 0.2,
            ent_coef: 0.01,
            vf_coef: 0.5,
            policy_coef,
        };
        let imitate = |label_smoothing| Objective::Imitate { label_smoothing, vf_coef: 0.5 };
        for objective in [ppo(1.0), ppo(0.0), imitate(0.0), imitate(0.1)] {
            let scale = 1.0 / samples.len() as f32;
            let fast = run_shard(&weights, &samples, objective, scale);
            let slow = device::run_shard(&weights, &samples, objective, scale, &default_device());
            for (a, b) in fast.sums.iter().zip(slow.sums) {
                assert!((a - b).abs() <= 1e-4 * (1.0 + b.abs()), "{objective:?}: {a} {b}");
            }
            let norm = slow.gradients.iter().map(|g| g * g).sum::<f32>().sqrt();
            assert!(norm > 1e-3, "{objective:?} pulls somewhere");
            assert_eq!(fast.gradients.len(), slow.gradients.len());
            for (i, (a, b)) in fast.gradients.iter().zip(&slow.gradients).enumerate() {
                assert!((a - b).abs() <= 1e-5 * (norm + 1.0), "{objective:?} {i}: {a} {b}");
            }
            assert!(fast.sums[4] > 0.0, "{objective:?}: some are clipped, or missed");
        }
    }
}
