//! A bot that plays a network's policy.

use std::path::Path;
use std::sync::Arc;

use troel_env::rng::{Purpose, Stream};
use troel_env::{ActionSet, Observation};
use troel_nn::{
    BotInfo, Bundle, BundleError, CpuNetwork, NetworkInput, Scratch, TrainedBot, Weights,
    log_probability, most_probable, probabilities, sample,
};

use crate::bot::{Bot, BotError, Decision, DecisionDetail};

#[cfg(feature = "burn")]
use troel_nn::NetworkConfig;

#[cfg(feature = "burn")]
use super::model::{Network, is_cpu, tensors};
#[cfg(feature = "onnx")]
use super::onnx::OnnxNetwork;
use super::output::NetworkOutput;

/// A network prepared for inference, to be shared between threads.
#[derive(Clone, Debug)]
pub enum Evaluator {
    /// On the CPU, by [`troel_nn`].
    Cpu(Arc<CpuNetwork>),
    /// An ONNX model, on the CPU.
    #[cfg(feature = "onnx")]
    Onnx(Arc<OnnxNetwork>),
    /// On another device, by burn.
    #[cfg(feature = "burn")]
    Device(Box<Network>, NetworkConfig, burn::tensor::Device),
}

impl Evaluator {
    /// Prepares weights for the CPU.
    pub fn new(weights: &Weights) -> Evaluator {
        Evaluator::Cpu(Arc::new(CpuNetwork::new(weights)))
    }

    /// Prepares the network of a bundle for the CPU. `path` names the bundle in errors.
    ///
    /// # Errors
    /// The bundle holds an ONNX model that does not fit, or this build does not run ONNX models.
    pub fn of_trained(path: &Path, trained: &TrainedBot) -> Result<Evaluator, BundleError> {
        match trained {
            TrainedBot::Network(bundle) => Ok(Evaluator::new(&bundle.weights)),
            #[cfg(feature = "onnx")]
            TrainedBot::Onnx(bundle) => {
                Ok(Evaluator::Onnx(Arc::new(OnnxNetwork::new(path, bundle)?)))
            }
            #[cfg(not(feature = "onnx"))]
            TrainedBot::Onnx(_) => Err(BundleError::Model {
                path: path.join(troel_nn::bundle::MODEL_FILE),
                message: "this build of troel does not run ONNX models; use one with the feature \
                          `onnx`, such as the program of a release"
                    .to_string(),
            }),
        }
    }

    /// Returns the points per unit of the network's value, given its metadata. The result is `None`
    /// if its values are not points, or if it has no value.
    pub fn points_per_value(&self, info: &BotInfo) -> Option<f32> {
        match self {
            #[cfg(feature = "onnx")]
            Evaluator::Onnx(network) if !network.has_value() => None,
            _ => info.points_per_value(),
        }
    }

    /// Prepares weights for a device: for burn, unless it is the CPU.
    #[cfg(feature = "burn")]
    pub fn on(weights: &Weights, device: &burn::tensor::Device) -> Evaluator {
        if is_cpu(device) {
            Evaluator::new(weights)
        } else {
            let network = Box::new(Network::new(weights, device));
            Evaluator::Device(network, weights.config, device.clone())
        }
    }

    /// Returns whether the evaluator needs large batches to be fast. Every device but the CPU does.
    pub fn wants_large_batches(&self) -> bool {
        match self {
            Evaluator::Cpu(_) => false,
            #[cfg(feature = "onnx")]
            Evaluator::Onnx(_) => false,
            #[cfg(feature = "burn")]
            Evaluator::Device(..) => true,
        }
    }

    /// Evaluates a batch and calls `visit` with each index and its outputs, in order.
    ///
    /// # Errors
    /// An ONNX model failed.
    fn evaluate(
        &self,
        buffers: &mut Buffers,
        observations: &[Observation],
        mut visit: impl FnMut(usize, NetworkOutput<'_>),
    ) -> Result<(), BotError> {
        if observations.is_empty() {
            return Ok(());
        }
        match self {
            Evaluator::Cpu(network) => {
                let Buffers { inputs, scratch } = buffers.filled(observations);
                network.evaluate(inputs, scratch);
                let results = scratch.logits().zip(scratch.values());
                for (i, (logits, &value)) in results.enumerate() {
                    visit(i, NetworkOutput { logits, value });
                }
            }
            #[cfg(feature = "burn")]
            Evaluator::Device(network, config, device) => {
                let inputs = &buffers.filled(observations).inputs;
                let (features, illegal) = tensors(inputs.iter(), config, device);
                let (logits, values) = network.forward(features, illegal);
                let logits: Vec<f32> = logits.into_data().iter().collect();
                let values: Vec<f32> = values.into_data().iter().collect();
                let rows = logits.chunks(troel_env::N_ACTIONS).zip(values).zip(inputs.iter());
                for (i, ((outputs, value), input)) in rows.enumerate() {
                    let places = input.suit_permutation(config).actions();
                    let logits = places.map(|place| outputs[usize::from(place)]);
                    visit(i, NetworkOutput { logits: &logits, value });
                }
            }
            #[cfg(feature = "onnx")]
            Evaluator::Onnx(network) => network.evaluate(observations, visit)?,
        }
        Ok(())
    }
}

/// Memory of an evaluation, reused by the next one.
#[derive(Default)]
struct Buffers {
    inputs: Vec<NetworkInput>,
    scratch: Scratch,
}

impl Buffers {
    /// Fills the inputs from observations.
    fn filled(&mut self, observations: &[Observation]) -> &mut Buffers {
        self.inputs.clear();
        self.inputs.extend(observations.iter().map(NetworkInput::from));
        self
    }
}

/// Selection of a network's action from its policy.
#[derive(Clone, Debug)]
pub enum ActionSelection {
    /// The most probable action; ties go to the lowest action number.
    MostProbable,
    /// Sampled from the policy with this seed; equal observations get the same action.
    SampledBySeed(u64),
    /// Sampled from the policy with this random stream, which advances at each decision. Training
    /// explores this way.
    Sampled(Stream),
    /// Like `Sampled`, but the most probable action if the function returns true.
    SampledUnless(Stream, fn(&Observation) -> bool),
}

/// Bot that plays a network's policy.
pub struct NetworkBot {
    evaluator: Evaluator,
    buffers: Buffers,
    selection: ActionSelection,
    /// Points per unit of value; `None` if its values are not points.
    points_per_value: Option<f32>,
}

impl NetworkBot {
    /// Creates a bot that plays a network's policy.
    ///
    /// `points_per_value` is the number of points per unit of the network's value
    /// ([`BotInfo::points_per_value`](troel_nn::BotInfo::points_per_value)). It is `None` for
    /// networks that were not rewarded for points; their decisions have no value.
    pub fn new(
        evaluator: Evaluator,
        selection: ActionSelection,
        points_per_value: Option<f32>,
    ) -> NetworkBot {
        NetworkBot { evaluator, buffers: Buffers::default(), selection, points_per_value }
    }

    /// Creates the bot of a bundle, which plays the most probable action.
    pub fn from_bundle(bundle: &Bundle) -> NetworkBot {
        let evaluator = Evaluator::new(&bundle.weights);
        NetworkBot::new(evaluator, ActionSelection::MostProbable, bundle.info.points_per_value())
    }

    /// Evaluates a batch and calls `visit` with each index and its outputs, in order.
    ///
    /// # Errors
    /// An ONNX model failed.
    pub fn evaluate(
        &mut self,
        observations: &[Observation],
        visit: impl FnMut(usize, NetworkOutput<'_>),
    ) -> Result<(), BotError> {
        self.evaluator.evaluate(&mut self.buffers, observations, visit)
    }
}

impl ActionSelection {
    fn decide(
        &mut self,
        obs: &Observation,
        legal: ActionSet,
        output: &NetworkOutput<'_>,
        points_per_value: Option<f32>,
        detail: DecisionDetail,
    ) -> Decision {
        let logits = output.logits;
        let most_probable = || {
            let action = most_probable(legal, logits);
            (action, log_probability(legal, logits, action))
        };
        let (action, log_prob) = match self {
            ActionSelection::MostProbable => most_probable(),
            ActionSelection::SampledUnless(_, takes_best) if takes_best(obs) => most_probable(),
            ActionSelection::SampledBySeed(seed) => {
                let key = obs.fingerprint();
                sample(legal, logits, &mut Stream::new(*seed, Purpose::Action, key))
            }
            ActionSelection::Sampled(stream) | ActionSelection::SampledUnless(stream, _) => {
                sample(legal, logits, stream)
            }
        };
        let policy = detail.policy(|| probabilities(legal, logits));
        let value = points_per_value.map(|points| output.value * points);
        Decision { action, log_prob, value, policy }
    }
}

impl Bot for NetworkBot {
    fn decide(
        &mut self,
        observations: &[Observation],
        detail: DecisionDetail,
    ) -> Result<Vec<Decision>, BotError> {
        let NetworkBot { evaluator, buffers, selection, points_per_value } = self;
        let mut decisions = Vec::with_capacity(observations.len());
        let mut finite = true;
        evaluator.evaluate(buffers, observations, |i, output| {
            let legal = observations[i].legal_actions();
            finite &= legal.into_iter().all(|action| output.logits[action.index()].is_finite());
            decisions.push(selection.decide(
                &observations[i],
                legal,
                &output,
                *points_per_value,
                detail,
            ));
        })?;
        if finite { Ok(decisions) } else { Err(BotError::NotFinite("policy")) }
    }
}
