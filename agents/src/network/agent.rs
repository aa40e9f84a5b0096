//! A network at the table.

use std::sync::Arc;

use burn::tensor::{Bool, Device, Tensor, TensorData};
use troel_env::rng::{Purpose, Stream};
use troel_env::{Action, ActionSet, N_ACTIONS, N_FEATURES, Observation};
use troel_infer::forward::Scratch;
use troel_infer::{Forward, Input, Thought, Weights, draw, likeliest, probabilities};

use super::model::Network;
use crate::agent::Agent;

/// What a network thinks of one observation.
#[derive(Clone, Copy, Debug)]
pub struct Evaluation<'a> {
    /// Logits of all actions; illegal ones at [`troel_infer::ILLEGAL_LOGIT`].
    pub logits: &'a [f32],
    /// Value, in the unit that the network was trained in (points / reward scale).
    pub value: f32,
}

/// A network ready to be asked, to be shared between threads.
#[derive(Clone, Debug)]
pub enum Evaluator {
    /// On the processor.
    Processor(Arc<Forward>),
    /// On another device.
    Device(Box<Network>, Device),
}

impl Evaluator {
    /// The network of these weights on the processor.
    pub fn new(weights: &Weights) -> Evaluator {
        Evaluator::Processor(Arc::new(Forward::new(weights)))
    }

    /// The network of these weights on a device: by burn, unless it is the processor.
    pub fn on(weights: &Weights, device: &Device) -> Evaluator {
        if super::is_processor(device) {
            Evaluator::new(weights)
        } else {
            Evaluator::Device(Box::new(Network::new(weights, device)), device.clone())
        }
    }
}

/// Plays what a network says: the likeliest action, or one drawn from the policy.
pub struct NetworkAgent {
    evaluator: Evaluator,
    inputs: Vec<Input>,
    scratch: Scratch,
    /// Seed to draw actions with; `None` takes the likeliest.
    sample: Option<u64>,
    /// Points that a value of one stands for.
    reward_scale: f32,
}

impl NetworkAgent {
    /// Takes the likeliest action; with a seed, draws from the policy: the same action whenever it sees the same.
    pub fn new(evaluator: Evaluator, sample: Option<u64>) -> NetworkAgent {
        NetworkAgent {
            evaluator,
            inputs: Vec::new(),
            scratch: Scratch::default(),
            sample,
            reward_scale: 1.0,
        }
    }

    /// The same, with values in points: `reward_scale` of them for one unit that the network was trained in.
    pub fn in_points(self, reward_scale: f32) -> NetworkAgent {
        NetworkAgent { reward_scale, ..self }
    }

    /// Evaluates a batch and visits each result.
    pub fn evaluate(
        &mut self,
        observations: &[Observation],
        visit: impl FnMut(usize, Evaluation<'_>),
    ) {
        let mut inputs = std::mem::take(&mut self.inputs);
        inputs.clear();
        inputs.extend(observations.iter().map(Input::from));
        self.evaluate_inputs(&inputs, visit);
        self.inputs = inputs;
    }

    /// Evaluates a batch of packed observations and visits each result.
    pub fn evaluate_inputs(
        &mut self,
        inputs: &[Input],
        mut visit: impl FnMut(usize, Evaluation<'_>),
    ) {
        if inputs.is_empty() {
            return;
        }
        match &self.evaluator {
            Evaluator::Processor(forward) => {
                forward.evaluate(inputs, &mut self.scratch);
                let results = self.scratch.logits().zip(self.scratch.values());
                for (i, (logits, &value)) in results.enumerate() {
                    visit(i, Evaluation { logits, value });
                }
            }
            Evaluator::Device(network, device) => {
                let (features, illegal) = tensors(inputs.iter(), device);
                let (logits, values) = network.forward(features, illegal);
                let logits: Vec<f32> = logits.into_data().iter().collect();
                let values: Vec<f32> = values.into_data().iter().collect();
                for (i, (logits, value)) in logits.chunks(N_ACTIONS).zip(values).enumerate() {
                    visit(i, Evaluation { logits, value });
                }
            }
        }
    }
}

/// The features `[batch, N_FEATURES]` and the illegal actions `[batch, N_ACTIONS]` of a batch on a device.
pub fn tensors<'a>(
    inputs: impl ExactSizeIterator<Item = &'a Input>,
    device: &Device,
) -> (Tensor<2>, Tensor<2, Bool>) {
    let n = inputs.len();
    let (mut features, mut illegal) = (vec![0.0; n * N_FEATURES], vec![true; n * N_ACTIONS]);
    let rows = features.chunks_mut(N_FEATURES).zip(illegal.chunks_mut(N_ACTIONS));
    for (input, (features, illegal)) in inputs.zip(rows) {
        input.features.expand(features);
        for action in input.legal {
            illegal[action.index()] = false;
        }
    }
    (
        Tensor::from_data(TensorData::new(features, [n, N_FEATURES]), device),
        Tensor::from_data(TensorData::new(illegal, [n, N_ACTIONS]), device),
    )
}

/// The likeliest action, or with a seed one drawn from the policy.
fn choose(
    observation: &Observation,
    legal: ActionSet,
    logits: &[f32],
    seed: Option<u64>,
) -> Action {
    match seed {
        Some(seed) => {
            let key = observation.fingerprint();
            draw(legal, logits, &mut Stream::new(seed, Purpose::Action, key)).0
        }
        None => likeliest(legal, logits),
    }
}

impl Agent for NetworkAgent {
    fn act(&mut self, observations: &[Observation], out: &mut [Action]) {
        let sample = self.sample;
        self.evaluate(observations, |i, evaluation| {
            let legal = observations[i].legal_actions();
            out[i] = choose(&observations[i], legal, evaluation.logits, sample);
        });
    }

    fn think(&mut self, observation: &Observation) -> Thought {
        let (sample, scale, legal) = (self.sample, self.reward_scale, observation.legal_actions());
        let mut thought = Thought { action: Action::PASS, policy: Vec::new(), value: None };
        self.evaluate(std::slice::from_ref(observation), |_, evaluation| {
            thought = Thought {
                action: choose(observation, legal, evaluation.logits, sample),
                policy: probabilities(legal, evaluation.logits),
                value: Some(evaluation.value * scale),
            };
        });
        thought
    }
}
