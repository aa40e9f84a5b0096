//! A network at the table.

use std::sync::Arc;

use burn::tensor::{Device, Tensor, TensorData};
use troel_env::rng::{Purpose, Stream};
use troel_env::{Action, ActionSet, N_ACTIONS, N_FEATURES, Observation};

use super::model::{ILLEGAL_LOGIT, Network, default_device};
use super::weights::Weights;
use crate::agent::Agent;

/// What a network thinks of one observation.
#[derive(Clone, Copy, Debug)]
pub struct Evaluation<'a> {
    /// Logits of all actions; illegal ones at [`ILLEGAL_LOGIT`].
    pub logits: &'a [f32],
    /// Value, in the unit that the network was trained in (points / reward scale).
    pub value: f32,
}

/// Plays what a network says: the likeliest action, or one drawn from the policy.
pub struct NetworkAgent {
    network: Network,
    device: Device,
    features: Vec<f32>,
    illegal: Vec<bool>,
    /// Seed to draw actions with; `None` takes the likeliest.
    sample: Option<u64>,
}

impl NetworkAgent {
    /// The likeliest action always.
    pub fn greedy(weights: &Arc<Weights>) -> NetworkAgent {
        NetworkAgent::on(weights, default_device(), None)
    }

    /// Actions drawn from the policy: the same one whenever it sees the same.
    pub fn sampling(weights: &Arc<Weights>, seed: u64) -> NetworkAgent {
        NetworkAgent::on(weights, default_device(), Some(seed))
    }

    /// On a device of choice, with or without a seed to sample with.
    pub fn on(weights: &Weights, device: Device, sample: Option<u64>) -> NetworkAgent {
        let network = Network::new(weights, &device);
        NetworkAgent { network, device, features: Vec::new(), illegal: Vec::new(), sample }
    }

    /// Evaluates a batch and visits each result.
    pub fn evaluate(
        &mut self,
        observations: &[Observation],
        mut visit: impl FnMut(usize, Evaluation<'_>),
    ) {
        let n = observations.len();
        if n == 0 {
            return;
        }
        encode(observations.iter(), &mut self.features, &mut self.illegal);
        let features = TensorData::new(std::mem::take(&mut self.features), [n, N_FEATURES]);
        let illegal = TensorData::new(std::mem::take(&mut self.illegal), [n, N_ACTIONS]);
        let (logits, values) = self.network.forward(
            Tensor::from_data(features, &self.device),
            Tensor::from_data(illegal, &self.device),
        );
        let logits: Vec<f32> = logits.into_data().iter().collect();
        let values: Vec<f32> = values.into_data().iter().collect();
        for (i, (logits, value)) in logits.chunks(N_ACTIONS).zip(values).enumerate() {
            visit(i, Evaluation { logits, value });
        }
    }
}

/// Writes the features and the illegal actions of a batch, row by row.
pub fn encode<'a>(
    observations: impl ExactSizeIterator<Item = &'a Observation>,
    features: &mut Vec<f32>,
    illegal: &mut Vec<bool>,
) {
    let n = observations.len();
    features.resize(n * N_FEATURES, 0.0);
    illegal.clear();
    illegal.resize(n * N_ACTIONS, true);
    let rows = features.chunks_mut(N_FEATURES).zip(illegal.chunks_mut(N_ACTIONS));
    for (observation, (features, illegal)) in observations.zip(rows) {
        observation.encode(features);
        for action in observation.legal_actions() {
            illegal[action.index()] = false;
        }
    }
}

/// The legal action with the highest logit; the first of equals.
pub fn likeliest(legal: ActionSet, logits: &[f32]) -> Action {
    let mut best = (f32::NEG_INFINITY, Action::PASS);
    for action in legal {
        let logit = logits[action.index()];
        if logit > best.0 {
            best = (logit, action);
        }
    }
    best.1
}

/// Draws a legal action from the softmax of the logits; also returns its log-probability.
pub fn draw(legal: ActionSet, logits: &[f32], stream: &mut Stream) -> (Action, f32) {
    let top = legal.into_iter().map(|a| logits[a.index()]).fold(ILLEGAL_LOGIT, f32::max);
    let weight = |a: Action| (logits[a.index()] - top).exp();
    let total: f32 = legal.into_iter().map(weight).sum();
    let mut left = stream.unit() * total;
    let mut chosen = likeliest(legal, logits);
    for action in legal {
        let w = weight(action);
        if left < w {
            chosen = action;
            break;
        }
        left -= w;
    }
    (chosen, logits[chosen.index()] - top - total.ln())
}

impl Agent for NetworkAgent {
    fn act(&mut self, observations: &[Observation], out: &mut [Action]) {
        let sample = self.sample;
        self.evaluate(observations, |i, evaluation| {
            let legal = observations[i].legal_actions();
            out[i] = match sample {
                Some(seed) => {
                    let key = observations[i].fingerprint();
                    draw(legal, evaluation.logits, &mut Stream::new(seed, Purpose::Action, key)).0
                }
                None => likeliest(legal, evaluation.logits),
            };
        });
    }
}
