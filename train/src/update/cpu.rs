//! Shards on the CPU, with burn for the layers between the first one and the loss. The input layer
//! is computed over the nonzero features only, the loss over the legal actions only. The gradients
//! are those of `device`, computed several times as fast.
//!
//! Threads share the passes of all shards, then the parts of their sums (`gradient_sum`). So a
//! minibatch can occupy more threads than it has shards.

use burn::tensor::{Tensor, TensorData};
use rayon::prelude::*;
use troel_agents::network::{Trunk, default_device};
use troel_nn::{Critic, InputGradient, LayerSpec, NetworkConfig, SparseBatch, Weights};

use super::gradient_sum::{GradientSum, Pass};
use super::shard::Shard;
use crate::loss::{LossSums, LossTerm, TrainingObjective, differentiate};
use crate::sample::{RecordedDecision, Sample};

/// Largest number of samples per pass through the network, so that activations stay in the cache.
const SAMPLES_PER_PASS: usize = 256;

/// Number of passes whose gradients are in memory at once, about 60 MB with the default network.
const PASSES_PER_ROUND: usize = 64;

/// Returns the losses and gradients of the samples of each shard; the loss is their sum times
/// `scale`.
pub(super) fn run_shards(
    weights: &Weights,
    shards: &[Vec<&Sample>],
    objective: TrainingObjective,
    scale: f32,
) -> Vec<Shard> {
    let Weights { config, values } = weights;
    let layers = Layers::new(config, config.layers(), values);
    let push =
        |rows: &mut SparseBatch, decision: &RecordedDecision| decision.input.push(rows, config);
    layers.run_shards(shards, push, |sample, heads| {
        let [outputs, value] = heads else { unreachable!("an acting network has two heads") };
        let places = sample.decision.input.suit_permutation(config).actions().map(usize::from);
        let mut logits = places.map(|place| outputs[place]);
        let sums = differentiate(objective, scale, sample, &mut logits, &mut value[0]);
        places.iter().zip(logits).for_each(|(&place, gradient)| outputs[place] = gradient);
        sums
    })
}

/// Returns the losses and gradients of a critic, by shard. Its loss is half the squared error of
/// the return.
pub(super) fn run_critic_shards(
    critic: &Critic,
    shards: &[Vec<&Sample>],
    scale: f32,
) -> Vec<Shard> {
    let Critic { config, values } = critic;
    let layers = Layers::new(config, config.critic_layers(), values);
    let push = |rows: &mut SparseBatch,
                RecordedDecision { input, hidden_hands, .. }: &RecordedDecision| {
        rows.push_full(&input.features, hidden_hands);
    };
    layers.run_shards(shards, push, |sample, heads| {
        let [value] = heads else { unreachable!("a critic has one head") };
        let error = value[0] - sample.targets.deal_return;
        value[0] = error * scale;
        let mut sums = LossSums::default();
        sums[LossTerm::ValueLoss] = (0.5 * error * error).into();
        sums
    })
}

/// A network on the CPU.
struct Layers<'a> {
    blocks: usize,
    hidden: usize,
    specs: Vec<LayerSpec>,
    /// Weights of all layers; the first ones are the matrix and the bias of the input layer,
    /// `[inputs + 1, hidden]`.
    values: &'a [f32],
}

impl<'a> Layers<'a> {
    fn new(config: &NetworkConfig, specs: Vec<LayerSpec>, values: &'a [f32]) -> Layers<'a> {
        Layers { blocks: config.blocks, hidden: config.hidden, specs, values }
    }

    fn inputs(&self) -> usize {
        self.specs[0].inputs
    }

    /// Returns burn's copy of the layers after the input layer. Threads do not share one, because
    /// burn locks the graph of a tensor while it differentiates.
    fn trunk(&self) -> Trunk {
        Trunk::new(self.blocks, self.specs.clone(), self.values, &default_device().autodiff())
    }

    /// Returns the losses and gradients of the samples of each shard. `push` adds the input of a
    /// decision as a row. `differentiate` replaces the outputs of a sample, head by head, by the
    /// gradients of its loss with respect to them.
    fn run_shards(
        &self,
        shards: &[Vec<&Sample>],
        push: impl Fn(&mut SparseBatch, &RecordedDecision) + Sync,
        differentiate: impl Fn(&Sample, &mut [&mut [f32]]) -> LossSums + Sync,
    ) -> Vec<Shard> {
        let sum = || GradientSum::new(self.inputs(), self.hidden, self.values.len());
        let mut sums: Vec<GradientSum> = shards.iter().map(|_| sum()).collect();
        let passes: Vec<(usize, &[&Sample])> = shards
            .iter()
            .enumerate()
            .flat_map(|(i, shard)| shard.chunks(SAMPLES_PER_PASS).map(move |pass| (i, pass)))
            .collect();
        for round in passes.chunks(PASSES_PER_ROUND) {
            let run_pass = |trunk: &mut Trunk, &(_, samples): &(usize, &[&Sample])| {
                self.run_pass(trunk, samples, &push, &differentiate)
            };
            let done: Vec<Pass> = round.par_iter().map_init(|| self.trunk(), run_pass).collect();
            let mut rest = &done[..];
            for passes_of_shard in round.chunk_by(|a, b| a.0 == b.0) {
                let (added, after) = rest.split_at(passes_of_shard.len());
                sums[passes_of_shard[0].0].add(added);
                rest = after;
            }
        }
        sums.into_par_iter().map(GradientSum::into_shard).collect()
    }

    /// Returns the losses and gradients of the samples of one pass.
    fn run_pass(
        &self,
        trunk: &Trunk,
        samples: &[&Sample],
        push: impl Fn(&mut SparseBatch, &RecordedDecision),
        differentiate: impl Fn(&Sample, &mut [&mut [f32]]) -> LossSums,
    ) -> Pass {
        let device = &default_device().autodiff();
        let (n, hidden) = (samples.len(), self.hidden);
        let mut rows = SparseBatch::default();
        samples.iter().for_each(|sample| push(&mut rows, &sample.decision));
        let (matrix, bias) =
            self.values[..(self.inputs() + 1) * hidden].split_at(self.inputs() * hidden);
        let mut products = vec![0.0; n * hidden];
        rows.multiply(matrix, bias, &mut products, hidden);
        let products = Tensor::<2>::from_data(TensorData::new(products, [n, hidden]), device);
        let products = products.require_grad();
        let heads = trunk.heads(products.clone());

        let mut outputs: Vec<Vec<f32>> = heads.iter().map(|head| to_vec(head.clone())).collect();
        let losses = samples.iter().enumerate().map(|(row, sample)| {
            let of_row = outputs.iter_mut().map(|head| {
                let width = head.len() / n;
                &mut head[row * width..][..width]
            });
            differentiate(sample, &mut of_row.collect::<Vec<_>>())
        });
        let losses: Vec<LossSums> = losses.collect();
        // The sum of outputs times these constants has the same gradients with respect to the
        // weights as the loss.
        let terms = heads.into_iter().zip(outputs).map(|(head, gradients)| {
            let width = gradients.len() / n;
            (head * Tensor::from_data(TensorData::new(gradients, [n, width]), device)).sum()
        });
        let surrogate = terms.reduce(|a, b| a + b).expect("a network has a head");
        let gradients = surrogate.backward();
        let of_products = products.grad(&gradients).expect("all heads depend on the products");
        let input = InputGradient::new(&rows, self.inputs(), &to_vec(of_products), hidden);
        let mut of_trunk = Vec::new();
        trunk.push_gradients(&gradients, &mut of_trunk);
        Pass { input, trunk: of_trunk, losses }
    }
}

fn to_vec(tensor: Tensor<2>) -> Vec<f32> {
    tensor.into_data().try_into_vec::<f32>().expect("tensors of the default device hold f32")
}

#[cfg(test)]
mod tests {
    use troel_agents::network::Evaluator;
    use troel_env::{Action, ActionSet, N_FEATURES, N_FULL_FEATURES, Phase, RuleSet};
    use troel_nn::{CpuCritic, NetworkConfig};

    use super::*;
    use crate::loss::PpoLoss;
    use crate::rollout::{CollectSettings, collect};
    use crate::sample::TriedCall;
    use crate::update::device;

    /// Returns samples of self-play by a network of this size.
    fn samples(weights: &Weights) -> Vec<Sample> {
        let rules = RuleSet::built_in("wiezen").unwrap();
        let rollout =
            collect(&CollectSettings::self_play(rules, &Evaluator::new(weights), 0, 20)).unwrap();
        rollout.samples
    }

    /// The gradients agree with differences of the loss, computed by the forward pass of inference.
    #[test]
    fn gradients_of_a_critic_agree_with_differences() {
        let config = NetworkConfig { hidden: 21, blocks: 1, ..NetworkConfig::default() };
        let samples = samples(&Weights::init(config, 3));
        let samples: Vec<&Sample> = samples.iter().step_by(7).collect();
        let mut critic = Critic::init(config, 5);
        // A strong head, so that all gradients before it are large.
        let head = critic.values.len() - config.hidden - 1;
        critic.values[head..].iter_mut().for_each(|w| *w *= 10.0);
        let mut rows = SparseBatch::default();
        samples
            .iter()
            .for_each(|s| rows.push_full(&s.decision.input.features, &s.decision.hidden_hands));
        let loss = |critic: &Critic| {
            let values = CpuCritic::new(critic).values(&rows);
            let error = |(value, s): (f32, &&Sample)| {
                f64::from(value - s.targets.deal_return).powi(2) / 2.0
            };
            values.into_iter().zip(&samples).map(error).sum::<f64>()
        };
        let shard = run_critic_shards(&critic, std::slice::from_ref(&samples), 1.0).remove(0);
        assert!(
            (shard.sums[LossTerm::ValueLoss] - loss(&critic)).abs() < 1e-4 * (1.0 + loss(&critic))
        );
        assert_eq!(shard.gradients.len(), critic.values.len());
        // Single differences suffer from rounding and the kinks of ReLUs; together, some weights of
        // each part do not.
        let cards = N_FEATURES * config.hidden..N_FULL_FEATURES * config.hidden;
        let parts = [0..cards.start, cards.clone(), cards.end..critic.values.len()];
        for part in parts {
            let (mut errors, mut squares) = (0.0, 0.0);
            for i in part.clone().step_by(23) {
                let (gradient, step) = (f64::from(shard.gradients[i]), 1e-3);
                let at = critic.values[i];
                let [above, below] = [at + step, at - step].map(|value| {
                    critic.values[i] = value;
                    loss(&critic)
                });
                critic.values[i] = at;
                errors += ((above - below) / f64::from(2.0 * step) - gradient).powi(2);
                squares += gradient.powi(2);
            }
            assert!(squares > 1.0 && errors < 0.01 * squares, "{part:?}: {errors} of {squares}");
        }
    }

    /// A shard with more passes than a round has the same gradient as its two parts together. Bits
    /// do not depend on the number of threads.
    #[test]
    fn rounds_add_up_for_any_number_of_threads() {
        let config = NetworkConfig { hidden: 21, blocks: 1, ..NetworkConfig::default() };
        let weights = Weights::init(config, 3);
        let few = samples(&weights);
        let n = SAMPLES_PER_PASS * PASSES_PER_ROUND + 1000;
        let all: Vec<&Sample> = few.iter().cycle().take(n).collect();
        let objective = TrainingObjective::Ppo(PpoLoss { ent_coef: 0.01, ..PpoLoss::default() });
        let run = |threads: usize, shards: &[Vec<&Sample>]| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| run_shards(&weights, shards, objective, 1.0 / n as f32))
        };
        let whole = run(1, std::slice::from_ref(&all)).remove(0);
        let again = run(3, std::slice::from_ref(&all)).remove(0);
        assert!(whole.to_bytes() == again.to_bytes(), "bits of gradients and losses");
        let parts = run(2, &[all[..700].to_vec(), all[700..].to_vec()]);
        let [first, second] = parts.try_into().ok().unwrap();
        let sum = first.plus(&second);
        let norm = whole.gradients.iter().map(|g| g * g).sum::<f32>().sqrt();
        assert!(norm > 1e-3, "{norm}");
        for (i, (a, b)) in whole.gradients.iter().zip(&sum.gradients).enumerate() {
            assert!((a - b).abs() <= 1e-4 * norm, "{i}: {a} {b}");
        }
    }

    #[test]
    fn gradients_agree_with_those_of_tensors() {
        for (canonical_suits, rule_features) in [(false, false), (true, false), (true, true)] {
            agree(NetworkConfig { hidden: 75, blocks: 2, canonical_suits, rule_features });
        }
    }

    fn agree(config: NetworkConfig) {
        let mut weights = Weights::init(config, 3);
        let mut samples = samples(&weights);
        // Not all samples are for both heads.
        samples.iter_mut().step_by(3).for_each(|s| s.targets.for_policy = false);
        samples.iter_mut().step_by(5).for_each(|s| s.targets.for_value = false);
        let anchored = samples.iter_mut().filter(|s| s.is_call()).step_by(2);
        anchored.for_each(|s| s.targets.anchor = s.decision.input.legal.iter().next_back());
        let calls = samples.iter_mut().filter(|s| s.is_call());
        for (nth, sample) in calls.step_by(2).enumerate() {
            let legal = sample.decision.input.legal.into_iter();
            let reward = |place: usize| 8.0 * ((place * 7 + nth) as f32 % 5.0 - 2.0);
            let tried = legal.enumerate().map(|(i, call)| TriedCall { call, reward: reward(i) });
            sample.targets.vine = tried.step_by(2).collect();
        }
        let taught = samples.iter_mut().filter(|s| !s.is_call()).step_by(3);
        let every_second =
            |s: &Sample| s.decision.input.legal.cards.into_iter().step_by(2).collect();
        taught.for_each(|s| s.targets.taught = ActionSet::from_cards(every_second(s)));
        for sample in samples.iter_mut().filter(|s| s.is_call()).step_by(5) {
            sample.targets.taught.insert(sample.decision.action);
        }
        // Lessons too improbable for an f32.
        let misere = Action::parse("open-misere", Phase::Auction).unwrap();
        let may_bid =
            samples.iter_mut().filter(|s| s.is_call() && s.decision.input.legal.has(misere));
        for sample in may_bid.step_by(7) {
            sample.targets.taught = [misere].into_iter().collect();
        }
        // Different weights from those that played, so that ratios are clipped on both sides.
        let heads = config.tensors().iter().find(|t| t.name == "policy.weight").unwrap().offset;
        weights.values[heads..].iter_mut().for_each(|w| *w *= 60.0);
        let biases = config.tensors().iter().find(|t| t.name == "policy.bias").unwrap().offset;
        // So that vines try a dead call and lessons teach one. It has no trumps, which networks
        // rename.
        weights.values[biases + misere.index()] -= 120.0;
        let samples: Vec<&Sample> = samples.iter().collect();
        let ppo = |clip_coef, policy_coef, kl_coef| {
            TrainingObjective::Ppo(PpoLoss {
                clip_coef,
                ent_coef: 0.01,
                call_ent_factor: 3.0,
                policy_coef,
                anchor_coef: 0.2,
                defence_coef: 0.7,
                bid_lesson_coef: 0.4,
                kl_coef,
                vine_coef: 0.6,
                ..PpoLoss::default()
            })
        };
        let imitate =
            |label_smoothing| TrainingObjective::Imitate { label_smoothing, vf_coef: 0.5 };
        let near_old = ppo(0.2, 1.0, 0.3);
        let objectives = [ppo(0.2, 1.0, 0.0), near_old, ppo(0.2, 0.0, 0.3), ppo(1e6, 1.0, 0.3)];
        for objective in objectives.into_iter().chain([imitate(0.0), imitate(0.1)]) {
            let scale = 1.0 / samples.len() as f32;
            let fast =
                run_shards(&weights, std::slice::from_ref(&samples), objective, scale).remove(0);
            let slow = device::run_shard(&weights, &samples, objective, scale, &default_device());
            for (a, b) in fast.sums.0.into_iter().zip(slow.sums.0) {
                assert!((a - b).abs() <= 1e-4 * (1.0 + b.abs()), "{objective:?}: {a} {b}");
            }
            let is_ppo = matches!(objective, TrainingObjective::Ppo(_));
            assert_eq!(fast.sums[LossTerm::DeadCalls] > 0.0, is_ppo, "{objective:?}: dead calls");
            let norm = slow.gradients.iter().map(|g| g * g).sum::<f32>().sqrt();
            assert!(norm > 1e-3, "{objective:?} has a gradient");
            assert_eq!(fast.gradients.len(), slow.gradients.len());
            for (i, (a, b)) in fast.gradients.iter().zip(&slow.gradients).enumerate() {
                assert!((a - b).abs() <= 1e-5 * (norm + 1.0), "{objective:?} {i}: {a} {b}");
            }
            let is_unbounded =
                matches!(objective, TrainingObjective::Ppo(PpoLoss { clip_coef: 1e6, .. }));
            assert_eq!(
                fast.sums[LossTerm::DeviatingSamples] > 0.0,
                !is_unbounded,
                "{objective:?}: clipped, or missed"
            );
        }
    }
}
