//! Sizes and weights of a network, independent of any tensor library.

use serde::{Deserialize, Serialize};
use troel_env::features::{N_RULE_FEATURES, TOTALS_RANGE};
use troel_env::rng::{Purpose, Stream};
use troel_env::{N_ACTIONS, N_FEATURES, N_FULL_FEATURES};

/// Maximum width of the hidden layers.
pub const MAX_HIDDEN: usize = 4096;

/// Maximum number of residual blocks.
pub const MAX_BLOCKS: usize = 64;

/// Sizes of a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct NetworkConfig {
    /// Width of the hidden layers, 1 to 4096.
    pub hidden: usize,
    /// Number of residual blocks of two layers each, 0 to 64.
    pub blocks: usize,
    /// Whether suits are renamed in card play, so that trumps are always in the same place.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub canonical_suits: bool,
    /// Whether the network has features of the rules, so that it plays under any rule set; for
    /// training with `house_rules`.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub rule_features: bool,
}

/// Network size that is out of range.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{key} = {value} is out of range: it must be {} to {}", range[0], range[1])]
pub struct SizeError {
    /// Key in the recipe.
    pub key: &'static str,
    /// Its value.
    pub value: usize,
    /// Smallest and largest allowed value.
    pub range: [usize; 2],
}

impl Default for NetworkConfig {
    fn default() -> NetworkConfig {
        NetworkConfig { hidden: 256, blocks: 1, canonical_suits: false, rule_features: false }
    }
}

/// Role of a linear layer in a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LayerRole {
    /// Layer that reads the features.
    Input,
    /// First layer of a residual block.
    BlockFirst,
    /// Second layer of a residual block.
    BlockSecond,
    /// Head with a logit for each action.
    Policy,
    /// Head with the value.
    Value,
}

impl LayerRole {
    /// Returns the standard deviation of the initial weights of a layer with this role.
    fn initial_scale(self, inputs: usize) -> f32 {
        let inputs = inputs as f32;
        match self {
            // About a tenth of the features are on at a time.
            LayerRole::Input => (2.0 / (0.1 * inputs)).sqrt(),
            LayerRole::BlockFirst => (2.0 / inputs).sqrt(),
            // Starts small, so that the block starts close to the identity.
            LayerRole::BlockSecond => 0.2 * (2.0 / inputs).sqrt(),
            // Starts small, so that the first policy is nearly uniform.
            LayerRole::Policy => 0.01 / inputs.sqrt(),
            LayerRole::Value => 0.1 / inputs.sqrt(),
        }
    }
}

/// Name, role and sizes of a linear layer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LayerSpec {
    /// Name in the weights file, such as `blocks.0.first`.
    pub name: String,
    /// Role in the network.
    pub role: LayerRole,
    /// Number of inputs.
    pub inputs: usize,
    /// Number of outputs.
    pub outputs: usize,
}

/// Named tensor within the flat vector of weights.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TensorSpec {
    /// Name in the weights file, such as `blocks.0.first.weight`.
    pub name: String,
    /// `[inputs, outputs]` of a matrix, `[outputs]` of a bias.
    pub shape: Vec<usize>,
    /// Offset of its first value in the flat vector.
    pub offset: usize,
}

impl TensorSpec {
    /// Returns the number of values.
    pub fn len(&self) -> usize {
        self.shape.iter().product()
    }

    /// Returns whether there are no values.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Inserts zeros for the weights of the features that observations of an older version lack.
/// `values` begin with the weights of `known` features, `outputs` for each.
pub fn insert_new_features(values: &mut Vec<f32>, known: usize, outputs: usize) {
    let from = known * outputs;
    values.splice(from..from, std::iter::repeat_n(0.0, (N_FEATURES - known) * outputs));
}

impl NetworkConfig {
    /// Checks that the sizes are in range.
    ///
    /// # Errors
    /// A size is out of range; the error names its key.
    pub fn check(&self) -> Result<(), SizeError> {
        for (key, value, range) in [
            ("network.hidden", self.hidden, [1, MAX_HIDDEN]),
            ("network.blocks", self.blocks, [0, MAX_BLOCKS]),
        ] {
            if !(range[0]..=range[1]).contains(&value) {
                return Err(SizeError { key, value, range });
            }
        }
        Ok(())
    }

    /// Returns the number of inputs of an acting network: the features, and the rule features if it
    /// has them.
    pub fn inputs(&self) -> usize {
        N_FEATURES + if self.rule_features { N_RULE_FEATURES } else { 0 }
    }

    /// Returns the layers of an acting network in order.
    pub fn layers(&self) -> Vec<LayerSpec> {
        let policy = self.layer("policy", LayerRole::Policy, N_ACTIONS);
        let value = self.layer("value", LayerRole::Value, 1);
        self.trunk(self.inputs()).chain([policy, value]).collect()
    }

    /// Returns the layers of a critic of this width and depth in order.
    ///
    /// The critic sees all four hands: its inputs are those of
    /// [`FullObservation::encode_full`](troel_env::FullObservation::encode_full). Its output is a
    /// value.
    pub fn critic_layers(&self) -> Vec<LayerSpec> {
        let value = self.layer("value", LayerRole::Value, 1);
        self.trunk(N_FULL_FEATURES).chain([value]).collect()
    }

    /// Returns the input layer and the layers of the blocks.
    fn trunk(&self, inputs: usize) -> impl Iterator<Item = LayerSpec> {
        let input = LayerSpec { inputs, ..self.layer("input", LayerRole::Input, self.hidden) };
        let blocks = (0..self.blocks).flat_map(|block| {
            let first = format!("blocks.{block}.first");
            let second = format!("blocks.{block}.second");
            [
                self.layer(&first, LayerRole::BlockFirst, self.hidden),
                self.layer(&second, LayerRole::BlockSecond, self.hidden),
            ]
        });
        std::iter::once(input).chain(blocks)
    }

    /// Returns a layer that reads the output of a hidden layer.
    fn layer(&self, name: &str, role: LayerRole, outputs: usize) -> LayerSpec {
        LayerSpec { name: name.to_string(), role, inputs: self.hidden, outputs }
    }

    /// Returns all tensors, in the order of the flat vector.
    pub fn tensors(&self) -> Vec<TensorSpec> {
        let mut offset = 0;
        let mut specs = Vec::new();
        for LayerSpec { name, inputs, outputs, .. } in self.layers() {
            for (part, shape) in [("weight", vec![inputs, outputs]), ("bias", vec![outputs])] {
                let spec = TensorSpec { name: format!("{name}.{part}"), shape, offset };
                offset += spec.len();
                specs.push(spec);
            }
        }
        specs
    }

    /// Returns the number of weights, biases included.
    pub fn weight_count(&self) -> usize {
        count_weights(&self.layers())
    }
}

/// Weights of a network.
#[derive(Clone, Debug, PartialEq)]
pub struct Weights {
    /// Sizes.
    pub config: NetworkConfig,
    /// All values, in the layout of [`NetworkConfig::tensors`].
    pub values: Vec<f32>,
}

impl Weights {
    /// Creates random initial weights: scaled normals for the trunk, small ones for the heads, so
    /// that the first policy is nearly uniform.
    pub fn init(config: NetworkConfig, seed: u64) -> Weights {
        let mut stream = Stream::new(seed, Purpose::Weights, 0);
        Weights { config, values: initial_values(&config.layers(), &mut stream) }
    }

    /// Returns a hash of configuration and values (BLAKE3, 16 hexadecimal digits).
    ///
    /// Only equal networks have equal hashes.
    pub fn hash(&self) -> String {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&(self.config.hidden as u64).to_le_bytes());
        hasher.update(&(self.config.blocks as u64).to_le_bytes());
        hasher.update(&[self.config.canonical_suits.into()]);
        // Networks of versions without rule features keep their hash.
        if self.config.rule_features {
            hasher.update(b"rule features");
        }
        for value in &self.values {
            hasher.update(&value.to_le_bytes());
        }
        hasher.finalize().to_hex()[..16].to_string()
    }

    /// Makes the network ignore match totals: sets the input weights of those features to zero.
    pub fn ignore_totals(&mut self) {
        let hidden = self.config.hidden;
        let rows = TOTALS_RANGE.start * hidden..TOTALS_RANGE.end * hidden;
        // `values` of the wrong length may not have these rows.
        if let Some(rows) = self.values.get_mut(rows) {
            rows.fill(0.0);
        }
    }
}

/// Returns random initial values of these layers.
pub(crate) fn initial_values(layers: &[LayerSpec], stream: &mut Stream) -> Vec<f32> {
    let mut values = Vec::with_capacity(count_weights(layers));
    for &LayerSpec { role, inputs, outputs, .. } in layers {
        let scale = role.initial_scale(inputs);
        values.extend((0..inputs * outputs).map(|_| scale * normal(stream)));
        values.extend(std::iter::repeat_n(0.0, outputs));
    }
    values
}

/// Returns the number of weights of these layers, biases included.
pub(crate) fn count_weights(layers: &[LayerSpec]) -> usize {
    layers.iter().map(|layer| (layer.inputs + 1) * layer.outputs).sum()
}

/// Draws a standard normal sample (Box–Muller).
fn normal(stream: &mut Stream) -> f32 {
    let radius = (-2.0 * (1.0 - stream.unit()).ln()).sqrt();
    radius * (std::f32::consts::TAU * stream.unit()).cos()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn totals_are_the_rows_that_become_zero() {
        let config = NetworkConfig { hidden: 3, blocks: 0, ..NetworkConfig::default() };
        let mut weights = Weights::init(config, 1);
        let before = weights.clone();
        weights.ignore_totals();
        let changed = weights.values.iter().zip(&before.values).filter(|(a, b)| a != b).count();
        assert_eq!(changed, 4 * 3);
        let rules = troel_env::RuleSet::built_in("luxembourg").unwrap();
        let deal = troel_env::Deals::new(rules, 1).shuffled(0, troel_env::Seat::North);
        let state = troel_env::State::new(rules, &deal);
        let at = |totals| {
            let obs = state.observe(state.turn(), troel_env::BySeat(totals));
            let mut scratch = crate::forward::Scratch::default();
            crate::CpuNetwork::new(&weights)
                .evaluate(&[crate::NetworkInput::from(&obs)], &mut scratch);
            (scratch.logits().next().copied(), scratch.values()[0])
        };
        assert_eq!(at([0; 4]), at([90, -20, 99, 3]));
    }

    #[test]
    fn layout_covers_all_values() {
        let config = NetworkConfig { hidden: 32, blocks: 2, ..NetworkConfig::default() };
        let weights = Weights::init(config, 1);
        let last = config.tensors().pop().unwrap();
        assert_eq!(last.offset + last.len(), weights.values.len());
        assert_eq!(config.weight_count(), weights.values.len());
        assert_ne!(weights, Weights::init(config, 2));
        assert_eq!(weights, Weights::init(config, 1));
        let mut other = weights.clone();
        other.values[17] += 1e-6;
        assert_eq!(weights.hash(), Weights::init(config, 1).hash());
        assert_ne!(weights.hash(), other.hash());
    }
}
