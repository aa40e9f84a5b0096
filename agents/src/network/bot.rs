//! A network at the table.

use std::sync::Arc;

use troel_env::rng::{Purpose, Stream};
use troel_env::{ActionSet, Observation};
use troel_nn::forward::Scratch;
use troel_nn::{Bundle, Forward, Input, Weights, draw, likeliest, log_probability, probabilities};

use crate::bot::{Bot, BotError, Decision, Detail};

#[cfg(feature = "burn")]
use super::model::{Network, is_processor, tensors};

/// What a network makes of one observation.
#[derive(Clone, Copy, Debug)]
pub struct Evaluation<'a> {
    /// Logits of all actions, `N_ACTIONS` of them; illegal ones at [`troel_nn::ILLEGAL_LOGIT`].
    pub logits: &'a [f32],
    /// Value, in the unit that the network was trained in (points / reward scale).
    pub value: f32,
}

/// A network ready to be evaluated, to be shared between threads.
#[derive(Clone, Debug)]
pub enum Evaluator {
    /// On the processor.
    Processor(Arc<Forward>),
    /// On another device, by burn.
    #[cfg(feature = "burn")]
    Device(Box<Network>, burn::tensor::Device),
}

impl Evaluator {
    /// The network of these weights on the processor.
    pub fn new(weights: &Weights) -> Evaluator {
        Evaluator::Processor(Arc::new(Forward::new(weights)))
    }

    /// The network of these weights on a device: by burn, unless it is the processor.
    #[cfg(feature = "burn")]
    pub fn on(weights: &Weights, device: &burn::tensor::Device) -> Evaluator {
        if is_processor(device) {
            Evaluator::new(weights)
        } else {
            Evaluator::Device(Box::new(Network::new(weights, device)), device.clone())
        }
    }

    /// Whether it wants large batches, as devices beside the processor do.
    pub fn wants_large_batches(&self) -> bool {
        !matches!(self, Evaluator::Processor(_))
    }
}

/// How a network's action is chosen.
#[derive(Clone, Debug)]
pub enum Choice {
    /// The likeliest action; the first of equals in the order of the numbering.
    Likeliest,
    /// Drawn from the policy with this seed: the same action whenever it sees the same.
    Sampled(u64),
    /// Drawn from the policy with this stream, decision after decision: what training explores with.
    Drawn(Stream),
}

/// Plays what a network says.
pub struct NetworkBot {
    evaluator: Evaluator,
    inputs: Vec<Input>,
    scratch: Scratch,
    choice: Choice,
    /// Points that a value of one stands for.
    reward_scale: f32,
}

impl NetworkBot {
    /// A bot whose values are in units of `reward_scale` points.
    pub fn new(evaluator: Evaluator, choice: Choice, reward_scale: f32) -> NetworkBot {
        NetworkBot {
            evaluator,
            inputs: Vec::new(),
            scratch: Scratch::default(),
            choice,
            reward_scale,
        }
    }

    /// The bot of a checkpoint, which takes the likeliest action.
    pub fn of_bundle(bundle: &Bundle) -> NetworkBot {
        let evaluator = Evaluator::new(&bundle.weights);
        NetworkBot::new(evaluator, Choice::Likeliest, bundle.info.reward_scale)
    }

    /// Evaluates a batch and visits each result, in order.
    pub fn evaluate(
        &mut self,
        observations: &[Observation],
        mut visit: impl FnMut(usize, Evaluation<'_>),
    ) {
        self.inputs.clear();
        self.inputs.extend(observations.iter().map(Input::from));
        if self.inputs.is_empty() {
            return;
        }
        match &self.evaluator {
            Evaluator::Processor(forward) => {
                forward.evaluate(&self.inputs, &mut self.scratch);
                let results = self.scratch.logits().zip(self.scratch.values());
                for (i, (logits, &value)) in results.enumerate() {
                    visit(i, Evaluation { logits, value });
                }
            }
            #[cfg(feature = "burn")]
            Evaluator::Device(network, device) => {
                let (features, illegal) = tensors(self.inputs.iter(), device);
                let (logits, values) = network.forward(features, illegal);
                let logits: Vec<f32> = logits.into_data().iter().collect();
                let values: Vec<f32> = values.into_data().iter().collect();
                for (i, (logits, value)) in
                    logits.chunks(troel_env::N_ACTIONS).zip(values).enumerate()
                {
                    visit(i, Evaluation { logits, value });
                }
            }
        }
    }
}

impl Choice {
    fn decide(
        &mut self,
        observation: &Observation,
        legal: ActionSet,
        evaluation: &Evaluation<'_>,
        reward_scale: f32,
        detail: Detail,
    ) -> Decision {
        let logits = evaluation.logits;
        let (action, log_prob) = match self {
            Choice::Likeliest => {
                let action = likeliest(legal, logits);
                (action, log_probability(legal, logits, action))
            }
            Choice::Sampled(seed) => {
                let key = observation.fingerprint();
                draw(legal, logits, &mut Stream::new(*seed, Purpose::Action, key))
            }
            Choice::Drawn(stream) => draw(legal, logits, stream),
        };
        let policy = match detail {
            Detail::Action => Vec::new(),
            Detail::Policy => probabilities(legal, logits),
        };
        Decision { action, log_prob, value: Some(evaluation.value * reward_scale), policy }
    }
}

impl Bot for NetworkBot {
    fn decide(
        &mut self,
        observations: &[Observation],
        detail: Detail,
    ) -> Result<Vec<Decision>, BotError> {
        // Taken out while the network is borrowed.
        let mut choice = std::mem::replace(&mut self.choice, Choice::Likeliest);
        let scale = self.reward_scale;
        let mut decisions = Vec::with_capacity(observations.len());
        let mut finite = true;
        self.evaluate(observations, |i, evaluation| {
            let legal = observations[i].legal_actions();
            finite &= legal.into_iter().all(|action| evaluation.logits[action.index()].is_finite());
            decisions.push(choice.decide(&observations[i], legal, &evaluation, scale, detail));
        });
        self.choice = choice;
        if finite { Ok(decisions) } else { Err(BotError::NotFinite("policy")) }
    }
}
