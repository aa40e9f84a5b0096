//! A shard on the CPU: the input layer over the nonzero features only, the loss over the legal actions only, and burn
//! for the layers in between. The same gradients as on any device, several times as fast.

use burn::tensor::{Tensor, TensorData};
use troel_agents::network::{Trunk, default_device};
use troel_env::{N_ACTIONS, N_FEATURES};
use troel_nn::{Rows, Weights};

use super::Shard;
use crate::loss::{LossSums, Objective, differentiate};
use crate::sample::Sample;

/// Samples per pass through the network, so that activations stay in the cache.
const ROWS: usize = 256;

/// Losses and gradients of these samples; the loss is their sum times `scale`.
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
    let mut sums = LossSums::default();
    let mut rows = Rows::default();
    let mut part = Vec::new();
    for samples in samples.chunks(ROWS) {
        rows.clear();
        for sample in samples {
            rows.push(&sample.input.features);
        }
        part.clear();
        let input = &weights.values[..first];
        let outputs = |sample: &Sample, logits: &mut [f32], value: &mut f32| {
            sums.add(&differentiate(objective, scale, sample, logits, value));
        };
        back_propagate(input, &trunk, &rows, samples, outputs, input_sum, &mut part);
        trunk_sum.iter_mut().zip(&part).for_each(|(sum, g)| *sum += g);
    }
    Shard { gradients: flat, sums }
}

/// Adds the gradients of the input layer, whose weights are `input`, to `input_sum`, and appends those of the other
/// layers to `rest`. `differentiate` replaces the logits and the value of a sample by the gradients of its loss.
fn back_propagate(
    input: &[f32],
    trunk: &Trunk,
    rows: &Rows,
    samples: &[&Sample],
    mut differentiate: impl FnMut(&Sample, &mut [f32], &mut f32),
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
        differentiate(sample, logits, value);
    }
    // The sum of outputs times these constants has the same gradients with respect to the weights as the loss.
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

#[cfg(test)]
mod tests {
    use troel_agents::network::Evaluator;
    use troel_env::RuleSet;
    use troel_nn::NetworkConfig;

    use super::*;
    use crate::rollout::{Plan, collect};
    use crate::update::device;

    #[test]
    fn gradients_agree_with_those_of_tensors() {
        let config = NetworkConfig { hidden: 75, blocks: 2 };
        let mut weights = Weights::init(config, 3);
        let evaluator = Evaluator::new(&weights);
        let rules = RuleSet::built_in("wiezen").unwrap();
        let rollout = collect(&Plan::self_play(rules, &evaluator, 0, 20)).unwrap();
        // Different weights from those that played, so that ratios are clipped on both sides.
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
            let parts = |sums: &LossSums| {
                let LossSums { policy_loss, value_loss, entropy, approx_kl, clipped } = *sums;
                [policy_loss, value_loss, entropy, approx_kl, clipped]
            };
            for (a, b) in parts(&fast.sums).into_iter().zip(parts(&slow.sums)) {
                assert!((a - b).abs() <= 1e-4 * (1.0 + b.abs()), "{objective:?}: {a} {b}");
            }
            let norm = slow.gradients.iter().map(|g| g * g).sum::<f32>().sqrt();
            assert!(norm > 1e-3, "{objective:?} has a gradient");
            assert_eq!(fast.gradients.len(), slow.gradients.len());
            for (i, (a, b)) in fast.gradients.iter().zip(&slow.gradients).enumerate() {
                assert!((a - b).abs() <= 1e-5 * (norm + 1.0), "{objective:?} {i}: {a} {b}");
            }
            assert!(fast.sums.clipped > 0.0, "{objective:?}: some are clipped, or missed");
        }
    }
}
